"""The texts that the compilers are given."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from tests.fuzz.generate import by_hypothesis
from tests.fuzz.program import module_instances, module_text
from tests.support.everywhere import Text
from transpile.dtypes import F32, F64, python_name
from transpile.ops.table import OPERATIONS

ROOT: Final = Path(__file__).parents[2]
NAMES: Final = ("zoo", "tiles", "saxpy", "generated", "functions", "accesses", "sized", "scans")
ACCESSES: Final = ("atomics", "several", "reports")
SIZED: Final = {"sums": [(5,), (9,)], "turned": [(2,), (3,)]}

SCANS: Final = """
from transpile import native, tile


@tile.kernel
def scans(n: int, x: native.const_ptr[native.f32], y: native.ptr[native.f32], at: native.ptr[int]) -> None:
    lane, few = tile.arange(1024), tile.arange(64)
    v = tile.load(x, lane, lane < n)
    tile.store(y, lane, tile.cumsum(v * v) + tile.cummax(v) * tile.prod(v))
    tile.store(y, few, tile.cumsum(tile.load(x, few)))
    tile.store(at, lane, tile.cumsum(v > 0.0))
    tile.store(at, 0, tile.argmax(v) + tile.argmin(v))


@tile.kernel
def shares(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    v = tile.load(x, tile.arange(2048))
    tile.store(y, tile.arange(2048), tile.cumsum(v) / tile.sum(v) + tile.var(v))
"""


@cache
def text_of(name: str) -> Text:
    """The kernels of the zoo, of an example, of generated programs, of scans, or of all functions of
    `runtime_cpp/math`."""
    if name == "generated":
        programs = by_hypothesis(777, 12)
        return Text(module_text(programs), "generated", module_instances(programs))
    if name == "functions":
        return Text(functions(), name)
    if name == "scans":
        return Text(SCANS, name)
    if name == "accesses":
        return Text("".join(map(program_of_run, ACCESSES)), name)
    if name == "sized":
        return Text(program_of_run(name), name, SIZED)
    folder = Path(__file__).parent if name == "zoo" else ROOT / "examples"
    return Text((folder / f"{name}.py").read_text(encoding="utf-8"), name)


def program_of_run(name: str) -> str:
    return (ROOT / "tests" / "run" / "programs" / f"{name}.py").read_text(encoding="utf-8")


def functions() -> str:
    """A kernel for each type of float, which applies every function; a launcher, which reaches some by a device
    function."""
    rows = [row for row in OPERATIONS.values() if row.in_runtime and not row.is_internal]
    text = "from transpile import cuda, native, tile\n"
    for dtype in (F32, F64):
        calls = [f"{row.name}({', '.join(['v'] * row.arity)})" for row in rows]
        lines = [f"    tile.store(x, {place * 64} + at, tile.{call})\n" for place, call in enumerate(calls)]
        text += f"\n\n@tile.kernel\ndef on_{dtype}(x: native.ptr[{python_name(dtype)}]) -> None:\n"
        text += "    at = tile.arange(64)\n    v = tile.load(x, at)\n" + "".join(lines)
    text += "\n\n@cuda.device\ndef grown(x: float) -> float:\n    return native.exp(x) + max(native.log1p(x), 1.0)\n"
    text += "\n\ndef run(n: float, x: native.ptr[float]) -> None:\n    tile.launch(on_f64, int(grown(n)), x)\n"
    return text

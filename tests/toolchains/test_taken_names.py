"""Every word that the templates themselves write may also be the name of a user's function, parameter or variable."""

from __future__ import annotations

import keyword
import re
from pathlib import Path
from typing import Final

import pytest

from tests.support.compiling import compile_on_fibres, run_compiler
from tests.support.everywhere import Text

TEMPLATES: Final = Path(__file__).parents[2] / "transpile" / "templates"
OWN: Final = {
    "x",
    "y",
    "i",
    "lane",
    "shared",
    "native",
    "cuda",
    "tile",
    "int",
    "float",
    "bool",
    "max",
    "min",
    "abs",
    "range",
}
TOGETHER: Final = 24


def words() -> list[str]:
    found: set[str] = set()
    for path in (TEMPLATES / "cpu.j2", TEMPLATES / "gpu.j2", *(TEMPLATES / "parts").glob("*.j2")):
        text = re.sub(r"\{[{%#].*?[}%#]\}|//.*|\\n", " ", path.read_text(encoding="utf-8"), flags=re.MULTILINE)
        found |= set(re.findall(r"[A-Za-z_]\w*", text))
    return sorted(word for word in found - OWN if not keyword.iskeyword(word) and not word.startswith("__"))


def group(number: int, names: list[str]) -> str:
    """Kernels and launchers whose parameters, or variables, have these names; they use what needs helpers."""
    listed, summed, first, second = ", ".join(names), " + ".join(names), names[0], names[1]
    parameters = ", ".join(f"{name}: {'int' if place % 2 == 0 else 'float'}" for place, name in enumerate(names))
    variables = "".join(f"    {name} = n * {place + 2}\n" for place, name in enumerate(names))
    return f"""
@tile.kernel
def tiles_{number}(x: native.ptr[float], y: native.ptr[int], {parameters}) -> None:
    lane = tile.arange(64)
    tile.store(x, lane, tile.load(x, lane) * ({summed}) // 3)
    tile.store(x, 0, tile.max(tile.load(x, lane)) + tile.sum(tile.load(y, lane)) + tile.program_id())
    {second} = tile.sum(tile.load(x, lane) * {first}) % 2.0
    for {first} in range({first}):
        tile.store(y, lane, {first} * lane << {first} // (lane - 3))
    tile.store(x, lane, {second})


@cuda.kernel
def threads_{number}(x: native.ptr[float], y: native.ptr[int], {parameters}) -> None:
    i = cuda.global_id()
    shared = cuda.shared[float, 64]()
    native.store(native.offset(shared, cuda.thread_id()), cuda.shfl_xor({summed}, 1) % 3.0)
    cuda.syncthreads()
    {second} = max(native.load(shared), {second}) + round({second}) % ({first} + i)
    for {first} in range({first}):
        native.store(native.offset(x, i), {second} + {first} // ({first} + i))


def run_{number}(x: native.ptr[float], y: native.ptr[int], {parameters}) -> None:
    tile.launch(tiles_{number}, {first} // 3, x, y, {listed})
    for {first} in range(3):
        cuda.launch(threads_{number}, abs({first}) << 2, 64, x, y, {listed})


def assign_{number}(x: native.ptr[float], y: native.ptr[int], n: int) -> None:
{variables}    tile.launch(tiles_{number}, {first}, x, y, {listed})
"""


def source() -> str:
    names = words()
    functions = "".join(
        f"@cuda.device\ndef {name}(n: int) -> int:\n    while n > 3:\n        n = n // 2\n    return n\n\n\n"
        for name in names
    )
    calls = "".join(
        f"    native.store(native.offset(y, {place}), {name}({place}))\n" for place, name in enumerate(names)
    )
    groups = [group(number, names[at : at + TOGETHER]) for number, at in enumerate(range(0, len(names), TOGETHER))]
    head = "from transpile import cuda, native, tile\n\n\n"
    return f"{head}{functions}@cuda.kernel\ndef call_each(y: native.ptr[int]) -> None:\n{calls}{''.join(groups)}"


@pytest.mark.parametrize("backend", ["cpu", "cuda"])
def test_the_words_of_the_templates_are_names_too(backend: str, tmp_path: Path) -> None:
    text = Text(source(), "names").emitted(backend)
    if backend == "cuda":
        compile_on_fibres(text, ("-O0",))
        return
    file = tmp_path / "names.cpp"
    file.write_text(text, encoding="utf-8")
    run_compiler(["g++", "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", str(file)])


SYMBOLS: Final = """
from transpile import cuda, native, tile


@cuda.device
def st_fill(n: int) -> int:
    return n + 1


@cuda.device
def st_run(n: int) -> int:
    return n + 2


@tile.kernel
def fill(st_fill_: int, y: native.ptr[int]) -> None:
    tile.store(y, 0, st_fill(st_fill_) + st_run(3))


def run(st_fill: int, y: native.ptr[int]) -> None:
    st_run = 1
    tile.launch(fill, st_run, st_fill, y)
"""


@pytest.mark.parametrize("backend", ["cpu", "cuda"])
def test_names_like_the_symbols_of_the_file(backend: str, tmp_path: Path) -> None:
    text = Text(SYMBOLS, "st").emitted(backend)
    if backend == "cuda":
        compile_on_fibres(text)
        return
    file = tmp_path / "st.cpp"
    file.write_text(text, encoding="utf-8")
    run_compiler(["g++", "-std=c++17", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", str(file)])

"""Kernels that apply every row of the table to every pair of edge values, one kernel a row, one text a dtype."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tests.exhaustive.judge import Inputs
from tests.run.function_edges import function_values
from transpile import dtypes
from transpile.dtypes import DType
from transpile.ops.convert import convert
from transpile.ops.operation import Operation
from transpile.ops.table import OPERATIONS, REDUCTIONS, accumulator

EDGES: Final[dict[str, tuple[Any, ...]]] = {
    "bool": (False, True),
    "int": (0, 1, -1, 2, -2, 3, -3, 5, 7, -7, 10, 31, 32, 33, 63, 64, 65, -64, 100, 255, -1000, 12345),
    "float": (
        0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, 2.5, -2.5, 3.0, -7.0, 0.1, 1 / 3, 1e10, 5e-324, -5e-324, 1e-310,
        2.2250738585072014e-308, 1.7976931348623157e308, 1e300, -1e300, float("inf"), float("-inf"), float("nan"),
        4503599627370497.5, 9007199254740993.0, 9.223372036854775e18, 2147483647.5, 16777217.0, 1e-45, 3.4e38,
    ),
}  # fmt: skip
STORAGE: Final = tuple(dtype for dtype in dtypes.ALL if dtype.computes_in)
COMPUTING: Final = tuple(dtype for dtype in dtypes.ALL if not dtype.computes_in)
INFIX: Final = {
    "add": "+", "sub": "-", "mul": "*", "truediv": "/", "floordiv": "//", "mod": "%", "and": "&", "or": "|", "xor": "^",
    "shl": "<<", "shr": ">>", "eq": "==", "ne": "!=", "lt": "<", "le": "<=", "gt": ">", "ge": ">=",
}  # fmt: skip
PREFIX: Final = {"neg": "-", "pos": "+", "invert": "~", "not": "not "}


def edge_values(dtype: DType) -> NDArray[Any]:
    """The values that a dtype's operations go wrong at."""
    kind = "int" if dtype.is_integer else "float" if dtype.is_float else "bool"
    values = list(EDGES[kind])
    if kind == "int":
        ends = (dtype.min, dtype.max, dtype.min + 1, dtype.max - 1, dtype.max // 2 + 1)
        values = [*values, *ends, *range(-20, 21, 3)]
    with np.errstate(over="ignore"):
        if kind == "int":
            return np.array([value for value in values if dtype.min <= value <= dtype.max], dtype.held)
        return convert(np.array(values, np.float64), dtypes.F64, dtype) if kind == "float" else np.array(values)


def operands(dtype: DType, row: Operation, lanes: int) -> list[NDArray[Any]]:
    """As many arrays as the row has operands: every pair of edge values, then repeated to fill the lanes."""
    values = edge_values(dtype)
    if row.in_runtime and row.arity == 1:
        return [function_values(row.name, values, dtype, lanes)]
    first, second = (part.ravel() for part in np.meshgrid(values, values, indexing="ij"))
    third = np.roll(first, 7)
    arrays = [np.resize(part, lanes) for part in (first, second, third)]
    if row.name == "where":
        arrays[0] = np.arange(lanes) % 3 == 0
    if row.name == "copysign":
        arrays[1] = np.where(np.isnan(arrays[1]), arrays[1].dtype.type(1), arrays[1])  # a NaN's sign is open
    if row.name == "pow":
        edges = len(values) ** 2
        pairs = Inputs(dtype, 2, lanes, 1).chunk(0, lanes, 1)
        return [np.concatenate([part[:edges], pair[edges:]]) for part, pair in zip(arrays[:2], pairs, strict=True)]
    return arrays[: row.arity]


def accepts(row: Operation, dtype: DType) -> bool:
    allowed = {
        "number": True,
        "any": True,
        "float": dtype.is_float,
        "integer": dtype.is_integer,
        "integer_or_bool": not dtype.is_float,
        "bool": dtype.kind == "bool",
    }
    return allowed[row.accepts]


def spelled(row: Operation, names: list[str], dialect: str) -> str:
    """The row applied to names, as a user of the dialect writes it; empty where the dialect has no spelling for it."""
    if row.name in INFIX:
        return f"{names[0]} {INFIX[row.name]} {names[1]}"
    if row.name in PREFIX:
        return f"{PREFIX[row.name]}{names[0]}" if row.name != "not" or dialect == "native" else ""
    order = ("tile",) if dialect == "tile" else ("native", "math", "builtin")
    for prefix in order:
        for spelling in row.spellings:
            if spelling.startswith(prefix + "."):
                return f"{spelling.removeprefix('builtin.')}({', '.join(names)})"
    return ""


def result_dtype(row: Operation, dtype: DType) -> DType:
    """Of the row on operands of one dtype (language.md, Types and Reductions)."""
    if row.result == "bool":
        return dtypes.BOOL
    if row.name == "truediv" and not dtype.is_float:
        return dtypes.F64
    if dtype.kind == "bool" and row.accepts == "number":
        return dtypes.I64
    return dtype


def rows_for(dtype: DType, dialect: str) -> list[Operation]:
    return [row for row in OPERATIONS.values() if accepts(row, dtype) and spelled(row, ["a", "b", "c"], dialect)]


def pointer_type(dtype: DType, *, const: bool) -> str:
    return f"native.{'const_ptr' if const else 'ptr'}[{dtypes.python_name(dtype)}]"


def signature(row: Operation, dtype: DType) -> str:
    kinds = [dtypes.BOOL if row.name == "where" and place == 0 else dtype for place in range(row.arity)]
    parts = [f"{'abc'[place]}: {pointer_type(kind, const=True)}" for place, kind in enumerate(kinds)]
    return ", ".join([*parts, f"out: {pointer_type(result_dtype(row, dtype), const=False)}"])


def tile_kernel(row: Operation, dtype: DType, lanes: int) -> str:
    names = list("abc"[: row.arity])
    loads = "".join(f"    {name}v = tile.load({name}, at)\n" for name in names)
    return (
        f"\n\n@tile.kernel\ndef tile_{row.name}({signature(row, dtype)}) -> None:\n"
        f"    at = tile.program_id() * {lanes} + tile.arange({lanes})\n{loads}"
        f"    tile.store(out, at, {spelled(row, [name + 'v' for name in names], 'tile')})\n"
    )


def thread_kernel(row: Operation, dtype: DType) -> str:
    names = list("abc"[: row.arity])
    loads = "".join(f"    {name}v = native.load(native.offset({name}, i))\n" for name in names)
    return (
        f"\n\n@cuda.kernel\ndef thread_{row.name}({signature(row, dtype)}) -> None:\n"
        f"    i = cuda.global_id()\n{loads}"
        f"    native.store(native.offset(out, i), {spelled(row, [name + 'v' for name in names], 'native')})\n"
    )


def matrix_text(dtype: DType, lanes: int) -> str:
    """Both dialects' kernels for every row that takes the dtype."""
    tiles = [tile_kernel(row, dtype, lanes) for row in rows_for(dtype, "tile")]
    threads = [thread_kernel(row, dtype) for row in rows_for(dtype, "native")]
    return "import math\n\nfrom transpile import cuda, native, tile\n" + "".join(tiles + threads)


def storage_text(lanes: int) -> str:
    """Both dialects' kernels that use each type which is for storage: what they compute is of another type."""
    kernels = []
    for dtype in STORAGE:
        outs = ", ".join(f"{name}: {pointer_type(kind, const=False)}" for name, kind in storage_results(dtype).items())
        head = f"(a: {pointer_type(dtype, const=True)}, b: {pointer_type(dtype, const=True)}, {outs}) -> None:\n"
        results = (
            ("same", "a"), ("total", "a + b"), ("less", "a < b"), ("turned", "-a"), ("scaled", "a * 0.1"),
            ("other", "MODULE.where(a < b, a, b)"), ("most", "MODULE.maximum(a, b)"),
        )  # fmt: skip
        kernels.append(
            f"\n\n@tile.kernel\ndef tile_{dtype}{head}    at = tile.program_id() * {lanes} + tile.arange({lanes})\n"
            "    va, vb = tile.load(a, at), tile.load(b, at)\n"
            + "".join(f"    tile.store({name}, at, {_on_values(text, 'tile')})\n" for name, text in results)
        )
        kernels.append(
            f"\n\n@cuda.kernel\ndef thread_{dtype}{head}    i = cuda.global_id()\n"
            "    va, vb = native.load(native.offset(a, i)), native.load(native.offset(b, i))\n"
            + "".join(
                f"    native.store(native.offset({name}, i), {_on_values(text, 'native')})\n" for name, text in results
            )
        )
    return "from transpile import cuda, native, tile\n" + "".join(kernels)


def _on_values(text: str, module: str) -> str:
    return re.sub(r"\b([ab])\b", r"v\1", text).replace("MODULE", module)


def storage_results(dtype: DType) -> dict[str, DType]:
    """The outputs of a kernel of `storage_text`."""
    wide = dtype.computing
    scaled = wide if dtype.is_float else dtypes.F64
    return {
        "same": dtype,
        "total": wide,
        "less": dtypes.BOOL,
        "turned": wide,
        "other": dtype,
        "most": dtype,
        "scaled": scaled,
    }


def cast_text(lanes: int) -> str:
    """Every conversion between two dtypes, by a cast: one kernel for each source."""
    kernels = []
    for source in dtypes.ALL:
        outs = ", ".join(f"to_{to.name}: {pointer_type(to, const=False)}" for to in dtypes.ALL)
        stores = "".join(
            f"    tile.store(to_{to.name}, at, tile.cast(v, {dtypes.python_name(to)}))\n" for to in dtypes.ALL
        )
        kernels.append(
            f"\n\n@tile.kernel\ndef cast_{source.name}(a: {pointer_type(source, const=True)}, {outs}) -> None:\n"
            f"    at = tile.program_id() * {lanes} + tile.arange({lanes})\n    v = tile.load(a, at)\n{stores}"
        )
    return "from transpile import native, tile\n" + "".join(kernels)


def reductions_for(dtype: DType) -> list[str]:
    return [
        row.name
        for row in REDUCTIONS.values()
        if (row.accumulate == "bool") == (dtype.kind == "bool") or (row.accumulate == "wide" and dtype.kind == "bool")
    ]


def reduction_result(name: str, dtype: DType) -> DType:
    row = REDUCTIONS[name]
    return dtype if row.accumulate == "same" else accumulator(row, dtype)


def folded(name: str, dtype: DType) -> str:
    return pointer_type(reduction_result(name, dtype), const=False)


def reduction_text(kinds: Sequence[DType], names: Sequence[str], sizes: Sequence[int]) -> str:
    """Every fold of the dtypes at every size."""
    kernels = [
        f"\n\n@tile.kernel\ndef fold_{dtype}_{name}_{size}"
        f"(a: {pointer_type(dtype, const=True)}, out: {folded(name, dtype)}) -> None:\n"
        f"    pid = tile.program_id()\n"
        f"    tile.store(out, pid, tile.{name}(tile.load(a, pid * {size} + tile.arange({size}))))\n"
        for dtype in kinds
        for name in names
        for size in sizes
    ]
    return "from transpile import native, tile\n" + "".join(kernels)

"""One module a function and target, from kernels in the language and by the command that everyone has: `build`."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from transpile.build.load import built_path, load_extension
from transpile.dtypes import DType, python_name
from transpile.ops.operation import Operation

Array = NDArray[Any]
Apply = Callable[[DType, Sequence[Array]], Array]  # a function on whole arrays
LANES: Final = 1024
TIME_LIMIT: Final = 300.0
PIECE: Final = 1 << 14  # lanes at once of a definition in NumPy: what it works on stays in a processor's own cache


def kernel(row: Operation, dtype: DType) -> str:
    """A tile kernel that applies a row to every element of its arrays."""
    operands = "ab"[: row.arity]
    parameters = ", ".join(f"{name}: native.const_ptr[{python_name(dtype)}]" for name in operands)
    loaded = ", ".join(f"tile.load({name}, at)" for name in operands)
    spelled = next(each for each in row.spellings if each.startswith("tile."))
    return (
        f"\n\n@tile.kernel\ndef on_{dtype}({parameters}, out: native.ptr[{python_name(dtype)}]) -> None:\n"
        f"    at = tile.program_id() * {LANES} + tile.arange({LANES})\n"
        f"    tile.store(out, at, {spelled}({loaded}))\n"
    )


def build(rows: Sequence[Operation], kinds: Sequence[DType], targets: Sequence[str], folder: Path) -> dict[str, Apply]:
    """The functions by `name target`, built all at the same time. Raises RuntimeError with what a compiler said."""
    wanted = [(row, target) for row in rows for target in targets]
    sources = {(row.name, target): folder / f"{row.name}_{target}.py" for row, target in wanted}
    for row, target in wanted:
        text = "from transpile import native, tile\n" + "".join(kernel(row, dtype) for dtype in kinds)
        sources[row.name, target].write_text(text, encoding="utf-8")
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        list(pool.map(lambda each: _build(sources[each[0].name, each[1]], each[1]), wanted))
    return {f"{name} {target}": _load(source) for (name, target), source in sources.items()}


def _build(source: Path, target: str) -> None:
    command = [sys.executable, "-m", "transpile", "build", str(source), "--target", target]
    done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")


def _load(source: Path) -> Apply:
    module = load_extension(f"{source.stem}_ext", built_path(source))

    def apply(dtype: DType, operands: Sequence[Array]) -> Array:
        count = operands[0].size
        padded = [np.resize(operand, -(-count // LANES) * LANES) if count % LANES else operand for operand in operands]
        out = np.empty_like(padded[0])
        getattr(module, f"on_{dtype}")[out.size // LANES](*padded, out)
        return out[:count]

    return apply


def definition(row: Operation) -> Apply:
    """The row's own definition in NumPy, piece by piece on every processor."""

    def piece(operands: Sequence[Array]) -> Array:
        with np.errstate(all="ignore"):
            result: Array = row.reference(*operands)
        return result

    def apply(_: DType, operands: Sequence[Array]) -> Array:
        starts = range(0, operands[0].size, PIECE)
        pieces = [[operand[start : start + PIECE] for operand in operands] for start in starts]
        with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
            return np.concatenate(list(pool.map(piece, pieces)))

    return apply

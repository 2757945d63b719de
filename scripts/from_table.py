"""Writes what repeats the table of operations: `python scripts/from_table.py [--check]`.

docs/ops.md as a whole, and the ends of transpile/lang/tile.py and native.py, which type checkers and editors read.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Final, TypeAlias

from transpile.ops.atomic import ATOMIC_ROWS, AtomicOperation
from transpile.ops.composite import Composite
from transpile.ops.operation import Operation, Reduction
from transpile.ops.table import COMPOSITES, OPERATIONS, REDUCTIONS, SCANS

ROOT: Final = Path(__file__).resolve().parents[1]
PAGE: Final = ROOT / "docs" / "ops.md"
DIALECTS: Final = ("tile", "native")
MARK: Final = "# ---------------------------------------------------------------- from the table of operations\n"
ACCEPTS: Final = {
    "number": "any number; bools count as 0 and 1",
    "integer": "integers",
    "integer_or_bool": "integers, or bools (logical)",
    "float": "floats; integers become `f64`",
    "bool": "bools",
    "any": "anything",
}
# The families of `transpile/lang/tiles.pyi`, by what a row takes and gives.
FAMILIES: Final = {
    (1, "number", "same"): "Unary",
    (1, "float", "same"): "UnaryFloat",
    (1, "float", "bool"): "Test",
    (2, "number", "same"): "Binary",
    (2, "float", "same"): "BinaryFloat",
    (3, "float", "same"): "Ternary",
    (3, "any", "same"): "Where",
}
FOLDS: Final = {"wide": "Sum", "same": "Fold", "bool": "FoldTruth"}
SCANNED: Final = {"wide": "RunningSum", "same": "Running"}
MADE: Final = {("float", 1): "Mean", ("float", 2): "Variance", ("lane", 1): "FirstLane"}
Row: TypeAlias = "Operation | Reduction | Composite"
TEMPLATE: Final = """# Operations

Written from the table that the checker, the reference and the tests read; `python scripts/from_table.py` writes it
again. Elementwise operations work on scalars and, lane by lane, on tiles. All of them give the same bits on every
target.

## Elementwise

Results of `{first}` and of what follows it are within 2 units in the last place of the true value (`f32`), or 3
(`f64`).

| operation | spelled | operands | result | what it gives |
| --- | --- | --- | --- | --- |
{operations}

## Reductions

A fold goes by lane index, halving: `while n > 1: n //= 2; v = v[:n] + v[n:]`.

| reduction | spelled | result | what it gives |
| --- | --- | --- | --- |
{reductions}

## Scans

A scan goes by blocks of 32 lanes, in a block by doubling distance: `v[d:] = v[:-d] + v[d:]` for d = 1, 2, 4, 8, 16. The
blocks' last lanes are scanned in the same way, and each block's lanes begin with what those before it come to.

| scan | spelled | result | what it gives |
| --- | --- | --- | --- |
{scans}

## Made of these

Each stands for what a kernel could write itself, over a tile `x` of `n` lanes, in that order and with that rounding.

| function | spelled | result | what it gives | stands for |
| --- | --- | --- | --- | --- |
{composites}

## Atomics

Each changes one element as a single access and gives what stood there before. The order of several is open.

| atomic | spelled | elements of 32 or 64 bits | what it does |
| --- | --- | --- | --- |
{atomics}
"""

WIDE: Final = "`i64` of bools and signed ints, `u64` of unsigned, `f32` of narrow floats"


def spelled(row: Row) -> str:
    """The names that a user writes, the operator first where there is one."""
    names = [name.removeprefix("builtin.") for name in row.spellings]
    if isinstance(row, Operation) and not row.symbol.isidentifier():
        names.insert(0, row.symbol.replace("|", "\\|"))
    return ", ".join(f"`{name}`" for name in dict.fromkeys(names)) or f"`{row.name}`"


def operation_line(row: Operation) -> str:
    result = "a bool" if row.result == "bool" else "as the operands"
    return f"| {row.name} | {spelled(row)} | {ACCEPTS[row.accepts]} | {result} | {row.doc} |"


def reduction_line(row: Reduction) -> str:
    result = {"wide": WIDE, "same": "as the lanes", "bool": "a bool"}
    return f"| {row.name} | {spelled(row)} | {result[row.accumulate]} | {row.doc} |"


def composite_line(row: Composite) -> str:
    result = {"float": "a float: `f64` of bools and ints, else as a sum", "lane": "`i64`"}
    return f"| {row.name} | {spelled(row)} | {result[row.gives]} | {row.doc} | {row.stands_for} |"


def atomic_line(row: AtomicOperation) -> str:
    names = ", ".join(f"`{name}`" for name in row.spellings)
    on = {"number": "integers and floats", "integer": "integers"}[row.on]
    return f"| {row.name} | {names} | {on} | {row.doc} |"


def page() -> str:
    """The whole page as text."""
    return TEMPLATE.format(
        first=next(row.name for row in OPERATIONS.values() if row.in_runtime),
        operations="\n".join(operation_line(row) for row in OPERATIONS.values() if not row.is_internal),
        reductions="\n".join(reduction_line(row) for row in REDUCTIONS.values()),
        scans="\n".join(reduction_line(row) for row in SCANS.values()),
        composites="\n".join(composite_line(row) for row in COMPOSITES.values()),
        atomics="\n".join(atomic_line(row) for row in ATOMIC_ROWS),
    )


def functions(dialect: str) -> Iterator[tuple[str, str, str, str]]:
    """Name, family, parameters and documentation of each function of a dialect that the table declares."""
    rows: list[Row] = [*REDUCTIONS.values(), *SCANS.values(), *COMPOSITES.values(), *OPERATIONS.values()]
    for row in rows:
        for spelling in row.spellings:
            module, _, name = spelling.partition(".")
            if module == dialect:
                yield name, family(row), parameters(row), row.doc


def parameters(row: Row) -> str:
    """As a function declares them: the constants of a composite may be left out."""
    first, *others = row.parameters
    word = " = 0" if isinstance(row, Composite) else ""
    return ", ".join([f"{first}: Any", *(f"{each}: Any{word}" for each in others)])


def family(row: Row) -> str:
    match row:
        case Reduction():
            return (SCANNED if row.name in SCANS else FOLDS)[row.accumulate]
        case Composite():
            return MADE[row.gives, len(row.parameters)]
        case Operation():
            return FAMILIES[row.arity, row.accepts, row.result]


def decorator(name: str) -> str:
    """`_unary_float` for `UnaryFloat`."""
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)


def section(dialect: str) -> str:
    """The functions of a dialect, each typed by its family."""
    found = list(functions(dialect))
    families = dict.fromkeys(kind for _, kind, _, _ in found)
    parts = [
        f"def {decorator(kind)}(function: Function) -> tiles.{kind}:\n"
        f'    return as_type("tiles.{kind}", intrinsic(function))\n'
        for kind in families
    ]
    parts += [
        f'@{decorator(kind)}\ndef {name}({declared}) -> Any:\n    """{doc}"""\n' for name, kind, declared, doc in found
    ]
    return "\n\n".join([f"{MARK}# `python scripts/from_table.py` writes all that follows.\n", *parts])


def texts() -> dict[Path, str]:
    """Each file as it should be."""
    found = {PAGE: page()}
    for dialect in DIALECTS:
        path = ROOT / "transpile" / "lang" / f"{dialect}.py"
        own, _, _ = path.read_text(encoding="utf-8").partition(MARK)
        found[path] = own + section(dialect)
    return found


def main() -> int:
    """Exit code 1 with `--check` where a file is not as it should be."""
    wanted = texts()
    if "--check" in sys.argv[1:]:
        return int(any(path.read_text(encoding="utf-8") != text for path, text in wanted.items()))
    for path, text in wanted.items():
        path.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

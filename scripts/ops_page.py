"""Writes docs/ops.md from the table of operations: `python scripts/ops_page.py [--check]`."""

from __future__ import annotations

import sys
from pathlib import Path

from transpile.ops.operation import Operation, Reduction
from transpile.ops.table import OPERATIONS, REDUCTIONS

PAGE = Path(__file__).resolve().parents[1] / "docs" / "ops.md"
ACCEPTS = {
    "number": "any number; bools count as 0 and 1",
    "integer": "integers",
    "integer_or_bool": "integers, or bools (logical)",
    "float": "floats; integers become `f64`",
    "bool": "bools",
    "any": "anything",
}
TEMPLATE = """# Operations

Written from the table that the checker, the reference and the tests read; `python scripts/ops_page.py` writes it again.
Elementwise operations work on scalars and, lane by lane, on tiles. All of them give the same bits on every target.

## Elementwise

| operation | spelled | operands | result | what it gives |
| --- | --- | --- | --- | --- |
{operations}

## Reductions

A fold goes by lane index, halving: `while n > 1: n //= 2; v = v[:n] + v[n:]`.

| reduction | spelled | result | what it gives |
| --- | --- | --- | --- |
{reductions}
"""


def spelled(row: Operation | Reduction) -> str:
    """The names that a user writes, the operator first where there is one."""
    names = [name.removeprefix("builtin.") for name in row.spellings]
    if isinstance(row, Operation) and not row.symbol.isidentifier():
        names.insert(0, row.symbol.replace("|", "\\|"))
    return ", ".join(f"`{name}`" for name in dict.fromkeys(names)) or f"`{row.name}`"


def operation_line(row: Operation) -> str:
    result = "a bool" if row.result == "bool" else "as the operands"
    return f"| {row.name} | {spelled(row)} | {ACCEPTS[row.accepts]} | {result} | {row.doc} |"


def reduction_line(row: Reduction) -> str:
    result = {"wide": "`i64` for bools and ints, else as the lanes", "same": "as the lanes", "bool": "a bool"}
    return f"| {row.name} | {spelled(row)} | {result[row.accumulate]} | {row.doc} |"


def page() -> str:
    """The whole page as text."""
    return TEMPLATE.format(
        operations="\n".join(operation_line(row) for row in OPERATIONS.values()),
        reductions="\n".join(reduction_line(row) for row in REDUCTIONS.values()),
    )


def main() -> int:
    if "--check" in sys.argv[1:]:
        return 0 if PAGE.read_text(encoding="utf-8") == page() else 1
    PAGE.write_text(page(), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())

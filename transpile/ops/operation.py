"""What an operation is: one value that the checker, folding, the interpreter, the emitters, the documentation and the
tests all read. The rows stand in the other modules of this package; `transpile.ops.table` joins them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

# Which element types an operand may have once the operands are joined (language, section 2).
Accepts: TypeAlias = Literal["number", "integer", "integer_or_bool", "float", "bool", "any"]
Result: TypeAlias = Literal["same", "bool"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """An elementwise operation on scalars or tiles.

    `accepts` is tested after joining: `number` turns bools into i64 (or the other operand's type) first, `float` turns
    integers and bools into f64 first. `where` joins its last two operands only. `reference` takes NumPy arrays of the
    operand dtype and returns one of the result dtype: it is the definition, and is called inside
    `numpy.errstate(all="ignore")`. `spellings` are the names a user writes (`tile.maximum`, `builtin.max`, …);
    `symbol` is the operator in messages. `ulp` is the allowed error (0: exact).
    """

    name: str
    arity: int
    accepts: Accepts
    result: Result
    reference: Callable[..., Any]
    symbol: str
    doc: str
    spellings: tuple[str, ...] = ()
    ulp: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Reduction:
    """A fold along an axis. `combine` names the elementwise row that joins two partial values; the order is by index,
    halving, unless `any_order` (then the result is the same in any). `accumulate` is the dtype rule: `wide` (bool and
    signed → i64, unsigned → u64, narrow floats → f32), `same`, or `bool`."""

    name: str
    combine: str
    accumulate: Literal["wide", "same", "bool"]
    any_order_on: tuple[Literal["bool", "int", "uint", "float"], ...]
    doc: str
    spellings: tuple[str, ...] = ()

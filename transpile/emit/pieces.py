"""Printed expressions and how they are put together: parentheses, and the C++ type of an integer expression, so that a
cast stands only where it changes something."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from transpile.dtypes import BOOL, I32, I64, U64, DType
from transpile.emit import literals
from transpile.emit.doc import SPACE, Doc, flat, group, joined
from transpile.ir import kir
from transpile.ir.kir_walk import dtype_of
from transpile.typing.types import TypeParameter, Vec

PRIMARY: Final = 20
UNARY: Final = 18
MUL: Final = 16
ADD: Final = 15
SHIFT: Final = 14
RELATION: Final = 13
EQUALITY: Final = 12
BITS: Final = 10
AND: Final = 8
OR: Final = 7
CONDITION: Final = 6

# Pairs of a symbol and an operand's strength that compilers warn of, or that readers get wrong, without parentheses.
_PLAIN_OPERANDS: Final = {
    MUL: (PRIMARY, UNARY, MUL),
    ADD: (PRIMARY, UNARY, MUL, ADD),
    SHIFT: (PRIMARY, UNARY),
    RELATION: (PRIMARY, UNARY, MUL, ADD),
    EQUALITY: (PRIMARY, UNARY, MUL, ADD),
    BITS: (PRIMARY, UNARY),
    AND: (PRIMARY, UNARY, MUL, ADD, RELATION, EQUALITY, AND),
    OR: (PRIMARY, UNARY, MUL, ADD, RELATION, EQUALITY, OR),
}


@dataclass(frozen=True, slots=True)
class Piece:
    """A printed expression. `narrow` is set where its C++ type is `int` or `unsigned` though its value is an i64: the
    values that it can have; `is_unsigned` tells the two apart."""

    doc: Doc
    strength: int = PRIMARY
    narrow: tuple[int, int] | None = None
    is_unsigned: bool = False
    is_literal: bool = False


_MACROS: Final = ("NAN", "INFINITY", "-INFINITY")


def wide(piece: Piece, dtype: DType) -> Piece:
    """The piece with the C++ type that its dtype has."""
    is_macro = dtype.is_float and isinstance(piece.doc, str) and piece.doc in _MACROS
    is_other = (dtype is I64 and piece.narrow is not None) or (dtype is U64 and piece.is_literal)
    if is_macro or is_other:
        return Piece(group(f"{dtype.cxx}(", piece.doc, ")"))
    return piece


def vec_type(expr: kir.Expr) -> Vec | None:
    """The type of a vec, None for anything else."""
    return expr.type if isinstance(expr, kir.Var) and isinstance(expr.type, Vec) else None


def is_bool_of_memory(expr: kir.Expr) -> bool:
    """True for an element that is a bool, as whose byte anything may stand there."""
    return isinstance(expr, kir.Element) and expr.dtype is BOOL and vec_type(expr.base) is None


def widens(source: DType, to: DType) -> bool:
    """True where C++ converts by itself without losing anything."""
    if to.is_narrow_float:
        return False
    if source is BOOL:
        return to is not BOOL
    if isinstance(source, TypeParameter) or isinstance(to, TypeParameter):
        return False
    return source.kind == to.kind and source.bits < to.bits and not source.is_narrow_float


def is_positive(expr: kir.Expr) -> bool:
    """True for a constant above 0."""
    return isinstance(expr, kir.Lit) and expr.value > 0


def literal(expr: kir.Lit) -> Piece:
    if expr.dtype is BOOL:
        return Piece("true" if expr.value else "false", is_literal=True)
    if expr.dtype.is_float:
        text = literals.real(float(expr.value), expr.dtype)
        return Piece(text, UNARY if text.startswith("-") else PRIMARY, is_literal=True)
    value = int(expr.value)
    narrow = (value, value) if expr.dtype is I64 and literals.is_int(value) else None
    strength = UNARY if value < 0 and value != expr.dtype.min else PRIMARY
    return Piece(literals.integer(value, expr.dtype), strength, narrow, is_literal=True)


def narrow_result(op: str, first: Piece, second: Piece) -> tuple[int, int] | None:
    """The values of an operation on two narrow operands, or None where C++ would compute others than i64 does."""
    assert first.narrow is not None
    assert second.narrow is not None
    low, high = first.narrow
    other_low, other_high = second.narrow
    is_mixed = first.is_unsigned != second.is_unsigned
    if is_mixed and (low < 0 or other_low < 0 or not (first.is_literal or second.is_literal or op in ("add", "mul"))):
        return None
    if first.is_literal and second.is_literal:
        return None
    match op:
        case "add":
            result = (low + other_low, high + other_high)
        case "sub":
            result = (low - other_high, high - other_low)
        case "mul":
            corners = [a * b for a in (low, high) for b in (other_low, other_high)]
            result = (min(corners), max(corners))
        case "floordiv" | "mod" if low >= 0 and other_low > 0:
            result = (0, high if op == "floordiv" else min(high, other_high - 1))
        case "shr" if low >= 0 and other_low >= 0 and other_high < I32.bits:  # C++ has no shift by the width or more
            result = (0, high)
        case "and" if low >= 0 and other_low >= 0:
            result = (0, min(high, other_high))
        case "eq" | "ne" | "lt" | "le" | "gt" | "ge":
            if (first.is_unsigned or second.is_unsigned) and op in ("lt", "le", "gt", "ge") and other_high <= 0:
                return None
            return (0, 1)
        case _:
            return None
    fits = result[0] >= -literals.INT_MAX and result[1] <= literals.INT_MAX
    return result if fits and (result[0] >= 0 or not (first.is_unsigned or second.is_unsigned)) else None


def operand(piece: Piece, strength: int, *, is_right: bool) -> Doc:
    needs = piece.strength not in _PLAIN_OPERANDS[strength] or (is_right and piece.strength == strength)
    return wrapped(piece, needs)


def wrapped(piece: Piece, needs: bool) -> Doc:
    return group("(", piece.doc, ")") if needs else piece.doc


def negates(expr: kir.Apply) -> int | None:
    """Which operand is negated: of `-x`, `0 - x` and products with -1."""
    known = [operand.value if isinstance(operand, kir.Lit) else None for operand in expr.operands]
    match expr.op:
        case "neg":
            return 0
        case "sub" if known[0] == 0:
            return 1
        case "mul" if -1 in known:
            return 1 - known.index(-1)
    return None


def negated(piece: Piece) -> Piece:
    return Piece(group("-", wrapped(piece, piece.strength <= UNARY)), UNARY)


def called(name: str, operands: Sequence[Doc]) -> Doc:
    return group(f"{name}(", group(*joined(operands)), ")")


def binary(symbol: str, strength: int, op: str, inner: list[Piece], dtype: DType) -> Piece:
    """`first symbol second`, where the operation `op` on `dtype` is what the C++ operator does."""
    narrow: tuple[int, int] | None = None
    first, second = inner
    if dtype is I64 and first.narrow is not None:
        narrow = None if second.narrow is None else narrow_result(op, first, second)
        # A shift has the type of its left operand, the other operators that of the wider one.
        if narrow is None and (second.narrow is not None or op in ("shl", "shr")):
            first = wide(first, dtype)
    doc = group(operand(first, strength, is_right=False), SPACE, f"{symbol} ", operand(second, strength, is_right=True))
    is_number = op not in ("eq", "ne", "lt", "le", "gt", "ge")
    is_unsigned = first.is_unsigned or second.is_unsigned
    return Piece(doc, strength, narrow if is_number else None, is_unsigned and narrow is not None)


# A cast of a call that casts one name twice: g++ takes it for the beginning of a function's declaration, and refuses
# its two parameters of one name.
_LIKE_A_DECLARATION: Final = re.compile(r"\w+\(\w+\(.*\b(\w+\(\w+\)).*\b\1")


def keyword_line(keyword: str, condition: Doc) -> Doc:
    """The line of an `if` or `while`."""
    if _LIKE_A_DECLARATION.match(flat(condition)):
        condition = group("(", condition, ")")
    return group(f"{keyword} (", condition, ")")


def taken_from_zero(expr: kir.Apply) -> kir.Expr | None:
    """The integer of `0.0 - float(integer)`."""
    left, right = expr.operands
    if str(getattr(left, "value", None)) != "0.0" or not isinstance(right, kir.Cast):
        return None
    return None if dtype_of(right.operand).is_float else right.operand

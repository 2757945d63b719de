"""Casts, as C++: what its own conversions mean, what is cut off at the ends of a type, and the narrow floats, which are
structs of bits in the text."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from transpile.dtypes import BOOL, F16, F32, F64, I32, DType
from transpile.emit import literals
from transpile.emit.doc import SPACE, group
from transpile.emit.pieces import EQUALITY, RELATION, Piece, called, wide, wrapped
from transpile.ir import kir
from transpile.ir.kir_walk import dtype_of
from transpile.typing.types import TypeParameter, types_of

if TYPE_CHECKING:
    from transpile.emit.cxx import Printer

VALUE = "value_of_"  # begins the name under which the reading of a narrow float is noted


def cast(printer: Printer, expr: kir.Cast) -> Piece:
    """One conversion, rounded once."""
    operand, source, to = printer.piece(expr.operand), dtype_of(expr.operand), expr.dtype
    if source is to:
        return operand
    if to is I32 and operand.narrow is not None and not operand.is_unsigned:  # an `int` already
        return replace(operand, narrow=None)
    if isinstance(source, TypeParameter) or isinstance(to, TypeParameter):
        for each in types_of(source):
            if each.is_narrow_float:
                _value(printer, operand, each)
        if any(each.is_narrow_float for each in types_of(to)):
            return nearest(printer, operand, to)
    if source.is_narrow_float:
        operand, source = _value(printer, operand, source), F32
    if to is BOOL:
        zero = literals.real(0.0, source) if source.is_float else literals.integer(0, source)
        return Piece(group(wrapped(operand, operand.strength < RELATION), SPACE, "!= ", zero), EQUALITY)
    if to.is_narrow_float:
        return _narrowed(printer, operand, source, to)
    if source.is_float and to.is_integer and not expr.exact:
        name = printer.use("saturate", source)
        return Piece(group(f"{name}<{to.cxx}>(", operand.doc, ")"))
    return _plain(operand, to) if source is not to else operand


def _plain(operand: Piece, to: DType) -> Piece:
    return Piece(group(f"{to.cxx}(", operand.doc, ")"))


def _value(printer: Printer, operand: Piece, source: DType) -> Piece:
    """The number that a narrow float is."""
    declare(printer, source)
    printer.use(f"{VALUE}{source.cxx}", source)
    printer.use("common_bits", F32)
    if source.exponent == F16.exponent:  # read as what it is the upper half of
        declare(printer, F16)
        printer.use(f"{VALUE}{F16.cxx}", F16)
    return _plain(operand, F32)


def nearest(printer: Printer, operand: Piece, to: DType) -> Piece:
    """A float, as the type that each instance has: an f32 where that is narrow, or of that type already."""
    for each in types_of(to):
        if each.is_narrow_float:
            _narrowed(printer, operand, F32, each)
    return Piece(group(f"{printer.use('nearest', to)}<{to.cxx}>(", operand.doc, ")"))


def declare(printer: Printer, dtype: DType) -> None:
    """Notes that the text speaks of the type, where that is a struct of its own."""
    for each in types_of(dtype):
        if each.is_narrow_float:
            printer.use(each.cxx, each)


def _narrowed(printer: Printer, operand: Piece, source: DType, to: DType) -> Piece:
    """By way of an f32 that rounds to what the operand itself does."""
    declare(printer, to)
    printer.use("common_bits", F32)
    if to.exponent < F32.exponent:
        printer.use("narrowed", F32)
    return Piece(called(printer.use(f"to_{to.cxx}", to), [_through_f32(printer, operand, source, to).doc]))


def _through_f32(printer: Printer, operand: Piece, source: DType, to: DType) -> Piece:
    if source is F32:
        return wide(operand, source)
    exact = 2 << F32.mantissa
    if source is BOOL or (source.is_integer and (source.max <= exact or to.largest < exact)):
        return _plain(operand, F32)  # what it rounds is beyond the largest number
    if source.is_integer and source.bits < F64.mantissa:
        operand, source = _plain(operand, F64), F64
    for dtype in {source, F64}:
        printer.use("round_to_odd", dtype)
    return Piece(called("round_to_odd", [wide(operand, source).doc]))

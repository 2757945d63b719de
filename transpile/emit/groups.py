"""Accesses of several lanes at once, as calls of the text's helpers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpile.emit.doc import SPACE, Doc, group, joined
from transpile.emit.pieces import MUL, called, wide, wrapped
from transpile.ir import kir

if TYPE_CHECKING:
    from transpile.emit.cxx import Printer


def load_groups(printer: Printer, expr: kir.Groups) -> Doc:
    """The call that reads what a thread holds: a vec."""
    if expr.is_aligned:
        printer.use("load_aligned", expr.dtype)
        return called(f"load_aligned<{expr.lanes}>", [_address(printer, expr)])
    masked: list[Doc] = []
    if expr.mask is not None and expr.other is not None:
        masked = [expr.mask.name, wide(printer.piece(expr.other), expr.dtype).doc]
    printer.use("load_masked" if masked else "load", expr.dtype)
    return called(f"load<{_shape(expr)}>", [_address(printer, expr), *masked])


def store_groups(printer: Printer, expr: kir.Groups, value: kir.Expr) -> Doc:
    """The call that writes `value`, a vec."""
    if expr.is_aligned:
        printer.use("store_aligned", expr.dtype)
        return called("store_aligned", [_address(printer, expr), printer.value(value, expr)])
    masked = [expr.mask.name] if expr.mask is not None else []
    printer.use("store_masked" if masked else "store", expr.dtype)
    return called(f"store<{_shape(expr)}>", [_address(printer, expr), *masked, printer.piece(value).doc])


def pack(printer: Printer, expr: kir.Pack, is_summed: bool) -> Doc:
    """Scalars side by side. `is_summed`: they may reach a sum."""
    printer.use("vec", expr.dtype)
    operands = [printer.piece(operand, is_summed).doc for operand in expr.operands]
    return group(f"vec<{expr.dtype.cxx}, {len(operands)}>{{{{", group(*joined(operands)), "}}")


def _shape(expr: kir.Groups) -> str:
    """The template arguments: a single group needs neither its size nor the threads."""
    return f"{expr.lanes}" if expr.lanes == expr.group else f"{expr.lanes}, {expr.group}, {expr.threads}"


def _address(printer: Printer, expr: kir.Groups) -> Doc:
    base = printer.piece(expr.base).doc
    if isinstance(expr.index, kir.Lit) and expr.index.value == 0:
        return base
    offset = printer.piece(expr.index)
    return group(base, SPACE, "+ ", wrapped(offset, offset.strength < MUL))

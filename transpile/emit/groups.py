"""Accesses of several lanes at once, as calls of the text's helpers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpile.emit.doc import SPACE, Doc, group
from transpile.emit.pieces import MUL, called, wide, wrapped
from transpile.ir import kir
from transpile.typing.types import largest

if TYPE_CHECKING:
    from transpile.emit.cxx import Printer


def load_groups(printer: Printer, expr: kir.Groups) -> Doc:
    """The call that reads what a thread holds: a vec."""
    masked: list[Doc] = []
    if expr.mask is not None and expr.other is not None:
        masked = [expr.mask.name, wide(printer.piece(expr.other), expr.dtype).doc]
    printer.use("load_masked" if masked else "load", expr.dtype)
    return called(f"load<{_shape(expr)}>", [_address(printer, expr), *masked])


def store_groups(printer: Printer, expr: kir.Groups, value: kir.Expr) -> Doc:
    """The call that writes `value`, a vec."""
    masked = [expr.mask.name] if expr.mask is not None else []
    printer.use("store_masked" if masked else "store", expr.dtype)
    return called(f"store<{_shape(expr)}>", [_address(printer, expr), *masked, printer.piece(value).doc])


def _shape(expr: kir.Groups) -> str:
    """The template arguments: a single group needs neither its size nor the threads."""
    is_one = largest(expr.lanes) == largest(expr.group)
    return f"{expr.lanes}" if is_one else f"{expr.lanes}, {expr.group}, {expr.threads}"


def _address(printer: Printer, expr: kir.Groups) -> Doc:
    base = printer.piece(expr.base).doc
    if isinstance(expr.index, kir.Lit) and expr.index.value == 0:
        return base
    offset = printer.piece(expr.index)
    return group(base, SPACE, "+ ", wrapped(offset, offset.strength < MUL))

"""What threads do together, as C++: shuffles, folds, scans, and values that one thread hands to all."""

from __future__ import annotations

from typing import TYPE_CHECKING

from transpile.dtypes import I64, DType
from transpile.emit.doc import SPACE, Doc, group
from transpile.emit.pieces import PRIMARY, Piece, called, vec_type, wide, wrapped
from transpile.emit.spellings import helper_of
from transpile.ir import kir
from transpile.ops.scan import BLOCK
from transpile.ops.table import REDUCTIONS, SCANS
from transpile.typing.types import largest

if TYPE_CHECKING:
    from transpile.emit.cxx import Printer


def shuffle(printer: Printer, expr: kir.Shuffle) -> Piece:
    """Another thread's value: lanes count modulo 32."""
    opening, ending = printer.backend.spelling.shuffle(expr.kind)
    operand = _exchangeable(printer, expr.operand, expr.dtype)
    lane = expr.lane
    if not (isinstance(lane, kir.Lit) and 0 <= lane.value < 32):
        lane = kir.Apply("and", (lane, kir.Lit(31, I64)), I64)
    return _exchanged(expr.dtype, group(opening, operand, ",", SPACE, printer.plain(lane), ending))


def _exchanged(dtype: DType, call: Doc) -> Piece:
    """What a vendor's shuffle gives, as its type: of a bool, a narrow integer or the bits of a narrow float it gives an
    int."""
    if dtype.is_narrow_float:
        return Piece(group(f"{dtype.cxx}{{{dtype.abi}(", call, ")}"))
    return Piece(group(f"{dtype.cxx}(", call, ")") if dtype.bits < 32 else call)


def _exchangeable(printer: Printer, expr: kir.Expr, dtype: DType) -> Doc:
    """A value as a vendor's shuffle takes it."""
    piece = wide(printer.piece(expr), dtype)
    return group(wrapped(piece, piece.strength < PRIMARY), ".bits") if dtype.is_narrow_float else piece.doc


def _combining(printer: Printer, op: str, dtype: DType) -> str:
    """The function that joins two values of a fold or scan, as an argument of its template."""
    name = helper_of(op, dtype)
    if name == "mul" and dtype.is_float:
        name = "times"
        if printer.products is not None:
            printer.use("product", dtype)
    printer.use(name, dtype)
    return name if name in ("either", "both") else f"{name}<{dtype.cxx}>"


def fold(printer: Printer, expr: kir.Fold) -> Piece:
    """The fold of a tile, its helpers noted."""
    operator = _combining(printer, REDUCTIONS[expr.op].combine, expr.dtype)
    way = "sum" if expr.op == "sum" else "ends"
    source = wide(printer.piece(expr.source, way == "sum"), expr.dtype)
    if not printer.backend.is_gpu:
        printer.use("fold", expr.dtype)
        return Piece(called(f"fold<{operator}>", [source.doc]))
    width = min(expr.lanes, expr.threads, key=largest)
    printer.use("reduce", expr.dtype)
    if expr.stage is not None and largest(expr.group) > 1:
        printer.use("reduce_staged", expr.dtype)
        printer.use("reduce_groups", expr.dtype)
        return Piece(called(f"reduce<{width}, {operator}, {expr.group}>", [source.doc, expr.stage.name]))
    held = source.doc
    if vec_type(expr.source) is not None:
        printer.use("fold_held", expr.dtype)
        held = called(f"fold<{operator}>", [held])
    if expr.stage is None:
        return Piece(called(f"reduce<{width}, {operator}>", [held]))
    printer.use("reduce_staged" if width == expr.threads else "reduce_replicas", expr.dtype)
    return Piece(called(f"reduce<{width}, {operator}>", [held, expr.stage.name]))


def scan(printer: Printer, expr: kir.Scan) -> Piece:
    """The scan of a tile, its helpers noted."""
    operator = _combining(printer, SCANS[expr.op].combine, expr.dtype)
    source = wide(printer.piece(expr.source, expr.op == "cumsum"), expr.dtype).doc
    if not printer.backend.is_gpu:
        printer.use("scan", expr.dtype)
        return Piece(called(f"scan<{operator}>", [source]))
    name = printer.use("scan_one" if vec_type(expr.source) is None else "scan_held", expr.dtype)
    if largest(expr.lanes) > BLOCK * BLOCK:
        printer.use(f"{name}_large", expr.dtype)
    if expr.stage is None:
        return Piece(called(f"scan<{expr.lanes}, {operator}>", [source]))
    printer.use(f"{name}_{'replicas' if largest(expr.lanes) < largest(expr.threads) else 'staged'}", expr.dtype)
    return Piece(called(f"scan<{expr.lanes}, {operator}>", [source, expr.stage.name]))


def shared(printer: Printer, expr: kir.Shared) -> Piece:
    """What the first threads hand to all."""
    value = wide(printer.piece(expr.value), expr.dtype)
    if expr.stage is None:
        opening, ending = printer.backend.spelling.shuffle("idx")
        thread = printer.backend.spelling.place("lane_thread")
        lane = "0" if expr.lanes == 1 else f"{thread}.x % {expr.lanes}"
        shuffled = _exchangeable(printer, expr.value, expr.dtype)
        return _exchanged(expr.dtype, group(opening, shuffled, ",", SPACE, lane, ending))
    printer.use("share" if expr.lanes == 1 else "share_lanes", expr.dtype)
    name = "share" if expr.lanes == 1 else f"share<{expr.lanes}>"
    return Piece(called(name, [value.doc, expr.stage.name]))

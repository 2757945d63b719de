"""`native.load` and `native.store`: one element, or in thread kernels several neighbours in one access."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from transpile import dtypes
from transpile.diagnostics import memory as faults
from transpile.ir import hir
from transpile.typing.context import Context
from transpile.typing.forms import KERNELS, Arguments, Form, bind
from transpile.typing.memory import evaluate_all, is_pointer, is_storable, is_writable, stored
from transpile.typing.operand import Operand, strong

WIDTHS: Final = (2, 4, 8, 16)
MAX_BYTES: Final = 16  # of one access, on every GPU


def _native_load(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
    if arguments[1] is not None:
        context.report(faults.several_as_value(node.span))
        return None
    pointer = context.evaluate(arguments[0]) if arguments[0] is not None else None
    if pointer is None or not is_pointer(context, pointer, "native.load") or pointer.value is None:
        return None
    context.builder.span = node.span
    offsets = context.builder.const(0, dtypes.I64) if context.function.kind == "tile" else None
    value = context.builder.load(pointer.value, offsets)
    return Operand(type=value.type, span=node.span, value=value)


def _native_store(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
    if isinstance(arguments[1], hir.TupleExpression):
        _store_several(context, node, arguments[0], arguments[1])
        return None
    pointer, value = evaluate_all(context, arguments)
    if pointer is None or not is_writable(context, pointer, "native.store"):
        return None
    if value is None or pointer.value is None:
        return None
    if value.is_tile:
        context.report(faults.store_of_tile(value, "native.store"))
        return None
    if not is_storable(context, value, pointer.dtype, "native.store"):
        return None
    context.builder.span = node.span
    offsets = context.builder.const(0, dtypes.I64) if context.function.kind == "tile" else None
    context.builder.store(pointer.value, offsets, stored(context, value, pointer.dtype))
    return None


def is_of_several(node: hir.Call) -> bool:
    """Whether `node` is a load that gives several values."""
    is_load = node.callee == hir.Intrinsic("native.load")
    return is_load and (len(node.arguments) > 1 or any(argument.keyword == "width" for argument in node.arguments))


def load_several(context: Context, node: hir.Call) -> list[Operand | None] | None:
    """The values of `native.load(p, width=4)`; None where it is wrong, which is reported."""
    arguments = bind(context, node, "native.load", FORMS["native.load"])
    if arguments is None:
        return None
    pointer, width = evaluate_all(context, arguments)
    if not _is_place(context, node) or pointer is None or width is None:
        return None
    if not is_pointer(context, pointer, "native.load") or pointer.value is None:
        return None
    count = width.constant
    if isinstance(count, bool) or not isinstance(count, int) or count not in WIDTHS:
        context.report(faults.width(width))
        return None
    if count * pointer.dtype.bytes > MAX_BYTES:
        context.report(faults.too_wide(width.span, pointer.dtype, count, MAX_BYTES))
        return None
    context.builder.span = node.span
    return [strong(value, node.span) for value in context.builder.load_several(pointer.value, count)]


def _store_several(
    context: Context, node: hir.Call, target: hir.Expression | None, values: hir.TupleExpression
) -> None:
    pointer = context.evaluate(target) if target is not None else None
    operands = [context.evaluate(item) for item in values.items]
    if not _is_place(context, node) or pointer is None or not is_writable(context, pointer, "native.store"):
        return
    known = [operand for operand in operands if operand is not None]
    count = len(operands)
    if count not in WIDTHS:
        context.report(faults.several_stored(values.span, count))
        return
    if count * pointer.dtype.bytes > MAX_BYTES:
        context.report(faults.too_wide(values.span, pointer.dtype, count, MAX_BYTES))
        return
    good = [is_storable(context, operand, pointer.dtype, "native.store") for operand in known]
    if len(known) < count or not all(good) or pointer.value is None:
        return
    context.builder.span = node.span
    context.builder.store_several(pointer.value, [stored(context, operand, pointer.dtype) for operand in known])


def _is_place(context: Context, node: hir.Call) -> bool:
    if context.function.kind == "thread":
        return True
    context.report(faults.several_in_tile(node.span))
    return False


FORMS: Final[Mapping[str, Form]] = {
    "native.load": Form(("pointer", "width"), 1, KERNELS, _native_load),
    "native.store": Form(("pointer", "value"), 2, KERNELS, _native_store, gives_value=False),
}

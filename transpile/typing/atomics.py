"""Atomic operations on memory, in both dialects."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from transpile.diagnostics import memory as faults
from transpile.ir import hir
from transpile.ops.atomic import ATOMIC_ROWS, AtomicOperation
from transpile.typing.context import Context
from transpile.typing.elementwise import NoShape
from transpile.typing.forms import THREAD, TILE, Arguments, Form, Rule
from transpile.typing.memory import (
    access_shape,
    are_offsets,
    are_present,
    evaluate_all,
    is_mask,
    is_pointer,
    is_storable,
    is_writable,
    mask_of,
    stored,
)
from transpile.typing.operand import Operand, strong
from transpile.typing.types import Pointer


def _is_target(context: Context, pointer: Operand, row: AtomicOperation, name: str) -> bool:
    """Whether the elements behind `pointer` can be changed so."""
    if not is_pointer(context, pointer, name) or not is_writable(context, pointer, name):
        return False
    if isinstance(pointer.type, Pointer) and pointer.type.space == "local":
        context.report(faults.atomic_on_local(pointer, name))
        return False
    if not row.takes(pointer.dtype):
        context.report(faults.atomic_type(pointer, name, row.on))
        return False
    return True


def _on_thread(row: AtomicOperation, name: str) -> Rule:
    def rule(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
        found = evaluate_all(context, arguments)
        pointer, *operands = found
        if pointer is None or not _is_target(context, pointer, row, name):
            return None
        known = [operand for operand in operands if operand is not None]
        good = [is_storable(context, operand, pointer.dtype, name) for operand in known]
        if not are_present(arguments, found) or not all(good) or pointer.value is None:
            return None
        context.builder.span = node.span
        values = [stored(context, operand, pointer.dtype) for operand in known]
        return strong(context.builder.atomic(row.name, pointer.value, None, values), node.span)

    return rule


def _on_tile(row: AtomicOperation, name: str) -> Rule:
    def rule(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
        found = evaluate_all(context, arguments)
        pointer, offsets, *operands, mask = found
        if pointer is not None and not _is_target(context, pointer, row, name):
            return None
        known = [operand for operand in operands if operand is not None]
        good = [is_mask(context, mask, name), offsets is None or are_offsets(context, offsets, name)]
        if pointer is not None:
            good += [is_storable(context, operand, pointer.dtype, name) for operand in known]
        if not all(good) or not are_present(arguments, found) or pointer is None or offsets is None:
            return None
        shape = access_shape(context, name, offsets, mask, *known)
        if isinstance(shape, NoShape) or pointer.value is None:
            return None
        context.builder.span = node.span
        at = context.index(offsets)
        values = [context.shaped(stored(context, operand, pointer.dtype), shape) for operand in known]
        where = mask_of(context, mask, shape)
        return strong(context.builder.atomic(row.name, pointer.value, at, values, where), node.span)

    return rule


def _forms(row: AtomicOperation) -> Mapping[str, Form]:
    on_thread, on_tile = row.spellings
    count = len(row.parameters)
    return {
        on_thread: Form(("ptr", *row.parameters), 1 + count, THREAD, _on_thread(row, on_thread)),
        on_tile: Form(("ptr", "offsets", *row.parameters, "mask"), 2 + count, TILE, _on_tile(row, on_tile)),
    }


FORMS: Final[Mapping[str, Form]] = {name: form for row in ATOMIC_ROWS for name, form in _forms(row).items()}

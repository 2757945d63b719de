"""Pointers and memory: offsets, loads, stores and allocations, in both dialects."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from transpile import dtypes
from transpile.diagnostics import memory as faults
from transpile.diagnostics import typing as type_faults
from transpile.dtypes import DType
from transpile.ir import hir
from transpile.ir.tir import Value
from transpile.typing.context import Context
from transpile.typing.elementwise import NoShape, Shape, join_shapes
from transpile.typing.forms import POINTERS, TILE, Arguments, Form
from transpile.typing.join import stores
from transpile.typing.operand import Operand, constant
from transpile.typing.types import Pointer, Scalar, Space

MAX_SHARED_BYTES: Final = 227 * 1024  # of the reference and the CPU; a GPU's own limit is checked for its architecture
MAX_LOCAL_BYTES: Final = 512 * 1024  # of one thread, on every GPU that CUDA supports


def evaluate_all(context: Context, arguments: Arguments) -> list[Operand | None]:
    """Each argument in order; None for one that is absent or poison."""
    return [context.evaluate(argument) if argument is not None else None for argument in arguments]


def are_present(arguments: Arguments, operands: list[Operand | None]) -> bool:
    """Whether no argument that is there was poison."""
    return all(argument is None or operand is not None for argument, operand in zip(arguments, operands, strict=True))


def is_pointer(context: Context, operand: Operand, name: str) -> bool:
    """Whether `operand` is one; reports what is not, as all of these do."""
    if operand.is_pointer:
        return True
    context.report(faults.not_a_pointer(operand, name))
    return False


def are_offsets(context: Context, operand: Operand, name: str) -> bool:
    """Whether `operand` is an integer or a tile of integers."""
    if not operand.is_pointer and operand.dtype.is_integer:
        return True
    context.report(faults.not_an_offset(operand, name))
    return False


# ---------------------------------------------------------------- pointers


def _offset(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
    found = evaluate_all(context, arguments)
    pointer, *indices = found
    known = [index for index in indices if index is not None]
    if pointer is None or not are_present(arguments, found) or not is_pointer(context, pointer, "native.offset"):
        return None
    good = [_is_index(context, index) for index in known]
    if not all(good):
        return None
    columns = pointer.type.columns if isinstance(pointer.type, Pointer) else 0
    if len(known) != (2 if columns else 1):
        context.report(faults.offset_count(node.span, pointer, columns))
        return None
    if pointer.value is None:
        return None
    context.builder.span = node.span
    at = context.index(known[0])
    if columns:
        row = context.builder.apply("mul", at, context.builder.const(columns, at.type.dtype))
        at = context.builder.apply("add", row, context.index(known[1]))
    value = context.builder.offset(pointer.value, at)
    return Operand(type=value.type, span=node.span, value=value, root=pointer.root, origin=pointer.place)


def _is_index(context: Context, index: Operand) -> bool:
    if not are_offsets(context, index, "native.offset"):
        return False
    if index.is_tile:
        context.report(faults.offset_by_tile(index))
    return not index.is_tile


def is_writable(context: Context, pointer: Operand, name: str) -> bool:
    """Whether `pointer` is a pointer that may be written through."""
    if not is_pointer(context, pointer, name):
        return False
    if isinstance(pointer.type, Pointer) and pointer.type.const:
        context.report(faults.const_store(pointer))
        return False
    return True


def is_storable(context: Context, value: Operand, dtype: DType, name: str) -> bool:
    """Whether memory of `dtype` takes `value` by itself."""
    if value.is_pointer:
        context.report(faults.store_of_pointer(value, name))
        return False
    if stores(value.dtype, dtype):
        return True
    context.report(faults.store_type(value, dtype, name))
    return False


def stored(context: Context, value: Operand, dtype: DType) -> Value:
    """The value as it is stored: narrowed by wrapping or rounding. Only a weak constant must fit."""
    if value.constant is None or value.weak or value.is_bool or value.dtype is dtype:
        return context.value(value, dtype)
    return context.builder.cast(context.value(value), dtype)


# ---------------------------------------------------------------- tiles


def _load(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
    operands = evaluate_all(context, arguments)
    pointer, offsets, mask, other = operands
    if not _is_access(context, "tile.load", pointer, offsets, other, mask):
        return None
    if not are_present(arguments, operands) or pointer is None or offsets is None:
        return None
    shape = access_shape(context, "tile.load", offsets, mask, other)
    if isinstance(shape, NoShape) or pointer.value is None:
        return None
    context.builder.span = node.span
    at = context.index(offsets)
    where = mask_of(context, mask, shape)
    rest: Value | None = None
    if where is not None:
        rest = stored(context, other if other is not None else constant(0, node.span), pointer.dtype)
        rest = context.shaped(rest, shape)
    value = context.builder.load(pointer.value, at, where, rest)
    return Operand(type=value.type, span=node.span, value=value)


def _store(context: Context, node: hir.Call, arguments: Arguments) -> Operand | None:
    operands = evaluate_all(context, arguments)
    pointer, offsets, value, mask = operands
    if not _is_access(context, "tile.store", pointer, offsets, value, mask):
        return None
    if not are_present(arguments, operands) or pointer is None or offsets is None or value is None:
        return None
    shape = access_shape(context, "tile.store", offsets, mask, value)
    if isinstance(shape, NoShape) or pointer.value is None:
        return None
    context.builder.span = node.span
    at = context.index(offsets)
    what = context.shaped(stored(context, value, pointer.dtype), shape)
    context.builder.store(pointer.value, at, what, mask_of(context, mask, shape))
    return None


def _is_access(
    context: Context,
    name: str,
    pointer: Operand | None,
    offsets: Operand | None,
    value: Operand | None,
    mask: Operand | None,
) -> bool:
    """Whether what is there of an access is right. Each part is told by itself, unless there is no pointer."""
    if pointer is not None and not is_pointer(context, pointer, name):
        return False
    good = [is_mask(context, mask, name)]
    if pointer is not None and name == "tile.store":
        good.append(is_writable(context, pointer, name))
    if offsets is not None:
        good.append(are_offsets(context, offsets, name))
    if pointer is not None and value is not None:
        good.append(is_storable(context, value, pointer.dtype, name))
    return all(good)


def is_mask(context: Context, mask: Operand | None, name: str) -> bool:
    """Whether `mask` may be one; an absent one may."""
    if mask is None or (mask.is_bool and not mask.is_pointer):
        return True
    context.report(type_faults.condition_not_bool(mask, f"the mask of {name}"))
    return False


def access_shape(
    context: Context, name: str, offsets: Operand, mask: Operand | None, *values: Operand | None
) -> Shape | NoShape | None:
    """The shape of an access is its offsets'; at one scalar offset everything is one element."""
    others = [operand for operand in (mask, *values) if operand is not None]
    if offsets.shape is not None:
        return join_shapes(context, name, [offsets, *others])
    for operand in others:
        if operand.is_tile:
            context.report(faults.tile_at_one_offset(name, offsets, operand))
            return NoShape()
    return None


def mask_of(context: Context, mask: Operand | None, shape: Shape | None) -> Value | None:
    """None for a mask that is always true."""
    if mask is None or mask.constant is True:
        return None
    return context.shaped(context.value(mask), shape)


# ---------------------------------------------------------------- allocations


def check_alloc(context: Context, node: hir.Call, callee: hir.AllocCallee) -> Operand | None:
    """`cuda.shared[T, N]()` and `native.stack_alloc[T](n)` in a thread kernel."""
    if callee.name == "cuda.device_alloc" or context.function.kind != "thread":
        context.report(faults.allocation_place(node.callee_span, callee.name, context.function.kind))
        return None
    operands = _sizes(context, node, callee)
    if operands is None:
        return None
    space: Space = "shared" if callee.name == "cuda.shared" else "local"
    if len(operands) == 1 and space == "shared" and (parameter := _parameter(context, operands[0])) is not None:
        return _sized_at_launch(context, node, callee, parameter)
    counts = _counts(context, operands, callee)
    if counts is None:
        return None
    count, columns = math.prod(counts), counts[1] if len(counts) == 2 else 0
    if not _has_room(context, node, callee, count, space):
        return None
    return _allocated(context, node, callee, count, space, columns)


def _allocated(
    context: Context, node: hir.Call, callee: hir.AllocCallee, count: int | Value, space: Space, columns: int = 0
) -> Operand:
    context.builder.span = node.span
    value = context.builder.alloc(callee.dtype, count, space, columns)
    return Operand(type=value.type, span=node.span, value=value, root=value)


def _parameter(context: Context, operand: Operand) -> Value | None:
    """The `int` parameter of the kernel that `operand` is, if the kernel never assigns to it."""
    value = operand.value
    if operand.constant is not None or value is None or value not in context.parameters:
        return None
    is_int = value.type == Scalar(dtypes.I64)
    return value if is_int and value.name not in context.assigned(context.function.body) else None


def _sized_at_launch(context: Context, node: hir.Call, callee: hir.AllocCallee, count: Value) -> Operand | None:
    """The shared array whose size is an argument: a launch checks that a block has that much."""
    if context.sized is not None and context.sized is not node:
        context.report(faults.allocations_at_launch(node.span, context.sized.span))
        return None
    context.sized = node
    return _allocated(context, node, callee, count, "shared")


def _sizes(context: Context, node: hir.Call, callee: hir.AllocCallee) -> list[Operand] | None:
    """The number of elements, or of rows and columns."""
    wanted = 0 if callee.name == "cuda.shared" else 1
    if len(node.arguments) != wanted or any(argument.keyword for argument in node.arguments):
        context.report(faults.allocation_arguments(node.span, callee.name, wanted))
        return None
    expressions = callee.counts if callee.name == "cuda.shared" else (node.arguments[0].value,)
    operands: list[Operand] = []
    for operand in evaluate_all(context, expressions):
        if operand is None:
            return None
        operands.append(operand)
    return operands


def _counts(context: Context, operands: list[Operand], callee: hir.AllocCallee) -> list[int] | None:
    """The constant number of elements, or of rows and columns, each at least 1."""
    counts: list[int] = []
    for operand in operands:
        count = operand.constant
        if isinstance(count, bool) or not isinstance(count, int) or count < 1:
            context.report(faults.allocation_count(operand, callee.name))
            return None
        counts.append(count)
    return counts


def _has_room(context: Context, node: hir.Call, callee: hir.AllocCallee, count: int, space: Space) -> bool:
    """Adds one buffer to the memory of the block or of the thread; reports the first that goes beyond the limit."""
    limit = MAX_SHARED_BYTES if space == "shared" else MAX_LOCAL_BYTES
    buffers = context.buffers.setdefault(space, {})
    buffers[id(node)] = count * callee.dtype.bytes
    total = buffer_bytes(list(buffers.values()))
    if total <= limit:
        return True
    fault = faults.shared_limit if space == "shared" else faults.local_limit
    context.report(fault(node.span, total, limit))
    return False


def buffer_bytes(sizes: list[int]) -> int:
    """What buffers take together, each starting at a multiple of 8."""
    total = 0
    for size in sizes:
        total = (total + 7) // 8 * 8 + size
    return total


FORMS: Final[Mapping[str, Form]] = {
    "native.offset": Form(("pointer", "index", "column"), 2, POINTERS, _offset),
    "tile.load": Form(("ptr", "offsets", "mask", "other"), 2, TILE, _load),
    "tile.store": Form(("ptr", "offsets", "value", "mask"), 3, TILE, _store, gives_value=False),
}

"""Faults of memory: pointers, offsets, loads and stores, allocations."""

from __future__ import annotations

from transpile.diagnostics.core import Diagnostic, Label
from transpile.diagnostics.described import Described, elsewhere, kind_word, this_is
from transpile.dtypes import BOOL, DType, python_name
from transpile.source import Span


def not_a_pointer(operand: Described, name: str) -> Diagnostic:
    return Diagnostic(
        code="not-a-pointer",
        message=f"{name} wants a pointer first",
        primary=this_is(operand),
        secondary=elsewhere(operand),
        help=("a parameter annotated `native.ptr[T]` or `native.const_ptr[T]` is one",),
    )


def not_an_offset(operand: Described, name: str) -> Diagnostic:
    return Diagnostic(
        code="offset-type",
        message=f"{name} wants integers as offsets",
        primary=this_is(operand),
        secondary=elsewhere(operand),
        help=(
            "a condition is the mask: `tile.load(pointer, offsets, mask)`"
            if operand.dtype is BOOL
            else "offsets count elements; `int(x)` makes a float one, truncating",
        ),
    )


def offset_by_tile(operand: Described) -> Diagnostic:
    return Diagnostic(
        code="offset-type",
        message="native.offset moves a pointer by one number",
        primary=this_is(operand),
        secondary=elsewhere(operand),
        help=("give the tile of offsets to the access: `tile.load(pointer, offsets)`",),
    )


def offset_count(span: Span, pointer: Described, columns: int) -> Diagnostic:
    """A pointer that is moved by one number though it has rows, or by two though it has none."""
    wants = "a row and a column" if columns else "one number"
    return Diagnostic(
        code="offset-type",
        message=f"native.offset moves this pointer by {wants}",
        primary=Label(span),
        secondary=(Label(pointer.place, f"this is {pointer.type}"),),
        help=(
            "`native.offset(array, row, column)`"
            if columns
            else "only `cuda.shared[T, ROWS, COLS]()` has rows: elsewhere write `row * columns + column`",
        ),
    )


def const_store(pointer: Described) -> Diagnostic:
    """A store through a const pointer, or through an offset of one."""
    return Diagnostic(
        code="const-store",
        message="a store through a pointer that is const",
        primary=this_is(pointer),
        secondary=elsewhere(pointer),
        help=(f"declare the parameter `native.ptr[{python_name(pointer.dtype)}]` if the kernel writes to it",),
    )


def store_type(value: Described, dtype: DType, name: str) -> Diagnostic:
    """A float stored where integers are kept, or any number where bools are; or such a value as `other` of a load."""
    what = "a number" if dtype.kind == "bool" else "a float"
    dialect = "tile" if name.startswith("tile.") else "native"
    instead = "`x != 0`" if dtype.kind == "bool" else f"`{dialect}.cast(x, {python_name(dtype)})`"
    use = "loaded as" if name.endswith("load") else "stored as"
    return Diagnostic(
        code="store-type",
        message=f"{what} is not {use} {dtype} by itself",
        primary=this_is(value),
        secondary=elsewhere(value),
        notes=("a store narrows integers by wrapping and floats by rounding; everything else wants a cast",),
        help=(f"convert it: {instead}",),
    )


def store_of_pointer(value: Described, name: str) -> Diagnostic:
    """`name` may be a load: then the pointer stands where `other` does."""
    return Diagnostic(
        code="pointer-arithmetic",
        message=f"memory holds numbers, and {name} is given a pointer for one",
        primary=this_is(value),
        secondary=elsewhere(value),
        help=("load what it points to: `native.load(pointer)`",),
    )


def store_of_tile(value: Described, name: str) -> Diagnostic:
    return Diagnostic(
        code="access-shape",
        message=f"{name} writes one element",
        primary=this_is(value),
        secondary=elsewhere(value),
        help=("`tile.store(pointer, offsets, value, mask)` writes a tile",),
    )


def tile_at_one_offset(name: str, offsets: Described, operand: Described) -> Diagnostic:
    return Diagnostic(
        code="access-shape",
        message=f"{name} at one offset is of one element",
        primary=this_is(operand),
        secondary=(Label(offsets.place, f"the offset is {offsets.type}"),),
        help=(
            "give a tile of offsets, such as `first + tile.arange(n)`, or make the tile one number:\n"
            "`tile.sum`, `tile.max`, `tile.any`, …",
        ),
    )


def several_as_value(span: Span) -> Diagnostic:
    return Diagnostic(
        code="several-elements",
        message="native.load with a width gives several values, and one is wanted here",
        primary=Label(span),
        help=("give each a name: `a, b, c, d = native.load(p, width=4)`",),
    )


def several_in_tile(span: Span) -> Diagnostic:
    return Diagnostic(
        code="several-elements",
        message="several elements at once are for thread kernels, and this is a tile kernel",
        primary=Label(span),
        help=("load a tile: the compiler reads and writes its neighbours together",),
    )


def width(operand: Described) -> Diagnostic:
    said = (
        f"this is {operand.constant}" if operand.constant is not None else f"this is {operand.type} known at run time"
    )
    return Diagnostic(
        code="several-elements",
        message="the width of native.load is 2, 4, 8 or 16, known before the kernel runs",
        primary=Label(operand.span, said),
        secondary=elsewhere(operand),
        help=("leave the width out for one element",),
    )


def several_stored(span: Span, count: int) -> Diagnostic:
    return Diagnostic(
        code="several-elements",
        message="native.store writes 2, 4, 8 or 16 elements at once",
        primary=Label(span, f"this is {count}" if count != 1 else "this is one, in parentheses"),
        help=("store one element without parentheses, or several in several stores",),
    )


def too_wide(span: Span, dtype: DType, count: int, limit: int) -> Diagnostic:
    most = limit // dtype.bytes
    return Diagnostic(
        code="several-elements",
        message=f"one access is of {limit} bytes at most",
        primary=Label(span, f"{count} elements of {dtype} are {count * dtype.bytes} bytes"),
        help=(f"take {most} at a time",),
    )


def atomic_type(pointer: Described, name: str, on: str) -> Diagnostic:
    """Elements that the GPUs cannot change in one access. `on`: `number` or `integer`, see `AtomicOperation`."""
    is_narrow = pointer.dtype.bits < 32
    what = "integers and floats" if on == "number" else "integers"
    return Diagnostic(
        code="atomic-type",
        message=f"{name} changes {what} of 32 or 64 bits",
        primary=this_is(pointer),
        secondary=elsewhere(pointer),
        help=(
            "keep what several threads change in `native.i32` or `native.f32`"
            if is_narrow
            else "bits are those of an integer: make the array one of `native.i32` or `int`",
        ),
    )


def atomic_on_local(pointer: Described, name: str) -> Diagnostic:
    load, store = "native.load(p)", "native.store(p, value)"
    return Diagnostic(
        code="atomic-type",
        message=f"{name} is for memory that threads share, and this array is one thread's own",
        primary=this_is(pointer),
        secondary=elsewhere(pointer),
        help=(f"no other thread comes between `{load}` and `{store}`",),
    )


# ---------------------------------------------------------------- allocations


def allocation_place(span: Span, name: str, kind: str) -> Diagnostic:
    where = {
        "cuda.shared": "is for thread kernels",
        "native.stack_alloc": "is for thread kernels and ordinary Python",
        "cuda.device_alloc": "is for ordinary Python",
    }.get(name, "cannot stand here")
    instead = {
        "tile": "a tile kernel keeps tiles in variables; the compiler places them",
        "thread": "`native.stack_alloc[T](n)` or `cuda.shared[T, n]()` give a kernel memory",
        "device": "return values; a device function has no memory of its own",
        "launcher": "allocate where the launcher is called, and pass the array to it",
    }[kind]
    return Diagnostic(
        code="allocation-place",
        message=f"{name} {where}, and this is {kind_word(kind)}",
        primary=Label(span),
        help=(instead,),
    )


def allocation_arguments(span: Span, name: str, wanted: int) -> Diagnostic:
    form = "cuda.shared[float, 64]()" if wanted == 0 else f"{name}[float](64)"
    return Diagnostic(
        code="allocation-size",
        message=f"{name} takes {'no argument' if wanted == 0 else 'the number of elements'} in its parentheses",
        primary=Label(span),
        help=(f"`{form}`",),
    )


def allocation_count(operand: Described, name: str) -> Diagnostic:
    said = (
        f"this is {operand.constant}" if operand.constant is not None else f"this is {operand.type} known at run time"
    )
    return Diagnostic(
        code="allocation-size",
        message=f"{name} wants a constant number of elements, at least 1",
        primary=Label(operand.span, said),
        secondary=elsewhere(operand),
        help=(
            "write a literal, a module constant or a `native.static[int]` parameter"
            + (
                "; `cuda.shared[T, n]()` also takes an `int` parameter that the kernel never assigns to"
                if name == "cuda.shared"
                else ""
            ),
        ),
    )


def allocations_at_launch(span: Span, first: Span) -> Diagnostic:
    return Diagnostic(
        code="allocation-size",
        message="one shared array of a kernel can have a size that the launch says",
        primary=Label(span, "this is a second one"),
        secondary=(Label(first, "this is the first"),),
        help=("give this one a constant size, or let both be parts of one array: `native.offset(array, n)`",),
    )


def shared_limit(span: Span, total: int, limit: int, where: str = "") -> Diagnostic:
    """`where` names the GPUs that have no more, if only some have."""
    having = f"a block has {limit}" if not where else f"a block on {where} has {limit}"
    return Diagnostic(
        code="shared-limit",
        message=f"the kernel's shared memory is {total} bytes, and {having}",
        primary=Label(span, f"with this buffer it is {total} bytes"),
        help=("make a buffer smaller, or reuse one: what is not needed any more can be overwritten after a barrier",),
    )


def local_limit(span: Span, total: int, limit: int) -> Diagnostic:
    return Diagnostic(
        code="local-limit",
        message=f"the arrays of one thread are {total} bytes, and a thread has {limit}",
        primary=Label(span, f"with this array it is {total} bytes"),
        help=("pass an array from outside, and give each thread its part of it",),
    )

"""Whatever holds an array, as one-dimensional NumPy memory of a known element type; checked, never copied.

The messages are those of the compiled engine: the function, the argument, what is wrong, what to pass instead.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from transpile import dtypes
from transpile.dtypes import DType
from transpile.lang.pointers import Array, HostPointer

if TYPE_CHECKING:
    from transpile.reference.pointer import PointerValue

_ELEMENTS: Final = tuple(row.numpy for row in dtypes.ALL)


def open_array(value: object, dtype: DType, what: str, *, const: bool, name: str = "") -> PointerValue:
    """`value` as a pointer to `dtype`; `what` begins the message. Raises TypeError, ValueError or
    OverflowError."""
    from transpile.reference.pointer import PointerValue  # of the reference alone

    offset = 0
    if isinstance(value, HostPointer):
        if value.element_type is not dtype:
            raise TypeError(f"{what} must be an array of {dtype.numpy}, not of {value.element_type.numpy}")
        value, offset = value.__transpile_pointer__
        if not dtypes.I64.min <= offset <= dtypes.I64.max:
            raise OverflowError(f"{what} points to an index outside of int64")
    array, own = _read(value, f"an array of {dtype.numpy}", what)
    check_array(array, dtype, what, name or "array", own)
    if not const and not array.flags.writeable:
        raise ValueError(f"{what} is read-only, but the kernel may write it")
    return PointerValue(array.reshape(-1), dtype, offset, const, name)


def element_type(value: object, choices: Sequence[DType], what: str) -> DType:
    """The one of `choices` that an array holds, wherever it is; `what` begins the message. Raises TypeError."""
    wanted = " or ".join(each.numpy for each in choices)
    if isinstance(value, HostPointer):
        given = value.element_type.numpy
    elif hasattr(value, "dtype"):
        given = str(value.dtype).rpartition(".")[2]  # torch says torch.float16
    else:
        array, own = _read(value, f"an array of {wanted}", what)
        given = str(array.dtype) if own is None else own.numpy
    dtype = next((each for each in choices if each.numpy == given), None)
    if dtype is None:
        raise TypeError(f"{what} must be an array of {wanted}, not of {given}")
    return dtype


def host_pointer(value: object, what: str) -> HostPointer:
    """`value`, a pointer or an array, as a pointer. Raises TypeError or ValueError."""
    if isinstance(value, HostPointer):
        return value
    array, own = _read(value, "a pointer or an array", what)
    native = array.dtype.newbyteorder("=")
    dtype = own or next((row for row in dtypes.ALL if row.numpy == native.name), None)
    if dtype is None:
        raise TypeError(f"{what} is an array of {array.dtype}; a pointer is to {', '.join(_ELEMENTS)}")
    check_array(array, dtype, what, "array", own)
    flat = array.reshape(-1)
    return HostPointer(memoryview(flat.view(dtype.held) if dtype.is_narrow_float else flat), dtype)


def _read(value: object, wanted: str, what: str) -> tuple[Array, DType | None]:
    """The memory of an array as NumPy sees it, strides and all, and the type of narrow floats of which that are the
    bits. `wanted` is only for the message."""
    import numpy as np

    if isinstance(value, np.ndarray):
        return np.asarray(value), None  # a matrix never has one dimension
    kind = type(value)
    try:
        return np.asarray(memoryview(value)), None  # type: ignore[arg-type]
    except TypeError:
        pass
    except (ValueError, BufferError) as error:
        if not hasattr(kind, "__dlpack__"):  # it may know its elements' type better than a buffer does
            raise TypeError(f"{what} is an array that cannot be passed ({error})") from None
    if hasattr(kind, "__transpile_pointer__"):
        raise TypeError(f"{what} must be {wanted}, not {kind.__name__}")
    if hasattr(kind, "__cuda_array_interface__"):
        raise ValueError(f"{what} is on a CUDA device; this target takes host arrays")
    if hasattr(kind, "__dlpack__"):
        return _from_dlpack(value, what)
    raise TypeError(f"{what} must be {wanted}, not {kind.__name__}")


def _from_dlpack(value: Any, what: str) -> tuple[Array, DType | None]:
    import numpy as np

    from transpile.lang.exchange import narrow_floats

    device = value.__dlpack_device__()
    if device[0] not in (1, 3):  # the host's memory, pinned or not
        where = "a CUDA device" if device[0] in (2, 13) else "another device"
        raise ValueError(f"{what} is on {where}; this target takes host arrays")
    return narrow_floats(value) or (np.from_dlpack(value), None)


def check_array(array: Array, dtype: DType, what: str, name: str, own: DType | None = None) -> None:
    """Element type, byte order, contiguity, alignment: raises at the first that is wrong. `own`: the type of narrow
    floats whose bits the array holds.

    Bits are taken for a type that NumPy has not: uint16 for bfloat16, uint8 for the eights.
    """
    given = array.dtype.newbyteorder("=").name if own is None else own.numpy
    is_bits = own is None and not dtype.is_numpys and given == dtype.held
    if given != dtype.numpy and not is_bits:
        raise TypeError(f"{what} must be an array of {dtype.numpy}, not of {array.dtype if own is None else given}")
    if not array.dtype.isnative:
        raise TypeError(f"{what} must be an array of {dtype.numpy} in the machine's byte order")
    if not array.flags.c_contiguous:
        raise ValueError(f"{what} is not C-contiguous; pass numpy.ascontiguousarray({name})")
    if array.size and array.ctypes.data % dtype.bytes != 0:
        raise ValueError(f"{what} is not aligned to its {dtype.bytes}-byte elements; pass a copy")


def overlap(a: PointerValue, b: PointerValue) -> bool:
    """Whether the whole arrays share a byte."""
    first, second = a.array, b.array
    if first.size == 0 or second.size == 0:
        return False
    start, other = first.ctypes.data, second.ctypes.data
    return bool(start < other + second.nbytes and other < start + first.nbytes)

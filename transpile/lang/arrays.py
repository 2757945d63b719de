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

_ELEMENTS: Final = tuple(row.numpy for row in dtypes.SUPPORTED)


def open_array(value: object, dtype: DType, what: str, *, const: bool, name: str = "") -> PointerValue:
    """`value` as a pointer to `dtype`; `what` begins the message. Raises TypeError or ValueError."""
    from transpile.reference.pointer import PointerValue  # of the reference alone

    offset = 0
    if isinstance(value, HostPointer):
        value, offset = value.__transpile_pointer__
    array = as_numpy(value, dtype, what)
    check_array(array, dtype, what, name or "array")
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
        given = str(as_numpy(value, None, what).dtype)
    dtype = next((each for each in choices if each.numpy == given), None)
    if dtype is None:
        raise TypeError(f"{what} must be an array of {wanted}, not of {given}")
    return dtype


def host_pointer(value: object, what: str) -> HostPointer:
    """`value`, a pointer or an array, as a pointer. Raises TypeError or ValueError."""
    if isinstance(value, HostPointer):
        return value
    array = as_numpy(value, None, what)
    native = array.dtype.newbyteorder("=")
    dtype = next((row for row in dtypes.SUPPORTED if row.numpy == native.name), None)
    if dtype is None:
        raise TypeError(f"{what} is an array of {array.dtype}; a pointer is to {', '.join(_ELEMENTS)}")
    check_array(array, dtype, what, "array")
    return HostPointer(memoryview(array.reshape(-1)), dtype)


def as_numpy(value: object, dtype: DType | None, what: str) -> Array:
    """The memory of an array as NumPy sees it, strides and all. `dtype` is only for the message."""
    import numpy as np

    if isinstance(value, np.ndarray):
        return np.asarray(value)  # a matrix never has one dimension
    kind = type(value)
    wanted = f"an array of {dtype.numpy}" if dtype is not None else "a pointer or an array"
    try:
        return np.asarray(memoryview(value))  # type: ignore[arg-type]
    except TypeError:
        pass
    except (ValueError, BufferError) as error:
        raise TypeError(f"{what} is an array that cannot be passed ({error})") from None
    if hasattr(kind, "__transpile_pointer__"):
        raise TypeError(f"{what} must be {wanted}, not {kind.__name__}")
    if hasattr(kind, "__cuda_array_interface__"):
        raise ValueError(f"{what} is on a CUDA device; this target takes host arrays")
    if hasattr(kind, "__dlpack__"):
        return _from_dlpack(value, what)
    raise TypeError(f"{what} must be {wanted}, not {kind.__name__}")


def _from_dlpack(value: Any, what: str) -> Array:
    import numpy as np

    device = value.__dlpack_device__()
    if device[0] not in (1, 3):  # the host's memory, pinned or not
        where = "a CUDA device" if device[0] in (2, 13) else "another device"
        raise ValueError(f"{what} is on {where}; this target takes host arrays")
    return np.from_dlpack(value)


def check_array(array: Array, dtype: DType, what: str, name: str) -> None:
    """Element type, byte order, contiguity, alignment: raises at the first that is wrong."""
    import numpy as np

    if not array.dtype.isnative and array.dtype.newbyteorder("=") == np.dtype(dtype.numpy):
        raise TypeError(f"{what} must be an array of {dtype.numpy} in the machine's byte order")
    if array.dtype != np.dtype(dtype.numpy):
        raise TypeError(f"{what} must be an array of {dtype.numpy}, not of {array.dtype}")
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

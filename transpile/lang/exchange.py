"""Host arrays by DLPack whose element types NumPy's own reader refuses: bfloat16 and the eights, of torch for one.

See https://dmlc.github.io/dlpack/latest/c_api.html.
"""

from __future__ import annotations

import ctypes
import math
from typing import Any, Final

from transpile.dtypes import BF16, F8E4M3, F8E5M2, DType

Array = Any  # numpy.ndarray; NumPy itself is imported where an array is made
_CODES: Final = {(4, 16): BF16, (10, 8): F8E4M3, (12, 8): F8E5M2}
_READ_ONLY: Final = 1


class _Tensor(ctypes.Structure):
    _fields_ = (
        ("data", ctypes.c_void_p),
        ("device", ctypes.c_int32 * 2),
        ("ndim", ctypes.c_int32),
        ("code", ctypes.c_uint8),
        ("bits", ctypes.c_uint8),
        ("lanes", ctypes.c_uint16),
        ("shape", ctypes.POINTER(ctypes.c_int64)),
        ("strides", ctypes.POINTER(ctypes.c_int64)),  # in elements; null: C-contiguous
        ("byte_offset", ctypes.c_uint64),
    )


class _Versioned(ctypes.Structure):
    _fields_ = (
        ("version", ctypes.c_uint32 * 2),
        ("context", ctypes.c_void_p),
        ("deleter", ctypes.c_void_p),
        ("flags", ctypes.c_uint64),
        ("tensor", _Tensor),
    )


def narrow_floats(value: Any) -> tuple[Array, DType] | None:
    """The bits of a host array of narrow floats and their type, without a copy; None for elements of any other type."""
    try:
        capsule = value.__dlpack__(max_version=(1, 0))
    except TypeError:  # a producer from before DLPack 1.0
        capsule = value.__dlpack__()
    tensor, is_read_only = _opened(capsule)
    dtype = _CODES.get((tensor.code, tensor.bits)) if tensor.lanes == 1 else None
    return None if dtype is None else (_as_numpy(tensor, dtype, capsule, is_read_only), dtype)


def _opened(capsule: object) -> tuple[_Tensor, bool]:
    """What a capsule holds. One that is never renamed stays its owner: its own destructor frees the tensor."""
    python = ctypes.pythonapi
    python.PyCapsule_GetPointer.restype = ctypes.c_void_p
    python.PyCapsule_GetPointer.argtypes = [ctypes.py_object, ctypes.c_char_p]
    python.PyCapsule_IsValid.argtypes = [ctypes.py_object, ctypes.c_char_p]
    if python.PyCapsule_IsValid(capsule, b"dltensor_versioned"):
        versioned = _Versioned.from_address(python.PyCapsule_GetPointer(capsule, b"dltensor_versioned"))
        return versioned.tensor, bool(versioned.flags & _READ_ONLY)
    return _Tensor.from_address(python.PyCapsule_GetPointer(capsule, b"dltensor")), False


def _as_numpy(tensor: _Tensor, dtype: DType, capsule: object, is_read_only: bool) -> Array:
    import numpy as np

    shape = tensor.shape[: tensor.ndim]
    strides = [step * dtype.bytes for step in tensor.strides[: tensor.ndim]] if tensor.strides else None
    if math.prod(shape) == 0:
        return np.zeros(shape, dtype.held)
    last = sum((size - 1) * step for size, step in zip(shape, strides or (), strict=False))
    length = (last if strides else (math.prod(shape) - 1) * dtype.bytes) + dtype.bytes
    memory = (ctypes.c_char * length).from_address(tensor.data + tensor.byte_offset)
    memory.owner = capsule
    found = np.ndarray(shape, dtype.held, memory, strides=strides)
    found.flags.writeable = not is_read_only
    return found

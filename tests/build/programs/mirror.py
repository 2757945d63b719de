"""Arrays on the device of the target, as ordinary Python sees them."""

import ctypes

import numpy as np
import pytest

import transpile
from transpile import cuda, native

with transpile.target("cuda"):
    x = cuda.device_alloc[int](4)
    assert repr(x) == "<pointer to 4 × int>"
    assert len(x) == 4
    calls = ctypes.CDLL("libcuda.so.1").fake_calls
    for k in range(4):
        native.store(native.offset(x, k), k)
    assert calls(b"cuMemcpyDtoHAsync_v2") == 1
    assert calls(b"cuMemcpyHtoDAsync_v2") == 0
    array, offset = native.offset(x, 2).__transpile_pointer__  # as a launch takes it
    assert offset == 2
    assert calls(b"cuMemcpyHtoDAsync_v2") == 1
    array.copy_in(np.array([7, 8, 9, 10]))  # as a kernel would write
    assert native.load(native.offset(x, 3)) == 10
    seen = np.asarray(native.offset(x, 1))
    assert seen.tolist() == [8, 9, 10]
    assert not seen.flags.writeable
    assert np.array(x, dtype=float).tolist() == [7.0, 8.0, 9.0, 10.0]
    view = native.offset(x, 1).__cuda_array_interface__
    whole = x.__cuda_array_interface__
    assert view["shape"] == (3,)
    assert view["data"][0] == whole["data"][0] + 8
    assert view["typestr"] == "<i8"
    array.copy_in(np.array([1, 2, 3, 4]))  # as whoever has the address may, at any time
    assert native.load(x) == 1
    array.copy_in(np.array([5, 2, 3, 4]))
    assert native.load(x) == 5
    native.store(x, 6)
    assert native.load(x) == 6
    assert np.asarray(x).tolist() == [6, 2, 3, 4]
    assert x.__dlpack_device__() == (2, 0)
    assert "dltensor_versioned" in repr(x.__dlpack__(max_version=(1, 0)))
    with pytest.raises(TypeError):
        x.__dlpack__(max_version=("1", 0))
    with pytest.raises(BufferError, match="whole arrays"):
        native.offset(x, 1).__dlpack__()
    assert "dltensor" in repr(x.__dlpack__(dl_device=(2, 0), copy=False))
    with pytest.raises(BufferError, match=r"the array is on DLPack's device \(2, 0\), not on \(1, 0\)"):
        x.__dlpack__(dl_device=(1, 0))
    with pytest.raises(BufferError, match="shared, never copied"):
        x.__dlpack__(copy=True)
    for count in (1 << 61, 1 << 80):  # whose bytes are no number of the machine's
        with pytest.raises(MemoryError, match=f"no machine holds {count} elements of 8 bytes"):
            cuda.device_alloc[float](count)
    with pytest.raises(IndexError, match="index 4 is outside of the array's 4 elements"):
        native.load(native.offset(x, 4))
    with pytest.raises(ValueError, match=r"the array is on a device"):
        x.__array__(copy=False)
    assert np.asarray(cuda.device_alloc[bool](0)).tolist() == []
assert isinstance(cuda.device_alloc[float](1).__transpile_pointer__[0], memoryview)

# A consumer of DLPack may let go of the array when Python has ended.
capsule, python = x.__dlpack__(), ctypes.pythonapi
python.PyCapsule_GetPointer.restype = ctypes.c_void_p
tensor = python.PyCapsule_GetPointer(ctypes.py_object(capsule), b"dltensor")
taken = b"used_dltensor"
python.PyCapsule_SetName(ctypes.py_object(capsule), taken)
deleter = ctypes.c_void_p.from_address(tensor + 56)
ctypes.CDLL(None).__cxa_atexit(deleter, ctypes.c_void_p(tensor), None)
print("done")

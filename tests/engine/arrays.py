"""Arrays of the stand-in's devices, as the packages that make them show them. Imported where there are devices."""

from __future__ import annotations

import ctypes
import sys
import types
from typing import Any

import numpy as np
import tensors

CUDA = 2
FLOAT = 2
driver = ctypes.CDLL("libcuda.so.1")
driver.fake_calls.restype = ctypes.c_int64
driver.fake_last_stream.restype = ctypes.c_void_p
driver.fake_blocks.restype = ctypes.c_size_t
driver.fake_own_context.restype = ctypes.c_void_p


def use(device: int) -> None:
    """Makes the device this thread's current one, as the vendor's runtime does."""
    context = ctypes.c_void_p()
    assert driver.cuInit(0) == 0
    assert driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device) == 0
    assert driver.cuCtxSetCurrent(context) == 0


def use_own_context(device: int) -> int:
    """Makes a new context of this device the current one, as PyCUDA does; its handle."""
    own = driver.fake_own_context(device)
    assert driver.cuCtxSetCurrent(ctypes.c_void_p(own)) == 0
    return int(own)


def current_context() -> int:
    """The current context's handle; 0 where there is none."""
    context = ctypes.c_void_p()
    assert driver.cuCtxGetCurrent(ctypes.byref(context)) == 0
    return context.value or 0


def leave() -> None:
    """Makes no device current."""
    assert driver.cuCtxSetCurrent(None) == 0


def current() -> int:
    """The current device; -1 where there is none."""
    device = ctypes.c_int(-1)
    driver.cuCtxGetDevice(ctypes.byref(device))
    return device.value


def allocate(values: Any, device: int = 0, pinned: bool = False) -> int:
    """The address of memory with these values, of the device or pinned."""
    before = current()
    use(device)
    values = np.ascontiguousarray(values)
    address = ctypes.c_void_p()
    size = ctypes.c_size_t(max(values.nbytes, 1))
    take = driver.cuMemHostAlloc if pinned else driver.cuMemAlloc_v2
    assert take(ctypes.byref(address), size, *([0] if pinned else [])) == 0
    assert address.value is not None
    ctypes.memmove(address.value, values.ctypes.data, values.nbytes)
    leave() if before < 0 else use(before)
    return address.value


def at(address: int, count: int, dtype: Any = np.float64) -> Any:
    """The memory there, as an array of NumPy."""
    size = np.dtype(dtype).itemsize * count
    return np.frombuffer((ctypes.c_char * size).from_address(address), dtype)


class Holder:
    """Memory of a device and its values."""

    def __init__(self, values: Any, device: int = 0) -> None:
        values = np.asarray(values)
        self.values = at(allocate(values, device), values.size, values.dtype)
        self.address = self.values.ctypes.data
        self.device = device
        self.count = values.size


class Exchanged(Holder):
    """As torch's tensors are."""

    def __init__(self, values: Any, device: int = 0, **more: Any) -> None:
        super().__init__(values, device)
        self.array = tensors.Exchanged(self.address, (self.count,), FLOAT, 64, CUDA, device, **more)


class Interface(Holder):
    """As Numba's arrays are: `__cuda_array_interface__`."""

    def __init__(self, values: Any, device: int = 0, **more: Any) -> None:
        super().__init__(values, device)
        self.array = self
        self.__cuda_array_interface__ = {
            "shape": (self.count,),
            "typestr": self.values.dtype.str,
            "data": (self.address, False),
            "version": 3,
            **more,
        }

    __cuda_array_interface__: Any = None


class Imported(Holder):
    """As JAX's arrays are: DLPack alone."""

    def __init__(self, values: Any, device: int = 0, is_versioned: bool = True, **more: Any) -> None:
        super().__init__(values, device)
        self.array = self
        self.is_versioned = is_versioned
        self.tensor = tensors.Tensor(self.address, (self.count,), FLOAT, 64, CUDA, device, **more)
        self.asked: list[dict[str, Any]] = []

    def __dlpack_device__(self) -> tuple[int, int]:
        return (CUDA, self.device)

    def __dlpack__(self, **options: Any) -> Any:
        if not self.is_versioned and "max_version" in options:
            raise TypeError("unexpected keyword argument 'max_version'")
        self.asked.append(options)
        return self.tensor.capsule(self.is_versioned)


class MemoryPointer:
    __slots__ = ("device_id", "ptr")

    def __init__(self, ptr: int, device_id: int) -> None:
        self.ptr, self.device_id = ptr, device_id


class ndarray(tensors.Buffered):  # type: ignore[misc]  # noqa: N801 - CuPy's name
    """As CuPy's arrays declare themselves. Those have a buffer as well, which refuses."""

    __slots__ = ("_c_contiguous", "data", "dtype", "size")
    __cuda_array_interface__ = property(lambda self: 1 / 0)  # never to be looked at

    def __init__(self, holder: Holder, is_contiguous: bool = True) -> None:
        self.size, self.dtype = holder.count, holder.values.dtype
        self._c_contiguous = is_contiguous
        self.data = MemoryPointer(holder.address, holder.device)


class Stream:
    """A stream with whatever attributes it is given."""

    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)


def pretend_cupy(offered: str) -> Any:
    """Makes a package `cupy` whose current stream is `cupy.current`, and whose `cupy_backends` offers a C function of
    the type `offered`: the one that newer ones have says what `tensors.set_stream` set."""
    cupy: Any = types.ModuleType("cupy")
    cupy.cuda = types.ModuleType("cupy.cuda")
    cupy.ndarray, cupy.current, cupy.asked = ndarray, 0, []

    def get_current_stream(device: int) -> Stream:
        cupy.asked.append(device)
        return Stream(ptr=cupy.current)

    cupy.cuda.get_current_stream = get_current_stream
    backend: Any = types.ModuleType("cupy_backends.cuda.stream")
    backend.__pyx_capi__ = {"get_stream_ptr": tensors.cython_offers(offered)}
    for module in (cupy, cupy.cuda, types.ModuleType("cupy_backends"), backend):
        sys.modules[module.__name__] = module
    return cupy


class Cupy(Holder):
    def __init__(self, values: Any, device: int = 0, **more: Any) -> None:
        super().__init__(values, device)
        self.array = ndarray(self, **more)


def new_stream(device: int = 0) -> int:
    before = current()
    use(device)
    made = ctypes.c_void_p()
    assert driver.cuStreamCreate(ctypes.byref(made), 1) == 0
    leave() if before < 0 else use(before)
    assert made.value is not None
    return made.value


def calls(name: str) -> int:
    """How often the driver's function has been called."""
    return int(driver.fake_calls(name.encode()))

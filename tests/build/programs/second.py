"""Launches a kernel of an array of the second device alone, and prints which devices have been started."""

import ctypes

from transpile import cuda, native, target

driver = ctypes.CDLL("libcuda.so.1")
context = ctypes.c_void_p()
driver.cuInit(0)
driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), 1)
driver.cuCtxSetCurrent(context)


@cuda.kernel
def ones(x: native.ptr[float]) -> None:
    native.store(native.offset(x, cuda.thread_id()), 1.0)


with target("cuda"):
    cuda.launch(ones, 1, 32, cuda.device_alloc[float](32))
print([driver.fake_is_started(device) for device in range(2)])

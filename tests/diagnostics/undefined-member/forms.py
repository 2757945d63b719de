import math

from transpile import cuda, native


@cuda.kernel
def kernel(n: int, x: native.ptr[float]) -> None:
    i = cuda.blockIdx.x * cuda.blockDim.x + cuda.threadIdx.x
    e = math.tan(1.0) + native.f128(3)
    v = native.load(native.offset(x, i + cuda.grid(1)))
    native.store(native.offset(x, cuda.arange(4)), native.sum(v))
    cuda.atomic.add(x, 0, math.tan(v))
    native.store(x, math.sqr(v) + native.huge)
    parked = cuda.shared_dynamic(float)
    cuda.atomic_sub(x, 1.0)

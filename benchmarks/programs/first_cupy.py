"""The first result of CuPy's RawKernel. Started by devices_cold.py."""

import cupy
import numpy

SOURCE = """
extern "C" __global__ void saxpy(long long n, double a, const double *x, double *y) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""

n = 1024
kernel = cupy.RawKernel(SOURCE, "saxpy")
x, y = cupy.asarray(numpy.arange(n, dtype=numpy.float64)), cupy.asarray(numpy.ones(n))
kernel((n // 256,), (256,), (n, 2.0, x, y))
print(y.get()[-1], flush=True)

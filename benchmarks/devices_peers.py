"""The peers' kernels: a saxpy and a maximum of each 64 elements, each as its tool's users write them.

A class a package; making one imports the package, and raises whatever the package raises.
"""

from __future__ import annotations

from typing import Any, Final

TILE: Final = 64
CUDA_SAXPY: Final = """
extern "C" __global__ void saxpy(long long n, double a, const double *x, double *y) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}
"""
CUDA_BLOCK_MAX: Final = """
extern "C" __global__ void block_max(const double *x, double *out) {
    __shared__ double parked[64];
    int thread = threadIdx.x;
    parked[thread] = x[blockIdx.x * (long long)blockDim.x + thread];
    __syncthreads();
    double mine = parked[thread];
    double other = __shfl_xor_sync(~0u, mine, 1);
    parked[thread] = other > mine ? other : mine;
    __syncthreads();
    if (thread == 0) {
        double best = parked[0];
        for (int k = 1; k < (int)blockDim.x; k++) best = parked[k] > best ? parked[k] : best;
        out[blockIdx.x] = best;
    }
}
"""


class CuPy:
    def __init__(self) -> None:
        import cupy

        self.cupy = cupy
        self.saxpy_kernel = cupy.RawKernel(CUDA_SAXPY, "saxpy")
        self.block_max_kernel = cupy.RawKernel(CUDA_BLOCK_MAX, "block_max")

    def saxpy(self, n: int, a: float, x: Any, y: Any) -> None:
        self.saxpy_kernel(((n + 255) // 256,), (256,), (n, a, x, y))

    def block_max(self, x: Any, out: Any) -> None:
        self.block_max_kernel((len(out),), (TILE,), (x, out))


class Triton:
    def __init__(self) -> None:
        import devices_triton as kernels
        import triton

        self.triton, self.kernels = triton, kernels

    def saxpy(self, n: int, a: float, x: Any, y: Any) -> None:
        self.kernels.saxpy[((n + 255) // 256,)](n, a, x, y, BLOCK=256)

    def block_max(self, x: Any, out: Any) -> None:
        self.kernels.block_max[(out.numel(),)](x, out, BLOCK=TILE)


class Numba:
    def __init__(self) -> None:
        import numpy
        from numba import cuda, float64

        @cuda.jit
        def saxpy(n: Any, a: Any, x: Any, y: Any) -> None:
            i = cuda.grid(1)
            if i < n:
                y[i] = a * x[i] + y[i]

        @cuda.jit
        def block_max(x: Any, out: Any) -> None:
            parked = cuda.shared.array(64, float64)
            thread = cuda.threadIdx.x
            parked[thread] = x[cuda.grid(1)]
            cuda.syncthreads()
            mine = parked[thread]
            other = cuda.shfl_xor_sync(0xFFFFFFFF, mine, 1)
            parked[thread] = other if other > mine else mine
            cuda.syncthreads()
            if thread == 0:
                best = parked[0]
                for k in range(1, cuda.blockDim.x):
                    best = parked[k] if parked[k] > best else best
                out[cuda.blockIdx.x] = best

        self.cuda, self.numpy = cuda, numpy
        self.saxpy_kernel, self.block_max_kernel = saxpy, block_max

    def saxpy(self, n: int, a: float, x: Any, y: Any) -> None:
        self.saxpy_kernel[(n + 255) // 256, 256](n, a, x, y)

    def block_max(self, x: Any, out: Any) -> None:
        self.block_max_kernel[len(out), TILE](x, out)

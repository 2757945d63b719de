// One fault for each of the tools to find: the silence of a tool that finds none here says nothing elsewhere.
#include <cuda_runtime.h>

namespace {

constexpr int size = 64;

__global__ void memcheck(double *x) { x[size + threadIdx.x] = 1.0; }

__global__ void racecheck(double *x) {
    __shared__ double held[size];
    held[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = held[size - 1 - threadIdx.x];
}

__global__ void synccheck(double *x) {
    if (threadIdx.x % 2 == 0) {
        x[threadIdx.x] = 1.0;
        __syncthreads();
        x[threadIdx.x] += 1.0;
    }
}

}  // namespace

extern "C" void fault_memcheck(double *x) { memcheck<<<1, size>>>(x); }
extern "C" void fault_racecheck(double *x) { racecheck<<<1, size>>>(x); }
extern "C" void fault_synccheck(double *x) { synccheck<<<1, size>>>(x); }

// One fault for each of the tools to find: the silence of a tool that finds none here says nothing elsewhere.
#include <cuda_runtime.h>

namespace {

constexpr int size = 64;
constexpr unsigned warp = 32;

__global__ void memcheck(double *x) { x[size + threadIdx.x] = 1.0; }

__global__ void racecheck(double *x) {
    __shared__ double held[size];
    held[threadIdx.x] = x[threadIdx.x];
    x[threadIdx.x] = held[size - 1 - threadIdx.x];
}

// Two kinds of fault are synccheck's. Here the halves of a block wait for each other in two places: "Divergent thread(s) in
// block". It does not report a barrier that the other threads never reach because they have ended, since the hardware
// counts those as arrived; nor a barrier that is lacking, which racecheck finds.
__global__ void divergent(double *x) {
    if (threadIdx.x < size / 2) {
        x[threadIdx.x] = sqrt(x[threadIdx.x] + 1.0);
        __syncthreads();
        x[threadIdx.x] = sqrt(x[threadIdx.x + size / 2]);
    } else {
        x[threadIdx.x] = sqrt(x[threadIdx.x] + 2.0);
        __syncthreads();
        x[threadIdx.x] += sqrt(x[threadIdx.x - size / 2]);
    }
}

// And here a lane waits for lanes of which it is none: "Invalid arguments". The compiler does not know the mask.
__global__ void unnamed(double *x) {
    __shared__ double held[warp];
    const unsigned lane = threadIdx.x % warp;
    const unsigned named = __ballot_sync(~0u, lane < warp / 2);
    if (lane <= warp / 2) {
        held[lane] = x[threadIdx.x];
        __syncwarp(named);
        x[threadIdx.x] = held[warp / 2 - lane];
    }
    __syncthreads();
}

}  // namespace

extern "C" void fault_memcheck(double *x) { memcheck<<<1, size>>>(x); }
extern "C" void fault_racecheck(double *x) { racecheck<<<1, size>>>(x); }
extern "C" void fault_synccheck(double *x) {
    divergent<<<1, size>>>(x);
    unnamed<<<1, warp>>>(x);
}

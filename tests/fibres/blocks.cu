#include <cstdint>
#include <cuda_runtime.h>

namespace {

template <int Threads>
__global__ void __launch_bounds__(Threads) sums(const double *__restrict__ x, double *__restrict__ out) {
    __shared__ double stage[Threads];
    double folded = x[int64_t(blockIdx.x) * Threads + threadIdx.x];
    stage[threadIdx.x] = folded;
    __syncthreads();
#pragma unroll
    for (int step = Threads / 2; step >= 32; step /= 2) {
        if (int(threadIdx.x) < step) stage[threadIdx.x] += stage[threadIdx.x + step];
        __syncthreads();
    }
    folded = stage[threadIdx.x % 32];
    for (int step = 16; step > 0; step /= 2) folded += __shfl_xor_sync(0xffffffffu, folded, step WIDTH);
    if (threadIdx.x == 0) out[blockIdx.x] = folded;
}

__global__ void exchange(const int64_t *x, int64_t *out) {
    const int i = threadIdx.x;
    const int64_t mine = x[i];
    out[i] = __shfl_xor_sync(0xffffffffu, mine, 5 WIDTH);
    out[128 + i] = __shfl_sync(0xffffffffu, mine, (i + 7) % 32 WIDTH);
    __syncwarp();
    out[256 + i] = __shfl_up_sync(0xffffffffu, mine, 3 WIDTH);
    out[384 + i] = __shfl_down_sync(0xffffffffu, mine, 9 WIDTH);
}

__global__ void number(int64_t *out) {
    const int64_t thread = threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
    const int64_t block = blockIdx.x + gridDim.x * (blockIdx.y + gridDim.y * blockIdx.z);
    const int64_t at = block * (blockDim.x * blockDim.y * blockDim.z) + thread;
    out[at] = at;
}

__global__ void turn(double *out) {
    extern __shared__ double parked[];
    parked[threadIdx.x] = threadIdx.x;
    __syncthreads();
    out[threadIdx.x] = parked[blockDim.x - 1 - threadIdx.x];
}

__global__ void diverge(int kind) {
    if (kind == 0 && threadIdx.x < 32) __syncthreads();
    if (kind == 0 && threadIdx.x >= 32) __shfl_xor_sync(0xffffffffu, 1, threadIdx.x == 40 ? 0 : 1 WIDTH), __syncwarp();
    if (kind == 1 && threadIdx.x == 5) return;
    if (kind == 1) __shfl_xor_sync(0xffffffffu, 1, 1 WIDTH);
    if (kind == 2 && threadIdx.x == 7) __syncwarp();
    if (kind == 2 && threadIdx.x != 7) __syncthreads();
}

__global__ void race(double *out) {
    __shared__ double parked[64];
    parked[threadIdx.x] = 0.0;
    __syncthreads();
    parked[threadIdx.x] = threadIdx.x;
    out[threadIdx.x] = parked[63 - threadIdx.x];
}

int32_t status() { return cudaGetLastError() == cudaSuccess ? 0 : 5; }

}  // namespace

extern "C" int32_t block_sums(int64_t blocks, const double *x, double *out) {
    sums<256><<<dim3(blocks), 256, 0, static_cast<cudaStream_t>(nullptr)>>>(x, out);
    return status();
}

extern "C" int32_t shuffles(const int64_t *x, int64_t *out) {
    exchange<<<1, 128>>>(x, out);
    return status();
}

extern "C" int32_t places(int64_t *out) {
    number<<<dim3(3, 2, 2), dim3(4, 2, 2)>>>(out);
    return status();
}

extern "C" int32_t turned(double *out) {
    turn<<<1, 64, 64 * sizeof(double)>>>(out);
    return status();
}

extern "C" int32_t stuck(int kind) {
    diverge<<<2, 64>>>(kind);
    return status();
}

extern "C" int32_t unsafe(double *out) {
    race<<<1, 64>>>(out);
    return status();
}

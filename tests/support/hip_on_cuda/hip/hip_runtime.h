// HIP's runtime as far as emitted text uses it, on CUDA's: so that the unchanged .hip text runs on an NVIDIA device.
// nvcc reads it with -x cu and -fmad=false, for the text's own pragma speaks to clang. Shared memory beyond 48 KB, which
// AMD's devices have without asking, is more than nvcc allows.
#pragma once

#include <cuda_runtime.h>

using hipError_t = cudaError_t;
using hipStream_t = cudaStream_t;

constexpr hipError_t hipSuccess = cudaSuccess;

inline hipError_t hipGetLastError() { return cudaGetLastError(); }

inline hipError_t hipLaunchKernel(const void *kernel, dim3 grid, dim3 block, void **args, size_t shared,
                                  hipStream_t stream) {
    return cudaLaunchKernel(kernel, grid, block, args, shared, stream);
}

using hipStreamCaptureMode = cudaStreamCaptureMode;
constexpr auto hipStreamCaptureModeRelaxed = cudaStreamCaptureModeRelaxed;
constexpr unsigned hipHostMallocPortable = cudaHostAllocPortable, hipHostMallocMapped = cudaHostAllocMapped;

inline hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *mode) {
    return cudaThreadExchangeStreamCaptureMode(mode);
}

inline hipError_t hipHostMalloc(void **made, size_t bytes, unsigned flags) { return cudaHostAlloc(made, bytes, flags); }

#define __builtin_amdgcn_endpgm() asm volatile("exit;")

// AMD's shuffles name no mask, for a wavefront runs in step. Emitted text shuffles where all of a group's 32 threads are.
constexpr unsigned hip_group = 0xffffffffu;

template <typename T>
__device__ T __shfl(T value, int lane, int width = 32) {
    return __shfl_sync(hip_group, value, lane, width);
}

template <typename T>
__device__ T __shfl_xor(T value, int lane_mask, int width = 32) {
    return __shfl_xor_sync(hip_group, value, lane_mask, width);
}

template <typename T>
__device__ T __shfl_up(T value, unsigned delta, int width = 32) {
    return __shfl_up_sync(hip_group, value, delta, width);
}

template <typename T>
__device__ T __shfl_down(T value, unsigned delta, int width = 32) {
    return __shfl_down_sync(hip_group, value, delta, width);
}

#define __builtin_amdgcn_wave_barrier() __syncwarp()
#define __builtin_amdgcn_fence(...) __threadfence_block()

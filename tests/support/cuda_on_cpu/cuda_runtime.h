// CUDA's runtime as far as emitted text uses it, on fibres.
#pragma once

#include <math.h>

#include "device.hpp"

using cudaStream_t = void *;

enum cudaError_t {
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorLaunchFailure = 719
};
enum cudaFuncAttribute { cudaFuncAttributeMaxDynamicSharedMemorySize = 8 };

inline cudaError_t cudaPeekAtLastError() { return fibres::settings().error ? cudaErrorLaunchFailure : cudaSuccess; }

inline cudaError_t cudaGetLastError() {
    const cudaError_t error = cudaPeekAtLastError();
    fibres::settings().error = 0;
    return error;
}

inline cudaError_t cudaDeviceSynchronize() { return cudaPeekAtLastError(); }
inline cudaError_t cudaStreamSynchronize(cudaStream_t) { return cudaPeekAtLastError(); }
inline const char *cudaGetErrorString(cudaError_t) { return fibres::settings().report.c_str(); }

enum cudaStreamCaptureMode { cudaStreamCaptureModeRelaxed = 2 };
constexpr unsigned cudaHostAllocPortable = 1, cudaHostAllocMapped = 2;

inline cudaError_t cudaThreadExchangeStreamCaptureMode(cudaStreamCaptureMode *) { return cudaSuccess; }

inline cudaError_t cudaHostAlloc(void **made, size_t bytes, unsigned) {
    *made = std::malloc(bytes);
    return cudaSuccess;
}

template <typename Kernel>
cudaError_t cudaFuncSetAttribute(Kernel, cudaFuncAttribute, int bytes) {
    return bytes <= 227 * 1024 ? cudaSuccess : cudaErrorInvalidValue;
}

inline void __syncwarp(unsigned mask = 0xffffffffu) { fibres::sync_warp(mask); }

template <typename T>
auto __shfl_sync(unsigned mask, T value, int lane, int width = 32) -> decltype(+value) {
    return fibres::shuffle(mask, value, fibres::from_lane(lane, width));
}

template <typename T>
auto __shfl_xor_sync(unsigned mask, T value, int lane_mask, int width = 32) -> decltype(+value) {
    return fibres::shuffle(mask, value, fibres::from_xor(lane_mask, width));
}

template <typename T>
auto __shfl_up_sync(unsigned mask, T value, unsigned delta, int width = 32) -> decltype(+value) {
    return fibres::shuffle(mask, value, fibres::from_up(delta, width));
}

template <typename T>
auto __shfl_down_sync(unsigned mask, T value, unsigned delta, int width = 32) -> decltype(+value) {
    return fibres::shuffle(mask, value, fibres::from_down(delta, width));
}

inline unsigned __ballot_sync(unsigned mask, int value) { return unsigned(fibres::vote(mask, value != 0)); }
inline int __any_sync(unsigned mask, int value) { return fibres::vote(mask, value != 0) != 0; }
inline int __all_sync(unsigned mask, int value) { return unsigned(fibres::vote(mask, value != 0)) == mask; }

FIBRES_ENDS(long long)  // which HIP's older headers lack

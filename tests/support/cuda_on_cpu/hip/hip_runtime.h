// HIP's runtime as far as emitted text uses it, on fibres. The width of a wavefront, 32 or 64, is chosen at run time.
#pragma once

#include <math.h>

#include "../device.hpp"

using hipStream_t = void *;

enum hipError_t { hipSuccess = 0, hipErrorInvalidConfiguration = 9, hipErrorLaunchFailure = 719 };
enum hipFuncAttribute { hipFuncAttributeMaxDynamicSharedMemorySize = 8 };

inline hipError_t hipPeekAtLastError() { return fibres::settings().error ? hipErrorLaunchFailure : hipSuccess; }

inline hipError_t hipGetLastError() {
    const hipError_t error = hipPeekAtLastError();
    fibres::settings().error = 0;
    return error;
}

inline hipError_t hipDeviceSynchronize() { return hipPeekAtLastError(); }
inline hipError_t hipStreamSynchronize(hipStream_t) { return hipPeekAtLastError(); }
inline const char *hipGetErrorString(hipError_t) { return fibres::settings().report.c_str(); }

enum hipStreamCaptureMode { hipStreamCaptureModeRelaxed = 2 };
constexpr unsigned hipHostMallocPortable = 1, hipHostMallocMapped = 2;

inline hipError_t hipThreadExchangeStreamCaptureMode(hipStreamCaptureMode *) { return hipSuccess; }

inline hipError_t hipHostMalloc(void **made, size_t bytes, unsigned) {
    *made = std::malloc(bytes);
    return hipSuccess;
}

template <typename Kernel>
hipError_t hipFuncSetAttribute(Kernel, hipFuncAttribute, int bytes) {
    return bytes <= 64 * 1024 ? hipSuccess : hipErrorInvalidConfiguration;
}

#define hipLaunchKernelGGL(kernel, grid, block, bytes, stream, ...) \
    ::fibres::launch(grid, block, bytes, stream, [&] { kernel(__VA_ARGS__); })

namespace fibres {

// A wavefront's lanes run in step, so a segment of `width` lanes exchanges by itself; lanes that left take no part.
inline uint64_t segment(int width) {
    const uint64_t all = width == 64 ? ~uint64_t(0) : (uint64_t(1) << width) - 1;
    const int first = machine().lane() & ~(width - 1);
    return (all << first) & machine().present();
}

}  // namespace fibres

template <typename T>
auto __shfl(T value, int lane, int width = warpSize) -> decltype(+value) {
    return fibres::shuffle(fibres::segment(width), value, fibres::from_lane(lane, width), true);
}

template <typename T>
auto __shfl_xor(T value, int lane_mask, int width = warpSize) -> decltype(+value) {
    return fibres::shuffle(fibres::segment(width), value, fibres::from_xor(lane_mask, width), true);
}

template <typename T>
auto __shfl_up(T value, unsigned delta, int width = warpSize) -> decltype(+value) {
    return fibres::shuffle(fibres::segment(width), value, fibres::from_up(delta, width), true);
}

template <typename T>
auto __shfl_down(T value, unsigned delta, int width = warpSize) -> decltype(+value) {
    return fibres::shuffle(fibres::segment(width), value, fibres::from_down(delta, width), true);
}

// `syncwarp` on AMD is a fence within the wavefront; the group of 32 is what the language promises to order.
#define __builtin_amdgcn_wave_barrier() ::fibres::sync_warp(::fibres::segment(32), true)
#define __builtin_amdgcn_fence(...) static_cast<void>(0)

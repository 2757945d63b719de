// AMD's names for the same stand-in: libamdhip64.so of HIP 6. A device is current from the start, as it is there.

#include "calls.hpp"

using namespace fake;

extern "C" {

int cuInit(unsigned);
int cuDeviceGetCount(int *);
int cuDeviceGetName(char *, int, int);
int cuDeviceGetAttribute(int *, int, int);
int cuDevicePrimaryCtxRetain(void **, int);
int cuCtxSetCurrent(void *);
int cuCtxSynchronize();
int cuMemGetInfo_v2(size_t *, size_t *);
int cuPointerGetAttributes(unsigned, const int *, void **, uintptr_t);
int cuMemAlloc_v2(void **, size_t);
int cuMemFree_v2(void *);
int cuMemHostAlloc(void **, size_t, unsigned);
int cuMemFreeHost(void *);
int cuMemcpyHtoDAsync_v2(void *, const void *, size_t, void *);
int cuMemcpyDtoHAsync_v2(void *, const void *, size_t, void *);
int cuMemcpyDtoDAsync_v2(void *, const void *, size_t, void *);
int cuMemsetD8Async(void *, unsigned char, size_t, void *);
int cuStreamCreate(void **, unsigned);
int cuStreamDestroy_v2(void *);
int cuStreamSynchronize(void *);
int cuStreamQuery(void *);
int cuStreamIsCapturing(void *, int *);
int cuThreadExchangeStreamCaptureMode(int *);
int cuStreamWaitEvent(void *, void *, unsigned);
int cuEventCreate(void **, unsigned);
int cuEventDestroy_v2(void *);
int cuEventRecord(void *, void *);
int cuEventQuery(void *);
int cuEventSynchronize(void *);
int cuModuleLoadData(void **, const void *);
int cuModuleUnload(void *);
int cuModuleGetFunction(void **, void *, const char *);
int cuLaunchKernel(void *, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, void *, void **,
                   void **);

int hipSetDevice(int device) {
    if (device < 0 || device >= world::get().devices) return invalid_device;
    void *context = nullptr;
    cuDevicePrimaryCtxRetain(&context, device);
    return cuCtxSetCurrent(context);
}

int hipGetDevice(int *device) { return *device = current != nullptr ? current->device : 0, 0; }

int hipInit(unsigned flags) { return cuInit(flags); }
int hipDriverGetVersion(int *version) { return *version = 60443484, 0; }
int hipGetDeviceCount(int *count) { return cuDeviceGetCount(count); }

}  // extern "C"

namespace {

// Calls a function of the driver with a device current.
template <typename... Parameters, typename... Arguments>
int forward(int (*function)(Parameters...), Arguments... arguments) {
    if (current == nullptr) hipSetDevice(0);
    return function(arguments...);
}

}  // namespace

extern "C" {

int hipDeviceGetName(char *name, int size, int device) { return forward(cuDeviceGetName, name, size, device); }
int hipDeviceGetAttribute(int *value, int which, int device) {
    return forward(cuDeviceGetAttribute, value, which, device);
}
int hipMemGetInfo(size_t *free, size_t *total) { return forward(cuMemGetInfo_v2, free, total); }
int hipDrvPointerGetAttributes(unsigned count, const int *asked, void **values, uintptr_t pointer) {
    return forward(cuPointerGetAttributes, count, asked, values, pointer);
}
int hipMalloc(void **address, size_t bytes) { return forward(cuMemAlloc_v2, address, bytes); }
int hipFree(void *address) { return forward(cuMemFree_v2, address); }
int hipHostMalloc(void **address, size_t bytes, unsigned flags) {
    return forward(cuMemHostAlloc, address, bytes, flags);
}
int hipHostFree(void *address) { return forward(cuMemFreeHost, address); }
int hipMemcpyHtoDAsync(void *to, const void *from, size_t bytes, void *stream) {
    return forward(cuMemcpyHtoDAsync_v2, to, from, bytes, stream);
}
int hipMemcpyDtoHAsync(void *to, const void *from, size_t bytes, void *stream) {
    return forward(cuMemcpyDtoHAsync_v2, to, from, bytes, stream);
}
int hipMemcpyDtoDAsync(void *to, const void *from, size_t bytes, void *stream) {
    return forward(cuMemcpyDtoDAsync_v2, to, from, bytes, stream);
}
int hipMemsetD8Async(void *address, unsigned char byte, size_t bytes, void *stream) {
    return forward(cuMemsetD8Async, address, byte, bytes, stream);
}
int hipStreamCreateWithFlags(void **stream, unsigned flags) { return forward(cuStreamCreate, stream, flags); }
int hipStreamDestroy(void *stream) { return forward(cuStreamDestroy_v2, stream); }
int hipStreamSynchronize(void *stream) { return forward(cuStreamSynchronize, stream); }
int hipStreamQuery(void *stream) { return forward(cuStreamQuery, stream); }
int hipStreamIsCapturing(void *stream, int *status) { return forward(cuStreamIsCapturing, stream, status); }
int hipThreadExchangeStreamCaptureMode(int *mode) { return forward(cuThreadExchangeStreamCaptureMode, mode); }
int hipStreamGetDevice(void *stream, int *device) {
    if (current == nullptr) hipSetDevice(0);
    return on_stream("hipStreamGetDevice", stream,
                     [&](world &, fake::stream *where) { return *device = where->device, 0; });
}
int hipStreamWaitEvent(void *stream, void *event, unsigned flags) {
    return forward(cuStreamWaitEvent, stream, event, flags);
}
int hipEventCreateWithFlags(void **event, unsigned flags) { return forward(cuEventCreate, event, flags); }
int hipEventDestroy(void *event) { return forward(cuEventDestroy_v2, event); }
int hipEventRecord(void *event, void *stream) { return forward(cuEventRecord, event, stream); }
int hipEventQuery(void *event) { return forward(cuEventQuery, event); }
int hipEventSynchronize(void *event) { return forward(cuEventSynchronize, event); }
int hipDeviceSynchronize() { return forward(cuCtxSynchronize); }
int hipModuleLoadData(void **image, const void *bytes) { return forward(cuModuleLoadData, image, bytes); }
int hipModuleUnload(void *image) { return forward(cuModuleUnload, image); }
int hipModuleGetFunction(void **function, void *image, const char *name) {
    return forward(cuModuleGetFunction, function, image, name);
}
int hipModuleLaunchKernel(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x,
                          unsigned block_y, unsigned block_z, unsigned shared, void *stream, void **arguments,
                          void **extra) {
    return forward(cuLaunchKernel, function, grid_x, grid_y, grid_z, block_x, block_y, block_z, shared, stream,
                   arguments, extra);
}

const char *hipGetErrorName(int code) { return code == out_of_memory ? "hipErrorOutOfMemory" : "hipErrorUnknown"; }
const char *hipGetErrorString(int) { return "as asked"; }

}  // extern "C"

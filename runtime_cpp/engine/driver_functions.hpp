// The vendor's driver as a table of functions, found by name in its library when it is first needed: nothing is linked
// against it and no header of it is read, so that one engine loads on every machine.
#pragma once

#include <dlfcn.h>

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace transpile {

enum class vendor : uint8_t { cuda, hip };

// There is no driver, or one that cannot be used; the message says what to do.
struct driver_missing : std::runtime_error {
    using std::runtime_error::runtime_error;
};

// Every handle of the vendors is a pointer, every device address an integer of its width, and every result an int: one
// signature serves both. Where they differ, the name says whose it is.
struct driver_functions {
    int (*init)(unsigned flags);
    int (*driver_version)(int *version);
    int (*device_count)(int *count);
    int (*device_name)(char *name, int size, int device);
    int (*device_attribute)(int *value, int attribute, int device);
    int (*memory_info)(size_t *free, size_t *total);
    int (*pointer_attributes)(unsigned count, const int *attributes, void **values, const void *pointer);

    int (*allocate)(void **address, size_t bytes);
    int (*release)(void *address);
    int (*allocate_pinned)(void **address, size_t bytes, unsigned flags);
    int (*copy_in)(void *device, const void *host, size_t bytes, void *stream);
    int (*copy_out)(void *host, const void *device, size_t bytes, void *stream);
    int (*fill)(void *address, unsigned char byte, size_t bytes, void *stream);

    int (*stream_create)(void **stream, unsigned flags);
    int (*stream_synchronize)(void *stream);
    int (*stream_is_capturing)(void *stream, int *status);
    int (*exchange_capture_mode)(int *mode);
    int (*stream_wait_event)(void *stream, void *event, unsigned flags);
    int (*event_create)(void **event, unsigned flags);
    int (*event_destroy)(void *event);
    int (*event_record)(void *event, void *stream);
    int (*event_query)(void *event);
    int (*event_synchronize)(void *event);
    int (*synchronize)();

    int (*image_load)(void **image, const void *bytes);
    int (*image_unload)(void *image);
    int (*image_function)(void **function, void *image, const char *name);
    int (*launch)(void *function, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                  unsigned block_z, unsigned shared, void *stream, void **arguments, void **extra);

    int (*cuda_device)(int *device, int ordinal);
    int (*cuda_retain)(void **context, int device);
    int (*cuda_current)(void **context);
    int (*cuda_set_current)(void *context);
    int (*cuda_current_device)(int *device);
    int (*cuda_stream_context)(void *stream, void **context);
    int (*cuda_set_attribute)(void *function, int attribute, int value);
    int (*cuda_error_name)(int code, const char **name);
    int (*cuda_error_text)(int code, const char **text);

    int (*hip_current_device)(int *device);
    int (*hip_set_device)(int device);
    int (*hip_stream_device)(void *stream, int *device);  // null before HIP 5.6
    const char *(*hip_error_name)(int code);
    const char *(*hip_error_text)(int code);
};

// One function of the table, and what each vendor calls it; null where it has none. An old driver may lack an optional
// one.
struct driver_name {
    size_t at;
    const char *cuda;
    const char *hip;
    bool is_optional = false;
};

#define TRANSPILE_DRIVER(member, cuda, hip) {offsetof(driver_functions, member), cuda, hip}
constexpr driver_name driver_names[] = {
    TRANSPILE_DRIVER(init, "cuInit", "hipInit"),
    TRANSPILE_DRIVER(driver_version, "cuDriverGetVersion", "hipDriverGetVersion"),
    TRANSPILE_DRIVER(device_count, "cuDeviceGetCount", "hipGetDeviceCount"),
    TRANSPILE_DRIVER(device_name, "cuDeviceGetName", "hipDeviceGetName"),
    TRANSPILE_DRIVER(device_attribute, "cuDeviceGetAttribute", "hipDeviceGetAttribute"),
    TRANSPILE_DRIVER(memory_info, "cuMemGetInfo_v2", "hipMemGetInfo"),
    TRANSPILE_DRIVER(pointer_attributes, "cuPointerGetAttributes", "hipDrvPointerGetAttributes"),
    TRANSPILE_DRIVER(allocate, "cuMemAlloc_v2", "hipMalloc"),
    TRANSPILE_DRIVER(release, "cuMemFree_v2", "hipFree"),
    TRANSPILE_DRIVER(allocate_pinned, "cuMemHostAlloc", "hipHostMalloc"),
    TRANSPILE_DRIVER(copy_in, "cuMemcpyHtoDAsync_v2", "hipMemcpyHtoDAsync"),
    TRANSPILE_DRIVER(copy_out, "cuMemcpyDtoHAsync_v2", "hipMemcpyDtoHAsync"),
    TRANSPILE_DRIVER(fill, "cuMemsetD8Async", "hipMemsetD8Async"),
    TRANSPILE_DRIVER(stream_create, "cuStreamCreate", "hipStreamCreateWithFlags"),
    TRANSPILE_DRIVER(stream_synchronize, "cuStreamSynchronize", "hipStreamSynchronize"),
    TRANSPILE_DRIVER(stream_is_capturing, "cuStreamIsCapturing", "hipStreamIsCapturing"),
    TRANSPILE_DRIVER(exchange_capture_mode, "cuThreadExchangeStreamCaptureMode", "hipThreadExchangeStreamCaptureMode"),
    TRANSPILE_DRIVER(stream_wait_event, "cuStreamWaitEvent", "hipStreamWaitEvent"),
    TRANSPILE_DRIVER(event_create, "cuEventCreate", "hipEventCreateWithFlags"),
    TRANSPILE_DRIVER(event_destroy, "cuEventDestroy_v2", "hipEventDestroy"),
    TRANSPILE_DRIVER(event_record, "cuEventRecord", "hipEventRecord"),
    TRANSPILE_DRIVER(event_query, "cuEventQuery", "hipEventQuery"),
    TRANSPILE_DRIVER(event_synchronize, "cuEventSynchronize", "hipEventSynchronize"),
    TRANSPILE_DRIVER(synchronize, "cuCtxSynchronize", "hipDeviceSynchronize"),
    TRANSPILE_DRIVER(image_load, "cuModuleLoadData", "hipModuleLoadData"),
    TRANSPILE_DRIVER(image_unload, "cuModuleUnload", "hipModuleUnload"),
    TRANSPILE_DRIVER(image_function, "cuModuleGetFunction", "hipModuleGetFunction"),
    TRANSPILE_DRIVER(launch, "cuLaunchKernel", "hipModuleLaunchKernel"),
    TRANSPILE_DRIVER(cuda_device, "cuDeviceGet", nullptr),
    TRANSPILE_DRIVER(cuda_retain, "cuDevicePrimaryCtxRetain", nullptr),
    TRANSPILE_DRIVER(cuda_current, "cuCtxGetCurrent", nullptr),
    TRANSPILE_DRIVER(cuda_set_current, "cuCtxSetCurrent", nullptr),
    TRANSPILE_DRIVER(cuda_current_device, "cuCtxGetDevice", nullptr),
    TRANSPILE_DRIVER(cuda_stream_context, "cuStreamGetCtx", nullptr),
    TRANSPILE_DRIVER(cuda_set_attribute, "cuFuncSetAttribute", nullptr),
    TRANSPILE_DRIVER(cuda_error_name, "cuGetErrorName", nullptr),
    TRANSPILE_DRIVER(cuda_error_text, "cuGetErrorString", nullptr),
    TRANSPILE_DRIVER(hip_current_device, nullptr, "hipGetDevice"),
    TRANSPILE_DRIVER(hip_set_device, nullptr, "hipSetDevice"),
    {offsetof(driver_functions, hip_stream_device), nullptr, "hipStreamGetDevice", true},
    TRANSPILE_DRIVER(hip_error_name, nullptr, "hipGetErrorName"),
    TRANSPILE_DRIVER(hip_error_text, nullptr, "hipGetErrorString"),
};
#undef TRANSPILE_DRIVER

// The library of a vendor's driver: one that the process holds already, else the newest. Raises driver_missing.
inline void *open_driver_library(vendor whose) {
    static constexpr const char *cuda[] = {"libcuda.so.1", nullptr};
    static constexpr const char *hip[] = {"libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so",
                                          nullptr};
    const char *const *names = whose == vendor::cuda ? cuda : hip;
    for (const int held : {RTLD_NOLOAD, 0}) {
        for (const char *const *name = names; *name != nullptr; ++name) {
            if (void *library = dlopen(*name, RTLD_NOW | RTLD_LOCAL | held)) return library;
        }
    }
    const char *reason = dlerror();
    throw driver_missing(
        std::string(whose == vendor::cuda
                        ? "there is no NVIDIA driver on this machine (libcuda.so.1); install NVIDIA's driver, or run "
                          "this module's CPU build"
                        : "there is no AMD driver on this machine (libamdhip64.so); install ROCm, or run this module's "
                          "CPU build") +
        (reason != nullptr ? std::string(" [") + reason + "]" : std::string()));
}

// The whole table. Raises driver_missing.
inline driver_functions load_driver_functions(vendor whose) {
    void *library = open_driver_library(whose);
    driver_functions table = {};
    for (const driver_name &each : driver_names) {
        const char *name = whose == vendor::cuda ? each.cuda : each.hip;
        if (name == nullptr) continue;
        void *found = dlsym(library, name);
        if (found == nullptr && !each.is_optional) {
            throw driver_missing(std::string("this machine's driver is too old: it has no function ") + name +
                                 "; install a newer one");
        }
        *reinterpret_cast<void **>(reinterpret_cast<char *>(&table) + each.at) = found;
    }
    return table;
}

}  // namespace transpile

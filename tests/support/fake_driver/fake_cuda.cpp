// A stand-in for NVIDIA's driver, libcuda.so.1, so that the engine is tested on a machine without a GPU: device memory is
// host memory, and every call is counted and fails on request.
//
// An image is the text "fake:PATH", a shared library; its kernels are functions of it,
// `void name(const unsigned *dimensions, void **arguments)`. Any other image loads too: its kernels do nothing.

#include "calls.hpp"

#include <dlfcn.h>

using namespace fake;

namespace {

int allocate(world &w, void **address, size_t bytes, kind kind) {
    if (current == nullptr) return invalid_context;
    if (bytes == 0) return invalid_value;
    if (kind == kind::device && w.used[current->device] + bytes > w.memory) return out_of_memory;
    const size_t whole = (bytes + 511) / 512 * 512;
    auto *made = static_cast<char *>(std::aligned_alloc(512, whole));
    if (made == nullptr) return out_of_memory;
    std::memset(made, 0xa5, std::min<size_t>(whole, 1 << 16));
    if (kind == kind::device) w.used[current->device] += bytes;
    w.blocks[made] = {bytes, kind, current->device};
    *address = made;
    return success;
}

int release(world &w, void *address, kind kind) {
    const auto found = w.blocks.find(static_cast<char *>(address));
    if (found == w.blocks.end() || found->second.kind != kind) return invalid_value;
    w.drain_all();
    if (kind == kind::device) w.used[found->second.device] -= found->second.bytes;
    w.blocks.erase(found);
    std::free(address);
    return success;
}

struct function {
    const context *home;
    std::string name;
    void (*body)(const unsigned *dimensions, void **arguments);
};

struct image {
    const context *home = current;
    void *library = nullptr;
    std::map<std::string, std::unique_ptr<function>> functions;
};

const char *name_of(int code) {
    switch (code) {
        case 0: return "CUDA_SUCCESS";
        case 1: return "CUDA_ERROR_INVALID_VALUE";
        case 2: return "CUDA_ERROR_OUT_OF_MEMORY";
        case 3: return "CUDA_ERROR_NOT_INITIALIZED";
        case 100: return "CUDA_ERROR_NO_DEVICE";
        case 101: return "CUDA_ERROR_INVALID_DEVICE";
        case 200: return "CUDA_ERROR_INVALID_IMAGE";
        case 201: return "CUDA_ERROR_INVALID_CONTEXT";
        case 209: return "CUDA_ERROR_NO_BINARY_FOR_GPU";
        case 400: return "CUDA_ERROR_INVALID_HANDLE";
        case 500: return "CUDA_ERROR_NOT_FOUND";
        case 700: return "CUDA_ERROR_ILLEGAL_ADDRESS";
        case 701: return "CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES";
        case 719: return "CUDA_ERROR_LAUNCH_FAILED";
        case 900: return "CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED";
        default: return nullptr;
    }
}

}  // namespace

extern "C" {

// ---------------------------------------------------------------- the driver

int cuInit(unsigned) {
    return as("cuInit", [](world &w) { return w.devices > 0 ? 0 : 100; });
}

// NVRTC asks for what only NVIDIA's own libraries know, and does without.
int cuGetExportTable(const void **, const void *) {
    return as("cuGetExportTable", [](world &) { return int(not_found); });
}

int cuDriverGetVersion(int *version) {
    return as("cuDriverGetVersion", [&](world &w) { return *version = w.version, 0; });
}

int cuDeviceGetCount(int *count) {
    return as("cuDeviceGetCount", [&](world &w) { return *count = w.devices, 0; });
}

int cuDeviceGet(int *device, int ordinal) {
    return as("cuDeviceGet", [&](world &w) -> int {
        if (ordinal < 0 || ordinal >= w.devices) return invalid_device;
        return *device = ordinal, success;
    });
}

int cuDeviceGetName(char *name, int size, int) {
    return as("cuDeviceGetName", [&](world &) { return std::strncpy(name, "Fake GPU", static_cast<size_t>(size)), 0; });
}

int cuDeviceTotalMem_v2(size_t *bytes, int) {
    return as("cuDeviceTotalMem_v2", [&](world &w) { return *bytes = w.memory, 0; });
}

int cuDeviceGetAttribute(int *value, int attribute, int device) {
    return as("cuDeviceGetAttribute", [&](world &) {
        const std::string own = "FAKE_CUDA_CAPABILITY_" + std::to_string(device);
        const auto capability = static_cast<int>(setting(own.c_str(), setting("FAKE_CUDA_CAPABILITY", 90)));
        *value = attribute == 75 ? capability / 10 : attribute == 76 ? capability % 10 : attribute == 97 ? 232448 : 0;
        return 0;
    });
}

int cuDevicePrimaryCtxRetain(void **made, int device) {
    return as("cuDevicePrimaryCtxRetain", [&](world &w) {
        std::unique_ptr<context> &held = w.contexts[device];
        if (!held) held.reset(new context{device, {device, false, {}}});
        return *made = held.get(), 0;
    });
}

int cuCtxGetCurrent(void **found) {
    return as("cuCtxGetCurrent", [&](world &) { return *found = current, 0; });
}

int cuCtxSetCurrent(void *wanted) {
    return as("cuCtxSetCurrent", [&](world &) { return current = static_cast<context *>(wanted), 0; });
}

int cuCtxGetDevice(int *device) {
    return as("cuCtxGetDevice", [&](world &) -> int {
        if (current == nullptr) return invalid_context;
        return *device = current->device, success;
    });
}

int cuCtxSynchronize() {
    return as_waiting("cuCtxSynchronize", [](world &w) { return w.drain_all(), 0; });
}

int cuMemGetInfo_v2(size_t *free, size_t *total) {
    return as("cuMemGetInfo_v2", [&](world &w) -> int {
        if (current == nullptr) return invalid_context;
        *total = w.memory;
        *free = w.memory - w.used[current->device];
        return success;
    });
}

int cuPointerGetAttributes(unsigned count, const int *attributes, void **values, uintptr_t pointer) {
    return as("cuPointerGetAttributes", [&](world &w) {
        if (current == nullptr) return int(invalid_context);
        const block *found = w.block_of(reinterpret_cast<void *>(pointer), 1);
        for (unsigned at = 0; at < count; ++at) {
            switch (attributes[at]) {
                case 2:
                    *static_cast<int *>(values[at]) = found == nullptr ? 0 : found->kind == kind::pinned ? 1 : 2;
                    break;
                case 3: *static_cast<uintptr_t *>(values[at]) = found == nullptr ? 0 : pointer; break;
                case 8: *static_cast<unsigned *>(values[at]) = 0; break;
                case 9: *static_cast<int *>(values[at]) = found == nullptr ? -2 : found->device; break;
                default: return int(invalid_value);
            }
        }
        return int(success);
    });
}

int cuMemAlloc_v2(void **address, size_t bytes) {
    return as_waiting("cuMemAlloc_v2", [&](world &w) { return allocate(w, address, bytes, kind::device); });
}

int cuMemFree_v2(void *address) {
    return as_waiting("cuMemFree_v2", [&](world &w) { return release(w, address, kind::device); });
}

int cuMemHostAlloc(void **address, size_t bytes, unsigned) {
    return as_waiting("cuMemHostAlloc", [&](world &w) { return allocate(w, address, bytes, kind::pinned); });
}

int cuMemFreeHost(void *address) {
    return as_waiting("cuMemFreeHost", [&](world &w) { return release(w, address, kind::pinned); });
}

int cuMemcpyHtoDAsync_v2(void *device, const void *host, size_t bytes, void *handle) {
    return on_stream("cuMemcpyHtoDAsync_v2", handle, [&](world &w, stream *where) -> int {
        if (!w.is_device(device, bytes)) return invalid_value;
        if (w.is_pinned(host, bytes)) {
            w.add(where, [=] { std::memcpy(device, host, bytes); });
        } else {
            const std::string taken(static_cast<const char *>(host), bytes);  // ordinary memory is read at once
            w.add(where, [=] { std::memcpy(device, taken.data(), bytes); });
        }
        return success;
    });
}

int cuMemcpyDtoHAsync_v2(void *host, const void *device, size_t bytes, void *handle) {
    return on_stream("cuMemcpyDtoHAsync_v2", handle, [&](world &w, stream *where) -> int {
        if (!w.is_device(device, bytes)) return invalid_value;
        w.add(where, [=] { std::memcpy(host, device, bytes); });
        if (!w.is_pinned(host, bytes)) where->drain();
        return success;
    });
}

int cuMemcpyDtoDAsync_v2(void *to, const void *from, size_t bytes, void *handle) {
    return on_stream("cuMemcpyDtoDAsync_v2", handle, [&](world &w, stream *where) -> int {
        if (!w.is_device(to, bytes) || !w.is_device(from, bytes)) return invalid_value;
        w.add(where, [=] { std::memmove(to, from, bytes); });
        return success;
    });
}

int cuMemsetD8Async(void *address, unsigned char byte, size_t bytes, void *handle) {
    return on_stream("cuMemsetD8Async", handle, [&](world &w, stream *where) -> int {
        if (!w.is_device(address, bytes)) return invalid_value;
        w.add(where, [=] { std::memset(address, byte, bytes); });
        return success;
    });
}

int cuStreamCreate(void **made, unsigned) {
    return as("cuStreamCreate", [&](world &w) -> int {
        if (current == nullptr) return invalid_context;
        auto *one = new stream{current->device, false, {}};
        w.streams.insert(one);
        return *made = one, success;
    });
}

int cuStreamDestroy_v2(void *handle) {
    return on_stream("cuStreamDestroy_v2", handle, [](world &w, stream *where) -> int {
        if (w.streams.erase(where) == 0) return invalid_handle;
        where->drain();
        return success;  // a mark may still name it
    });
}

int cuStreamSynchronize(void *handle) {
    return on_stream("cuStreamSynchronize", handle, [](world &w, stream *where) -> int {
        if (w.is_capturing()) return capture_unsupported;
        return where->drain(), success;
    });
}

int cuStreamQuery(void *handle) {
    return on_stream("cuStreamQuery", handle, [](world &w, stream *where) -> int {
        if (w.is_capturing()) return capture_unsupported;
        where->step();
        return where->work.empty() ? success : not_ready;
    });
}

int cuStreamIsCapturing(void *handle, int *status) {
    return on_stream("cuStreamIsCapturing", handle,
                     [&](world &, stream *where) { return *status = where->is_capturing ? 1 : 0, 0; });
}

int cuThreadExchangeStreamCaptureMode(int *mode) {
    return as("cuThreadExchangeStreamCaptureMode", [&](world &) -> int {
        if (*mode < 0 || *mode > 2) return invalid_value;
        std::swap(*mode, capture_mode);
        return success;
    });
}

int cuStreamGetCtx(void *handle, void **found) {
    return on_stream("cuStreamGetCtx", handle,
                     [&](world &w, stream *where) { return *found = w.contexts[where->device].get(), 0; });
}

int cuStreamWaitEvent(void *handle, void *awaited, unsigned) {
    return on_stream("cuStreamWaitEvent", handle, [&](world &w, stream *where) -> int {
        const std::shared_ptr<mark> last = static_cast<event *>(awaited)->last;
        if (last == nullptr) return success;
        w.add(where, [last] {
            while (!last->is_reached && last->where->step()) continue;
        });
        return success;
    });
}

int cuEventCreate(void **made, unsigned) {
    return as("cuEventCreate", [&](world &) -> int {
        if (current == nullptr) return invalid_context;
        return *made = new event{current, nullptr}, success;
    });
}

int cuEventDestroy_v2(void *gone) {
    return as("cuEventDestroy_v2", [&](world &) { return delete static_cast<event *>(gone), 0; });
}

int cuEventRecord(void *recorded, void *handle) {
    return on_stream("cuEventRecord", handle, [&](world &w, stream *where) -> int {
        if (static_cast<event *>(recorded)->home != current) return invalid_handle;
        const auto made = std::make_shared<mark>(mark{where});
        static_cast<event *>(recorded)->last = made;
        w.add(where, [made] { made->is_reached = true; });
        return success;
    });
}

int cuEventQuery(void *asked) {
    return as_waiting("cuEventQuery", [&](world &) -> int {
        const std::shared_ptr<mark> &last = static_cast<event *>(asked)->last;
        if (last == nullptr || last->is_reached) return success;
        last->where->step();
        return last->is_reached ? success : not_ready;
    });
}

int cuEventSynchronize(void *awaited) {
    return as_waiting("cuEventSynchronize", [&](world &) -> int {
        const std::shared_ptr<mark> last = static_cast<event *>(awaited)->last;
        while (last != nullptr && !last->is_reached && last->where->step()) continue;
        return success;
    });
}

int cuModuleLoadData(void **made, const void *bytes) {
    return as("cuModuleLoadData", [&](world &) -> int {
        if (current == nullptr) return invalid_context;
        auto loaded = std::make_unique<image>();
        const auto *text = static_cast<const char *>(bytes);
        if (std::strncmp(text, "fake:", 5) == 0) {
            loaded->library = dlopen(text + 5, RTLD_NOW | RTLD_LOCAL);
            if (loaded->library == nullptr) return invalid_image;
        }
        return *made = loaded.release(), success;
    });
}

int cuModuleUnload(void *gone) {
    return as("cuModuleUnload", [&](world &) { return delete static_cast<image *>(gone), 0; });
}

int cuModuleGetFunction(void **found, void *from, const char *name) {
    return as("cuModuleGetFunction", [&](world &) -> int {
        auto *held = static_cast<image *>(from);
        void *body = held->library != nullptr ? dlsym(held->library, name) : nullptr;
        if (held->library != nullptr && body == nullptr) return not_found;
        std::unique_ptr<function> &one = held->functions[name];
        if (!one) one.reset(new function{held->home, name, reinterpret_cast<decltype(function::body)>(body)});
        return *found = one.get(), success;
    });
}

int cuFuncSetAttribute(void *, int, int) {
    return as("cuFuncSetAttribute", [](world &) { return 0; });
}

int cuLaunchKernel(void *launched, unsigned grid_x, unsigned grid_y, unsigned grid_z, unsigned block_x, unsigned block_y,
                   unsigned block_z, unsigned shared, void *handle, void **arguments, void **) {
    return on_stream("cuLaunchKernel", handle, [&](world &w, stream *where) -> int {
        const auto *one = static_cast<function *>(launched);
        if (one->home != current) return invalid_handle;
        const unsigned dimensions[] = {grid_x, grid_y, grid_z, block_x, block_y, block_z};
        w.last_stream = handle;
        w.last_device = where->device;
        w.launches += one->name;
        for (const unsigned size : dimensions) w.launches += " " + std::to_string(size);
        w.launches += " " + std::to_string(shared) + "\n";
        where->drain();  // the arguments live until this call returns
        if (one->body != nullptr && !where->is_capturing) one->body(dimensions, arguments);
        return success;
    });
}

int cuGetErrorName(int code, const char **name) { return (*name = name_of(code)) != nullptr ? 0 : 1; }

int cuGetErrorString(int code, const char **text) {
    *text = code == 700 ? "an illegal memory access was encountered" : name_of(code) != nullptr ? "as asked" : nullptr;
    return *text != nullptr ? 0 : 1;
}

}  // extern "C"

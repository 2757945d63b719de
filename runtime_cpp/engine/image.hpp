// Kernels that were compiled while the program runs: an image for each kind of device, loaded into a device by its first
// launch there, and launched by the driver. Kernels of a built module launch themselves.
#pragma once

#include "driver.hpp"

#include <transpile/table.h>

#include <cstring>
#include <map>
#include <vector>

namespace transpile {

// 90 for sm_90.
inline int capability_of(const driver &gpu, int device) {
    constexpr int major = 75, minor = 76;  // CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, _MINOR
    return gpu.attribute(device, major) * 10 + gpu.attribute(device, minor);
}

// One kernel of an image: an `instance` of a table points to it. Lives as long as the process.
class image_kernel {
public:
    // `binaries` by compute capability, 90 for sm_90. `threads` is the block of a tile kernel, 0 for a thread kernel;
    // `shared` the bytes of dynamic shared memory that a launch asks for.
    image_kernel(std::map<int, std::string> binaries, std::string symbol, const function &row, int threads, int shared)
        : binaries(std::move(binaries)), symbol(std::move(symbol)), threads(threads), shared(shared) {
        for (const parameter &each : row.parameters) {
            if (each.kind == kind::static_int) continue;
            is_float.push_back(each.kind == kind::scalar && each.dtype == dtype::f32);
        }
    }

    // Queues a launch on `device`, which is the current one: what a C ABI function returns. `values` are grid x, y, z,
    // for a thread kernel block x, y, z, then the arguments that are not static. Raises driver_error where the image
    // cannot be loaded.
    int32_t launch(driver &gpu, int device, const value *values, void *stream) const {
        unsigned dimensions[6] = {1, 1, 1, static_cast<unsigned>(threads), 1, 1};
        const int given = threads != 0 ? 3 : 6;
        for (int at = 0; at < given; ++at) dimensions[at] = static_cast<unsigned>(values[at].integer);
        if (dimensions[0] == 0 || dimensions[1] == 0 || dimensions[2] == 0) return status_ok;
        void *function = function_on(gpu, device);
        arguments passed(is_float, values + given);
        const int code = gpu.launch(function, dimensions, static_cast<unsigned>(shared), stream, passed.addresses());
        return code == driver_success ? int32_t(status_ok) : status_launch_failed | code << 8;
    }

private:
    std::map<int, std::string> binaries;
    std::string symbol;
    int threads;
    int shared;
    std::vector<bool> is_float;  // for each argument: whether the kernel takes a float, where `value` has a double
    mutable std::map<int, void *> loaded;  // by device
    mutable std::mutex loading;

    // The driver reads every argument by its address. A little-endian integer begins with its low bytes.
    class arguments {
    public:
        arguments(const std::vector<bool> &is_float, const value *values) {
            const size_t count = is_float.size();
            if (count > few) {
                many_values.resize(count);
                many_addresses.resize(count);
            }
            value *copied = count > few ? many_values.data() : few_values;
            found = count > few ? many_addresses.data() : few_addresses;
            for (size_t at = 0; at < count; ++at) {
                copied[at] = values[at];
                if (is_float[at]) {
                    const float narrow = static_cast<float>(values[at].real);
                    std::memcpy(&copied[at], &narrow, sizeof narrow);
                }
                found[at] = &copied[at];
            }
        }
        arguments(const arguments &) = delete;
        arguments &operator=(const arguments &) = delete;

        void **addresses() { return found; }

    private:
        static constexpr size_t few = 16;
        value few_values[few];
        void *few_addresses[few];
        std::vector<value> many_values;
        std::vector<void *> many_addresses;
        void **found;
    };

    void *function_on(driver &gpu, int device) const {
        const std::lock_guard<std::mutex> hold(loading);
        const auto held = loaded.find(device);
        if (held != loaded.end()) return held->second;
        void *image = gpu.load_image(binary_for(gpu, device).data());
        try {
            void *function = gpu.get_function(image, symbol.c_str());
            if (shared > 0) gpu.allow_shared(function, shared);
            return loaded[device] = function;
        } catch (...) {
            gpu.unload_image(image);
            throw;
        }
    }

    const std::string &binary_for(const driver &gpu, int device) const {
        const int capability = capability_of(gpu, device);
        const auto found = binaries.find(capability);
        if (found == binaries.end()) {
            throw driver_error(driver_no_image, "the kernel was not compiled for sm_" + std::to_string(capability) +
                                                    ", which device " + std::to_string(device) + " is");
        }
        return found->second;
    }
};

}  // namespace transpile

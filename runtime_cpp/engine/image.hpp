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

// Where kernels say that an assertion failed (`failure` of their text): pinned memory, which every device writes.
struct failure_record {
    int32_t number;  // of the assertion, from 1; 0: none has failed; below 0: it is being written
    int64_t place[6];
};

// The shared array that a launch sizes: the argument that says how many elements, and the bytes of one (0: no array).
struct sized_array {
    int place = 0;
    int bytes = 0;
};

// One kernel of an image: an `instance` of a table points to it. Lives as long as the process.
class image_kernel {
public:
    // `binaries` by compute capability, 90 for sm_90. `threads` is the block of a tile kernel, 0 for a thread kernel;
    // `shared` the bytes of dynamic shared memory that a launch asks for, beside those of `sized`. `assertions` are
    // those of its text: where there are any, a `failure_record` is its first argument.
    image_kernel(std::map<int, std::string> binaries, std::string symbol, const function &row, int threads, int shared,
                 sized_array sized = {}, list<assertion> assertions = {})
        : binaries(std::move(binaries)), symbol(std::move(symbol)), threads(threads), shared(shared),
          sized(sized), assertions(assertions) {
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
        int bytes = shared;
        if (sized.bytes > 0) {
            const int64_t count = values[given + sized.place].integer;
            if (count < 0 || count > (most_shared(gpu, device) - shared) / sized.bytes) return status_bad_shared;
            bytes += static_cast<int>(count * sized.bytes);
        }
        if (dimensions[0] == 0 || dimensions[1] == 0 || dimensions[2] == 0) return status_ok;
        void *function = function_on(gpu, device);
        if (has_failed()) return status_assertion_failed;
        arguments passed(is_float, values + given, assertions.count > 0 ? &record : nullptr);
        const int code = gpu.launch(function, dimensions, static_cast<unsigned>(bytes), stream, passed.addresses());
        return code == driver_success ? int32_t(status_ok) : status_launch_failed | code << 8;
    }

    // Tells of the assertion that failed, once; false where none did.
    bool take(assertion &found) const {
        const std::lock_guard<std::mutex> hold(loading);
        if (!has_failed()) return false;
        found = assertions.first[record->number - 1];
        std::copy(record->place, record->place + found.numbers, found.place);
        static_cast<volatile failure_record *>(record)->number = 0;
        return true;
    }

private:
    std::map<int, std::string> binaries;
    std::string symbol;
    int threads;
    int shared;
    sized_array sized;
    std::vector<bool> is_float;  // for each argument: whether the kernel takes a float, where `value` has a double
    mutable std::map<int, void *> loaded;  // by device
    mutable std::mutex loading;
    list<assertion> assertions;
    mutable failure_record *record = nullptr;  // made with the first image that is loaded

    bool has_failed() const {
        return record != nullptr && static_cast<const volatile failure_record *>(record)->number > 0;
    }

    // The driver reads every argument by its address. A little-endian integer begins with its low bytes.
    class arguments {
    public:
        // `first` is the address of an argument before the others, or null.
        arguments(const std::vector<bool> &is_float, const value *values, void *first) {
            const size_t count = is_float.size();
            if (count >= few) {
                many_values.resize(count);
                many_addresses.resize(count + 1);
            }
            value *copied = count >= few ? many_values.data() : few_values;
            void **addresses = count >= few ? many_addresses.data() : few_addresses;
            found = addresses;
            if (first != nullptr) *addresses++ = first;
            for (size_t at = 0; at < count; ++at) {
                copied[at] = values[at];
                if (is_float[at]) {
                    const float narrow = static_cast<float>(values[at].real);
                    std::memcpy(&copied[at], &narrow, sizeof narrow);
                }
                addresses[at] = &copied[at];
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

    // What a block of the device has if it asks for it.
    static int most_shared(const driver &gpu, int device) {
        constexpr int most_opted_in = 97;  // CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN
        return gpu.attribute(device, most_opted_in);
    }

    void *function_on(driver &gpu, int device) const {
        const std::lock_guard<std::mutex> hold(loading);
        const auto held = loaded.find(device);
        if (held != loaded.end()) return held->second;
        if (record == nullptr && assertions.count > 0) {
            record = static_cast<failure_record *>(gpu.allocate_pinned(sizeof(failure_record)));
            *record = {};
        }
        void *image = gpu.load_image(binary_for(gpu, device).data());
        try {
            void *function = gpu.get_function(image, symbol.c_str());
            // Once, and the most there is: launches on other threads may ask for other sizes.
            if (sized.bytes > 0) gpu.allow_shared(function, most_shared(gpu, device));
            else if (shared > 0) gpu.allow_shared(function, shared);
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

// The driver of a vendor's devices, loaded at the first call and never at import. It knows nothing of Python; a call of
// the driver that fails is thrown as driver_error. Devices are used through their primary contexts, which the vendor's
// runtime, torch, CuPy and Numba share.
//
//     driver &gpu = driver::of(vendor::cuda);
//     const on_device here(gpu, 0);              // this thread's current device, until the end of the block
//     void *block = gpu.allocate(bytes);
//     gpu.copy_in(block, host, bytes, stream);
//     gpu.synchronize(stream);
#pragma once

#include "driver_functions.hpp"

#include <pthread.h>

#include <atomic>
#include <memory>
#include <mutex>

namespace transpile {

// What the driver and the runtime answer; the numbers of both vendors agree on these.
enum driver_code : int {
    driver_success = 0,
    driver_invalid_value = 1,
    driver_out_of_memory = 2,
    driver_not_initialized = 3,
    driver_too_old = 35,
    driver_no_device = 100,
    driver_no_context = 201,
    driver_no_image = 209,
    driver_invalid_handle = 400,
    driver_not_ready = 600,
};

// A call of the driver that failed: "CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
struct driver_error : std::runtime_error {
    int code;
    driver_error(int code, const std::string &text) : std::runtime_error(text), code(code) {}
};

// Where memory is. `pinned` is host memory that devices reach; `managed` moves by itself.
enum class memory : uint8_t { host, pinned, device, managed };

struct location {
    memory kind = memory::host;
    int device = -1;
    void *address = nullptr;  // as devices see it; null for ordinary host memory
};

class driver {
public:
    // The one of this process, loaded now if it was not: a tenth of a second. Raises driver_missing, driver_error.
    static driver &of(vendor whose) {
        driver *found = loaded(whose);
        if (found != nullptr) return *found;
        static std::mutex loading;
        const std::lock_guard<std::mutex> hold(loading);
        found = loaded(whose);
        if (found == nullptr) slot_of(whose).store(found = new driver(whose), std::memory_order_release);
        return *found;
    }

    // The same, or null where it is not loaded yet. Raises driver_missing.
    static driver *loaded(vendor whose) {
        driver *found = slot_of(whose).load(std::memory_order_acquire);
        if (found != nullptr) check_process();
        return found;
    }

    driver(const driver &) = delete;
    driver &operator=(const driver &) = delete;

    vendor whose() const { return vendor_; }
    int count() const { return count_; }

    // ------------------------------------------------------------ devices

    // Makes the device this thread's current one; next to nothing where it is that already.
    void use(int device) {
        if (vendor_ == vendor::hip) {
            check(call.hip_set_device(device));
            return;
        }
        void *current = nullptr;
        check(call.cuda_current(&current));
        void *wanted = context_of(device);
        if (current != wanted) check(call.cuda_set_current(wanted));
    }

    // Whether using the device costs nothing now, because it has been used from here, or fails at once.
    bool is_started(int device) const {
        if (vendor_ == vendor::hip || device >= count_) return true;
        return contexts[static_cast<size_t>(device)].load(std::memory_order_acquire) != nullptr;
    }

    // This thread's current device; where there is none yet, the one that the vendor's runtime would take.
    int current() const {
        int device = 0;
        const int code = vendor_ == vendor::hip ? call.hip_current_device(&device) : call.cuda_current_device(&device);
        return code == driver_success ? device : 0;
    }

    std::string name_of(int device) const {
        char text[256] = {};
        check(call.device_name(text, static_cast<int>(sizeof text) - 1, device));
        return text;
    }

    // An attribute by the vendor's own number.
    int attribute(int device, int which) const {
        int value = 0;
        check(call.device_attribute(&value, which, device));
        return value;
    }

    // Of the current device.
    void memory_info(size_t *free, size_t *total) const { check(call.memory_info(free, total)); }

    // ------------------------------------------------------------ memory, of the current device

    // Where `pointer` points. An address that the driver does not know is host memory. CUDA's tells it only to a thread
    // that has a device: it gets the one that the vendor's runtime would take.
    location memory_of(const void *pointer) {
        static constexpr int asked[] = {2, 3, 8, 9};  // memory type, device address, is managed, device
        int type = 0, device = -1;
        unsigned managed = 0;
        location found;
        void *values[] = {&type, &found.address, &managed, &device};
        int code = call.pointer_attributes(4, asked, values, pointer);
        if (code == driver_no_context) {
            use(0);
            code = call.pointer_attributes(4, asked, values, pointer);
        }
        if (code == driver_invalid_value) return {};
        check(code);
        const int host = vendor_ == vendor::hip && version_ < 60000000 ? 0 : 1;  // HIP 6 counts as CUDA does
        if (found.address == nullptr || type < host) return {};
        found.device = device;
        found.kind = (managed & 0xff) != 0 ? memory::managed : type == host ? memory::pinned : memory::device;
        return found;
    }

    void *allocate(size_t bytes) {
        void *address = nullptr;
        check(call.allocate(&address, bytes));
        return address;
    }
    void release(void *address) { check(call.release(address)); }

    // Pinned host memory, for every device; even while a graph is captured, of which it is no part.
    void *allocate_pinned(size_t bytes) {
        void *address = nullptr;
        constexpr unsigned portable = 1;
        int mode = 2;  // relaxed; then the one before
        check(call.exchange_capture_mode(&mode));
        const int code = call.allocate_pinned(&address, bytes, portable);
        call.exchange_capture_mode(&mode);
        check(code);
        return address;
    }

    void copy_in(void *device, const void *host, size_t bytes, void *stream) {
        check(call.copy_in(device, host, bytes, stream));
    }
    void copy_out(void *host, const void *device, size_t bytes, void *stream) {
        check(call.copy_out(host, device, bytes, stream));
    }
    void fill(void *address, unsigned char byte, size_t bytes, void *stream) {
        check(call.fill(address, byte, bytes, stream));
    }

    // ------------------------------------------------------------ streams and events, of the current device

    // One that does not wait for the default stream, nor it for this one.
    void *create_stream() {
        void *stream = nullptr;
        constexpr unsigned non_blocking = 1;
        check(call.stream_create(&stream, non_blocking));
        return stream;
    }
    // The device of a stream that is no default one; -1 where an old driver does not say.
    int device_of(void *stream) {
        int device = -1;
        if (vendor_ == vendor::hip) {
            if (call.hip_stream_device != nullptr) check(call.hip_stream_device(stream, &device));
            return device;
        }
        void *context = nullptr, *before = nullptr;
        check(call.cuda_stream_context(stream, &context));
        for (int k = 0; k < count_; ++k) {
            if (contexts[static_cast<size_t>(k)].load(std::memory_order_acquire) == context) return k;
        }
        check(call.cuda_current(&before));
        check(call.cuda_set_current(context));
        const int code = call.cuda_current_device(&device);
        check(call.cuda_set_current(before));
        check(code);
        return device;
    }
    void synchronize(void *stream) { check(call.stream_synchronize(stream)); }
    void synchronize_device() { check(call.synchronize()); }

    // Whether work on the stream goes into a graph instead of to the device.
    bool is_capturing(void *stream) const {
        int status = 0;
        check(call.stream_is_capturing(stream, &status));
        return status != 0;
    }

    void *create_event() {
        void *event = nullptr;
        constexpr unsigned without_timing = 2;
        check(call.event_create(&event, without_timing));
        return event;
    }
    void destroy_event(void *event) { check(call.event_destroy(event)); }
    void record(void *event, void *stream) { check(call.event_record(event, stream)); }
    void wait(void *stream, void *event) { check(call.stream_wait_event(stream, event, 0)); }
    bool is_reached(void *event) const { return is_ready(call.event_query(event)); }
    void synchronize_event(void *event) { check(call.event_synchronize(event)); }

    // ------------------------------------------------------------ compiled images, of the current device

    // A cubin, a fat binary or PTX.
    void *load_image(const void *bytes) {
        void *image = nullptr;
        check(call.image_load(&image, bytes));
        return image;
    }
    void unload_image(void *image) { check(call.image_unload(image)); }
    void *get_function(void *image, const char *name) {
        void *function = nullptr;
        check(call.image_function(&function, image, name));
        return function;
    }

    // Opts in to more shared memory than every kernel may have. HIP asks for no word of it.
    void allow_shared(void *function, int bytes) {
        constexpr int most_dynamic_shared = 8;
        if (vendor_ == vendor::cuda) check(call.cuda_set_attribute(function, most_dynamic_shared, bytes));
    }

    // Queues a launch: the vendor's error number, 0 for none. `dimensions` are grid x, y, z and block x, y, z.
    int launch(void *function, const unsigned *dimensions, unsigned shared, void *stream, void **arguments) {
        return call.launch(function, dimensions[0], dimensions[1], dimensions[2], dimensions[3], dimensions[4],
                           dimensions[5], shared, stream, arguments, nullptr);
    }

    // ------------------------------------------------------------ errors

    // "CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)". The runtime's own numbers too.
    std::string describe(int code) const {
        const char *name = nullptr, *text = nullptr;
        if (vendor_ == vendor::hip) {
            name = call.hip_error_name(code);
            text = call.hip_error_text(code);
        } else {
            name = runtime_error_name(code);
            if (name != nullptr) return name;
            call.cuda_error_name(code, &name);
            call.cuda_error_text(code, &text);
        }
        if (name == nullptr) return "error " + std::to_string(code);
        return text != nullptr ? std::string(name) + " (" + text + ")" : std::string(name);
    }

    void check(int code) const {
        if (code != driver_success) throw driver_error(code, describe(code));
    }

private:
    friend class on_device;

    vendor vendor_;
    driver_functions call;
    int version_ = 0;  // as the vendor counts: 13000 is CUDA 13.0
    int count_ = 0;
    std::unique_ptr<std::atomic<void *>[]> contexts;  // of each device, retained at its first use
    std::mutex retaining;

    explicit driver(vendor whose) : vendor_(whose), call(load_driver_functions(whose)) {
        const int started = call.init(0);
        if (started == driver_not_initialized) {
            throw driver_missing("the driver does not start in this process: it was forked from one that used a device "
                                 "already; use devices in processes that are spawned");
        }
        constexpr int invalid_device = 101;  // what HIP says where there is none
        if (started == driver_no_device || started == invalid_device) throw driver_missing(no_device());
        check(started);
        check(call.driver_version(&version_));
        const int counted = call.device_count(&count_);
        if (counted == driver_no_device || count_ == 0) throw driver_missing(no_device());
        check(counted);
        contexts.reset(new std::atomic<void *>[static_cast<size_t>(count_)]());
        static std::once_flag once;
        std::call_once(once, [] { pthread_atfork(nullptr, nullptr, [] { is_forked() = any_loaded().load(); }); });
        any_loaded() = true;
    }

    static std::atomic<driver *> &slot_of(vendor whose) {
        static std::atomic<driver *> slots[2];
        return slots[static_cast<size_t>(whose)];
    }

    // Set in a child of a process that had a driver: its devices are the parent's alone.
    static std::atomic<bool> &is_forked() {
        static std::atomic<bool> forked{false};
        return forked;
    }
    static std::atomic<bool> &any_loaded() {
        static std::atomic<bool> loaded{false};
        return loaded;
    }

    static void check_process() {
        if (!is_forked().load(std::memory_order_relaxed)) return;
        throw driver_missing("a device cannot be used in a child of fork() once its parent has used one; start the "
                             "process with the 'spawn' or 'forkserver' method of multiprocessing");
    }

    std::string no_device() const {
        return vendor_ == vendor::cuda
                   ? "the NVIDIA driver sees no device (CUDA_VISIBLE_DEVICES may hide them; `nvidia-smi` lists them)"
                   : "the AMD driver sees no device (HIP_VISIBLE_DEVICES may hide them; `rocminfo` lists them)";
    }

    bool is_ready(int code) const {
        if (code == driver_not_ready) return false;
        check(code);
        return true;
    }

    void *context_of(int device) {
        if (device < 0 || device >= count_) {
            throw driver_error(101, "there is no device " + std::to_string(device) + ": the driver sees " +
                                        std::to_string(count_));
        }
        void *held = contexts[static_cast<size_t>(device)].load(std::memory_order_acquire);
        if (held != nullptr) return held;
        const std::lock_guard<std::mutex> hold(retaining);
        held = contexts[static_cast<size_t>(device)].load(std::memory_order_acquire);
        if (held != nullptr) return held;
        int handle = 0;
        check(call.cuda_device(&handle, device));
        check(call.cuda_retain(&held, handle));
        contexts[static_cast<size_t>(device)].store(held, std::memory_order_release);
        return held;
    }

    // What the CUDA runtime answers and the driver has no number for.
    static const char *runtime_error_name(int code) {
        switch (code) {
            case 9: return "cudaErrorInvalidConfiguration (invalid configuration argument)";
            case driver_too_old: return "cudaErrorInsufficientDriver (the driver is older than the CUDA runtime)";
            case 52: return "cudaErrorMissingConfiguration (the kernel was not configured)";
            case 98: return "cudaErrorInvalidDeviceFunction (the kernel is not for this device)";
            default: return nullptr;
        }
    }
};

// Makes a device this thread's current one, and at its end the one before. It is always the primary context: a caller's
// own, of the same device, would leave images, events and memory in it that later calls find in the wrong place.
class on_device {
public:
    on_device(driver &gpu, int device) : gpu(gpu) {
        if (gpu.whose() == vendor::hip) {
            gpu.check(gpu.call.hip_current_device(&ordinal_before));
            if (ordinal_before != device) gpu.check(gpu.call.hip_set_device(device));
            is_changed = ordinal_before != device;
            return;
        }
        gpu.check(gpu.call.cuda_current(&context_before));
        void *wanted = gpu.context_of(device);
        if (context_before == wanted) return;
        gpu.check(gpu.call.cuda_set_current(wanted));
        is_changed = context_before != nullptr || device != 0;  // where there was none, the runtime takes device 0
    }
    ~on_device() {
        if (!is_changed) return;
        if (gpu.whose() == vendor::hip) {
            gpu.call.hip_set_device(ordinal_before);
        } else {
            gpu.call.cuda_set_current(context_before);
        }
    }
    on_device(const on_device &) = delete;
    on_device &operator=(const on_device &) = delete;

private:
    driver &gpu;
    void *context_before = nullptr;
    int ordinal_before = 0;
    bool is_changed = false;
};

}  // namespace transpile

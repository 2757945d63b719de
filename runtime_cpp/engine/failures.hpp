// What a call raises for a status of the compiled code, and for an error of the driver.
#pragma once

#include "callable.hpp"
#include "image.hpp"

namespace transpile {

// Whether the device is past using after this error: every later call in the process fails with it.
inline bool is_sticky(int code) {
    switch (code) {
        case 214:                                                      // an error of the memory itself
        case 700: case 702: case 710: case 714: case 715: case 716:    // of the kernel: a bad address, a time limit,
        case 717: case 718: case 719: return true;                     // an assertion, a bad instruction
        default: return false;
    }
}

constexpr const char *wrong_stream = "; is the stream still there, and of the device's primary context?";

[[noreturn]] inline void fail_driver(const callable &called, int code, const char *text) {
    const char *name = called.row->name;
    if (code == driver_out_of_memory) fail(PyExc_MemoryError, "%s: the device has too little memory: %s", name, text);
    if (is_sticky(code)) {
        fail(PyExc_RuntimeError,
             "%s: work on the device failed, of this call or before it: %s; arrays that it may write are undefined now, "
             "and this process cannot use the device any more",
             name, text);
    }
    fail(PyExc_RuntimeError, "%s: the driver failed: %s%s", name, text,
         code == driver_invalid_handle ? wrong_stream : "");
}

// What to do about a launch that the driver refused, or "".
inline std::string advice(driver &gpu, int device, int code) {
    switch (code) {
        case driver_no_image:
        case 98:
        case 222:
            if (gpu.whose() == vendor::hip) return "; the module holds no code for this device: build it with --arch";
            return "; the module holds no code for this device (" + gpu.name_of(device) + "): build it with --arch sm_" +
                   std::to_string(capability_of(gpu, device));
        case driver_too_old: return "; install a newer driver, or build the module with an older toolkit";
        case driver_invalid_handle: return wrong_stream;
        default: return "";
    }
}

// Waits, without the GIL, until the current device has done all that was queued; the CPU has. Raises RuntimeError.
inline void wait_for_device(std::optional<vendor> whose) {
    if (!whose) return;
    const released_gil while_waiting;
    driver &gpu = driver::of(*whose);
    const on_device here(gpu, gpu.current());
    gpu.synchronize_device();
}

inline void check_status(const callable &called, int32_t status, driver *gpu, int device = 0) {
    const char *name = called.row->name;
    const int code = status >> 8;
    switch (status & 0xff) {
        case status_ok: return;
        case status_overflow: fail(PyExc_OverflowError, "%s: an integer operation left its type", name);
        case status_zero_division: fail(PyExc_ZeroDivisionError, "%s: integer division or modulo by zero", name);
        case status_bad_grid:
            fail(PyExc_ValueError, "%s: a grid must be 0 to 2147483647 in x and 0 to 65535 in y and z%s", name,
                 gpu != nullptr && gpu->whose() == vendor::hip ? ", of 4294967295 threads in all" : "");
        case status_bad_block:
            fail(PyExc_ValueError,
                 "%s: a block must be 1 to 1024 threads, at most 64 in z (a multiple of 32 where the kernel shuffles)",
                 name);
        case status_bad_shared:
            fail(PyExc_ValueError,
                 "%s: the size that the launch gives a shared array is below 0, or more than a block of the device has",
                 name);
        case status_assertion_failed: fail(PyExc_AssertionError, "%s: an assertion failed", name);  // told already
        default: break;
    }
    if (gpu == nullptr || code == 0) fail(PyExc_RuntimeError, "%s: the launch failed (status %d)", name, status);
    const std::string text = gpu->describe(code);
    if (is_sticky(code) || code == driver_out_of_memory) fail_driver(called, code, text.c_str());
    fail(PyExc_RuntimeError, "%s: the launch failed: %s%s", name, text.c_str(), advice(*gpu, device, code).c_str());
}

}  // namespace transpile

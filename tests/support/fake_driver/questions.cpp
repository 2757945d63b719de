// What tests ask of the stand-in for the driver, and tell it.

#include "calls.hpp"

using namespace fake;

extern "C" {

// How often a function was called.
int64_t fake_calls(const char *name) {
    world &w = world::get();
    const std::lock_guard<std::recursive_mutex> hold(w.one_at_a_time);
    return w.calls[name];
}

void fake_forget_calls() {
    world &w = world::get();
    const std::lock_guard<std::recursive_mutex> hold(w.one_at_a_time);
    w.calls.clear();
    w.launches.clear();
}

// Has the call `at` from now on of a function fail, or each one for 0; none for code 0.
void fake_fail(const char *name, int64_t at, int code) {
    world &w = world::get();
    const std::lock_guard<std::recursive_mutex> hold(w.one_at_a_time);
    w.failures.erase(name);
    if (code != success) w.failures[name] = {at, code};
}

// A context of the test's own, beside the device's primary one.
void *fake_own_context(int device) { return new context{device, {device, false, {}}}; }

// Whether anybody has retained the device's primary context.
int fake_is_started(int device) {
    world &w = world::get();
    const std::lock_guard<std::recursive_mutex> hold(w.one_at_a_time);
    return w.contexts.count(device) != 0;
}

void fake_capture(void *handle, int on) {
    world &w = world::get();
    const std::lock_guard<std::recursive_mutex> hold(w.one_at_a_time);
    find_stream(handle)->is_capturing = on != 0;
}

// A kernel that is a host function calls this first: it waits for the stream, and gives the error to fail with.
int fake_kernel(void *handle) {
    return on_stream("kernel", handle, [&](world &w, stream *where) -> int {
        w.last_stream = handle;
        w.last_device = where->device;
        return where->drain(), success;
    });
}

void *fake_last_stream() { return world::get().last_stream; }
int fake_last_device() { return world::get().last_device; }

// A line for each launch of an image: its kernel, grid, block and shared bytes.
const char *fake_launches() { return world::get().launches.c_str(); }

// Work of the test's own on a stream.
void fake_queue(void *handle, void (*work)(void *), void *data) {
    on_stream("fake_queue", handle, [&](world &w, stream *where) -> int {
        w.add(where, [=] { work(data); });
        return success;
    });
}

// How much memory each device has, and how much of it is taken.
void fake_limit(size_t bytes) { world::get().memory = bytes; }
size_t fake_used(int device) { return world::get().used[device]; }

size_t fake_blocks() { return world::get().blocks.size(); }

}  // extern "C"

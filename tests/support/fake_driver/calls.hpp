// How the stand-in takes a call of the driver: one at a time, counted, and failing on request.
#pragma once

#include "world.hpp"

namespace fake {

// Runs `body` alone, as the call `name` of the driver.
template <typename Body>
int as(const char *name, Body body) {
    world &w = world::get();
    const std::lock_guard<std::recursive_mutex> hold(w.one_at_a_time);
    const int failed = w.count(name);
    return failed != success ? failed : body(w);
}

// What this thread may do while a stream is captured: 2 is everything.
inline thread_local int capture_mode = 0;

// The same for a call that must not be made while a stream is captured.
template <typename Body>
int as_waiting(const char *name, Body body) {
    return as(name, [&](world &w) -> int {
        return w.is_capturing() && capture_mode != 2 ? int(capture_unsupported) : body(w);
    });
}

// The same for a call on a stream, which runs where the stream is: on any device, whichever is current.
template <typename Body>
int on_stream(const char *name, void *handle, Body body) {
    return as(name, [&](world &w) -> int {
        if (current == nullptr) return invalid_context;
        stream *found = find_stream(handle);
        if (found == nullptr) return invalid_handle;
        return body(w, found);
    });
}

}  // namespace fake

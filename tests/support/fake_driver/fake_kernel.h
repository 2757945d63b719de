// What a host function does that stands for a kernel on the stand-in for the driver.
#pragma once

#include <dlfcn.h>

#include <cstdint>

// Waits for the stream's earlier work; the error that the launch must fail with, 0 for none.
inline int begin_fake_kernel(void *stream) {
    static const auto begin =
        reinterpret_cast<int (*)(void *)>(dlsym(dlopen("libcuda.so.1", RTLD_NOW), "fake_kernel"));
    return begin(stream);
}

// The status of a launch that failed with this error.
inline int32_t launch_result(int error) { return error == 0 ? 0 : 5 | error << 8; }

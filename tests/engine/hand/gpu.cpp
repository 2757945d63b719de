#include "gpu.h"


namespace {

// What emitted text returns of a launch: 5 and the error.
template <typename Body>
int32_t launch(void *stream, Body body) {
    const int error = begin_fake_kernel(stream);
    if (error != 0) return launch_result(error);
    body();
    return 0;
}

}  // namespace

int32_t gpu_saxpy(int64_t grid_x, int64_t, int64_t, int64_t n, double a, const double *x, double *y, void *stream) {
    return launch(stream, [&] {
        for (int64_t i = 0; i < n && i < grid_x * 256; ++i) y[i] = a * x[i] + y[i];
    });
}

int32_t gpu_touch(int64_t, int64_t, int64_t, int64_t, int64_t, int64_t, const uint16_t *half, const uint16_t *brain,
                  const bool *flags, float *out, void *stream) {
    return launch(stream, [&] { *out = static_cast<float>(*half + *brain + *flags); });
}

// Declared alias=True: x[i] goes to y[i + 1], in order.
int32_t gpu_mix(int64_t, int64_t, int64_t, int64_t n, double *x, double *y, void *stream) {
    return launch(stream, [&] {
        for (int64_t i = 0; i + 1 < n; ++i) y[i + 1] = x[i] + 1.0;
    });
}

// Adds one so many times, then returns that status.
int32_t gpu_run(int64_t times, int64_t then, double *x, void *stream) {
    for (int64_t k = 0; k < times; ++k) {
        const int32_t failed = launch(stream, [&] { *x += 1.0; });
        if (failed != 0) return failed;
    }
    return static_cast<int32_t>(then);
}

#include "hand.h"

#include <chrono>
#include <thread>

int32_t hand_saxpy(int64_t grid_x, int64_t, int64_t, int64_t n, double a, const double *x, double *y, void *) {
    for (int64_t i = 0; i < n && i < grid_x * 256; ++i) y[i] = a * x[i] + y[i];
    return 0;
}

int32_t hand_scale(int64_t grid_x, int64_t, int64_t, int64_t block_x, int64_t block_y, int64_t block_z, float a,
                   bool negate, int32_t shift, const float *x, float *y, void *) {
    const int64_t threads = grid_x * block_x * block_y * block_z;
    for (int64_t i = 0; i < threads; ++i) y[i] = (negate ? -a : a) * x[i] + static_cast<float>(shift);
    return 0;
}

int32_t hand_fill__4(int64_t, int64_t, int64_t, double *out, void *) {
    for (int i = 0; i < 4; ++i) out[i] = 4.0;
    return 0;
}

int32_t hand_fill__8(int64_t, int64_t, int64_t, double *out, void *) {
    for (int i = 0; i < 8; ++i) out[i] = 8.0;
    return 0;
}

int32_t hand_flags(int64_t, int64_t, int64_t, const bool *flags, int64_t *out, void *) {
    *out = flags[0] + flags[1];
    return 0;
}

int32_t hand_wait(int64_t milliseconds, double *out, void *) {
    std::this_thread::sleep_for(std::chrono::milliseconds(milliseconds));
    *out += 1.0;
    return 0;
}

// More arguments than a call keeps off the heap.
int32_t hand_many(const double *x0, const double *x1, const double *x2, const double *x3, const double *x4, const
    double *x5, const double *x6, const double *x7,
                  double *out, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g, int64_t
                      h, void *) {
    *out = *x0 + *x1 + *x2 + *x3 + *x4 + *x5 + *x6 + *x7 + static_cast<double>(a + b + c + d + e + f + g + h);
    return 0;
}

// A negative n is the status to return.
int32_t hand_run(int64_t n, double a, const double *x, double *y, void *stream) {
    if (n < 0) return static_cast<int32_t>(-n);
    return hand_saxpy((n + 255) / 256, 1, 1, n, a, x, y, stream);
}

// Kernels written by hand, so that the engine is tested on its own.
#pragma once

#include <cstdint>

extern "C" {
int32_t hand_saxpy(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t n, double a, const double *x, double *y,
                   void *stream);
int32_t hand_scale(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t block_x, int64_t block_y, int64_t block_z,
                   float a, bool negate, int32_t shift, const float *x, float *y, void *stream);
int32_t hand_fill__4(int64_t grid_x, int64_t grid_y, int64_t grid_z, double *out, void *stream);
int32_t hand_fill__8(int64_t grid_x, int64_t grid_y, int64_t grid_z, double *out, void *stream);
int32_t hand_flags(int64_t grid_x, int64_t grid_y, int64_t grid_z, const bool *flags, int64_t *out, void *stream);
int32_t hand_wait(int64_t milliseconds, double *out, void *stream);
int32_t hand_many(const double *x0, const double *x1, const double *x2, const double *x3, const double *x4, const
    double *x5, const double *x6, const double *x7,
                  double *out, int64_t a, int64_t b, int64_t c, int64_t d, int64_t e, int64_t f, int64_t g, int64_t h,
                  void *stream);
int32_t hand_run(int64_t n, double a, const double *x, double *y, void *stream);
}

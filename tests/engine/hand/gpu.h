// Kernels written by hand for the stand-in of the driver: host functions that begin as a kernel of it does.
#pragma once

#include <cstdint>

extern "C" {
int32_t gpu_saxpy(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t n, double a, const double *x, double *y,
                  void *stream);
int32_t gpu_touch(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t block_x, int64_t block_y, int64_t block_z,
                  const uint16_t *half, const uint16_t *brain, const bool *flags, float *out, void *stream);
int32_t gpu_mix(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t n, double *x, double *y, void *stream);
int32_t gpu_run(int64_t times, int64_t then, double *x, void *stream);
}

// tiles.h: the C ABI of the kernels of tiles.py. Written by transpile (format 4, code 5f3c9a1e).
// Do not edit: change tiles.py, then `python -m transpile emit header tiles.py -o tiles.h`.
//
// Every function returns a status and starts its work on `stream`: a cudaStream_t or hipStream_t,
// or null for the default stream. Pointers are of the device's memory, and a call may return before
// the work is done. In the C++ target pointers are of ordinary memory, `stream` is ignored, and the
// work is done on return. A grid with a 0 launches nothing.
//
// The status is the low byte of what is returned. Above it, where a launch failed, is the vendor's
// error number: a cudaError_t or hipError_t.
#ifndef TRANSPILE_TILES_H
#define TRANSPILE_TILES_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum tiles_status {
    // everything was launched
    tiles_ok = 0,
    // the launcher's own arithmetic left its type
    tiles_overflow = 1,
    // the launcher's own arithmetic divided by zero
    tiles_zero_division = 2,
    // a grid is negative or beyond 2147483647 in x or 65535 in y or z
    tiles_bad_grid = 3,
    // a block is below 1, beyond 1024 threads or 64 in z, or not what the kernel asks for
    tiles_bad_block = 4,
    // a launch failed, or work before it did: see the number above the low byte
    tiles_launch_failed = 5,
    // an assertion failed: in this launch, or on a GPU in one before it
    tiles_assertion_failed = 6,
    // a shared array that the launch sizes is below 0 or beyond what a block has
    tiles_bad_shared = 7,
};

// A tile kernel: one program at each place of the grid.
int32_t tiles_saxpy(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t n, double a,
                    const double *x, double *y, void *stream);

// A tile kernel: one program at each place of the grid.
int32_t tiles_block_max(int64_t grid_x, int64_t grid_y, int64_t grid_z, const double *x,
                        double *out, void *stream);

// A tile kernel: one program at each place of the grid.
int32_t tiles_row_stats(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t n, const double *x,
                        double *out, void *stream);

// A launcher: works out grids and launches kernels, in order.
int32_t tiles_run(int64_t n, double a, const double *x, double *y, void *stream);

#ifdef __cplusplus
}
#endif

#endif

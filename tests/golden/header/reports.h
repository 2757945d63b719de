// reports.h: the C ABI of the kernels of reports.py. Written by transpile (format 4, code
//     5f3c9a1e).
// Do not edit: change reports.py, then `python -m transpile emit header reports.py -o reports.h`.
//
// Every function returns a status and starts its work on `stream`: a cudaStream_t or hipStream_t,
// or null for the default stream. Pointers are of the device's memory, and a call may return before
// the work is done. In the C++ target pointers are of ordinary memory, `stream` is ignored, and the
// work is done on return. A grid with a 0 launches nothing.
//
// The status is the low byte of what is returned. Above it, where a launch failed, is the vendor's
// error number: a cudaError_t or hipError_t.
#ifndef TRANSPILE_REPORTS_H
#define TRANSPILE_REPORTS_H

#include <stdbool.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum reports_status {
    // everything was launched
    reports_ok = 0,
    // the launcher's own arithmetic left its type
    reports_overflow = 1,
    // the launcher's own arithmetic divided by zero
    reports_zero_division = 2,
    // a grid is negative or beyond 2147483647 in x or 65535 in y or z
    reports_bad_grid = 3,
    // a block is below 1, beyond 1024 threads or 64 in z, or not what the kernel asks for
    reports_bad_block = 4,
    // a launch failed, or work before it did: see the number above the low byte
    reports_launch_failed = 5,
    // an assertion failed: in this launch, or on a GPU in one before it
    reports_assertion_failed = 6,
    // a shared array that the launch sizes is below 0 or beyond what a block has
    reports_bad_shared = 7,
};

/** An assertion that failed: where it stands in Python, its condition and its message ("" for
 *  none). */
struct reports_assertion {
    const char *file;
    int32_t line;
    const char *text;
    const char *message;
    /** How many of `place` count. 1: the program. 2: the block and the thread. 3: the program's x,
     *  y and z. 6: those of the block, then of the thread. */
    int32_t numbers;
    int64_t place[6];
};

/** Tells of the first assertion that failed, once; false where none did. On a GPU ask when the work
 *  has been waited for. In the C++ target ask on the thread whose call returned
 *  reports_assertion_failed. */
bool reports_failed_assertion(struct reports_assertion *found);

// A tile kernel: one program at each place of the grid.
int32_t reports_shares(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t n, const double *x,
                       double *out, void *stream);

// A thread kernel: grid times block threads.
int32_t reports_scatter(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t block_x,
                        int64_t block_y, int64_t block_z, int64_t n, const int64_t *to,
                        const double *x, double *out, void *stream);

#ifdef __cplusplus
}
#endif

#endif

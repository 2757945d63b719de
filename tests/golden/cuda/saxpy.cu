// saxpy.cu: the kernels of saxpy.py as CUDA C++. Written by transpile (format 4, code 507feeda).
// Do not edit: change saxpy.py, then `python -m transpile emit cuda saxpy.py -o saxpy.cu`.
#include <cmath>
#include <cstdint>
#include <cuda_runtime.h>

namespace transpiled {
namespace {

enum status : int32_t { ok, overflow, zero_division, bad_grid, bad_block, launch_failed };

// A product with a rounding of its own: a sum that it meets cannot be fused with it.
__device__ double mul(double a, double b) { return __dmul_rn(a, b); }

__device__ double fma(double a, double x, double y) {
    return mul(a, x) + y;  // return a * x + y
}

__global__ void __launch_bounds__(1024)
saxpy(int64_t n, double a, const double *__restrict__ x, double *__restrict__ y) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;  // i = cuda.global_id()
    if (i < n) {  // if i < n:
        double *const slot = y + i;  // slot = native.offset(y, i)
        // native.store(slot, fma(a, native.load(native.offset(x, i)), native.load(slot)))
        *slot = fma(a, x[i], *slot);
    }
}

__global__ void __launch_bounds__(1024)
block_max(const double *__restrict__ x, double *__restrict__ out) {
    __shared__ double parked[64];  // parked = cuda.shared[float, 64]()
    const int64_t tid = threadIdx.x;  // tid = cuda.thread_id()
    // native.store(native.offset(parked, tid), native.load(native.offset(x, cuda.global_id())))
    parked[tid] = x[int64_t(blockIdx.x) * blockDim.x + threadIdx.x];
    __syncthreads();  // cuda.syncthreads()
    double mine = parked[tid];  // mine = native.load(native.offset(parked, tid))
    const double other = __shfl_xor_sync(0xffffffffu, mine, 1);  // other = cuda.shfl_xor(mine, 1)
    if (other > mine) mine = other;  // mine = other if other > mine else mine
    parked[tid] = mine;  // native.store(native.offset(parked, tid), mine)
    __syncthreads();  // cuda.syncthreads()
    if (tid == 0) {  // if tid == 0:
        double best = *parked;  // best = native.load(parked)
        for (int k = 1; k < int(blockDim.x); ++k) {  // for k in range(1, cuda.block_dim()):
            // candidate = native.load(native.offset(parked, k))
            const double candidate = parked[k];
            // best = candidate if candidate > best else best
            if (candidate > best) best = candidate;
        }
        out[blockIdx.x] = best;  // native.store(native.offset(out, cuda.block_id()), best)
    }
}

struct xyz { int64_t x, y, z; };

bool fits(const xyz &n, int64_t least, const xyz &most) {
    if (n.x < least || n.y < least || n.z < least) return false;
    return n.x <= most.x && n.y <= most.y && n.z <= most.z;
}

template <typename... Args>
int32_t launch(void (*kernel)(Args...), xyz grid, xyz block, void *stream, Args... args) {
    if (!fits(grid, 0, {INT32_MAX, 65535, 65535})) return bad_grid;
    if (!fits(block, 1, {1024, 1024, 64}) || block.x * block.y * block.z > 1024) return bad_block;
    if (grid.x == 0 || grid.y == 0 || grid.z == 0) return ok;
    const dim3 blocks(grid.x, grid.y, grid.z), threads(block.x, block.y, block.z);
    void *list[] = {&args..., nullptr};
    const auto begun = cudaLaunchKernel(
        reinterpret_cast<const void *>(kernel), blocks, threads, list, 0, cudaStream_t(stream));
    return begun == cudaSuccess ? int32_t(ok) : launch_failed | cudaGetLastError() << 8;
}

}  // namespace

extern "C" int32_t saxpy_saxpy(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t block_x,
                               int64_t block_y, int64_t block_z, int64_t n, double a,
                               const double *x, double *y, void *stream) {
    return launch(saxpy, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, stream, n, a, x, y);
}

extern "C" int32_t saxpy_block_max(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t block_x,
                                   int64_t block_y, int64_t block_z, const double *x, double *out,
                                   void *stream) {
    if ((block_x % 32) * (block_y % 32) * (block_z % 32) % 32 != 0) return status::bad_block;
    return launch(block_max, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, stream, x, out);
}

extern "C" int32_t saxpy_run(int64_t n, double a, const double *x, double *y, void *stream) {
    // cuda.launch(saxpy, (n + 255) // 256, 256, n, a, x, y)
    int64_t sum;
    if (__builtin_add_overflow(n, int64_t(255), &sum)) return status::overflow;
    return saxpy_saxpy(sum / 256 - (sum % 256 < 0), 1, 1, 256, 1, 1, n, a, x, y, stream);
}

}  // namespace transpiled

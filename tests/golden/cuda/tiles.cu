// tiles.cu: the kernels of tiles.py as CUDA C++. Written by transpile (format 4, code 6b3c6bc8).
// Do not edit: change tiles.py, then `python -m transpile emit cuda tiles.py -o tiles.cu`.
#include <cmath>
#include <cstdint>
#include <type_traits>
#include <cuda_runtime.h>

namespace transpiled {
namespace {

enum status : int32_t { ok, overflow, zero_division, bad_grid, bad_block, launch_failed };

// The lanes of a tile that one thread holds.
template <typename T, int N>
struct vec {
    T at[N];
};

// Sums of integers wrap.
template <typename T>
__device__ T add(T a, std::common_type_t<T> b) {
    if constexpr (std::is_integral_v<T>) return T(uint64_t(a) + uint64_t(b));
    return a + b;
}

// A product with a rounding of its own: a sum that it meets cannot be fused with it.
__device__ double mul(double a, double b) { return __dmul_rn(a, b); }

// NaN wins over any number, +0 over -0.
// One select: before a branch no later load would start.
template <typename T>
__device__ T maximum(T a, std::common_type_t<T> b) {
    return (a != a) | (a > b) | ((a == b) & !std::signbit(a)) ? a : b;
}

// Folds what one thread holds, halving.
template <auto Op, typename T, int N>
__device__ T fold(vec<T, N> held) {
#pragma unroll
    for (int step = N / 2; step > 0; step /= 2)
        for (int k = 0; k < step; ++k) held.at[k] = Op(held.at[k], held.at[k + step]);
    return held.at[0];
}

// Folds a tile by lane index, halving, warps through `stage`. Every thread gets the result.
template <int Lanes, auto Op, typename T>
__device__ T reduce(T held, T *stage = nullptr) {
    if constexpr (Lanes > 32) {
        stage[threadIdx.x] = held;
        __syncthreads();
        vec<T, Lanes / 32> warps;
        for (int w = 0; w < Lanes / 32; ++w) warps.at[w] = stage[w * 32 + threadIdx.x % 32];
        held = fold<Op>(warps);
    }
#pragma unroll
    for (int step = Lanes < 32 ? Lanes / 2 : 16; step > 0; step /= 2)
        held = Op(held, __shfl_xor_sync(0xffffffffu, held, step));
    return held;
}

// One program is 256 threads with 1 lane each.
__global__ void __launch_bounds__(256)
saxpy(int64_t n, double a, const double *__restrict__ x, double *__restrict__ y) {
    // offsets = tile.program_id() * 256 + tile.arange(256)
    const int64_t offsets = int64_t(blockIdx.x) * 256 + threadIdx.x;
    const bool mask = offsets < n;  // mask = offsets < n
    const double xs = mask ? x[offsets] : 0.0;  // xs = tile.load(x, offsets, mask)
    const double ys = mask ? y[offsets] : 0.0;  // ys = tile.load(y, offsets, mask)
    if (mask) y[offsets] = mul(a, xs) + ys;  // tile.store(y, offsets, a * xs + ys, mask)
}

// One program is 64 threads with 1 lane each.
__global__ void __launch_bounds__(64)
block_max(const double *__restrict__ x, double *__restrict__ out) {
    __shared__ double stage_f64[64];
    const int64_t pid = blockIdx.x;  // pid = tile.program_id()
    // values = tile.load(x, pid * 64 + tile.arange(64))
    const double values = x[pid * 64 + threadIdx.x];
    // tile.store(out, pid, tile.max(values))
    const double largest = reduce<64, maximum<double>>(values, stage_f64);
    if (threadIdx.x == 0) out[pid] = largest;
}

// One program is 128 threads with up to 8 lanes each.
__global__ void __launch_bounds__(128)
row_stats(int64_t n, const double *__restrict__ x, double *__restrict__ out) {
    __shared__ double stage_f64[128];
    __shared__ int64_t stage_i64[128];
    // pid = tile.program_id()
    const int64_t pid = blockIdx.x;
    const int64_t product = pid * 1024;
    int64_t count = 0;
    vec<double, 8> xs;
    for (int k = 0; k < 8; ++k) {
        // offsets = pid * 1024 + tile.arange(1024)
        const int64_t offsets = product + k * 128 + threadIdx.x;
        const bool mask = offsets < n;  // mask = offsets < n
        // xs = tile.load(x, offsets, mask)
        // count = tile.sum(mask)
        xs.at[k] = mask ? x[offsets] : 0.0;
        count += mask;
    }
    // total = tile.sum(xs)
    const double total = reduce<128, add<double>>(fold<add<double>>(xs), stage_f64);
    count = reduce<128, add<int64_t>>(count, stage_i64);
    const double mean = total / double(count);  // mean = total / count
    // spread = tile.sum(tile.where(mask, (xs - mean) * (xs - mean), 0.0))
    vec<double, 8> value;
    for (int k = 0; k < 8; ++k) {
        const int64_t offsets = product + k * 128 + threadIdx.x;
        const bool mask = offsets < n;
        value.at[k] = mask ? mul(xs.at[k] - mean, xs.at[k] - mean) : 0.0;
    }
    const double spread = reduce<128, add<double>>(fold<add<double>>(value), stage_f64);
    if (threadIdx.x == 0) out[pid * 2] = mean;  // tile.store(out, pid * 2, mean)
    // tile.store(out, pid * 2 + 1, spread / count)
    if (threadIdx.x == 0) out[pid * 2 + 1] = spread / double(count);
}

struct xyz { int64_t x, y, z; };

template <typename... Args>
int32_t launch(void (*kernel)(Args...), xyz grid, xyz block, void *stream, Args... args) {
    if (grid.x < 0 || grid.x > INT32_MAX) return bad_grid;
    if (grid.y < 0 || grid.y > 65535 || grid.z < 0 || grid.z > 65535) return bad_grid;
    if (grid.x == 0 || grid.y == 0 || grid.z == 0) return ok;
    const dim3 blocks(grid.x, grid.y, grid.z), threads(block.x, block.y, block.z);
    void *list[] = {&args..., nullptr};
    const auto begun = cudaLaunchKernel(
        reinterpret_cast<const void *>(kernel), blocks, threads, list, 0, cudaStream_t(stream));
    return begun == cudaSuccess ? int32_t(ok) : launch_failed | cudaGetLastError() << 8;
}

}  // namespace

extern "C" int32_t tiles_saxpy(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t n, double a,
                               const double *x, double *y, void *stream) {
    return launch(saxpy, {grid_x, grid_y, grid_z}, {256, 1, 1}, stream, n, a, x, y);
}

extern "C" int32_t tiles_block_max(int64_t grid_x, int64_t grid_y, int64_t grid_z, const double *x,
                                   double *out, void *stream) {
    return launch(block_max, {grid_x, grid_y, grid_z}, {64, 1, 1}, stream, x, out);
}

extern "C" int32_t tiles_row_stats(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t n,
                                   const double *x, double *out, void *stream) {
    return launch(row_stats, {grid_x, grid_y, grid_z}, {128, 1, 1}, stream, n, x, out);
}

extern "C" int32_t tiles_run(int64_t n, double a, const double *x, double *y, void *stream) {
    // tile.launch(saxpy, (n + 255) // 256, n, a, x, y)
    int64_t sum;
    if (__builtin_add_overflow(n, int64_t(255), &sum)) return status::overflow;
    return tiles_saxpy(sum / 256 - (sum % 256 < 0), 1, 1, n, a, x, y, stream);
}

}  // namespace transpiled

// terrain.cu: the kernels of terrain.py as CUDA C++. Written by transpile (format 4, code
//     5c2208dd).
// Do not edit: change terrain.py, then `python -m transpile emit cuda terrain.py -o terrain.cu`.
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

// Differences wrap.
template <typename T>
__device__ T sub(T a, std::common_type_t<T> b) {
    using U = std::make_unsigned_t<T>;
    return T(U(a) - U(b));
}

// Products wrap.
template <typename T>
__device__ T mul(T a, std::common_type_t<T> b) {
    using U = std::make_unsigned_t<T>;
    return T(U(a) * U(b));
}

// A product with a rounding of its own: a sum that it meets cannot be fused with it.
__device__ double mul(double a, double b) { return __dmul_rn(a, b); }

// NaN wins over any number, +0 over -0.
// One select: before a branch no later load would start.
template <typename T>
__device__ T maximum(T a, std::common_type_t<T> b) {
    if constexpr (std::is_integral_v<T>) {
        return a > b ? a : b;
    } else {
        return (a != a) | (a > b) | ((a == b) & !std::signbit(a)) ? a : b;
    }
}

// NaN wins over any number, -0 over +0.
// One select: before a branch no later load would start.
template <typename T>
__device__ T minimum(T a, std::common_type_t<T> b) {
    if constexpr (std::is_integral_v<T>) {
        return a < b ? a : b;
    } else {
        return (a != a) | (a < b) | ((a == b) & std::signbit(a)) ? a : b;
    }
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

// One program is 64 threads with up to 8 lanes each.
__global__ void __launch_bounds__(64)
row_stats(int64_t columns, const double *__restrict__ heights, double *__restrict__ lowest,
          double *__restrict__ highest, double *__restrict__ mean, double *__restrict__ variance) {
    __shared__ double stage_f64[64];
    __shared__ double stage_f64_2[64];
    // row = tile.program_id()
    const int64_t row = blockIdx.x;
    const int64_t product = mul(row, columns);
    double value = INFINITY;
    double value_2 = -INFINITY;
    vec<double, 8> h;
    for (int k = 0; k < 8; ++k) {
        // h = tile.load(heights, row * columns + column, inside)
        const int64_t column = k * 64 + threadIdx.x;  // column = tile.arange(WIDTH)
        // inside = column < columns
        const bool inside = column < columns;
        h.at[k] = inside ? heights[add(product, column)] : 0.0;
        // tile.store(lowest, row, tile.min(tile.where(inside, h, float("inf"))))
        // tile.store(highest, row, tile.max(tile.where(inside, h, float("-inf"))))
        value = minimum(value, inside ? h.at[k] : INFINITY);
        value_2 = maximum(value_2, inside ? h.at[k] : -INFINITY);
    }
    // average = tile.sum(h) / columns
    const double sum = reduce<64, add<double>>(fold<add<double>>(h), stage_f64);
    const double smallest = reduce<64, minimum<double>>(value, stage_f64_2);
    const double largest = reduce<64, maximum<double>>(value_2, stage_f64);
    const double average = sum / double(columns);
    if (threadIdx.x == 0) lowest[row] = smallest;
    if (threadIdx.x == 0) highest[row] = largest;
    if (threadIdx.x == 0) mean[row] = average;  // tile.store(mean, row, average)
    vec<double, 8> value_3;
    for (int k = 0; k < 8; ++k) {
        // off = tile.where(inside, h - average, 0.0)
        const int64_t column = k * 64 + threadIdx.x;
        const bool inside = column < columns;
        const double off = inside ? h.at[k] - average : 0.0;
        value_3.at[k] = mul(off, off);  // tile.store(variance, row, tile.sum(off * off) / columns)
    }
    const double sum_2 = reduce<64, add<double>>(fold<add<double>>(value_3), stage_f64_2);
    if (threadIdx.x == 0) variance[row] = sum_2 / double(columns);
}

// One program is 256 threads with up to 2 lanes each.
__global__ void __launch_bounds__(256)
normalise(int64_t columns, const double *__restrict__ heights, const double *__restrict__ mean,
          const double *__restrict__ variance, double *__restrict__ out) {
    // row = tile.program_id()
    const int64_t row = blockIdx.x;
    const int64_t product = mul(row, columns);
    // tile.store(out, at, (h - tile.load(mean, row)) / tile.sqrt(tile.load(variance, row)), inside)
    const double value = mean[row];
    const double root = std::sqrt(variance[row]);
    for (int k = 0; k < 2; ++k) {
        // at = row * columns + column
        // column = tile.arange(WIDTH)
        const int64_t column = k * 256 + threadIdx.x;
        const int64_t at = add(product, column);
        const bool inside = column < columns;  // inside = column < columns
        // h = tile.load(heights, at, inside)
        const double h = inside ? heights[at] : 0.0;
        if (inside) out[at] = (h - value) / root;
    }
}

// One program is 256 threads with up to 2 lanes each.
__global__ void __launch_bounds__(256)
shade(int64_t rows, int64_t columns, double east_scale, double south_scale,
      const double *__restrict__ heights, double *__restrict__ out) {
    const int64_t row = blockIdx.x;  // row = tile.program_id()
    const int64_t north = mul(maximum(row - 1, 0), columns);  // north = max(row - 1, 0) * columns
    // south = min(row + 1, rows - 1) * columns
    const int64_t south = mul(minimum(row + 1, sub(rows, 1)), columns);
    const int64_t difference = sub(columns, 1);
    const int64_t product = mul(row, columns);
    const int64_t product_2 = mul(row, columns);
    const int64_t product_3 = mul(row, columns);
    for (int k = 0; k < 2; ++k) {
        const int64_t column = k * 256 + threadIdx.x;  // column = tile.arange(WIDTH)
        const int64_t west = maximum(column - 1, 0);  // west = tile.maximum(column - 1, 0)
        // east = tile.minimum(column + 1, columns - 1)
        const int64_t east = minimum(column + 1, difference);
        // rise_east = tile.load(heights, row * columns + east, inside) - tile.load(heights, row *
        //     columns + west, inside)
        // inside = column < columns
        const bool inside = column < columns;
        const double value = inside ? heights[add(product, east)] : 0.0;
        const double rise_east = value - (inside ? heights[add(product_2, west)] : 0.0);
        // rise_south = tile.load(heights, south + column, inside) - tile.load(heights, north +
        //     column, inside)
        const double value_2 = inside ? heights[add(south, column)] : 0.0;
        const double rise_south = value_2 - (inside ? heights[add(north, column)] : 0.0);
        const double dx = rise_east * east_scale;  // dx = rise_east * east_scale
        const double dy = rise_south * south_scale;  // dy = rise_south * south_scale
        // light = (dx * 0.5 + dy * 0.5 + 0.7071067811865476) / tile.sqrt(dx * dx + dy * dy + 1.0)
        const double sum = mul(dx, 0.5) + mul(dy, 0.5) + 0.7071067811865476;
        const double light = sum / std::sqrt(mul(dx, dx) + mul(dy, dy) + 1.0);
        // tile.store(out, row * columns + column, tile.maximum(light, 0.0), inside)
        if (inside) out[add(product_3, column)] = maximum(light, 0.0);
    }
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

extern "C" int32_t terrain_row_stats(int64_t grid_x, int64_t grid_y, int64_t grid_z,
                                     int64_t columns, const double *heights, double *lowest,
                                     double *highest, double *mean, double *variance,
                                     void *stream) {
    return launch(row_stats, {grid_x, grid_y, grid_z}, {64, 1, 1}, stream, columns, heights, lowest,
        highest, mean, variance);
}

extern "C" int32_t terrain_normalise(int64_t grid_x, int64_t grid_y, int64_t grid_z,
                                     int64_t columns, const double *heights, const double *mean,
                                     const double *variance, double *out, void *stream) {
    return launch(normalise, {grid_x, grid_y, grid_z}, {256, 1, 1}, stream, columns, heights, mean,
        variance, out);
}

extern "C" int32_t terrain_shade(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t rows,
                                 int64_t columns, double east_scale, double south_scale,
                                 const double *heights, double *out, void *stream) {
    return launch(shade, {grid_x, grid_y, grid_z}, {256, 1, 1}, stream, rows, columns, east_scale,
        south_scale, heights, out);
}

extern "C" int32_t terrain_relief(int64_t rows, int64_t columns, double east_scale,
                                  double south_scale, const double *heights, double *lowest,
                                  double *highest, double *mean, double *variance, double *flat,
                                  double *shaded, void *stream) {
    // tile.launch(row_stats, rows, columns, heights, lowest, highest, mean, variance)
    if (const int32_t failed = terrain_row_stats(rows, 1, 1, columns, heights, lowest, highest,
        mean, variance, stream)) return failed;
    // tile.launch(normalise, rows, columns, heights, mean, variance, flat)
    if (const int32_t failed = terrain_normalise(rows, 1, 1, columns, heights, mean, variance, flat,
        stream)) return failed;
    // tile.launch(shade, rows, rows, columns, east_scale, south_scale, heights, shaded)
    return terrain_shade(rows, 1, 1, rows, columns, east_scale, south_scale, heights, shaded,
        stream);
}

}  // namespace transpiled

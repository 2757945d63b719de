// reports.cu: the kernels of reports.py as CUDA C++. Written by transpile (format 4, code
//     8f01d453).
// Do not edit: change reports.py, then `python -m transpile emit cuda reports.py -o reports.cu`.
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <new>
#include <type_traits>
#include <cuda_runtime.h>

namespace transpiled {
namespace {

enum status : int32_t { ok, overflow, zero_division, bad_grid, bad_block, launch_failed,
    assertion_failed };

// The lanes of a tile that one thread holds.
template <typename T, int N>
struct vec {
    T at[N];
};

// NaN has one text, whatever its sign.
__device__ double shown(double value) { return value == value ? value : NAN; }
__device__ long long shown(int64_t value) { return value; }

template <typename T>
__device__ T add(T a, std::common_type_t<T> b) {
    return a + b;
}

// NaN wins over any number, +0 over -0.
// One select: before a branch no later load would start.
template <typename T>
__device__ T maximum(T a, std::common_type_t<T> b) {
    return (a != a) | (a > b) | ((a == b) & !std::signbit(a)) ? a : b;
}

__device__ bool both(bool a, bool b) { return a && b; }

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

// The first assertion that failed: its number, 0 for none, and the program, or the block and the
// thread, that it stopped.
struct failure {
    int number;
    int64_t place[6];
};

// Says so, unless another was first, and ends the thread.
template <typename... Places>
[[noreturn]] __device__ void fail(failure *first, int number, Places... places) {
    const int64_t place[] = {int64_t(places)...};
    if (atomicCAS(&first->number, 0, -1) == 0) {
        for (int k = 0; k < int(sizeof...(places)); ++k) first->place[k] = place[k];
        __threadfence_system();
        atomicExch(&first->number, number);
    }
    asm volatile("exit;");
    __builtin_unreachable();
}

__device__ double portion(failure *failed, double part, double whole, int64_t program) {
    if (!(whole > 0.0)) fail(failed, 1, program);  // assert whole > 0.0, "nothing to share"
    return part / whole;
}

__device__ double portion_2(failure *failed, double part, double whole, int64_t block,
                            int64_t thread) {
    if (!(whole > 0.0)) fail(failed, 2, block, thread);  // assert whole > 0.0, "nothing to share"
    return part / whole;
}

// One program is 64 threads with up to 4 lanes each.
__global__ void __launch_bounds__(64)
shares(failure *failed, int64_t n, const double *__restrict__ x, double *__restrict__ out) {
    __shared__ bool stage_bool[64];
    __shared__ double stage_f64[64];
    __shared__ double stage_f64_2[64];
    const int64_t product = int64_t(blockIdx.x) * 256;
    bool value = true;
    vec<double, 4> t;
    for (int k = 0; k < 4; ++k) {
        // at = tile.program_id() * 256 + tile.arange(256)
        const int64_t at = product + k * 64 + threadIdx.x;
        t.at[k] = at < n ? x[at] : 0.0;  // t = tile.load(x, at, at < n)
        value = value && t.at[k] >= 0.0;  // assert tile.all(t >= 0.0)
    }
    const bool all = reduce<64, both>(value, stage_bool);
    if (!all) fail(failed, 3, blockIdx.x);
    // print("largest", tile.max(t), "of", n)
    double value_2 = -INFINITY;
    for (int k = 0; k < 4; ++k) value_2 = maximum(value_2, t.at[k]);
    const double largest = reduce<64, maximum<double>>(value_2, stage_f64);
    if (threadIdx.x == 0) {
        printf("[program %u] largest %.17g of %lld\n", blockIdx.x, shown(largest), shown(n));
    }
    // tile.store(out, tile.program_id(), portion(tile.max(t), tile.sum(t)))
    double value_3 = -INFINITY;
    for (int k = 0; k < 4; ++k) value_3 = maximum(value_3, t.at[k]);
    const double largest_2 = reduce<64, maximum<double>>(value_3, stage_f64_2);
    const double sum = reduce<64, add<double>>(fold<add<double>>(t), stage_f64);
    const double portion_3 = portion(failed, largest_2, sum, blockIdx.x);
    if (threadIdx.x == 0) out[blockIdx.x] = portion_3;
}

__global__ void __launch_bounds__(1024)
scatter(failure *failed, int64_t n, const int64_t *__restrict__ to, const double *__restrict__ x,
        double *__restrict__ out) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;  // i = cuda.global_id()
    const int64_t slot = to[i];  // slot = native.load(native.offset(to, i))
    // assert 0 <= slot < n, "no slot of the array"
    if (!(0 <= slot && slot < n)) fail(failed, 4, blockIdx.x, threadIdx.x);
    if (slot == 0) {  // if slot == 0:
        // print(f"first: {native.load(native.offset(x, i)):.3f}")
        printf("[block %u, thread %u] first: %.3f\n", blockIdx.x, threadIdx.x, shown(x[i]));
    }
    // native.store(native.offset(out, slot), portion(native.load(native.offset(x, i)), 2.0))
    const double portion_3 = portion_2(failed, x[i], 2.0, blockIdx.x, threadIdx.x);
    out[slot] = portion_3;
}

// An assertion as it stands in Python, and the place that failed: the first `numbers` of `place`.
struct assertion {
    const char *file;
    int32_t line;
    const char *text, *message;
    int32_t numbers;
    int64_t place[6] = {};
};

constexpr assertion assertions[] = {
    {"reports.py", 8, "whole > 0.0", "nothing to share", 1},
    {"reports.py", 8, "whole > 0.0", "nothing to share", 2},
    {"reports.py", 16, "tile.all(t >= 0.0)", "", 1},
    {"reports.py", 25, "0 <= slot < n", "no slot of the array", 2},
};

bool tell(const failure &failed, assertion *found) {
    *found = assertions[failed.number - 1];
    for (int k = 0; k < found->numbers; ++k) found->place[k] = failed.place[k];
    return true;
}

// Where kernels say that an assertion failed: memory of the host, which every device writes.
struct record {
    failure *first = nullptr;
    int32_t refused = 0;
    std::mutex taking;

    record() {
        // Even while a graph is captured, of which this is no part.
        auto mode = cudaStreamCaptureModeRelaxed;
        static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode));
        void *made = nullptr;
        refused =
            cudaHostAlloc(&made, sizeof(failure), cudaHostAllocPortable | cudaHostAllocMapped);
        static_cast<void>(cudaThreadExchangeStreamCaptureMode(&mode));
        if (refused == 0) first = new (made) failure();
    }

    bool has_failed() const { return *static_cast<const volatile int *>(&first->number) > 0; }

    // Tells of the failure once.
    bool take(assertion *found) {
        const std::lock_guard<std::mutex> held(taking);
        if (first == nullptr || !has_failed()) return false;
        tell(*first, found);
        *static_cast<volatile int *>(&first->number) = 0;
        return true;
    }
};

record &the_record() {
    static record made;
    return made;
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
    if (the_record().refused) return launch_failed | the_record().refused << 8;
    if (the_record().has_failed()) return assertion_failed;
    const dim3 blocks(grid.x, grid.y, grid.z), threads(block.x, block.y, block.z);
    void *list[] = {&args..., nullptr};
    const auto begun = cudaLaunchKernel(
        reinterpret_cast<const void *>(kernel), blocks, threads, list, 0, cudaStream_t(stream));
    return begun == cudaSuccess ? int32_t(ok) : launch_failed | cudaGetLastError() << 8;
}

}  // namespace

extern "C" int32_t reports_shares(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t n,
                                  const double *x, double *out, void *stream) {
    return launch(shares, {grid_x, grid_y, grid_z}, {64, 1, 1}, stream, the_record().first, n, x,
        out);
}

extern "C" int32_t reports_scatter(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t block_x,
                                   int64_t block_y, int64_t block_z, int64_t n, const int64_t *to,
                                   const double *x, double *out, void *stream) {
    return launch(scatter, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, stream,
        the_record().first, n, to, x, out);
}

extern "C" bool reports_failed_assertion(void *found) {
    return the_record().take(static_cast<assertion *>(found));
}

}  // namespace transpiled

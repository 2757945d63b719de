// reports.cu: the kernels of reports.py as CUDA C++. Written by transpile (format 2, code
//     f6b5815a).
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
__device__ unsigned long long shown(uint64_t value) { return value; }

// Sums of integers wrap.
template <typename T>
__device__ T add(T a, std::common_type_t<T> b) {
    if constexpr (std::is_integral_v<T>) return T(uint64_t(a) + uint64_t(b));
    return a + b;
}

// A product with a rounding of its own: a sum that it meets cannot be fused with it.
__device__ double mul(double a, double b) { return __dmul_rn(a, b); }

// The remainder has the divisor's sign; 0 for a divisor of 0.
template <typename T>
__device__ T floor_mod(T a, std::common_type_t<T> b) {
    if (b == 0 || b == -1) return 0;
    const T remainder = a % b;
    return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
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

__device__ double root(failure *failed, double v, int64_t program) {
    if (!(v >= 0.0)) fail(failed, 1, program);  // assert v >= 0.0, "no \"root\": 100%"
    if (v == 0.0) {  // if v == 0.0:
        // print("nothing")
        if (threadIdx.x == 0) printf("[program %lld] nothing\n", shown(program));
        return 0.0;
    }
    // print("root of", v)
    if (threadIdx.x == 0) printf("[program %lld] root of %.17g\n", shown(program), shown(v));
    return std::sqrt(v);  // return math.sqrt(v)
}

__device__ double sums(failure *failed, double v, int64_t n, int64_t program) {
    double total = 0.0;  // total = 0.0
    for (int64_t k = 0; k < n; ++k) {  // for k in range(n):
        // total += root(v + k)
        const double root_4 = root(failed, v + double(k), program);
        total += root_4;
        if (!(total < 100.0)) fail(failed, 2, program);  // assert total < LIMIT
    }
    return total;
}

__device__ double root_2(failure *failed, double v, int64_t program_x, int64_t program_y,
                         int64_t program_z) {
    // assert v >= 0.0, "no \"root\": 100%"
    if (!(v >= 0.0)) fail(failed, 3, program_x, program_y, program_z);
    if (v == 0.0) {  // if v == 0.0:
        if (threadIdx.x == 0) {  // print("nothing")
            printf("[program (%lld, %lld, %lld)] nothing\n", shown(program_x), shown(program_y),
                shown(program_z));
        }
        return 0.0;
    }
    if (threadIdx.x == 0) {  // print("root of", v)
        printf("[program (%lld, %lld, %lld)] root of %.17g\n", shown(program_x), shown(program_y),
            shown(program_z), shown(v));
    }
    return std::sqrt(v);  // return math.sqrt(v)
}

__device__ double root_3(failure *failed, double v, int64_t block_x_, int64_t block_y_,
                         int64_t block_z_, int64_t thread_x, int64_t thread_y, int64_t thread_z) {
    // assert v >= 0.0, "no \"root\": 100%"
    if (!(v >= 0.0)) fail(failed, 4, block_x_, block_y_, block_z_, thread_x, thread_y, thread_z);
    if (v == 0.0) {  // if v == 0.0:
        // print("nothing")
        printf("[block (%lld, %lld, %lld), thread (%lld, %lld, %lld)] nothing\n", shown(block_x_),
            shown(block_y_), shown(block_z_), shown(thread_x), shown(thread_y), shown(thread_z));
        return 0.0;
    }
    // print("root of", v)
    printf("[block (%lld, %lld, %lld), thread (%lld, %lld, %lld)] root of " "%.17g\n",
        shown(block_x_), shown(block_y_), shown(block_z_), shown(thread_x), shown(thread_y),
        shown(thread_z), shown(v));
    return std::sqrt(v);  // return math.sqrt(v)
}

__device__ double sums_2(failure *failed, double v, int64_t n, int64_t block_x_, int64_t block_y_,
                         int64_t block_z_, int64_t thread_x, int64_t thread_y, int64_t thread_z) {
    double total = 0.0;  // total = 0.0
    for (int64_t k = 0; k < n; ++k) {  // for k in range(n):
        // total += root(v + k)
        const double sum = v + double(k);
        const double root_4 =
            root_3(failed, sum, block_x_, block_y_, block_z_, thread_x, thread_y, thread_z);
        total += root_4;
        // assert total < LIMIT
        const bool flag = total < 100.0;
        if (!flag) fail(failed, 5, block_x_, block_y_, block_z_, thread_x, thread_y, thread_z);
    }
    return total;
}

// One program is 32 threads.
__global__ void __launch_bounds__(32)
forms(int32_t i, int64_t n, uint32_t u, uint64_t w, double a, float b, bool flag) {
    if (threadIdx.x == 0) printf("[program %u]\n", blockIdx.x);  // print()
    // print("100% \"é\" ? ?=", i, n, u, w, a, b, flag, 2, -0.5, True, sep="|")
    if (threadIdx.x == 0) {
        printf("[program %u] 100%% \"\303\251\" "
            "?\077=|%d|%lld|%u|%llu|%.17g|%.9g|%s|%d|%.17g|%s\n", blockIdx.x, i, shown(n), u,
            shown(w), shown(a), shown(b), flag ? "True" : "False", 2, -0.5, "True");
    }
    if (threadIdx.x == 0) {  // print(f"{i:5d}|{n:<22d}|{n:+d}|{u:x}|{w:X}|{u:08d}|{flag:d}")
        printf("[program %u] %5d|%-22lld|%+lld|%x|%llX|%08u|%lld\n", blockIdx.x, i, shown(n),
            shown(n), u, shown(w), u, shown(int64_t(flag)));
    }
    // print(f"{a:.3f}|{a:12.4e}|{a:<12.3g}|{b:G}|{b:+.2f}|{b:15}|{{}}|{i=}", end=".\n")
    if (threadIdx.x == 0) {
        printf("[program %u] %.3f|%12.4e|%-12.3g|%G|%+.2f|%15.9g|{}|i=%d.\n", blockIdx.x, shown(a),
            shown(a), shown(a), shown(b), shown(b), shown(b), i);
    }
}

// One program is 64 threads with 1 lane each.
__global__ void __launch_bounds__(64)
rows(failure *failed, int64_t n, const double *__restrict__ x, double *__restrict__ out) {
    __shared__ double stage_f64[64];
    __shared__ bool stage_bool[64];
    const int64_t row = blockIdx.x;  // row = tile.program_id()
    const int64_t at = row * 64 + threadIdx.x;  // at = row * 64 + tile.arange(64)
    const double t = at < n ? x[at] : 0.0;  // t = tile.load(x, at, at < n)
    const double largest = reduce<64, maximum<double>>(t, stage_f64);  // largest = tile.max(t)
    // print("largest", largest)
    if (threadIdx.x == 0) printf("[program %u] largest %.17g\n", blockIdx.x, shown(largest));
    // assert tile.all(t <= LIMIT) and largest > -LIMIT, "out of range"
    const bool all = reduce<64, both>(t <= 100.0, stage_bool);
    if (!(all && largest > -100.0)) fail(failed, 6, blockIdx.x);
    double total = 0.0;  // total = 0.0
    for (int k = 0; k < 3; ++k) {  // for k in range(3):
        // total += tile.sum(t) + root(largest) * k
        __syncthreads();
        const double sum = reduce<64, add<double>>(t, stage_f64);
        const double root_4 = root(failed, largest, blockIdx.x);
        total += sum + mul(root_4, double(k));
        // print(f"turn {k}: {total:.6g}")
        if (threadIdx.x == 0) printf("[program %u] turn %d: %.6g\n", blockIdx.x, k, shown(total));
    }
    if (row == 1) {  // if row == 1:
        // print("I am the second")
        if (threadIdx.x == 0) printf("[program %u] I am the second\n", blockIdx.x);
        root(failed, mul(total, 0.0) + 4.0, blockIdx.x);  // root(total * 0.0 + 4.0)
    }
    // tile.store(out, row, sums(total * 0.0, 2) + total)
    const double sums_3 = sums(failed, mul(total, 0.0), 2, blockIdx.x);
    if (threadIdx.x == 0) out[row] = sums_3 + total;
}

// One program is 32 threads.
__global__ void __launch_bounds__(32)
grid(failure *failed, int32_t *__restrict__ out) {
    // x, y = tile.program_id(), tile.program_id(1)
    const int64_t x = blockIdx.x;
    const int64_t y = blockIdx.y;
    // print("here", root(float(x)))
    const double root_4 = root_2(failed, double(x), blockIdx.x, blockIdx.y, blockIdx.z);
    if (threadIdx.x == 0) {
        printf("[program (%u, %u, %u)] here %.17g\n", blockIdx.x, blockIdx.y, blockIdx.z,
            shown(root_4));
    }
    // assert x < 2 or y < 1
    if (!(x < 2 || y < 1)) fail(failed, 7, blockIdx.x, blockIdx.y, blockIdx.z);
    if (threadIdx.x == 0) out[x + y * 3] = 1;  // tile.store(out, x + y * 3, 1)
}

__global__ void __launch_bounds__(1024)
meet(failure *failed, int64_t n, const int32_t *__restrict__ x, int32_t *__restrict__ out) {
    __shared__ int32_t held[64];  // held = cuda.shared[native.i32, 64]()
    const int64_t t = threadIdx.x;  // t = cuda.thread_id()
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;  // i = cuda.global_id()
    const int32_t v = x[i];  // v = native.load(native.offset(x, i))
    if (floor_mod(v, 3) == 0) {  // if v % 3 == 0:
        // print(f"thread {t} has {v}")
        printf("[block %u, thread %u] thread %lld has %d\n", blockIdx.x, threadIdx.x, shown(t), v);
    }
    // assert v >= 0 and v < n, "index"
    if (!(v >= 0 && int64_t(v) < n)) fail(failed, 8, blockIdx.x, threadIdx.x);
    held[t] = v;  // native.store(native.offset(held, t), v)
    __syncthreads();  // cuda.syncthreads()
    // w = cuda.shfl_xor(native.load(native.offset(held, (t + 1) % 64)), 1)
    const int32_t w = __shfl_xor_sync(0xffffffffu, held[(t + 1) % 64], 1);
    if (t == 5) {  // if t == 5:
        // print("received", w)
        printf("[block %u, thread %u] received %d\n", blockIdx.x, threadIdx.x, w);
    }
    out[v] = w;  // native.store(native.offset(out, v), w)
}

__global__ void __launch_bounds__(1024)
turns(failure *failed, int64_t n, double *__restrict__ out) {
    int64_t k = 0;  // k = 0
    while (true) {  // while True:
        // assert k < n, "too many turns"
        if (k >= n) fail(failed, 9, blockIdx.x, blockIdx.y, blockIdx.z, threadIdx.x, threadIdx.y,
            threadIdx.z);
        // if sums(float(k), 2) > 3.0:
        const double sums_3 = sums_2(failed, double(k), 2, blockIdx.x, blockIdx.y, blockIdx.z,
            threadIdx.x, threadIdx.y, threadIdx.z);
        if (sums_3 > 3.0) {
            break;
        }
        k = add(k, 1);  // k += 1
    }
    // native.store(native.offset(out, cuda.global_id()), float(k) + cuda.thread_id(1))
    double *const pointer = out + (int64_t(blockIdx.x) * blockDim.x + threadIdx.x);
    *pointer = double(k) + double(threadIdx.y);
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
    {"reports.py", 12, "v >= 0.0", "no \"root\": 100%", 1},
    {"reports.py", 25, "total < LIMIT", "", 1},
    {"reports.py", 12, "v >= 0.0", "no \"root\": 100%", 3},
    {"reports.py", 12, "v >= 0.0", "no \"root\": 100%", 6},
    {"reports.py", 25, "total < LIMIT", "", 6},
    {"reports.py", 44, "tile.all(t <= LIMIT) and largest > -LIMIT", "out of range", 1},
    {"reports.py", 59, "x < 2 or y < 1", "", 3},
    {"reports.py", 71, "v >= 0 and v < n", "index", 2},
    {"reports.py", 84, "k < n", "too many turns", 6},
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

extern "C" int32_t reports_forms(int64_t grid_x, int64_t grid_y, int64_t grid_z, int32_t i,
                                 int64_t n, uint32_t u, uint64_t w, double a, float b, bool flag,
                                 void *stream) {
    return launch(forms, {grid_x, grid_y, grid_z}, {32, 1, 1}, stream, i, n, u, w, a, b, flag);
}

extern "C" int32_t reports_rows(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t n,
                                const double *x, double *out, void *stream) {
    return launch(rows, {grid_x, grid_y, grid_z}, {64, 1, 1}, stream, the_record().first, n, x,
        out);
}

extern "C" int32_t reports_grid(int64_t grid_x, int64_t grid_y, int64_t grid_z, int32_t *out,
                                void *stream) {
    return launch(grid, {grid_x, grid_y, grid_z}, {32, 1, 1}, stream, the_record().first, out);
}

extern "C" int32_t reports_meet(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t block_x,
                                int64_t block_y, int64_t block_z, int64_t n, const int32_t *x,
                                int32_t *out, void *stream) {
    if ((block_x % 32) * (block_y % 32) * (block_z % 32) % 32 != 0) return status::bad_block;
    return launch(meet, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, stream,
        the_record().first, n, x, out);
}

extern "C" int32_t reports_turns(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t block_x,
                                 int64_t block_y, int64_t block_z, int64_t n, double *out,
                                 void *stream) {
    return launch(turns, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, stream,
        the_record().first, n, out);
}

extern "C" bool reports_failed_assertion(assertion *found) {
    return the_record().take(found);
}

}  // namespace transpiled

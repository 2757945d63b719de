// activation.hip: the kernels of activation.py as HIP C++. Written by transpile (format 4, code
//     4f52cc5b).
// Do not edit: change activation.py, then `python -m transpile emit hip activation.py -o
//     activation.hip`.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>
#include <hip/hip_runtime.h>
#ifdef __FAST_MATH__
#error "this text promises the bits of IEEE arithmetic: compile it without -ffast-math"
#endif
#pragma clang fp contract(off)

namespace transpiled {
namespace {

enum status : int32_t { ok, overflow, zero_division, bad_grid, bad_block, launch_failed };

// The lanes of a tile that one thread holds.
template <typename T, int N>
struct vec {
    T at[N];
};

template <typename T>
using bits_of = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <typename T>
__device__ bits_of<T> to_bits(T value) {
    bits_of<T> bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

template <typename T>
__device__ T from_bits(bits_of<T> bits) {
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// A product with a rounding of its own: a sum that it meets cannot be fused with it.
__device__ float mul(float a, float b) { return a * b; }

// Neighbours that one access moves.
template <typename T, int N>
struct alignas(N * sizeof(T)) pack {
    T at[N];
};

// How many neighbours of a group that is: 16 bytes at most.
template <typename T, int Group>
constexpr int width = Group * sizeof(T) > 16 ? 16 / sizeof(T) : Group;

template <typename Pack, typename T>
__device__ bool is_aligned(const T *at) { return uint64_t(at) % sizeof(Pack) == 0; }

// Where lane k of a thread is: the groups of all threads take turns.
template <int Group, int Threads>
__device__ constexpr int place(int k) { return k / Group * Group * Threads + k % Group; }

// Reads the lanes of a thread, several at once where they are aligned.
template <int N, int Group = N, int Threads = 1, typename T>
__device__ vec<T, N> load(const T *from) {
    using several = pack<T, width<T, Group>>;
    vec<T, N> held;
    if (is_aligned<several>(from)) {
#pragma unroll
        for (int k = 0; k < N; k += width<T, Group>) {
            const auto read = *reinterpret_cast<const several *>(from + place<Group, Threads>(k));
            for (int i = 0; i < width<T, Group>; ++i) held.at[k + i] = read.at[i];
        }
    } else {
#pragma unroll
        for (int k = 0; k < N; ++k) held.at[k] = from[place<Group, Threads>(k)];
    }
    return held;
}

// Writes the lanes of a thread, several at once where they are aligned.
template <int N, int Group = N, int Threads = 1, typename T>
__device__ void store(T *to, const vec<T, N> &held) {
    using several = pack<T, width<T, Group>>;
    if (is_aligned<several>(to)) {
#pragma unroll
        for (int k = 0; k < N; k += width<T, Group>) {
            several written;
            for (int i = 0; i < width<T, Group>; ++i) written.at[i] = held.at[k + i];
            *reinterpret_cast<several *>(to + place<Group, Threads>(k)) = written;
        }
    } else {
#pragma unroll
        for (int k = 0; k < N; ++k) to[place<Group, Threads>(k)] = held.at[k];
    }
}

// e^x. Adding 1.5 * 2^23 leaves n in the low bits, from where it is added to the exponent.
__device__ float exp(float x) {
    const float shifted = std::fma(x, 0x1.715476p+0f, 0x1.8p+23f);
    const float n = shifted - 0x1.8p+23f;
    float r = std::fma(n, -0x1.62e43p-1f, x);  // the first difference is exact
    r = std::fma(n, 0x1.05c61p-29f, r);
    float p = 0x1.6ac142p-10f;  // a minimax polynomial, within 2^-28
    p = std::fma(p, r, 0x1.123da6p-7f);
    p = std::fma(p, r, 0x1.555858p-5f);
    p = std::fma(p, r, 0x1.55548cp-3f);
    p = std::fma(p, r, 0x1.fffffcp-2f);
    p = std::fma(p, r, 1.0f);
    p = std::fma(p, r, 1.0f);
    const uint32_t scaled = to_bits(p) + (to_bits(shifted) << 23);
    float result = from_bits<float>(scaled);
    if (!(std::fabs(x) < 87.0f)) {  // scaled in two steps, and rounded once
        constexpr uint32_t away = 64u << 23;
        result = x < 0.0f ? mul(from_bits<float>(scaled + away), 0x1p-64f)
                          : mul(from_bits<float>(scaled - away), 0x1p+64f);
        result = x < -104.0f ? 0.0f : x < 89.0f ? result : x + INFINITY;
    }
    return result;
}

__device__ float silu_affine(float x, float scale, float bias) {
    const float y = x / (1.0f + exp(-x));  // y = x / (1.0 + math.exp(-x))
    return y * scale + bias;
}

__device__ float affine(float x) {
    return x * 2.0f + 1.0f;  // return x * 2.0 + 1.0
}

// One program is 64 threads with up to 4 lanes each.
__global__ void __launch_bounds__(64)
activation(const float *__restrict__ x, float *__restrict__ out) {
    // at = tile.program_id() * 256 + tile.arange(256)
    const int64_t first = int64_t(blockIdx.x) * 256 + threadIdx.x * 4;
    vec<float, 4> values = load<4>(x + first);  // values = tile.load(x, at)
    // values = silu_affine(values, 2.0, 1.0)
    for (int k = 0; k < 4; ++k) values.at[k] = silu_affine(values.at[k], 2.0f, 1.0f);
    store<4>(out + first, values);  // tile.store(out, at, values)
}

__global__ void __launch_bounds__(1024)
shared_affine(const float *__restrict__ x, float *__restrict__ out) {
    __shared__ float rows[256];  // rows = cuda.shared[native.f32, 256]()
    const int64_t tid = threadIdx.x;  // tid = cuda.thread_id()
    float *const mine = rows + tid * 4;  // mine = native.offset(rows, tid * 4)
    for (int j = 0; j < 4; ++j) {  // for j in range(4):
        // native.store(native.offset(mine, j), native.load(native.offset(x, tid * 4 + j)))
        mine[j] = x[tid * 4 + j];
    }
    __syncthreads();  // cuda.syncthreads()
    for (int j = 0; j < 4; ++j) {  // for j in range(4):
        float *const slot = mine + j;  // slot = native.offset(mine, j)
        *slot = affine(*slot);  // native.store(slot, affine(native.load(slot)))
    }
    __syncthreads();  // cuda.syncthreads()
    // theirs = native.offset(rows, (tid + 1) % 64 * 4)
    float *const theirs = rows + (tid + 1) % 64 * 4;
    for (int j = 0; j < 4; ++j) {  // for j in range(4):
        // native.store(native.offset(out, tid * 4 + j), native.load(native.offset(theirs, j)))
        out[tid * 4 + j] = theirs[j];
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
    if (grid.x * block.x * block.y * block.z > UINT32_MAX / (grid.y * grid.z)) return bad_grid;
    const dim3 blocks(grid.x, grid.y, grid.z), threads(block.x, block.y, block.z);
    void *list[] = {&args..., nullptr};
    const auto begun = hipLaunchKernel(
        reinterpret_cast<const void *>(kernel), blocks, threads, list, 0, hipStream_t(stream));
    return begun == hipSuccess ? int32_t(ok) : launch_failed | hipGetLastError() << 8;
}

}  // namespace

extern "C" int32_t activation_activation(int64_t grid_x, int64_t grid_y, int64_t grid_z,
                                         const float *x, float *out, void *stream) {
    return launch(activation, {grid_x, grid_y, grid_z}, {64, 1, 1}, stream, x, out);
}

extern "C" int32_t activation_shared_affine(int64_t grid_x, int64_t grid_y, int64_t grid_z,
                                            int64_t block_x, int64_t block_y, int64_t block_z,
                                            const float *x, float *out, void *stream) {
    return launch(shared_affine, {grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, stream, x,
        out);
}

extern "C" int32_t activation_run(const float *x, float *activated, float *mapped, void *stream) {
    // tile.launch(activation, 1, x, activated)
    if (const int32_t failed = activation_activation(1, 1, 1, x, activated, stream)) return failed;
    // cuda.launch(shared_affine, 1, 64, x, mapped)
    return activation_shared_affine(1, 1, 1, 64, 1, 1, x, mapped, stream);
}

}  // namespace transpiled

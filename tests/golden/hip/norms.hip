// norms.hip: the kernels of norms.py as HIP C++. Written by transpile (format 4, code 29595905).
// Do not edit: change norms.py, then `python -m transpile emit hip norms.py -o norms.hip`.
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

// A half of IEEE 754: for storage, arithmetic is on float.
struct f16 {
    uint16_t bits;

    __device__ explicit operator float() const {
#if defined(__HIP_DEVICE_COMPILE__)
        _Float16 half;
        memcpy(&half, &bits, sizeof half);
        return half;
#else
        const uint32_t sign = (bits & 0x8000u) << 16, magnitude = (bits & 0x7fffu) << 13;
        // The biases of the exponents differ by 112; this way subnormal numbers come out right too.
        const uint32_t finite = to_bits(from_bits<float>(magnitude) * 0x1p112f);
        const uint32_t special = magnitude | 0x7f800000u;
        return from_bits<float>(sign | (magnitude < 0x0f800000u ? finite : special));
#endif
    }
};

// The bits, but for the sign, of the nearest number of a narrower float, half to even: it has
// `Mantissa` bits of significand and a bias of `Bias`, and goes no further than `most`.
template <int Mantissa, int Bias>
__device__ uint32_t narrowed(float value, uint32_t most, uint32_t nan) {
    constexpr int dropped = 23 - Mantissa;
    constexpr uint32_t rebias = uint32_t(127 - Bias) << 23;
    const uint32_t magnitude = to_bits(value) & 0x7fffffffu;
    const uint32_t half = (1u << (dropped - 1)) - 1 + (magnitude >> dropped & 1);
    const uint32_t normal = (magnitude - rebias + half) >> dropped;
    // Below the normal numbers: the sum with a number that has no bits below their last one.
    constexpr uint32_t large = uint32_t(127 - Bias + dropped + 1) << 23;
    const uint32_t below = to_bits(from_bits<float>(magnitude) + from_bits<float>(large)) - large;
    const uint32_t bits = magnitude < rebias + (1u << 23) ? below : normal;
    return magnitude > 0x7f800000u ? nan : bits < most ? bits : most;
}

// Half to even; beyond the largest number it is an infinity.
__device__ f16 to_f16(float value) {
#if defined(__HIP_DEVICE_COMPILE__)
    const _Float16 half = _Float16(value);
    f16 result;
    memcpy(&result.bits, &half, sizeof half);
    return result;
#else
    const uint32_t sign = to_bits(value) >> 16 & 0x8000u;
    return {uint16_t(sign | narrowed<10, 15>(value, 0x7c00, 0x7e00))};
#endif
}

// Sums of integers wrap.
template <typename T>
__device__ T add(T a, std::common_type_t<T> b) {
    if constexpr (std::is_integral_v<T>) return T(uint64_t(a) + uint64_t(b));
    return a + b;
}

// Products wrap.
template <typename T>
__device__ T mul(T a, std::common_type_t<T> b) {
    using U = std::make_unsigned_t<T>;
    return T(U(a) * U(b));
}

// A product with a rounding of its own: a sum that it meets cannot be fused with it.
__device__ float mul(float a, float b) { return a * b; }

// 1 / b, for quotients by it; NaN where these are better divided.
__device__ float reciprocal(float b) {
    const float size = std::fabs(b);
    return size >= 0x1p-126f && size <= 0x1p126f ? 1 / b : float(NAN);
}

// a / b by the reciprocal of b: the remainder, which is exact, corrects the quotient to the
// nearest. The smallest, whose remainder may not be, and all where the reciprocal is NaN, are
// divided. Zeros are frequent where a mask is off.
__noinline__ __device__ float divided(float a, float b) { return a / b; }
__device__ float divided(float a, float b, float inverse) {
    const float first = a * inverse, small = 0x1p-101f * std::fabs(inverse);
    const float quotient = std::fma(std::fma(-first, b, a), inverse, first);
    const float least = small > 0x1p-124f ? small : 0x1p-124f;
    if (std::fabs(quotient) >= least) return quotient;
    return a == 0 && first == 0 ? first : divided(a, b);
}

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

template <typename T>
__device__ T minimum(T a, std::common_type_t<T> b) {
    return a < b ? a : b;
}

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

// Reads the lanes of a thread for which `mask` is set: several at once where it is set for all of
// them and they are aligned. Those begin without a branch, and stay words until all have begun.
template <int N, int Group = N, int Threads = 1, typename T>
__device__ vec<T, N> load(const T *from, const vec<bool, N> &mask, std::common_type_t<T> other) {
    using several = pack<T, width<T, Group>>;
    using words = pack<uint32_t, (sizeof(several) + 3) / 4>;
    vec<T, N> held;
    bool rest = false;
#pragma unroll
    for (int k = 0; k < N; k += width<T, Group>) {
        const T *const at = from + place<Group, Threads>(k);
        bool whole = is_aligned<several>(at), some = false;
        several read;
        for (int i = 0; i < width<T, Group>; ++i) {
            whole = whole & mask.at[k + i];
            some = some | mask.at[k + i];
            read.at[i] = other;
        }
        words bits;
        memcpy(&bits, &read, sizeof read);
        if (whole) {
            read = *reinterpret_cast<const several *>(at);
            memcpy(&bits, &read, sizeof read);
        }
        memcpy(&held.at[k], &bits, sizeof read);
        rest = rest | (some & !whole);
    }
    if (rest) {
#pragma unroll
        for (int k = 0; k < N; ++k)
            if (mask.at[k]) held.at[k] = from[place<Group, Threads>(k)];
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

// Writes the lanes of a thread for which `mask` is set: several at once where it is set for all of
// them and they are aligned.
template <int N, int Group = N, int Threads = 1, typename T>
__device__ void store(T *to, const vec<bool, N> &mask, const vec<T, N> &held) {
    using several = pack<T, width<T, Group>>;
    bool rest = false;
#pragma unroll
    for (int k = 0; k < N; k += width<T, Group>) {
        T *const at = to + place<Group, Threads>(k);
        bool whole = is_aligned<several>(at), some = false;
        several written;
        for (int i = 0; i < width<T, Group>; ++i) {
            whole = whole & mask.at[k + i];
            some = some | mask.at[k + i];
            written.at[i] = held.at[k + i];
        }
        if (whole) *reinterpret_cast<several *>(at) = written;
        rest = rest | (some & !whole);
    }
    if (rest) {
#pragma unroll
        for (int k = 0; k < N; ++k)
            if (mask.at[k]) to[place<Group, Threads>(k)] = held.at[k];
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
        held = Op(held, __shfl_xor(held, step, 32));
    return held;
}

// Folds a tile of which a thread holds groups of neighbours: through `stage` it gets single lanes
// instead, so that all is folded by lane index, halving.
template <int Threads, auto Op, int Group, typename T, int N>
__device__ T reduce(vec<T, N> held, T *stage) {
#pragma unroll
    for (int step = N / 2; step >= Group; step /= 2)
        for (int k = 0; k < step; ++k) held.at[k] = Op(held.at[k], held.at[k + step]);
    vec<T, Group> left;
#pragma unroll
    for (int k = 0; k < Group; ++k) left.at[k] = held.at[k];
    store<Group>(stage + threadIdx.x * Group, left);
    __syncthreads();
#pragma unroll
    for (int k = 0; k < Group; ++k) left.at[k] = stage[k * Threads + threadIdx.x];
    return reduce<Threads, Op>(fold<Op>(left), stage);
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

// One program is 64 threads with up to 16 lanes each.
__global__ void __launch_bounds__(64)
softmax_1024(int64_t cols, const f16 *__restrict__ x, f16 *__restrict__ out) {
    __shared__ float stage_f32[64];
    __shared__ float stage_f32_2[512];
    const int64_t product = mul(int64_t(blockIdx.x), cols);
    // lane = tile.arange(size)
    const int64_t first = threadIdx.x * 8;
    const int64_t limit = minimum(maximum(cols, first), first + 1024);
    const int32_t bound = int32_t(limit - first);
    // inside = lane < cols
    vec<bool, 16> inside;
    for (int k = 0; k < 16; ++k) inside.at[k] = k / 8 * 512 + k % 8 < bound;
    // at = tile.program_id() * cols + lane
    // xs = tile.load(x, at, inside, float("-inf"))
    const vec<f16, 16> xs = load<16, 8, 64>(x + add(product, threadIdx.x * 8), inside, f16{0xfc00});
    // powers = tile.exp(xs - tile.max(xs))
    float value = -INFINITY;
    vec<float, 16> value_2;
    for (int k = 0; k < 16; ++k) {
        value_2.at[k] = float(xs.at[k]);
        value = maximum(value, value_2.at[k]);
    }
    const float largest = reduce<64, maximum<float>>(value, stage_f32);
    vec<float, 16> powers;
    for (int k = 0; k < 16; ++k) powers.at[k] = exp(value_2.at[k] - largest);
    // tile.store(out, at, powers / tile.sum(powers), inside)
    const float sum = reduce<64, add<float>, 8>(powers, stage_f32_2);
    const float inverse = reciprocal(sum);
    vec<f16, 16> value_3;
    for (int k = 0; k < 16; ++k) {
        value_3.at[k] = to_f16(divided(powers.at[k], sum, inverse));
        inside.at[k] = k / 8 * 512 + k % 8 < bound;
    }
    store<16, 8, 64>(out + add(product, threadIdx.x * 8), inside, value_3);
}

struct xyz { int64_t x, y, z; };

template <typename... Args>
int32_t launch(void (*kernel)(Args...), xyz grid, xyz block, void *stream, Args... args) {
    if (grid.x < 0 || grid.x > INT32_MAX) return bad_grid;
    if (grid.y < 0 || grid.y > 65535 || grid.z < 0 || grid.z > 65535) return bad_grid;
    if (grid.x == 0 || grid.y == 0 || grid.z == 0) return ok;
    if (grid.x * block.x * block.y * block.z > UINT32_MAX / (grid.y * grid.z)) return bad_grid;
    const dim3 blocks(grid.x, grid.y, grid.z), threads(block.x, block.y, block.z);
    void *list[] = {&args..., nullptr};
    const auto begun = hipLaunchKernel(
        reinterpret_cast<const void *>(kernel), blocks, threads, list, 0, hipStream_t(stream));
    return begun == hipSuccess ? int32_t(ok) : launch_failed | hipGetLastError() << 8;
}

}  // namespace

extern "C" int32_t norms_softmax__1024(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t cols,
                                       const uint16_t *x, uint16_t *out, void *stream) {
    return launch(softmax_1024, {grid_x, grid_y, grid_z}, {64, 1, 1}, stream, cols,
        reinterpret_cast<const f16 *>(x), reinterpret_cast<f16 *>(out));
}

extern "C" int32_t norms_run(int64_t rows, int64_t cols, const uint16_t *x, uint16_t *out,
                             void *stream) {
    // tile.launch(softmax, rows, 1024, cols, x, out)
    return norms_softmax__1024(rows, 1, 1, cols, x, out, stream);
}

}  // namespace transpiled

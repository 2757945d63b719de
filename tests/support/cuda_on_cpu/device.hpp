// What CUDA and HIP spell alike, on fibres: qualifiers, places, barriers, arithmetic with its rounding spelled out.
#pragma once

#include "exchange.hpp"

#define __global__
#define __device__
#define __host__
#define __constant__
#define __shared__ static thread_local
#define __forceinline__ inline
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define threadIdx (::fibres::machine().current->thread)
#define blockIdx (::fibres::machine().block_index)
#define blockDim (::fibres::machine().block)
#define gridDim (::fibres::machine().grid)
#define warpSize (::fibres::settings().warp)

inline void __syncthreads() { fibres::count_at_barrier(0); }
inline int __syncthreads_count(int value) { return fibres::count_at_barrier(value); }
inline int __syncthreads_or(int value) { return fibres::count_at_barrier(value) != 0; }
inline int __syncthreads_and(int value) { return fibres::count_at_barrier(value) == fibres::machine().vote_threads; }
inline void __threadfence() {}
inline void __threadfence_block() {}
inline void __threadfence_system() {}

template <typename T>
T __ldg(const T *at) { return *at; }

// Arithmetic with its rounding spelled out. `volatile` keeps the compiler from fusing or widening across it.
#define FIBRES_ROUNDED(type, name, op)                \
    inline type name(type a, type b) {                \
        volatile type rounded = a op b;               \
        return rounded;                               \
    }
FIBRES_ROUNDED(double, __dadd_rn, +)
FIBRES_ROUNDED(double, __dsub_rn, -)
FIBRES_ROUNDED(double, __dmul_rn, *)
FIBRES_ROUNDED(double, __ddiv_rn, /)
FIBRES_ROUNDED(float, __fadd_rn, +)
FIBRES_ROUNDED(float, __fsub_rn, -)
FIBRES_ROUNDED(float, __fmul_rn, *)
FIBRES_ROUNDED(float, __fdiv_rn, /)
#undef FIBRES_ROUNDED

inline double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
inline float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
inline double __dsqrt_rn(double a) { return __builtin_sqrt(a); }
inline float __fsqrt_rn(float a) { return __builtin_sqrtf(a); }

// The hardware's forms. Macros: glibc has declared functions of these names.
#define __fdividef(a, b) ((a) / (b))
#define __expf(x) expf(x)
#define __logf(x) logf(x)
#define __log2f(x) log2f(x)
#define __sinf(x) sinf(x)
#define __cosf(x) cosf(x)
#define __powf(x, y) powf(x, y)
inline float rsqrtf(float x) { return 1 / __builtin_sqrtf(x); }

#define FIBRES_BITS(to, name, from)            \
    inline to name(from value) {               \
        static_assert(sizeof(to) == sizeof(from), "as many bits"); \
        to bits;                               \
        std::memcpy(&bits, &value, sizeof bits); \
        return bits;                           \
    }
FIBRES_BITS(long long, __double_as_longlong, double)
FIBRES_BITS(double, __longlong_as_double, long long)
FIBRES_BITS(int, __float_as_int, float)
FIBRES_BITS(float, __int_as_float, int)
FIBRES_BITS(unsigned, __float_as_uint, float)
FIBRES_BITS(float, __uint_as_float, unsigned)
#undef FIBRES_BITS

// Atomics: the types that both vendors' headers have, and no others. Blocks run on several threads of the host.
#define FIBRES_ATOMIC(type, name, builtin) \
    inline type name(type *at, type value) { return builtin(at, value, __ATOMIC_RELAXED); }
#define FIBRES_ATOMICS(type)                            \
    FIBRES_ATOMIC(type, atomicAdd, __atomic_fetch_add)  \
    FIBRES_ATOMIC(type, atomicExch, __atomic_exchange_n) \
    FIBRES_ATOMIC(type, atomicAnd, __atomic_fetch_and)  \
    FIBRES_ATOMIC(type, atomicOr, __atomic_fetch_or)    \
    FIBRES_ATOMIC(type, atomicXor, __atomic_fetch_xor)  \
    inline type atomicCAS(type *at, type compare, type value) { \
        __atomic_compare_exchange_n(at, &compare, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED); \
        return compare;                                 \
    }
FIBRES_ATOMICS(int)
FIBRES_ATOMICS(unsigned)
FIBRES_ATOMICS(unsigned long long)
#undef FIBRES_ATOMICS
#undef FIBRES_ATOMIC

namespace fibres {

template <typename T, typename Next>
T update(T *at, const Next &next) {
    T old, made;
    __atomic_load(at, &old, __ATOMIC_RELAXED);
    do {
        made = next(old);
    } while (!__atomic_compare_exchange(at, &old, &made, true, __ATOMIC_RELAXED, __ATOMIC_RELAXED));
    return old;
}

}  // namespace fibres

#define FIBRES_FLOATS(type) \
    inline type atomicAdd(type *at, type value) { return fibres::update(at, [=](type old) { return old + value; }); }
FIBRES_FLOATS(float)
FIBRES_FLOATS(double)
#undef FIBRES_FLOATS

inline float atomicExch(float *at, float value) { return fibres::update(at, [=](float) { return value; }); }

#define FIBRES_ENDS(type)                                                                    \
    inline type atomicMax(type *at, type value) {                                            \
        return fibres::update(at, [=](type old) { return old > value ? old : value; });      \
    }                                                                                        \
    inline type atomicMin(type *at, type value) {                                            \
        return fibres::update(at, [=](type old) { return old < value ? old : value; });      \
    }
FIBRES_ENDS(int)
FIBRES_ENDS(unsigned)
FIBRES_ENDS(unsigned long long)

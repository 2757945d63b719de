// The natural logarithm of x = 2^k (1 + f), with f from -1/3 to 1/3: k ln 2 + log(1 + f).
#pragma once

#include "log_tail.hpp"
#include "primitives.hpp"

// log x. Subtracting the bits of 2/3 leaves k above the mantissa. What is below the normal numbers
// is scaled first.
inline float log(float x) {
    const bool is_small = x < 0x1p-126f;
    const uint32_t bits = to_bits(is_small ? mul(x, 0x1p+23f) : x) - 0x3f2aaaabu;
    const float f = from_bits<float>((bits & 0x7fffffu) + 0x3f2aaaabu) - 1.0f;
    const float biased = from_bits<float>(0x4b000000u + ((bits >> 23) ^ 256u));
    const float k = biased - (is_small ? 0x1p+23f + 279.0f : 0x1p+23f + 256.0f);
    // ln 2 in two parts: the product with the first is exact, and what its sum loses is kept.
    const float high = std::fma(k, 0x1.62e4p-1f, f);
    const float lost = f - std::fma(k, -0x1.62e4p-1f, high);
    float result = high + (std::fma(k, 0x1.7f7d1cp-20f, log_tail(f)) + lost);
    if (!(x > 0.0f && x < INFINITY)) result = x < 0.0f ? NAN : x == 0.0f ? -INFINITY : x;
    return result;
}

// log x. Subtracting the bits of 2/3 leaves k above the mantissa. What is below the normal numbers
// is scaled first.
inline double log(double x) {
    const bool is_small = x < 0x1p-1022;
    const uint64_t bits = to_bits(is_small ? mul(x, 0x1p+52) : x) - 0x3fe5555555555555u;
    const double f = from_bits<double>((bits & 0xfffffffffffffu) + 0x3fe5555555555555u) - 1.0;
    const double biased = from_bits<double>(0x4330000000000000u + ((bits >> 52) ^ 2048u));
    const double k = biased - (is_small ? 0x1p+52 + 2100.0 : 0x1p+52 + 2048.0);
    // ln 2 in two parts: the product with the first is exact, and what its sum loses is kept.
    const double high = std::fma(k, 0x1.62e42fefa38p-1, f);
    const double lost = f - std::fma(k, -0x1.62e42fefa38p-1, high);
    double result = high + (std::fma(k, 0x1.ef35793c7673p-45, log_tail(f)) + lost);
    if (!(x > 0.0 && x < INFINITY)) result = x < 0.0 ? NAN : x == 0.0 ? -INFINITY : x;
    return result;
}

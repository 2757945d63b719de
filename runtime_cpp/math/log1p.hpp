// log(1 + x), with 1 + x = 2^k (1 + f) and f from -1/3 to 1/3: k ln 2 + log(1 + f).
#pragma once

#include "log_tail.hpp"
#include "primitives.hpp"

// log(1 + x). The rounded sum gives k alone: f comes from x, and what it lacks is kept. A large x
// is its own sum.
inline float log1p(float x) {
    const uint32_t bits = to_bits(1.0f + x) - 0x3f2aaaabu;
    const uint32_t exponent = bits & 0xff800000u;
    const float down = from_bits<float>(0x3f800000u - exponent);  // 2^-k
    const float whole = from_bits<float>((bits & 0x7fffffu) + 0x3f2aaaabu) - 1.0f;
    const float f = x < 0x1p+64f ? std::fma(x, down, down - 1.0f) : whole;
    const float rest = x < 0x1p+64f ? std::fma(x, down, (down - 1.0f) - f) : 0.0f;
    const float biased = from_bits<float>(0x4b000000u + ((bits >> 23) ^ 256u));
    const float k = biased - (0x1p+23f + 256.0f);
    // ln 2 in two parts: the product with the first is exact, and what its sum loses is kept.
    const float high = std::fma(k, 0x1.62e4p-1f, f);
    const float lost = f - std::fma(k, -0x1.62e4p-1f, high);
    const float low = std::fma(k, 0x1.7f7d1cp-20f, log_tail(f));
    float result = high + (low + std::fma(rest, 1.0f - f, lost));
    if (!(x > -1.0f && x < INFINITY)) result = x < -1.0f ? NAN : x == -1.0f ? -INFINITY : x;
    return std::copysign(result, x);
}

// log(1 + x). The rounded sum gives k alone: f comes from x, and what it lacks is kept. A large x
// is its own sum.
inline double log1p(double x) {
    const uint64_t bits = to_bits(1.0 + x) - 0x3fe5555555555555u;
    const uint64_t exponent = bits & 0xfff0000000000000u;
    const double down = from_bits<double>(0x3ff0000000000000u - exponent);  // 2^-k
    const double whole = from_bits<double>((bits & 0xfffffffffffffu) + 0x3fe5555555555555u) - 1.0;
    const double f = x < 0x1p+64 ? std::fma(x, down, down - 1.0) : whole;
    const double rest = x < 0x1p+64 ? std::fma(x, down, (down - 1.0) - f) : 0.0;
    const double biased = from_bits<double>(0x4330000000000000u + ((bits >> 52) ^ 2048u));
    const double k = biased - (0x1p+52 + 2048.0);
    // ln 2 in two parts: the product with the first is exact, and what its sum loses is kept.
    const double high = std::fma(k, 0x1.62e42fefa38p-1, f);
    const double lost = f - std::fma(k, -0x1.62e42fefa38p-1, high);
    const double low = std::fma(k, 0x1.ef35793c7673p-45, log_tail(f));
    double result = high + (low + std::fma(rest, 1.0 - f, lost));
    if (!(x > -1.0 && x < INFINITY)) result = x < -1.0 ? NAN : x == -1.0 ? -INFINITY : x;
    return std::copysign(result, x);
}

// e to the power x, less 1 = 2^n (e^r - 1) + (2^n - 1), with x = n ln 2 + r.
#pragma once

#include "primitives.hpp"

// e^x - 1. Adding 1.5 * 2^23 leaves n in the low bits; up to 1/2 it is 0, and nothing cancels.
inline float expm1(float x) {
    const float scaled = std::fma(x, 0x1.715476p+0f, 0x1.8p+23f);
    const float shifted = std::fabs(x) < 0.5f ? 0x1.8p+23f : scaled;
    const float n = shifted - 0x1.8p+23f;
    float r = std::fma(n, -0x1.62e43p-1f, x);  // the first difference is exact
    r = std::fma(n, 0x1.05c61p-29f, r);
    float q = 0x1.a57fc2p-13f;  // a minimax polynomial, within 2^-29
    q = std::fma(q, r, 0x1.6f1d48p-10f);
    q = std::fma(q, r, 0x1.110cc6p-7f);
    q = std::fma(q, r, 0x1.55521ep-5f);
    q = std::fma(q, r, 0x1.555558p-3f);
    q = std::fma(q, r, 0x1.000002p-1f);
    const uint32_t bits = 0x3f800000u + (to_bits(shifted) << 23);
    const float power = from_bits<float>(bits);  // 2^n
    const float less = power - 1.0f;
    // What the sum of 2^n - 1 and 2^n r loses is kept, and what of the 1.
    const float high = std::fma(power, r, less);
    const float lost = std::fma(power, r, less - high) + ((power - less) - 1.0f);
    float result = high + std::fma(power * (r * r), q, lost);
    if (!(std::fabs(x) < 87.0f)) {  // scaled in two steps, and rounded once
        const float down = from_bits<float>(bits - (64u << 23));
        const float p = std::fma(std::fma(q, r, 1.0f), r, 1.0f);  // e^r
        result = x < 0.0f ? -1.0f : x < 89.0f ? mul(mul(p, down), 0x1p+64f) : x + INFINITY;
    }
    return std::copysign(result, x);
}

// e^x - 1. Adding 1.5 * 2^52 leaves n in the low bits; up to 1/2 it is 0, and nothing cancels.
inline double expm1(double x) {
    const double scaled = std::fma(x, 0x1.71547652b82fep+0, 0x1.8p+52);
    const double shifted = std::fabs(x) < 0.5 ? 0x1.8p+52 : scaled;
    const double n = shifted - 0x1.8p+52;
    double r = std::fma(n, -0x1.62e42fefa39efp-1, x);  // the first difference is exact
    r = std::fma(n, -0x1.abc9e3b39803fp-56, r);
    double q = 0x1.63fbe44c9ba81p-33;  // a minimax polynomial, within 2^-60
    q = std::fma(q, r, 0x1.2041809b8d2a1p-29);
    q = std::fma(q, r, 0x1.ae6193f7ad475p-26);
    q = std::fma(q, r, 0x1.27e41f6475722p-22);
    q = std::fma(q, r, 0x1.71de3b79fa614p-19);
    q = std::fma(q, r, 0x1.a01a0228e353ap-16);
    q = std::fma(q, r, 0x1.a01a019faba12p-13);
    q = std::fma(q, r, 0x1.6c16c16bed6ccp-10);
    q = std::fma(q, r, 0x1.1111111111223p-7);
    q = std::fma(q, r, 0x1.5555555555601p-5);
    q = std::fma(q, r, 0x1.5555555555555p-3);
    q = std::fma(q, r, 0x1p-1);
    const uint64_t bits = 0x3ff0000000000000u + (to_bits(shifted) << 52);
    const double power = from_bits<double>(bits);  // 2^n
    const double less = power - 1.0;
    // What the sum of 2^n - 1 and 2^n r loses is kept, and what of the 1.
    const double high = std::fma(power, r, less);
    const double lost = std::fma(power, r, less - high) + ((power - less) - 1.0);
    double result = high + std::fma(power * (r * r), q, lost);
    if (!(std::fabs(x) < 708.0)) {  // scaled in two steps, and rounded once
        const double down = from_bits<double>(bits - (uint64_t(64) << 52));
        const double p = std::fma(std::fma(q, r, 1.0), r, 1.0);  // e^r
        result = x < 0.0 ? -1.0 : x < 710.0 ? mul(mul(p, down), 0x1p+64) : x + INFINITY;
    }
    return std::copysign(result, x);
}

// e to the power x = 2^n * e^r, with x = n ln 2 + r: |r| is at most ln 2 / 2.
#pragma once

#include "primitives.hpp"

// e^x. Adding 1.5 * 2^23 leaves n in the low bits, from where it is added to the exponent.
inline float exp(float x) {
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

// e^x. Adding 1.5 * 2^52 leaves n in the low bits, from where it is added to the exponent.
inline double exp(double x) {
    const double shifted = std::fma(x, 0x1.71547652b82fep+0, 0x1.8p+52);
    const double n = shifted - 0x1.8p+52;
    double r = std::fma(n, -0x1.62e42fefa39efp-1, x);  // the first difference is exact
    r = std::fma(n, -0x1.abc9e3b39803fp-56, r);
    double p = 0x1.aeb26ce3d7b3fp-26;  // a minimax polynomial, within 2^-56
    p = std::fma(p, r, 0x1.28abc7054bd57p-22);
    p = std::fma(p, r, 0x1.71de837ece4b1p-19);
    p = std::fma(p, r, 0x1.a0199c54988f1p-16);
    p = std::fma(p, r, 0x1.a01a016b07e27p-13);
    p = std::fma(p, r, 0x1.6c16c18346c4ep-10);
    p = std::fma(p, r, 0x1.111111111a638p-7);
    p = std::fma(p, r, 0x1.5555555550b39p-5);
    p = std::fma(p, r, 0x1.5555555555551p-3);
    p = std::fma(p, r, 0x1.000000000000ap-1);
    p = std::fma(p, r, 1.0);
    p = std::fma(p, r, 1.0);
    const uint64_t scaled = to_bits(p) + (to_bits(shifted) << 52);
    double result = from_bits<double>(scaled);
    if (!(std::fabs(x) < 708.0)) {  // scaled in two steps, and rounded once
        constexpr uint64_t away = uint64_t(64) << 52;
        result = x < 0.0 ? mul(from_bits<double>(scaled + away), 0x1p-64)
                         : mul(from_bits<double>(scaled - away), 0x1p+64);
        result = x < -746.0 ? 0.0 : x < 710.0 ? result : x + INFINITY;
    }
    return result;
}

// 2 to the power x = 2^n * 2^r, with n the whole number nearest to x: |r| is at most 1/2.
#pragma once

#include "primitives.hpp"

// 2^x. Adding 1.5 * 2^23 leaves n in the low bits, from where it is added to the exponent.
inline float exp2(float x) {
    const float shifted = x + 0x1.8p+23f;
    const float r = x - (shifted - 0x1.8p+23f);
    float p = 0x1.c048b2p-17f;  // a minimax polynomial, within 2^-30
    p = std::fma(p, r, 0x1.443f98p-13f);
    p = std::fma(p, r, 0x1.5dc052p-10f);
    p = std::fma(p, r, 0x1.3b2a1cp-7f);
    p = std::fma(p, r, 0x1.c6b056p-5f);
    p = std::fma(p, r, 0x1.ebfbep-3f);
    p = std::fma(p, r, 0x1.62e43p-1f);
    p = std::fma(p, r, 1.0f);
    const uint32_t scaled = to_bits(p) + (to_bits(shifted) << 23);
    float result = from_bits<float>(scaled);
    if (!(std::fabs(x) < 126.0f)) {  // scaled in two steps, and rounded once
        constexpr uint32_t away = 64u << 23;
        result = x < 0.0f ? mul(from_bits<float>(scaled + away), 0x1p-64f)
                          : mul(from_bits<float>(scaled - away), 0x1p+64f);
        result = x < -151.0f ? 0.0f : x < 129.0f ? result : x + INFINITY;
    }
    return result;
}

// 2^x. Adding 1.5 * 2^52 leaves n in the low bits, from where it is added to the exponent.
inline double exp2(double x) {
    const double shifted = x + 0x1.8p+52;
    const double r = x - (shifted - 0x1.8p+52);
    double p = 0x1.c6d9b14d1c64ap-36;  // a minimax polynomial, within 2^-55
    p = std::fma(p, r, 0x1.ea14248cb7117p-32);
    p = std::fma(p, r, 0x1.e4cd9d6e092c9p-28);
    p = std::fma(p, r, 0x1.b524d0e9672e1p-24);
    p = std::fma(p, r, 0x1.62c0229a6af2fp-20);
    p = std::fma(p, r, 0x1.ffcbfc7ac3df5p-17);
    p = std::fma(p, r, 0x1.430912f85992bp-13);
    p = std::fma(p, r, 0x1.5d87fe78a130cp-10);
    p = std::fma(p, r, 0x1.3b2ab6fba4ea8p-7);
    p = std::fma(p, r, 0x1.c6b08d704a0d6p-5);
    p = std::fma(p, r, 0x1.ebfbdff82c58fp-3);
    p = std::fma(p, r, 0x1.62e42fefa39efp-1);
    p = std::fma(p, r, 1.0);
    const uint64_t scaled = to_bits(p) + (to_bits(shifted) << 52);
    double result = from_bits<double>(scaled);
    if (!(std::fabs(x) < 1022.0)) {  // scaled in two steps, and rounded once
        constexpr uint64_t away = uint64_t(64) << 52;
        result = x < 0.0 ? mul(from_bits<double>(scaled + away), 0x1p-64)
                         : mul(from_bits<double>(scaled - away), 0x1p+64);
        result = x < -1076.0 ? 0.0 : x < 1025.0 ? result : x + INFINITY;
    }
    return result;
}

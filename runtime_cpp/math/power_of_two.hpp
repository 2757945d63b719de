// Powers of two with more digits than a float has: for what depends on them.
#pragma once

#include "primitives.hpp"

// (high + low) * 2^n, high in sqrt(1/2) .. sqrt(2); n is in the low bits.
struct power32 { uint32_t n; float high, low; };

// (high + low) * 2^n, high in sqrt(1/2) .. sqrt(2); n is in the low bits.
struct power64 { uint64_t n; double high, low; };

// 2^(high + low); |high| < 2^21. Adding 1.5 * 2^23 leaves the whole number nearest to it in the low bits.
inline power32 power_of_two(float high, float low) {
    const float shifted = high + 0x1.8p+23f;
    const float r = (high - (shifted - 0x1.8p+23f)) + low;
    float p = 0x1.4ba69ep-13f;  // a minimax polynomial of (2^r - 1) / r, within 2^-27.5
    p = std::fma(p, r, 0x1.5fc030p-10f);
    p = std::fma(p, r, 0x1.3b21c0p-7f);
    p = std::fma(p, r, 0x1.c6ada8p-5f);
    p = std::fma(p, r, 0x1.ebfbe6p-3f);
    p = std::fma(p, r, 0x1.62e432p-1f);
    const float one = std::fma(p, r, 1.0f);
    return {to_bits(shifted), one, std::fma(p, r, 1.0f - one)};
}

// 2^(high + low); |high| < 2^50.
inline power64 power_of_two(double high, double low) {
    const double shifted = high + 0x1.8p+52;
    const double r = (high - (shifted - 0x1.8p+52)) + low;
    double p = 0x1.f8a30f3456f6ep-36;  // a minimax polynomial of (2^r - 1) / r, within 2^-59.7
    p = std::fma(p, r, 0x1.ebd9968cce518p-32);
    p = std::fma(p, r, 0x1.e4ad2d29c92f9p-28);
    p = std::fma(p, r, 0x1.b5238c0c20d25p-24);
    p = std::fma(p, r, 0x1.62c02a278ee74p-20);
    p = std::fma(p, r, 0x1.ffcbfd24fe984p-17);
    p = std::fma(p, r, 0x1.430912f6d9c3cp-13);
    p = std::fma(p, r, 0x1.5d87fe7879f19p-10);
    p = std::fma(p, r, 0x1.3b2ab6fba5267p-7);
    p = std::fma(p, r, 0x1.c6b08d704a1c3p-5);
    p = std::fma(p, r, 0x1.ebfbdff82c58ep-3);
    p = std::fma(p, r, 0x1.62e42fefa39efp-1);
    const double one = std::fma(p, r, 1.0);
    return {to_bits(shifted), one, std::fma(p, r, 1.0 - one)};
}

// e to the power x as the sum of two numbers, as the logistic function and softplus need it: for x
// below 0, as in exp.hpp.
#pragma once

#include "primitives.hpp"
#include "two.hpp"

// e^x for x from -40 to 0; below -40 what is returned is 2^64 times too large.
inline two<float> exp_in_two(float x) {
    const float shifted = std::fma(x, 0x1.715476p+0f, 0x1.8p+23f);
    const float n = shifted - 0x1.8p+23f;
    float r = std::fma(n, -0x1.62e43p-1f, x);
    r = std::fma(n, 0x1.05c61p-29f, r);
    float q = 0x1.6ac142p-10f;  // a minimax polynomial, within 2^-28
    q = std::fma(q, r, 0x1.123da6p-7f);
    q = std::fma(q, r, 0x1.555858p-5f);
    q = std::fma(q, r, 0x1.55548cp-3f);
    q = std::fma(q, r, 0x1.fffffcp-2f);
    const uint32_t one = x < -40.0f ? 0x5f800000u : 0x3f800000u;
    const float power = from_bits<float>(one + (to_bits(shifted) << 23));
    const float linear = std::fma(power, r, power);
    const float rest = std::fma(power * (r * r), q, std::fma(power, r, power - linear));
    const float high = linear + rest;
    return {high, rest - (high - linear)};
}

// e^x for x from -40 to 0; below -40 what is returned is 2^64 times too large.
inline two<double> exp_in_two(double x) {
    const double shifted = std::fma(x, 0x1.71547652b82fep+0, 0x1.8p+52);
    const double n = shifted - 0x1.8p+52;
    double r = std::fma(n, -0x1.62e42fefa39efp-1, x);
    r = std::fma(n, -0x1.abc9e3b39803fp-56, r);
    double q = 0x1.aeb26ce3d7b3fp-26;  // a minimax polynomial, within 2^-56
    q = std::fma(q, r, 0x1.28abc7054bd57p-22);
    q = std::fma(q, r, 0x1.71de837ece4b1p-19);
    q = std::fma(q, r, 0x1.a0199c54988f1p-16);
    q = std::fma(q, r, 0x1.a01a016b07e27p-13);
    q = std::fma(q, r, 0x1.6c16c18346c4ep-10);
    q = std::fma(q, r, 0x1.111111111a638p-7);
    q = std::fma(q, r, 0x1.5555555550b39p-5);
    q = std::fma(q, r, 0x1.5555555555551p-3);
    q = std::fma(q, r, 0x1.000000000000ap-1);
    const uint64_t one = x < -40.0 ? 0x43f0000000000000u : 0x3ff0000000000000u;
    const double power = from_bits<double>(one + (to_bits(shifted) << 52));
    const double linear = std::fma(power, r, power);
    const double rest = std::fma(power * (r * r), q, std::fma(power, r, power - linear));
    const double high = linear + rest;
    return {high, rest - (high - linear)};
}

// gelu by tanh: x / 2 (1 + tanh u) = x / (1 + e^(-2 u)), u = sqrt(2 / pi) (x + 0.044715 x^3). The exponent is
// in two floats, high + low, so that the far negative tail holds too; the power of two comes last, so that
// it is rounded once.
#pragma once

#include "power_of_two.hpp"

// x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).
inline float gelu_tanh(float x) {
    const float whole = std::fabs(x), a = whole > 11.0f ? 11.0f : whole;
    const float square = mul(a, a), square_low = std::fma(a, a, -square);
    // -2 |u| log2 e = a (A + B a^2), A and B in two parts; A - factor is exact, for A is short.
    const float factor = std::fma(square, -0x1.a5a7d0p-4f, -0x1.26aec0p+1f);
    float factor_low = std::fma(square, -0x1.a5a7d0p-4f, -0x1.26aec0p+1f - factor);
    factor_low += std::fma(square, 0x1.151aaep-29f, std::fma(square_low, -0x1.a5a7d0p-4f, -0x1.0de73ap-22f));
    const float high = mul(a, factor);
    const power32 power = power_of_two(high, std::fma(a, factor_low, std::fma(a, factor, -high)));
    const float scale = from_bits<float>((power.n + (127 + 64)) << 23);  // 2^64 too large
    const float e = mul(power.high, scale), e_low = mul(power.low, scale);
    const float small = mul(e, 0x1p-64f), sum = 1.0f + small;
    const float sum_low = std::fma(e_low, 0x1p-64f, small - (sum - 1.0f));
    const float inverse = 1.0f / sum;
    const float over = x < 0.0f ? e : 0x1p+64f, over_low = x < 0.0f ? e_low : 0.0f;
    const float part = mul(over, inverse);
    const float rest = std::fma(-part, sum_low, std::fma(-part, sum, over)) + over_low;
    const float result = mul(std::fma(a, part, a * (rest * inverse)), 0x1p-64f);
    return x > 11.0f ? x : std::copysign(result, x);
}

// x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))).
inline double gelu_tanh(double x) {
    const double whole = std::fabs(x), a = whole > 22.0 ? 22.0 : whole;
    const double square = mul(a, a), square_low = std::fma(a, a, -square);
    // -2 |u| log2 e = a (A + B a^2), A and B in two parts; A - factor is exact, for A is short.
    const double factor = std::fma(square, -0x1.a5a7cf7572a98p-4, -0x1.26aec21bce740p+1);
    double factor_low = std::fma(square, -0x1.a5a7cf7572a98p-4, -0x1.26aec21bce740p+1 - factor);
    factor_low += std::fma(square, 0x1.b91c940e4cfcfp-58,
                           std::fma(square_low, -0x1.a5a7cf7572a98p-4, -0x1.94bb4a166d0c5p-47));
    const double high = mul(a, factor);
    const power64 power = power_of_two(high, std::fma(a, factor_low, std::fma(a, factor, -high)));
    const double scale = from_bits<double>((power.n + (1023 + 128)) << 52);  // 2^128 too large
    const double e = mul(power.high, scale), e_low = mul(power.low, scale);
    const double small = mul(e, 0x1p-128), sum = 1.0 + small;
    const double sum_low = std::fma(e_low, 0x1p-128, small - (sum - 1.0));
    const double inverse = 1.0 / sum;
    const double over = x < 0.0 ? e : 0x1p+128, over_low = x < 0.0 ? e_low : 0.0;
    const double part = mul(over, inverse);
    const double rest = std::fma(-part, sum_low, std::fma(-part, sum, over)) + over_low;
    const double result = mul(std::fma(a, part, a * (rest * inverse)), 0x1p-128);
    return x > 22.0 ? x : std::copysign(result, x);
}

// gelu x = x P(x), with P the normal distribution: P(-a) = e^(-a^2 / 2) w(a), and w(a) is t = 1 / (1 + c a)
// times a polynomial of t. Wherever it counts there are two floats for a number, high + low, so that the
// far negative tail holds too; the power of two comes last, so that it is rounded once.
#pragma once

#include "power_of_two.hpp"

// x times the normal distribution of x.
inline float gelu(float x) {
    const float whole = std::fabs(x), a = whole > 15.0f ? 15.0f : whole;
    const float square = mul(a, a), square_low = std::fma(a, a, -square);
    const float high = mul(square, -0x1.715476p-1f);  // -a^2 / 2 * log2 e
    const float rounded = std::fma(square, -0x1.715476p-1f, -high);
    const float low = std::fma(square, -0x1.4ae0c0p-27f, rounded);
    const power32 power = power_of_two(high, std::fma(square_low, -0x1.715476p-1f, low));
    const float under = std::fma(a, 0.296875f, 1.0f), under_low = std::fma(a, 0.296875f, 1.0f - under);
    const float t = 1.0f / under;
    const float t_low = mul(t, std::fma(-t, under_low, std::fma(-t, under, 1.0f)));
    const float r = t - 0.404296875f;
    float p = -0x1.4ed92ep-6f;  // a minimax polynomial, within 2^-27
    p = std::fma(p, r, 0x1.4b1f6cp-5f);
    p = std::fma(p, r, 0x1.1ae8dap-7f);
    p = std::fma(p, r, -0x1.cdba3cp-5f);
    p = std::fma(p, r, -0x1.778b66p-5f);
    p = std::fma(p, r, 0x1.18e31ap-4f);
    p = std::fma(p, r, 0x1.aed064p-3f);
    p = std::fma(p, r, 0x1.24a45ep-2f);
    const float q = std::fma(p, r, 0x1.11a544p-2f), q_low = std::fma(p, r, 0x1.11a544p-2f - q);
    const float g = std::fma(q, r, 0x1.8856a0p-3f);  // a short number: what is left is exact
    const float g_low = std::fma(q_low, r, std::fma(q, r, 0x1.8856a0p-3f - g));
    const float w = mul(t, g);
    const float slope = std::fma(t, std::fma(2.0f, q, -0x1.11a544p-2f), g);  // of w, nearly
    const float w_low = std::fma(t, g_low, std::fma(t_low, slope, std::fma(t, g, -w)));
    const float tail = mul(power.high, w);
    const float missing = std::fma(power.high, w_low, std::fma(power.high, w, -tail));
    const float tail_low = std::fma(power.low, w, missing);
    const float scale = from_bits<float>((power.n + (127 + 64)) << 23);  // 2^64 too large
    const float below = mul(tail, scale), below_low = mul(tail_low, scale);  // P(-a)
    const float above = 0x1p+64f - below, above_low = ((0x1p+64f - above) - below) - below_low;  // P(a)
    const float part = x < 0.0f ? below : above, part_low = x < 0.0f ? below_low : above_low;
    const float result = mul(std::fma(a, part, a * part_low), 0x1p-64f);
    return x > 15.0f ? x : std::copysign(result, x);
}

// x times the normal distribution of x.
inline double gelu(double x) {
    const double whole = std::fabs(x), a = whole > 39.0 ? 39.0 : whole;
    const double square = mul(a, a), square_low = std::fma(a, a, -square);
    const double high = mul(square, -0x1.71547652b82fep-1);  // -a^2 / 2 * log2 e
    const double rounded = std::fma(square, -0x1.71547652b82fep-1, -high);
    const double low = std::fma(square, -0x1.777d0ffda0d24p-57, rounded);
    const power64 power = power_of_two(high, std::fma(square_low, -0x1.71547652b82fep-1, low));
    const double under = std::fma(a, 0.203125, 1.0), under_low = std::fma(a, 0.203125, 1.0 - under);
    const double t = 1.0 / under;
    const double t_low = mul(t, std::fma(-t, under_low, std::fma(-t, under, 1.0)));
    const double r = t - 0.57861328125;
    double p = -0x1.ff9e0b5fa8cedp-11;  // a minimax polynomial, within 2^-55.2
    p = std::fma(p, r, -0x1.d67a64b79b533p-12);
    p = std::fma(p, r, 0x1.3e0dbfd1de033p-9);
    p = std::fma(p, r, 0x1.686e1279a8fb8p-11);
    p = std::fma(p, r, -0x1.197ac5b112a53p-8);
    p = std::fma(p, r, -0x1.f4441e70457e7p-12);
    p = std::fma(p, r, 0x1.e304c7d80bc46p-8);
    p = std::fma(p, r, 0x1.c5f94b0c1cdf4p-12);
    p = std::fma(p, r, -0x1.b718a23c599b5p-7);
    p = std::fma(p, r, -0x1.8a8d4cad97eeep-9);
    p = std::fma(p, r, 0x1.a4f794b2ebbd3p-6);
    p = std::fma(p, r, 0x1.3020719b375afp-6);
    p = std::fma(p, r, -0x1.69d426dba7076p-5);
    p = std::fma(p, r, -0x1.5cc544351d208p-4);
    p = std::fma(p, r, 0x1.7c55d459c5b70p-8);
    p = std::fma(p, r, 0x1.f8065e5c0f101p-3);
    p = std::fma(p, r, 0x1.0c8560c710f77p-1);
    p = std::fma(p, r, 0x1.62dc670d5bd31p-1);
    p = std::fma(p, r, 0x1.5db48ad825cffp-1);
    p = std::fma(p, r, 0x1.11b8558cf6138p-1);
    const double q = std::fma(p, r, 0x1.5dbcfa4904665p-2), q_low = std::fma(p, r, 0x1.5dbcfa4904665p-2 - q);
    const double g = std::fma(q, r, 0x1.707ed6a2be030p-3);  // a short number: what is left is exact
    const double g_low = std::fma(q_low, r, std::fma(q, r, 0x1.707ed6a2be030p-3 - g));
    const double w = mul(t, g);
    const double slope = std::fma(t, std::fma(2.0, q, -0x1.5dbcfa4904665p-2), g);  // of w, nearly
    const double w_low = std::fma(t, g_low, std::fma(t_low, slope, std::fma(t, g, -w)));
    const double tail = mul(power.high, w);
    const double missing = std::fma(power.high, w_low, std::fma(power.high, w, -tail));
    const double tail_low = std::fma(power.low, w, missing);
    const double scale = from_bits<double>((power.n + (1023 + 128)) << 52);  // 2^128 too large
    const double below = mul(tail, scale), below_low = mul(tail_low, scale);  // P(-a)
    const double above = 0x1p+128 - below, above_low = ((0x1p+128 - above) - below) - below_low;  // P(a)
    const double part = x < 0.0 ? below : above, part_low = x < 0.0 ? below_low : above_low;
    const double result = mul(std::fma(a, part, a * part_low), 0x1p-128);
    return x > 39.0 ? x : std::copysign(result, x);
}

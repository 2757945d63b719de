// erf x: a polynomial near 0, else 1 - 2^t with t a polynomial too, of the logarithm of erfc; after
// N. Juffa, who publishes functions of this form. The coefficients are ours.
#pragma once

#include "power_of_two.hpp"

// The error function of x.
inline float erf(float x) {
    const float a = std::fabs(x), square = a * a;
    float p = 0x1.4a71d2p-14f;  // a minimax polynomial, within 2^-29.2
    p = std::fma(p, square, -0x1.a4dda8p-11f);
    p = std::fma(p, square, 0x1.5431c4p-8f);
    p = std::fma(p, square, -0x1.b7ff90p-6f);
    p = std::fma(p, square, 0x1.ce2d5cp-4f);
    p = std::fma(p, square, -0x1.812740p-2f);
    p = std::fma(p, square, 0x1.06eba8p-3f);
    const float near = std::fma(a, p, a);
    const float b = a > 4.0f ? 4.0f : a;  // beyond it is 1
    float t = -0x1.eefaa4p-16f;  // a minimax polynomial: 2^t is within 2^-33
    t = std::fma(t, b, 0x1.430584p-11f);
    t = std::fma(t, b, -0x1.87017ep-8f);
    t = std::fma(t, b, 0x1.27c7d0p-5f);
    t = std::fma(t, b, -0x1.3f82aap-3f);
    t = std::fma(t, b, -0x1.d3ebf4p-1f);
    t = std::fma(t, b, -0x1.a1240cp+0f);
    const float high = std::fma(t, b, 0x1.ea27cep-13f);
    const power32 power = power_of_two(high, std::fma(t, b, 0x1.ea27cep-13f - high));
    const float far = 1.0f - mul(power.high, from_bits<float>((power.n + 127) << 23));
    return std::copysign(a < 0.875f ? near : far, x);
}

// The error function of x.
inline double erf(double x) {
    const double a = std::fabs(x), square = a * a;
    double p = -0x1.62508886ced43p-30;  // a minimax polynomial, within 2^-56.1
    p = std::fma(p, square, 0x1.116ccb8551c1cp-26);
    p = std::fma(p, square, -0x1.64df248ebe4edp-23);
    p = std::fma(p, square, 0x1.baab894768180p-20);
    p = std::fma(p, square, -0x1.f4e3060977e30p-17);
    p = std::fma(p, square, 0x1.f9a40b3c265c9p-14);
    p = std::fma(p, square, -0x1.c02dbbc862a73p-11);
    p = std::fma(p, square, 0x1.565bcd3898147p-8);
    p = std::fma(p, square, -0x1.b82ce3139310cp-6);
    p = std::fma(p, square, 0x1.ce2f21a0461cfp-4);
    p = std::fma(p, square, -0x1.812746b037a2bp-2);
    p = std::fma(p, square, 0x1.06eba8214db69p-3);
    const double near = std::fma(a, p, a);
    const double b = a > 6.0 ? 6.0 : a;  // beyond it is 1
    double t = 0x1.26a58879084a3p-39;  // a minimax polynomial: 2^t is within 2^-58
    t = std::fma(t, b, -0x1.996c1746a3498p-34);
    t = std::fma(t, b, 0x1.0a6f85baa8a36p-29);
    t = std::fma(t, b, -0x1.af49edd40626ap-26);
    t = std::fma(t, b, 0x1.e5981d1fd0cebp-23);
    t = std::fma(t, b, -0x1.9215e5a1a1c3cp-20);
    t = std::fma(t, b, 0x1.f6b7638cc7800p-18);
    t = std::fma(t, b, -0x1.dafdc500998f4p-16);
    t = std::fma(t, b, 0x1.45fa952232ca0p-14);
    t = std::fma(t, b, -0x1.11557b3e8d910p-13);
    t = std::fma(t, b, -0x1.a8a33e7a1801dp-17);
    t = std::fma(t, b, 0x1.bdc97f2ad7d0cp-11);
    t = std::fma(t, b, -0x1.4362033dacff2p-9);
    t = std::fma(t, b, 0x1.596e834fe703ep-12);
    t = std::fma(t, b, 0x1.c3c91e9ba65b8p-6);
    t = std::fma(t, b, -0x1.2fa205bf25eedp-3);
    t = std::fma(t, b, -0x1.d63f584edce03p-1);
    t = std::fma(t, b, -0x1.a0be76a52c445p+0);
    const double high = std::fma(t, b, -0x1.3c0fb57fa5175p-24);
    const power64 power = power_of_two(high, std::fma(t, b, -0x1.3c0fb57fa5175p-24 - high));
    const double far = 1.0 - mul(power.high, from_bits<double>((power.n + 1023) << 52));
    return std::copysign(a < 0.875 ? near : far, x);
}

// tanh x: a polynomial near 0, else 1 - 2 e / (1 + e) with e = e^(-2 |x|).
#pragma once

#include "power_of_two.hpp"

// The hyperbolic tangent of x.
inline float tanh(float x) {
    const float a = std::fabs(x), square = a * a;
    float p = -0x1.9450b4p-8f;  // a minimax polynomial, within 2^-29.4
    p = std::fma(p, square, 0x1.581162p-6f);
    p = std::fma(p, square, -0x1.b905bap-5f);
    p = std::fma(p, square, 0x1.110c5ep-3f);
    p = std::fma(p, square, -0x1.555548p-2f);
    const float near = std::fma(a * square, p, a);
    const float b = a > 10.0f ? 10.0f : a;  // beyond it is 1
    const float high = mul(b, -0x1.715476p+1f);
    const power32 power = power_of_two(high, std::fma(b, -0x1.715476p+1f, -high));
    const float e = mul(power.high, from_bits<float>((power.n + 127) << 23));
    const float sum = 1.0f + e, twice = 2.0f * e;
    const float inverse = 1.0f / sum, quotient = mul(twice, inverse);
    // The division's rest, and what `sum` and `one` lost.
    const float rest = std::fma(-quotient, e - (sum - 1.0f), std::fma(-quotient, sum, twice));
    const float one = 1.0f - quotient;
    const float far = one + std::fma(-rest, inverse, (1.0f - one) - quotient);
    return std::copysign(a < 0.5625f ? near : far, x);
}

// The hyperbolic tangent of x.
inline double tanh(double x) {
    const double a = std::fabs(x), square = a * a;
    double p = -0x1.3c77ccfa95463p-16;  // a minimax polynomial, within 2^-59.8
    p = std::fma(p, square, 0x1.5928de625807fp-14);
    p = std::fma(p, square, -0x1.e7f02d6cff00ep-13);
    p = std::fma(p, square, 0x1.345e0219f5946p-11);
    p = std::fma(p, square, -0x1.7d8b40c7f8691p-10);
    p = std::fma(p, square, 0x1.d6d240cf2519ap-9);
    p = std::fma(p, square, -0x1.226e2cd682820p-7);
    p = std::fma(p, square, 0x1.664f4847f8668p-6);
    p = std::fma(p, square, -0x1.ba1ba1b92fa79p-5);
    p = std::fma(p, square, 0x1.1111111110246p-3);
    p = std::fma(p, square, -0x1.555555555554bp-2);
    const double near = std::fma(a * square, p, a);
    const double b = a > 20.0 ? 20.0 : a;  // beyond it is 1
    const double high = mul(b, -0x1.71547652b82fep+1);
    const double rounded = std::fma(b, -0x1.71547652b82fep+1, -high);
    const power64 power = power_of_two(high, std::fma(b, -0x1.777d0ffda0d24p-55, rounded));
    const double e = mul(power.high, from_bits<double>((power.n + 1023) << 52));
    const double sum = 1.0 + e, twice = 2.0 * e;
    const double inverse = 1.0 / sum, quotient = mul(twice, inverse);
    // The division's rest, and what `sum` and `one` lost.
    const double rest = std::fma(-quotient, e - (sum - 1.0), std::fma(-quotient, sum, twice));
    const double one = 1.0 - quotient;
    const double far = one + std::fma(-rest, inverse, (1.0 - one) - quotient);
    return std::copysign(a < 0.5625 ? near : far, x);
}

// What sigmoid and silu are made of.
#pragma once

#include "exp_in_two.hpp"
#include "primitives.hpp"

// weight / (1 + e^-x). For x below 0 it is weight e^x / (1 + e^x): no power is above 1.
inline float logistic(float x, float weight) {
    const bool is_far = std::fabs(x) > 40.0f;  // the sum is 1
    const two<float> power = exp_in_two(-std::fabs(x));
    const float sum = 1.0f + power.high;
    const float below = is_far ? 1.0f : sum;
    const float lost = (power.high - (sum - 1.0f)) + power.low;
    const float below_low = is_far ? 0.0f : lost;
    const float factor = x < 0.0f ? power.high : 1.0f;
    const float factor_low = x < 0.0f ? power.low : 0.0f;
    const float above = mul(weight, factor);
    const float above_low = std::fma(weight, factor_low, std::fma(weight, factor, -above));
    const float inverse = 1.0f / below;
    const float quotient = mul(above, inverse);
    const float error = std::fma(-quotient, below, above) + above_low;
    const float rest = std::fma(-quotient, below_low, error);
    float result = std::fma(rest, inverse, quotient);
    if (is_far) {
        result = x > 0.0f ? weight : mul(result, 0x1p-64f);
        result = x < -128.0f ? std::copysign(0.0f, weight) : result;
    }
    return result;
}

// weight / (1 + e^-x). For x below 0 it is weight e^x / (1 + e^x): no power is above 1.
inline double logistic(double x, double weight) {
    const bool is_far = std::fabs(x) > 40.0;  // the sum is 1
    const two<double> power = exp_in_two(-std::fabs(x));
    const double sum = 1.0 + power.high;
    const double below = is_far ? 1.0 : sum;
    const double lost = (power.high - (sum - 1.0)) + power.low;
    const double below_low = is_far ? 0.0 : lost;
    const double factor = x < 0.0 ? power.high : 1.0;
    const double factor_low = x < 0.0 ? power.low : 0.0;
    const double above = mul(weight, factor);
    const double above_low = std::fma(weight, factor_low, std::fma(weight, factor, -above));
    const double inverse = 1.0 / below;
    const double quotient = mul(above, inverse);
    const double error = std::fma(-quotient, below, above) + above_low;
    const double rest = std::fma(-quotient, below_low, error);
    double result = std::fma(rest, inverse, quotient);
    if (is_far) {
        result = x > 0.0 ? weight : mul(result, 0x1p-64);
        result = x < -752.0 ? std::copysign(0.0, weight) : result;
    }
    return result;
}

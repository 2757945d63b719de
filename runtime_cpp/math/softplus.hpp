// A smooth maximum of x and 0.
#pragma once

#include "exp_in_two.hpp"
#include "log_tail.hpp"
#include "primitives.hpp"

// log(1 + e^x) = max(x, 0) + log(1 + w), with w = e^-|x|; 1 + w is 2^k (1 + f).
inline float softplus(float x) {
    const two<float> w = exp_in_two(-std::fabs(x));
    const bool is_halved = w.high > 0x1.555556p-2f;
    const float f = is_halved ? std::fma(w.high, 0.5f, -0.5f) : w.high;
    const float halved_low = std::fma(w.low, 0.5f, std::fma(w.high, 0.5f, -0.5f - f));
    const float f_low = is_halved ? halved_low : w.low;
    const float part = is_halved ? 0x1.62e4p-1f : 0.0f;  // ln 2 in two parts
    const float part_low = is_halved ? 0x1.7f7d1cp-20f : 0.0f;
    // Two sums, each with what it loses: of the parts of log(1 + w), and of that and x.
    const float logarithm = part + f;
    const float tail = std::fma(f_low, 1.0f - f, log_tail(f) + part_low);
    const float lost = (f - (logarithm - part)) + tail;
    const float above = x > 0.0f ? x : 0.0f;
    const float high = above + logarithm;
    const float shift = high - above;
    const float low = ((above - (high - shift)) + (logarithm - shift)) + lost;
    float result = high + low;
    if (!(std::fabs(x) <= 40.0f)) {
        result = x > 0.0f ? x : mul(w.high + w.low, 0x1p-64f);
        result = x < -128.0f ? 0.0f : result;
    }
    return result;
}

// log(1 + e^x) = max(x, 0) + log(1 + w), with w = e^-|x|; 1 + w is 2^k (1 + f).
inline double softplus(double x) {
    const two<double> w = exp_in_two(-std::fabs(x));
    const bool is_halved = w.high > 0x1.5555555555555p-2;
    const double f = is_halved ? std::fma(w.high, 0.5, -0.5) : w.high;
    const double halved_low = std::fma(w.low, 0.5, std::fma(w.high, 0.5, -0.5 - f));
    const double f_low = is_halved ? halved_low : w.low;
    const double part = is_halved ? 0x1.62e42fefa38p-1 : 0.0;  // ln 2 in two parts
    const double part_low = is_halved ? 0x1.ef35793c7673p-45 : 0.0;
    // Two sums, each with what it loses: of the parts of log(1 + w), and of that and x.
    const double logarithm = part + f;
    const double tail = std::fma(f_low, 1.0 - f, log_tail(f) + part_low);
    const double lost = (f - (logarithm - part)) + tail;
    const double above = x > 0.0 ? x : 0.0;
    const double high = above + logarithm;
    const double shift = high - above;
    const double low = ((above - (high - shift)) + (logarithm - shift)) + lost;
    double result = high + low;
    if (!(std::fabs(x) <= 40.0)) {
        result = x > 0.0 ? x : mul(w.high + w.low, 0x1p-64);
        result = x < -752.0 ? 0.0 : result;
    }
    return result;
}

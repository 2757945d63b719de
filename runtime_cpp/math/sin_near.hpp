// sin x where |x| is not large: without the branch for large ones, so that loops of it vectorise.
#pragma once

#include "angle.hpp"

// The sine of x radians, |x| < 65536.
inline float sin_near(float x) {
    const angle32 angle = quarters_near(std::fabs(x));
    const float result = sine_at(angle.high, angle.low, angle.quarters);
    return from_bits<float>(to_bits(result) ^ (to_bits(x) & 0x80000000));
}

// The sine of x radians, |x| < 2^30.
inline double sin_near(double x) {
    const angle64 angle = quarters_near(std::fabs(x));
    const double result = sine_at(angle.high, angle.low, angle.quarters);
    return from_bits<double>(to_bits(result) ^ (to_bits(x) & 0x8000000000000000));
}

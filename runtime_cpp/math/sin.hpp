// sin x, by the quarter turns in |x|.
#pragma once

#include "angle.hpp"

// The sine of x radians.
inline float sin(float x) {
    const angle32 angle = quarters_of(std::fabs(x));
    const float result = sine_at(angle.high, angle.low, angle.quarters);
    return from_bits<float>(to_bits(result) ^ (to_bits(x) & 0x80000000));
}

// The sine of x radians.
inline double sin(double x) {
    const angle64 angle = quarters_of(std::fabs(x));
    const double result = sine_at(angle.high, angle.low, angle.quarters);
    return from_bits<double>(to_bits(result) ^ (to_bits(x) & 0x8000000000000000));
}

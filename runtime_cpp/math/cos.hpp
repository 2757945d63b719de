// cos x = sin(|x| + pi / 2), by the quarter turns in |x|.
#pragma once

#include "angle.hpp"

// The cosine of x radians.
inline float cos(float x) {
    const angle32 angle = quarters_of(std::fabs(x));
    return sine_at(angle.high, angle.low, angle.quarters + 1);
}

// The cosine of x radians.
inline double cos(double x) {
    const angle64 angle = quarters_of(std::fabs(x));
    return sine_at(angle.high, angle.low, angle.quarters + 1);
}

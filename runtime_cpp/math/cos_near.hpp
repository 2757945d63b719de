// cos x where |x| is not large: without the branch for large ones, so that loops of it vectorise.
#pragma once

#include "angle.hpp"

// The cosine of x radians, |x| < 65536.
inline float cos_near(float x) {
    const angle32 angle = quarters_near(std::fabs(x));
    return sine_at(angle.high, angle.low, angle.quarters + 1);
}

// The cosine of x radians, |x| < 2^30.
inline double cos_near(double x) {
    const angle64 angle = quarters_near(std::fabs(x));
    return sine_at(angle.high, angle.low, angle.quarters + 1);
}

// The sigmoid linear unit, also called swish.
#pragma once

#include "logistic.hpp"

// x / (1 + e^-x), of the sign of x where it is 0.
inline float silu(float x) { return std::copysign(logistic(x, x), x); }

// x / (1 + e^-x), of the sign of x where it is 0.
inline double silu(double x) { return std::copysign(logistic(x, x), x); }

// The sigmoid linear unit, also called swish.
#pragma once

#include "logistic.hpp"

// x / (1 + e^-x).
inline float silu(float x) { return logistic(x, x); }

// x / (1 + e^-x).
inline double silu(double x) { return logistic(x, x); }

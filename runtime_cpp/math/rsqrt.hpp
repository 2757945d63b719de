// 1 / sqrt(x): two correctly rounded steps.
#pragma once

#include "primitives.hpp"

// 1 / sqrt(x).
inline float rsqrt(float x) { return 1.0f / std::sqrt(x); }

// 1 / sqrt(x).
inline double rsqrt(double x) { return 1.0 / std::sqrt(x); }

// The logistic function.
#pragma once

#include "logistic.hpp"

// 1 / (1 + e^-x).
inline float sigmoid(float x) { return logistic(x, 1.0f); }

// 1 / (1 + e^-x).
inline double sigmoid(double x) { return logistic(x, 1.0); }

// The larger of x and 0.
#pragma once

// x where it is above 0 or NaN, else 0.
inline float relu(float x) { return x > 0.0f || x != x ? x : 0.0f; }

// x where it is above 0 or NaN, else 0.
inline double relu(double x) { return x > 0.0 || x != x ? x : 0.0; }

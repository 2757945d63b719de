// What log, log1p and log2 have in common: the logarithm near 1.
#pragma once

#include "primitives.hpp"

// log(1 + f) - f, for f from -1/3 to 1/3.
inline float log_tail(float f) {
    float q = -0x1.081078p-3f;  // a minimax polynomial, within 2^-27 of the logarithm
    q = std::fma(q, f, 0x1.1e713cp-3f);
    q = std::fma(q, f, -0x1.f30cbep-4f);
    q = std::fma(q, f, 0x1.1ed526p-3f);
    q = std::fma(q, f, -0x1.559dfp-3f);
    q = std::fma(q, f, 0x1.99d044p-3f);
    q = std::fma(q, f, -0x1.fffefp-3f);
    q = std::fma(q, f, 0x1.555506p-2f);
    return mul(f * f, std::fma(q, f, -0.5f));
}

// log(1 + f) - f, for f from -1/3 to 1/3.
inline double log_tail(double f) {
    double q = -0x1.5581ac2ac2a94p-4;  // a minimax polynomial, within 2^-58 of the logarithm
    q = std::fma(q, f, 0x1.5c1cade4edf44p-4);
    q = std::fma(q, f, -0x1.3a5a9e30cebe0p-5);
    q = std::fma(q, f, 0x1.561b4f8e29cd4p-5);
    q = std::fma(q, f, -0x1.d6d4871262384p-5);
    q = std::fma(q, f, 0x1.efbe29053c42cp-5);
    q = std::fma(q, f, -0x1.fe6948566f04fp-5);
    q = std::fma(q, f, 0x1.10698f58bbcbep-4);
    q = std::fma(q, f, -0x1.249f7986049a6p-4);
    q = std::fma(q, f, 0x1.3b1db5381da16p-4);
    q = std::fma(q, f, -0x1.5554c7d45a4e4p-4);
    q = std::fma(q, f, 0x1.745cb5fe6fddbp-4);
    q = std::fma(q, f, -0x1.99999d57988f4p-4);
    q = std::fma(q, f, 0x1.c71c740c08548p-4);
    q = std::fma(q, f, -0x1.fffffff0f509cp-4);
    q = std::fma(q, f, 0x1.24924920b3d3fp-3);
    q = std::fma(q, f, -0x1.5555555565250p-3);
    q = std::fma(q, f, 0x1.99999999a0130p-3);
    q = std::fma(q, f, -0x1.fffffffffff35p-3);
    q = std::fma(q, f, 0x1.5555555555538p-2);
    return mul(f * f, std::fma(q, f, -0.5));
}

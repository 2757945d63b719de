// What the functions of this folder stand on, as an ordinary compiler has it. An emitted text has
// its own of these names. `mul` is for products that a sum may meet: it is rounded before.
//
// Compile with -ffp-contract=off and without -ffast-math.
#pragma once

#include <cmath>
#include <cstdint>
#include <cstring>
#include <type_traits>

template <typename T>
using bits_of = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <typename T>
bits_of<T> to_bits(T value) {
    bits_of<T> bits;
    std::memcpy(&bits, &value, sizeof bits);
    return bits;
}

template <typename T>
T from_bits(bits_of<T> bits) {
    T value;
    std::memcpy(&value, &bits, sizeof value);
    return value;
}

inline float mul(float a, float b) { return a * b; }
inline double mul(double a, double b) { return a * b; }

// Angles as quarter turns: a whole number of them, and a rest of at most half of one.
#pragma once

#include "primitives.hpp"

// An angle: quarter turns, of which the last two bits count, and the rest, high + low.
struct angle32 { uint32_t quarters; float high, low; };

// An angle: quarter turns, of which the last two bits count, and the rest, high + low.
struct angle64 { uint64_t quarters; double high, low; };

// 32 bits of 2 / pi from number `at` on, counted from 32 bits before the point.
inline uint32_t two_over_pi(uint32_t at) {
    static constexpr uint32_t words[] = {
        0x00000000, 0xa2f9836e, 0x4e441529, 0xfc2757d1, 0xf534ddc0, 0xdb629599, 0x3c439041, 0xfe5163ab,
        0xdebbc561, 0xb7246e3a, 0x424dd2e0, 0x06492eea, 0x09d1921c, 0xfe1deb1c, 0xb129a73e, 0xe88235f5,
        0x2ebb4484, 0xe99c7026, 0xb45f7e41, 0x3991d639, 0x835339f4, 0x9c845f8b, 0xbdf9283b, 0x1ff897ff,
        0xde05980f, 0xef2f118b, 0x5a0a6d1f, 0x6d367ecf, 0x27cb09b7, 0x4f463f66, 0x9e5fea2d, 0x7527bac7,
        0xebe5f17b, 0x3d0739f7, 0x8a5292ea, 0x6bfb5fb1, 0x1f8d5d08, 0x56033046, 0xfc7b6bab,
    };
    const uint64_t two = uint64_t(words[at / 32]) << 32 | words[at / 32 + 1];
    return uint32_t(two << at % 32 >> 32);
}

// The upper half of a product of 128 bits.
inline uint64_t high_product(uint64_t a, uint64_t b) {
    const uint64_t low_a = uint32_t(a), high_a = a >> 32, low_b = uint32_t(b), high_b = b >> 32;
    const uint64_t one = high_a * low_b + (low_a * low_b >> 32);
    const uint64_t other = low_a * high_b + uint32_t(one);
    return high_a * high_b + (one >> 32) + (other >> 32);
}

// A large x = m * 2^e, by Payne and Hanek: m times those 96 bits of 2 / pi that decide about the
// quarter and the rest, in integers; the bits above them make whole turns. No f32 comes so near a
// multiple of pi / 2 that fewer than 30 bits of the rest are left.
inline angle32 quarters_of_large(float x) {
    const uint32_t bits = to_bits(x);
    const uint64_t m = (bits & 0x7fffff) | 0x800000;
    const uint32_t at = (bits >> 23) - 120;
    uint64_t turns = (m * two_over_pi(at) << 32) + m * two_over_pi(at + 32);  // of them the last 2^64
    turns += m * two_over_pi(at + 64) >> 32;
    const double rest = mul(double(int64_t(turns << 2)), 0x1.921fb54442d18p-64);
    const float high = float(rest);
    return {uint32_t((turns + (uint64_t(1) << 61)) >> 62), high, float(rest - high)};
}

// The same with 192 bits of 2 / pi: the upper 128 of the product leave 65 in the worst case, which
// is 6381956970095103 * 2^797.
inline angle64 quarters_of_large(double x) {
    const uint64_t bits = to_bits(x);
    const uint64_t m = (bits & 0xfffffffffffff) | 0x10000000000000;
    const uint32_t at = uint32_t(bits >> 52) - 1045;
    const uint64_t first = uint64_t(two_over_pi(at)) << 32 | two_over_pi(at + 32);
    const uint64_t second = uint64_t(two_over_pi(at + 64)) << 32 | two_over_pi(at + 96);
    const uint64_t third = uint64_t(two_over_pi(at + 128)) << 32 | two_over_pi(at + 160);
    const uint64_t below = m * second + high_product(m, third);
    const uint64_t turns = m * first + high_product(m, second) + (below < m * second);
    const int64_t above = int64_t(turns << 2 | below >> 62);
    // The rest, of 126 bits, in four numbers that are exact; their sum in two.
    const double a = mul(double(above >> 32), 0x1p-32), b = mul(double(uint32_t(above)), 0x1p-64);
    const double c = mul(double(uint32_t(below >> 30)), 0x1p-96);
    const double d = mul(double(uint32_t(below << 2)), 0x1p-128);
    const double ab = a + b, abc_low = c + (b - (ab - a));
    const double abc = ab + abc_low, low = (abc_low - (abc - ab)) + d;
    const double high = mul(abc, 0x1.921fb54442d18p+0);
    const double correction = std::fma(abc, 0x1.1a62633145c07p-54, low * 0x1.921fb54442d18p+0);
    return {(turns + (uint64_t(1) << 61)) >> 62, high,
            std::fma(abc, 0x1.921fb54442d18p+0, -high) + correction};
}

// Of 0 <= x < 65536. pi / 2 in three parts (Cody and Waite). The first difference is exact; what the second
// loses is exact too, since `near` is a multiple of the last place of `second`.
inline angle32 quarters_near(float x) {
    const float shifted = std::fma(x, 0x1.45f306p-1f, 0x1.8p+23f);
    const float n = shifted - 0x1.8p+23f;
    const float near = std::fma(n, -0x1.921fb6p+0f, x);
    const float second = mul(n, 0x1.777a5cp-25f), high = near + second;
    const float lost = (second - (high - near)) + std::fma(n, 0x1.777a5cp-25f, -second);
    const float low = std::fma(n, 0x1.ee59dap-50f, lost);
    return {to_bits(shifted), high, low};
}

// Of 0 <= x < 2^30, as of an f32.
inline angle64 quarters_near(double x) {
    const double shifted = std::fma(x, 0x1.45f306dc9c883p-1, 0x1.8p+52);
    const double n = shifted - 0x1.8p+52;
    const double near = std::fma(n, -0x1.921fb54442d18p+0, x);
    const double second = mul(n, -0x1.1a62633145c07p-54), high = near + second;
    const double lost = (second - (high - near)) + std::fma(n, -0x1.1a62633145c07p-54, -second);
    const double low = std::fma(n, 0x1.f1976b7ed8fbcp-110, lost);
    return {to_bits(shifted), high, low};
}

// Of x >= 0.
inline angle32 quarters_of(float x) {
    return x >= 65536.0f && x < INFINITY ? quarters_of_large(x) : quarters_near(x);
}

// Of x >= 0.
inline angle64 quarters_of(double x) {
    return x >= 0x1p+30 && x < INFINITY ? quarters_of_large(x) : quarters_near(x);
}

// sin(high + low + quarters * pi / 2): of the rest the sine or the cosine, with the half turn's sign.
inline float sine_at(float high, float low, uint32_t quarters) {
    const float square = high * high;
    float p = -0x1.991c28p-13f;  // minimax polynomials, within 2^-27.8 and 2^-32.9
    p = std::fma(p, square, 0x1.1106c6p-7f);
    p = std::fma(p, square, -0x1.555544p-3f);
    const float sine = high + std::fma(high * square, p, std::fma(square * -0.5f, low, low));
    float q = 0x1.99e524p-16f;
    q = std::fma(q, square, -0x1.6c0c22p-10f);
    q = std::fma(q, square, 0x1.55554ap-5f);
    const float half = -0.5f * high, one = std::fma(half, high, 1.0f);
    const float below = std::fma(half, high, 1.0f - one);  // what was rounded away
    const float cosine = one + std::fma(square * square, q, std::fma(-high, low, below));
    return from_bits<float>(to_bits(quarters & 1 ? cosine : sine) ^ (quarters & 2) << 30);
}

// sin(high + low + quarters * pi / 2), as of f32.
inline double sine_at(double high, double low, uint64_t quarters) {
    const double square = high * high;
    double p = 0x1.5d8b571c36e15p-33;  // minimax polynomials, within 2^-57.8 and 2^-63.9
    p = std::fma(p, square, -0x1.ae5e4b7ffa64cp-26);
    p = std::fma(p, square, 0x1.71de355521dbfp-19);
    p = std::fma(p, square, -0x1.a01a019be91b0p-13);
    p = std::fma(p, square, 0x1.111111110f730p-7);
    p = std::fma(p, square, -0x1.5555555555548p-3);
    const double sine = high + std::fma(high * square, p, std::fma(square * -0.5, low, low));
    double q = -0x1.8fa66efe904fap-37;
    q = std::fma(q, square, 0x1.1ee9dbabcc070p-29);
    q = std::fma(q, square, -0x1.27e4f7f16773ep-22);
    q = std::fma(q, square, 0x1.a01a019c8efa6p-16);
    q = std::fma(q, square, -0x1.6c16c16c15014p-10);
    q = std::fma(q, square, 0x1.555555555554bp-5);
    const double half = -0.5 * high, one = std::fma(half, high, 1.0);
    const double below = std::fma(half, high, 1.0 - one);  // what was rounded away
    const double cosine = one + std::fma(square * square, q, std::fma(-high, low, below));
    return from_bits<double>(to_bits(quarters & 1 ? cosine : sine) ^ (quarters & 2) << 62);
}

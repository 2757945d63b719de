// x to the power y = 2^(y * log2|x|). The logarithm and the product are each held in two numbers, a value and a
// correction of less than a unit in its last place (T. J. Dekker, "A floating-point technique for extending the available
// precision", Numerische Mathematik 18, 1971); for f32 that costs less than f64 does on most GPUs.
#pragma once

#include "primitives.hpp"
#include "two.hpp"

// log2 of a number that is neither 0, infinite nor NaN: 2^e * m with m between sqrt(1/2) and sqrt(2), whose logarithm is
// 2 / ln 2 * atanh(u) with u = (m - 1) / (m + 1), an odd polynomial within 2^-35.
inline two<float> log2_in_two(float x) {
    const bool is_subnormal = x < 0x1p-126f;
    const uint32_t bits = to_bits(is_subnormal ? x * 0x1p+24f : x) - 0x3504f3u;
    const float m = from_bits<float>((bits & 0x7fffffu) + 0x3f3504f3u);
    const float e = from_bits<float>((bits >> 23) | 0x4b000000u) - (is_subnormal ? 0x1.00012cp+23f : 0x1.0000fcp+23f);
    const float f = m - 1.0f, g = m + 1.0f, g_low = m - (g - 1.0f);
    const float r = 1.0f / g;
    const float u = mul(f, r), u_low = mul(std::fma(-u, g_low, std::fma(-u, g, f)), r);
    const float s = mul(u, u), s_low = std::fma(u + u, u_low, std::fma(u, u, -s));
    float p = 0x1.59f806p-2f;
    p = std::fma(p, s, 0x1.a5bb7cp-2f);
    p = mul(std::fma(p, s, 0x1.27770ep-1f), s);
    const float a = 0x1.ec709ep-1f + p, a_low = p - (a - 0x1.ec709ep-1f) - 0x1.e2fe02p-28f;
    const float b = mul(a, s), b_low = std::fma(a_low, s, std::fma(a, s_low, std::fma(a, s, -b)));
    const float c = 0x1.715476p+1f + b, c_low = b - (c - 0x1.715476p+1f) + (b_low + 0x1.4ae0c0p-25f);
    const float d = mul(c, u), d_low = std::fma(c_low, u, std::fma(c, u_low, std::fma(c, u, -d)));
    const float high = e + d;
    return {high, d - (high - e) + d_low};
}

// 2^(p + low). Adding 1.5 * 2^23 leaves the whole part in the low bits; two factors scale, so that it is rounded once.
inline float exp2_of_two(float p, float low) {
    const float shifted = p + 0x1.8p+23f;
    const float t = p - (shifted - 0x1.8p+23f) + low;
    float q = 0x1.3f9bc0p-13f;  // (2^t - 1) / t within 2^-28
    q = std::fma(q, t, 0x1.5f0b8cp-10f);
    q = std::fma(q, t, 0x1.3b30a6p-7f);
    q = std::fma(q, t, 0x1.c6af76p-5f);
    q = std::fma(q, t, 0x1.ebfbd8p-3f);
    q = std::fma(q, t, 0x1.62e430p-1f);
    q = std::fma(q, t, 1.0f);
    const uint32_t scale = to_bits(shifted) - 0x4b3fff02u, half = scale >> 1;
    return q * from_bits<float>(half << 23) * from_bits<float>((scale - half) << 23);
}

// x^y, with the special cases of C (annex F) and NumPy: x^0 and 1^y are 1, of NaN too.
inline float pow(float x, float y) {
    const float size = std::fabs(x), size_y = std::fabs(y);
    const two<float> log = log2_in_two(size);
    const float high = size == 0.0f ? -INFINITY : size < INFINITY ? log.high : INFINITY;
    const float product = mul(y, high);
    const bool is_inside = std::fabs(product) < 200.0f;
    const float p = is_inside ? product : product > 0.0f ? 200.0f : -200.0f;
    const float power = exp2_of_two(p, is_inside ? std::fma(y, log.low, std::fma(y, log.high, -product)) : 0.0f);
    const float aligned = size_y < 0x1p+23f ? size_y + 0x1p+23f : size_y;  // the last bit is that of the ones
    const bool is_whole = (size_y >= 0x1p+23f) | (aligned - 0x1p+23f == size_y);
    const uint32_t odd = (is_whole & (size_y < 0x1p+24f)) ? to_bits(aligned) << 31 : 0u;
    const bool is_nan = (x != x) | (y != y) | ((x < 0.0f) & (size < INFINITY) & !is_whole);
    const bool is_one = (x == 1.0f) | (y == 0.0f) | ((x == -1.0f) & (size_y == INFINITY));
    return is_one ? 1.0f : is_nan ? NAN : from_bits<float>(to_bits(power) | (to_bits(x) & odd));
}

// log2 of a number that is neither 0, infinite nor NaN: 2^e * m with m between sqrt(1/2) and sqrt(2), whose logarithm is
// 2 / ln 2 * atanh(u) with u = (m - 1) / (m + 1), an odd polynomial within 2^-65.
inline two<double> log2_in_two(double x) {
    const bool is_subnormal = x < 0x1p-1022;
    const uint64_t bits = to_bits(is_subnormal ? x * 0x1p+54 : x) - 0x6a09e667f3bcdu;
    const double m = from_bits<double>((bits & 0xfffffffffffffu) + 0x3fe6a09e667f3bcdu);
    const double e = from_bits<double>((bits >> 52) | 0x4330000000000000u) -
                     (is_subnormal ? 0x1.0000000000434p+52 : 0x1.00000000003fep+52);
    const double f = m - 1.0, g = m + 1.0, g_low = m - (g - 1.0);
    const double r = 1.0 / g;
    const double u = mul(f, r), u_low = mul(std::fma(-u, g_low, std::fma(-u, g, f)), r);
    const double s = mul(u, u), s_low = std::fma(u + u, u_low, std::fma(u, u, -s));
    double p = 0x1.623b74aee268ap-3;
    p = std::fma(p, s, 0x1.58f2e2e5c9a60p-3);
    p = std::fma(p, s, 0x1.8a0a43b72d278p-3);
    p = std::fma(p, s, 0x1.c68ee53f2fa7bp-3);
    p = std::fma(p, s, 0x1.0c9a8543e65f0p-2);
    p = std::fma(p, s, 0x1.484b13d696d8ap-2);
    p = std::fma(p, s, 0x1.a61762a7aefa4p-2);
    p = mul(std::fma(p, s, 0x1.2776c50ef9bfcp-1), s);
    const double a = 0x1.ec709dc3a03fdp-1 + p, a_low = p - (a - 0x1.ec709dc3a03fdp-1) + 0x1.d27f05548af0cp-55;
    const double b = mul(a, s), b_low = std::fma(a_low, s, std::fma(a, s_low, std::fma(a, s, -b)));
    const double c = 0x1.71547652b82fep+1 + b, c_low = b - (c - 0x1.71547652b82fep+1) + (b_low + 0x1.777d0ffda0d24p-55);
    const double d = mul(c, u), d_low = std::fma(c_low, u, std::fma(c, u_low, std::fma(c, u, -d)));
    const double high = e + d;
    return {high, d - (high - e) + d_low};
}

// 2^(p + low). Adding 1.5 * 2^52 leaves the whole part in the low bits; two factors scale, so that it is rounded once.
inline double exp2_of_two(double p, double low) {
    const double shifted = p + 0x1.8p+52;
    const double t = p - (shifted - 0x1.8p+52) + low;
    double q = 0x1.e943d34d51228p-32;  // (2^t - 1) / t within 2^-57
    q = std::fma(q, t, 0x1.e61c25139d645p-28);
    q = std::fma(q, t, 0x1.b52541a878ffdp-24);
    q = std::fma(q, t, 0x1.62bfc7149ecf9p-20);
    q = std::fma(q, t, 0x1.ffcbfc583c87cp-17);
    q = std::fma(q, t, 0x1.4309130f16a65p-13);
    q = std::fma(q, t, 0x1.5d87fe78a14c0p-10);
    q = std::fma(q, t, 0x1.3b2ab6fb9ffaap-7);
    q = std::fma(q, t, 0x1.c6b08d704a121p-5);
    q = std::fma(q, t, 0x1.ebfbdff82c5a5p-3);
    q = std::fma(q, t, 0x1.62e42fefa39efp-1);
    q = std::fma(q, t, 1.0);
    const uint64_t scale = to_bits(shifted) - 0x4337fffffffff802u, half = scale >> 1;
    return q * from_bits<double>(half << 52) * from_bits<double>((scale - half) << 52);
}

// x^y, with the special cases of C (annex F) and NumPy: x^0 and 1^y are 1, of NaN too.
inline double pow(double x, double y) {
    const double size = std::fabs(x), size_y = std::fabs(y);
    const two<double> log = log2_in_two(size);
    const double high = size == 0.0 ? -INFINITY : size < INFINITY ? log.high : INFINITY;
    const double product = mul(y, high);
    const bool is_inside = std::fabs(product) < 1100.0;
    const double p = is_inside ? product : product > 0.0 ? 1100.0 : -1100.0;
    const double power = exp2_of_two(p, is_inside ? std::fma(y, log.low, std::fma(y, log.high, -product)) : 0.0);
    const double aligned = size_y < 0x1p+52 ? size_y + 0x1p+52 : size_y;  // the last bit is that of the ones
    const bool is_whole = (size_y >= 0x1p+52) | (aligned - 0x1p+52 == size_y);
    const uint64_t odd = (is_whole & (size_y < 0x1p+53)) ? to_bits(aligned) << 63 : 0u;
    const bool is_nan = (x != x) | (y != y) | ((x < 0.0) & (size < INFINITY) & !is_whole);
    const bool is_one = (x == 1.0) | (y == 0.0) | ((x == -1.0) & (size_y == INFINITY));
    return is_one ? 1.0 : is_nan ? NAN : from_bits<double>(to_bits(power) | (to_bits(x) & odd));
}

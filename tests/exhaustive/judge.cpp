// Judges the results of the math functions: f32 by the C library in double, f64 by libquadmath in 113 bits.
//
// Both are good to a few units of their own last place, which are 2^-29 (f32) and 2^-60 (f64) of a unit of the results
// that are judged; a composition such as gelu loses less than 2^12 of that. Nothing of the product is included here.
#include <quadmath.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

namespace {

using quad = __float128;

#define OF_BOTH(name)                                   \
    double name(double x) { return std::name(x); }      \
    quad name(quad x) { return name##q(x); }
namespace wide {
OF_BOTH(exp)
OF_BOTH(exp2)
OF_BOTH(expm1)
OF_BOTH(log)
OF_BOTH(log2)
OF_BOTH(log1p)
OF_BOTH(sin)
OF_BOTH(cos)
OF_BOTH(tanh)
OF_BOTH(erf)
OF_BOTH(erfc)
OF_BOTH(sqrt)
double pow(double x, double y) { return std::pow(x, y); }
quad pow(quad x, quad y) { return powq(x, y); }
bool is_nan(double x) { return std::isnan(x); }
bool is_nan(quad x) { return isnanq(x); }
bool is_infinite(double x) { return std::isinf(x); }
bool is_infinite(quad x) { return isinfq(x); }
bool is_negative(double x) { return std::signbit(x); }
bool is_negative(quad x) { return signbitq(x); }
// Of a normal number above 0; of a smaller one something below every exponent of the narrower type.
int exponent(double x) {
    uint64_t bits;
    std::memcpy(&bits, &x, sizeof x);
    return static_cast<int>(bits >> 52) - 1023;
}
int exponent(quad x) { return x == 0 ? -16383 : ilogbq(x); }
double power_of_two(int n, double) {
    const uint64_t bits = static_cast<uint64_t>(n + 1023) << 52;
    double x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}
quad power_of_two(int n, quad) { return ldexpq(1, n); }
}  // namespace wide

// The functions in a wide type T. Where the formula has no value at an infinity, its limit is there.
template <typename T>
struct truth {
    using unary = T (*)(T);
    static T rsqrt(T x) { return 1 / wide::sqrt(x); }
    static T relu(T x) { return x > 0 || x != x ? x : T(0); }
    static T sigmoid(T x) { return 1 / (1 + wide::exp(-x)); }
    static T weighted(T x, T weight) { return wide::is_infinite(x) && x < 0 ? -T(0) : x * weight; }
    static T silu(T x) { return weighted(x, sigmoid(x)); }
    static T softplus(T x) { return x > 0 ? x + wide::log1p(wide::exp(-x)) : wide::log1p(wide::exp(x)); }
    static T gelu(T x) { return weighted(x, wide::erfc(-x * T(M_SQRT1_2q)) / 2); }
    static T gelu_tanh(T x) {
        const T root = T(2 * M_2_SQRTPIq * M_SQRT1_2q);  // twice sqrt(2 / pi)
        return weighted(x, sigmoid(root * x * (1 + T(0.044715Q) * x * x)));
    }
    static unary find(const std::string &name) {
        static constexpr struct {
            const char *name;
            unary function;
        } rows[] = {
            {"exp", wide::exp},     {"exp2", wide::exp2}, {"expm1", wide::expm1}, {"log", wide::log},
            {"log2", wide::log2},   {"log1p", wide::log1p}, {"sin", wide::sin},   {"cos", wide::cos},
            {"tanh", wide::tanh},   {"erf", wide::erf},   {"sqrt", wide::sqrt},   {"rsqrt", rsqrt},
            {"relu", relu},         {"sigmoid", sigmoid}, {"silu", silu},         {"softplus", softplus},
            {"gelu", gelu},         {"gelu_tanh", gelu_tanh},
        };
        for (const auto &row : rows)
            if (name == row.name) return row.function;
        return nullptr;
    }
};

template <typename F>
struct format;
template <>
struct format<float> {
    using wide = double;
    using bits = uint32_t;
    static constexpr int mantissa = 23, least = -126, most = 127;
};
template <>
struct format<double> {
    using wide = quad;
    using bits = uint64_t;
    static constexpr int mantissa = 52, least = -1022, most = 1023;
};

template <typename F>
typename format<F>::bits to_bits(F x) {
    typename format<F>::bits bits;
    std::memcpy(&bits, &x, sizeof x);
    return bits;
}

template <typename F>
F from_bits(uint64_t value) {
    const auto bits = static_cast<typename format<F>::bits>(value);
    F x;
    std::memcpy(&x, &bits, sizeof x);
    return x;
}

// How far `got` is from the true value, in units of the last place there. An infinity counts as the next power of two.
template <typename F>
double distance(F got, typename format<F>::wide truth, bool sign_is_open) {
    using T = typename format<F>::wide;
    if (wide::is_nan(truth) || std::isnan(got)) return wide::is_nan(truth) && std::isnan(got) ? 0 : INFINITY;
    if (wide::is_infinite(truth)) return T(got) == truth ? 0 : INFINITY;
    const bool is_other_sign = std::signbit(got) != wide::is_negative(truth);
    if (got == 0 && is_other_sign && !sign_is_open) return INFINITY;
    const T size = truth < 0 ? -truth : truth;
    const int last = std::clamp(wide::exponent(size), format<F>::least, format<F>::most) - format<F>::mantissa;
    const T unit = wide::power_of_two(last, T());
    T value = std::isinf(got) ? wide::power_of_two(format<F>::most + 1, T()) : T(std::fabs(got));
    if (std::isinf(got) && size >= value - unit / 2) value = size;  // overflows as it must
    const T off = is_other_sign && got != 0 ? value + size : value > size ? value - size : size - value;
    return static_cast<double>(off / unit);
}

template <typename Work>
void in_parallel(int64_t count, int threads, Work work) {
    std::vector<std::thread> running;
    for (int k = 0; k < threads; ++k)
        running.emplace_back([=] { work(k, count * k / threads, count * (k + 1) / threads); });
    for (auto &each : running) each.join();
}

struct verdict {
    int64_t different;  // inputs on which the two results have different bits, all NaNs being equal
    double different_x, different_y;
    double worst;  // units of the last place between the first result and the true value
    double worst_x, worst_y;
};

template <typename F>
int judge(const char *name, const F *x, const F *y, const F *got, int64_t count, int threads, verdict *result) {
    using T = typename format<F>::wide;
    const auto unary = truth<T>::find(name);
    if (unary == nullptr && std::strcmp(name, "pow") != 0) return 1;
    std::vector<verdict> parts(threads, *result);
    in_parallel(count, threads, [&](int k, int64_t first, int64_t end) {
        verdict &part = parts[k];
        for (int64_t i = first; i < end; ++i) {
            const T value = unary != nullptr ? unary(T(x[i])) : wide::pow(T(x[i]), T(y[i]));
            const double off = distance<F>(got[i], value, unary != nullptr && std::isinf(x[i]));
            if (off > part.worst) {
                part.worst = off;
                part.worst_x = x[i];
                part.worst_y = y != nullptr ? y[i] : 0;
            }
        }
    });
    for (const verdict &part : parts)
        if (part.worst > result->worst) *result = part;
    return 0;
}

template <typename F>
void compare(const F *x, const F *y, const F *one, const F *other, int64_t count, int threads, verdict *result) {
    std::vector<verdict> parts(threads, verdict{});
    in_parallel(count, threads, [&](int k, int64_t first, int64_t end) {
        verdict &part = parts[k];
        for (int64_t i = first; i < end; ++i) {
            if (to_bits(one[i]) == to_bits(other[i]) || (one[i] != one[i] && other[i] != other[i])) continue;
            if (part.different++ == 0) {
                part.different_x = x[i];
                part.different_y = y != nullptr ? y[i] : 0;
            }
        }
    });
    for (const verdict &part : parts) {
        if (result->different == 0 && part.different != 0) {
            result->different_x = part.different_x;
            result->different_y = part.different_y;
        }
        result->different += part.different;
    }
}

// A stream of its own for each index: any chunk of the inputs can be made again. (SplitMix64, by S. Vigna.)
struct chance {
    uint64_t state;
    explicit chance(uint64_t index) : state(index * 0x9e3779b97f4a7c15u + 0x1234567u) {}
    uint64_t bits() {
        uint64_t z = state += 0x9e3779b97f4a7c15u;
        z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
        z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
        return z ^ (z >> 31);
    }
    double unit() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
    double between(double low, double high) { return low + (high - low) * unit(); }
    double sign() { return bits() & 1 ? -1.0 : 1.0; }
};

constexpr double points[] = {
    0.0, 1.0, -1.0, 0.5, -0.5, 0.34657359027997264, 0.6931471805599453, 88.72283905206835, -87.33654475055310,
    -103.97207708399179, 709.782712893384, -708.3964185322641, -745.1332191019411, 36.7368005696771, -36.7368005696771,
    17.328679513998633, 19.061547465398498, 22.0, 1024.0, -1022.0, -1074.0, -1075.0, 5.921587195794507, -37.5193793471445,
    1.4142135623730951, 0.7071067811865476, 0.2928932188134525, 0.41421356237309515, 2.0, -2.0, 4.0, 8.0, 0.84375, 1.25,
    2.857142857142857, 6.0, -5.5, -38.5, 0x1p52, 0x1p53, 0x1p-27, 0x1p-54, -0x1p-54, 0x1.fffffffffffffp1023,
};

// One input for a function of one f64: seven kinds, and the two worst cases known for reductions by pi / 2.
double dense(uint64_t index) {
    chance random(index);
    switch (index % 8) {
        case 0: return from_bits<double>(random.bits());
        case 1: return random.sign() * std::exp2(random.between(-60, 12));
        case 2: return random.between(-40, 40);
        case 3: {
            const double point = points[random.bits() % std::size(points)];
            const int64_t off = static_cast<int64_t>(std::exp2(random.between(0, 40))) - 1;
            return from_bits<double>(to_bits(point) + (random.bits() & 1 ? off : point == 0 ? off : -off));
        }
        case 4: {
            const quad multiple = floorq(exp2q(random.between(0, 62)));
            const double near = static_cast<double>(multiple * M_PI_2q);
            return index % 4096 == 4 ? 6381956970095103.0 * 0x1p797 : from_bits<double>(to_bits(near) + random.bits() % 3 - 1);
        }
        case 5: return random.sign() * from_bits<double>(random.bits() >> (12 + random.bits() % 52));
        case 6: return 1.0 + random.sign() * std::exp2(-random.between(0, 53));
        default: return random.between(-760, 760);
    }
}

constexpr double bases[] = {0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 10.0, 3.0, INFINITY, -INFINITY, NAN};
constexpr double exponents[] = {0.0, -0.0, 1.0, -1.0, 2.0, -2.0, 0.5, -0.5, 3.0, -3.0, 1.0 / 3, INFINITY, -INFINITY, NAN};

// One pair for pow: of any bits; with results in range, near 1 or at its ends; of special values; of whole exponents.
template <typename F>
void pair(uint64_t index, F &x, F &y) {
    constexpr double least = format<F>::least - format<F>::mantissa - 2, most = format<F>::most + 2;
    chance random(index);
    const F any = from_bits<F>(random.bits()), other = from_bits<F>(random.bits());
    x = any;
    y = other;
    const double target = random.between(least, most);
    switch (index % 8) {
        case 0: break;
        case 1: x = std::fabs(any); y = static_cast<F>(target / std::log2(static_cast<double>(x))); break;
        case 2:
            x = static_cast<F>(1 + random.sign() * std::exp2(-random.between(1, format<F>::mantissa + 1)));
            y = static_cast<F>(target / std::log2(static_cast<double>(x)));
            break;
        case 3:
            x = static_cast<F>(random.sign() * std::exp2(random.between(-20, 20)));
            y = static_cast<F>(std::floor(random.between(-129, 129)) / 2);
            break;
        case 4: x = static_cast<F>(bases[random.bits() % std::size(bases)]); break;
        case 5: y = static_cast<F>(exponents[random.bits() % std::size(exponents)]); break;
        case 6:
            y = static_cast<F>(random.sign() * std::exp2(random.between(0, format<F>::mantissa + 3)));
            if (random.bits() & 1) y = std::floor(y);
            x = static_cast<F>(random.sign() * std::exp2(target / static_cast<double>(y)));
            break;
        default: {
            const double end = random.bits() & 1 ? random.between(most - 1.5, most - 0.5)
                                                 : random.between(least, least + format<F>::mantissa + 3);
            x = std::fabs(any);
            y = static_cast<F>(end / std::log2(static_cast<double>(x)));
        }
    }
}

template <typename F>
void fill_pairs(uint64_t first, uint64_t stride, F *x, F *y, int64_t count, int threads) {
    in_parallel(count, threads, [=](int, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) pair(first + stride * i, x[i], y[i]);
    });
}

}  // namespace

extern "C" {

int judge_f32(const char *name, const float *x, const float *y, const float *got, int64_t n, int threads, verdict *result) {
    return judge(name, x, y, got, n, threads, result);
}
int judge_f64(const char *name, const double *x, const double *y, const double *got, int64_t n, int threads, verdict *result) {
    return judge(name, x, y, got, n, threads, result);
}
void compare_f32(const float *x, const float *y, const float *one, const float *other, int64_t n, int threads, verdict *result) {
    compare(x, y, one, other, n, threads, result);
}
void compare_f64(const double *x, const double *y, const double *one, const double *other, int64_t n, int threads, verdict *result) {
    compare(x, y, one, other, n, threads, result);
}
// Inputs number first, first + stride, …: of f32 the values with these bits, of f64 and of pairs what `dense` and `pair` give.
void fill_f32(uint64_t first, uint64_t stride, float *x, int64_t n, int threads) {
    in_parallel(n, threads, [=](int, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) x[i] = from_bits<float>(first + stride * i);
    });
}
void fill_f64(uint64_t first, uint64_t stride, double *x, int64_t n, int threads) {
    in_parallel(n, threads, [=](int, int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) x[i] = dense(first + stride * i);
    });
}
void fill_pairs_f32(uint64_t first, uint64_t stride, float *x, float *y, int64_t n, int threads) {
    fill_pairs(first, stride, x, y, n, threads);
}
void fill_pairs_f64(uint64_t first, uint64_t stride, double *x, double *y, int64_t n, int threads) {
    fill_pairs(first, stride, x, y, n, threads);
}
}

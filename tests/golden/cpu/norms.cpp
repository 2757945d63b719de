// norms.cpp: the kernels of norms.py as C++. Written by transpile (format 4, code 29595905).
// Do not edit: change norms.py, then `python -m transpile build norms.py`.
#ifdef __FAST_MATH__
#error "this text promises the bits of IEEE arithmetic: compile it without -ffast-math"
#endif
#if defined(__clang__)
#pragma clang fp contract(off)
#elif defined(__GNUC__)
// Without rounding-math g++ makes -double(k) of 0.0 - double(k): of the wrong sign where k is 0.
// In vectors that it makes of straight code, g++ 12.2 takes double(float(x)) for x.
#pragma GCC optimize("fp-contract=off", "rounding-math", "no-tree-slp-vectorize")
#endif
#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>
#include <type_traits>
#include <utility>
#include <vector>
#include <sched.h>
#include <unistd.h>

namespace transpiled {
namespace {

enum status : int32_t { ok, overflow, zero_division, bad_grid, bad_block, launch_failed };

struct xyz { int64_t x, y, z; };

// The lanes of a tile.
template <typename T, int N>
struct vec {
    T at[N];
};

template <typename T>
using bits_of = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

template <typename T>
bits_of<T> to_bits(T value) {
    bits_of<T> bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

template <typename T>
T from_bits(bits_of<T> bits) {
    T value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// A half of IEEE 754: for storage, arithmetic is on float.
struct f16 {
    uint16_t bits;

    explicit operator float() const {
        const uint32_t sign = (bits & 0x8000u) << 16, magnitude = (bits & 0x7fffu) << 13;
        // The biases of the exponents differ by 112; this way subnormal numbers come out right too.
        const uint32_t finite = to_bits(from_bits<float>(magnitude) * 0x1p112f);
        const uint32_t special = magnitude | 0x7f800000u;
        return from_bits<float>(sign | (magnitude < 0x0f800000u ? finite : special));
    }
};

// The bits, but for the sign, of the nearest number of a narrower float, half to even: it has
// `Mantissa` bits of significand and a bias of `Bias`, and goes no further than `most`.
template <int Mantissa, int Bias>
uint32_t narrowed(float value, uint32_t most, uint32_t nan) {
    constexpr int dropped = 23 - Mantissa;
    constexpr uint32_t rebias = uint32_t(127 - Bias) << 23;
    const uint32_t magnitude = to_bits(value) & 0x7fffffffu;
    const uint32_t half = (1u << (dropped - 1)) - 1 + (magnitude >> dropped & 1);
    const uint32_t normal = (magnitude - rebias + half) >> dropped;
    // Below the normal numbers: the sum with a number that has no bits below their last one.
    constexpr uint32_t large = uint32_t(127 - Bias + dropped + 1) << 23;
    const uint32_t below = to_bits(from_bits<float>(magnitude) + from_bits<float>(large)) - large;
    const uint32_t bits = magnitude < rebias + (1u << 23) ? below : normal;
    return magnitude > 0x7f800000u ? nan : bits < most ? bits : most;
}

// Half to even; beyond the largest number it is an infinity.
f16 to_f16(float value) {
    const uint32_t sign = to_bits(value) >> 16 & 0x8000u;
    return {uint16_t(sign | narrowed<10, 15>(value, 0x7c00, 0x7e00))};
}

// Sums of integers wrap.
template <typename T>
T add(T a, std::common_type_t<T> b) {
    if constexpr (std::is_integral_v<T>) return T(uint64_t(a) + uint64_t(b));
    return a + b;
}

// Products wrap.
template <typename T>
T mul(T a, std::common_type_t<T> b) {
    using U = std::make_unsigned_t<T>;
    return T(U(a) * U(b));
}

// A product with a rounding of its own: a sum that it meets cannot be fused with it.
float mul(float a, float b) { return a * b; }

// NaN wins over any number, +0 over -0.
// Both choices agree but for zeros of two signs and for NaN: a form that compilers vectorise.
template <typename T>
T maximum(T a, std::common_type_t<T> b) {
    const T one = a > b ? a : b;
    const T other = b > a ? b : a;
    return std::isunordered(a, b) ? a + b : from_bits<T>(to_bits(one) & to_bits(other));
}

// Folds a tile by lane index, halving.
template <auto Op, typename T, int N>
T fold(const vec<T, N> &tile) {
    if constexpr (N == 1) {
        return tile.at[0];
    } else {
        vec<T, N / 2> half;
        for (int k = 0; k < N / 2; ++k) half.at[k] = Op(tile.at[k], tile.at[k + N / 2]);
        return fold<Op>(half);
    }
}

// e^x. Adding 1.5 * 2^23 leaves n in the low bits, from where it is added to the exponent.
inline float exp(float x) {
    const float shifted = std::fma(x, 0x1.715476p+0f, 0x1.8p+23f);
    const float n = shifted - 0x1.8p+23f;
    float r = std::fma(n, -0x1.62e43p-1f, x);  // the first difference is exact
    r = std::fma(n, 0x1.05c61p-29f, r);
    float p = 0x1.6ac142p-10f;  // a minimax polynomial, within 2^-28
    p = std::fma(p, r, 0x1.123da6p-7f);
    p = std::fma(p, r, 0x1.555858p-5f);
    p = std::fma(p, r, 0x1.55548cp-3f);
    p = std::fma(p, r, 0x1.fffffcp-2f);
    p = std::fma(p, r, 1.0f);
    p = std::fma(p, r, 1.0f);
    const uint32_t scaled = to_bits(p) + (to_bits(shifted) << 23);
    float result = from_bits<float>(scaled);
    if (!(std::fabs(x) < 87.0f)) {  // scaled in two steps, and rounded once
        constexpr uint32_t away = 64u << 23;
        result = x < 0.0f ? mul(from_bits<float>(scaled + away), 0x1p-64f)
                          : mul(from_bits<float>(scaled - away), 0x1p+64f);
        result = x < -104.0f ? 0.0f : x < 89.0f ? result : x + INFINITY;
    }
    return result;
}

void softmax_1024(const xyz program_id, int64_t cols, const f16 *__restrict__ x,
                  f16 *__restrict__ out) {
    const int64_t product = mul(program_id.x, cols);
    vec<float, 1024> value;
    for (int k = 0; k < 1024; ++k) {
        // at = tile.program_id() * cols + lane
        const int64_t at = add(product, k);  // lane = tile.arange(size)
        const bool inside = k < cols;  // inside = lane < cols
        // xs = tile.load(x, at, inside, float("-inf"))
        const f16 xs = inside ? x[at] : f16{0xfc00};
        value.at[k] = float(xs);  // powers = tile.exp(xs - tile.max(xs))
    }
    const float largest = fold<maximum<float>>(value);
    vec<float, 1024> powers;
    for (int k = 0; k < 1024; ++k) powers.at[k] = exp(value.at[k] - largest);
    // tile.store(out, at, powers / tile.sum(powers), inside)
    const float sum = fold<add<float>>(powers);
    for (int k = 0; k < 1024; ++k) {
        const int64_t at = add(product, k);
        const bool inside = k < cols;
        if (inside) out[at] = to_f16(powers.at[k] / sum);
    }
}

// A stretch of work that threads take pieces of.
struct job {
    void (*run)(const void *context, int64_t first, int64_t last);
    const void *context;
    int64_t count, grain;
    int64_t next = 0;  // the first that nobody has taken
    int busy = 0;      // pieces being run
};

// The threads of this process that wait for jobs, started by the first. It is never destroyed: at
// exit they are asleep or gone.
class pool {
  public:
    const pid_t owner;
    const int threads;

    explicit pool(int threads) : owner(getpid()), threads(threads) {}

    bool is_ours() const { return owner == getpid(); }

    // The caller works too. Several threads may call at once.
    void run(job &work) {
        std::unique_lock<std::mutex> held(lock);
        for (; started < threads; ++started) start();
        jobs.push_back(&work);
        wake.notify_all();
        while (work.next < work.count) step(work, held);
        done.wait(held, [&] { return work.busy == 0; });
    }

  private:
    void start() {
        try {
            std::thread([this] { serve(); }).detach();
        } catch (const std::system_error &) {
            // The system has no more threads to give: those that there are do the work.
        }
    }

    void serve() {
        std::unique_lock<std::mutex> held(lock);
        for (;;) {
            wake.wait(held, [this] { return !jobs.empty(); });
            step(*jobs.front(), held);
        }
    }

    // Runs the next piece of a job, which must have one, without the lock.
    void step(job &work, std::unique_lock<std::mutex> &held) {
        const int64_t first = work.next;
        const int64_t last = work.count - first > work.grain ? first + work.grain : work.count;
        work.next = last;
        ++work.busy;
        if (last == work.count) jobs.erase(std::find(jobs.begin(), jobs.end(), &work));
        held.unlock();
        work.run(work.context, first, last);
        held.lock();
        --work.busy;
        if (work.busy == 0 && work.next == work.count) done.notify_all();
    }

    int started = 1;  // with the caller
    std::mutex lock;
    std::condition_variable wake, done;
    std::vector<job *> jobs;
};

// As many as the process may run on, or TRANSPILE_NUM_THREADS.
int count_threads() {
    const char *wanted = std::getenv("TRANSPILE_NUM_THREADS");
    const long number = wanted != nullptr ? std::strtol(wanted, nullptr, 10) : 0;
    if (number > 0) return number < 4096 ? int(number) : 4096;
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0) return CPU_COUNT(&allowed);
    return int(std::thread::hardware_concurrency());
}

// The pool of this process; a child of fork starts its own, since threads are not inherited.
pool &threads_of_process() {
    static std::atomic<pool *> current{nullptr};
    pool *found = current.load();
    while (found == nullptr || !found->is_ours()) {
        pool *const made = new pool(count_threads());
        if (current.compare_exchange_strong(found, made)) return *made;
        delete made;
    }
    return *found;
}

void run_in_parallel(void (*run)(const void *, int64_t, int64_t), const void *context,
                     int64_t count, int64_t cost) {
    constexpr double worth_waking = 1 << 16, worth_taking = 1 << 14;  // operations
    if (count < 2 || double(count) * double(cost) < worth_waking) return run(context, 0, count);
    pool &threads = threads_of_process();
    const int64_t share = count / (8 * threads.threads);
    const int64_t least = int64_t(worth_taking / double(cost));
    job work = {run, context, count, std::max({share, least, int64_t(1)})};
    threads.run(work);
}

bool fits(const xyz &n, int64_t least, const xyz &most) {
    if (n.x < least || n.y < least || n.z < least) return false;
    return n.x <= most.x && n.y <= most.y && n.z <= most.z;
}

// Runs `body(place)` for every place of the grid; one is about `cost` operations.
template <typename Body>
int32_t launch(const xyz &grid, int64_t cost, const Body &body) {
    if (!fits(grid, 0, {INT32_MAX, 65535, 65535})) return bad_grid;
    if (grid.x == 0 || grid.y == 0 || grid.z == 0) return ok;
    using context = std::pair<const xyz &, const Body &>;
    const auto run = [](const void *pair, int64_t first, int64_t last) {
        const auto &[count, call] = *static_cast<const context *>(pair);
        xyz at = {first % count.x, first / count.x % count.y, first / count.x / count.y};
        for (int64_t done = first; done < last; ++done) {
            call(at);
            if (++at.x < count.x) continue;
            at.x = 0;
            if (++at.y < count.y) continue;
            at.y = 0;
            ++at.z;
        }
    };
    const context pair(grid, body);
    run_in_parallel(run, &pair, grid.x * grid.y * grid.z, cost);
    return ok;
}

}  // namespace

extern "C" int32_t norms_softmax__1024(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t cols,
                                       const uint16_t *x, uint16_t *out, void *) {
    const xyz grid_dim = {grid_x, grid_y, grid_z};
    return launch(grid_dim, 40961, [=](const xyz &place_in_grid) {
        softmax_1024(place_in_grid, cols, reinterpret_cast<const f16 *>(x),
            reinterpret_cast<f16 *>(out));
    });
}

extern "C" int32_t norms_run(int64_t rows, int64_t cols, const uint16_t *x, uint16_t *out,
                             void *stream) {
    // tile.launch(softmax, rows, 1024, cols, x, out)
    return norms_softmax__1024(rows, 1, 1, cols, x, out, stream);
}

}  // namespace transpiled

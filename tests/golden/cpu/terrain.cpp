// terrain.cpp: the kernels of terrain.py as C++. Written by transpile (format 4, code 5c2208dd).
// Do not edit: change terrain.py, then `python -m transpile build terrain.py`.
#ifdef __FAST_MATH__
#error "this text promises the bits of IEEE arithmetic: compile it without -ffast-math"
#endif
#if defined(__clang__)
#pragma clang fp contract(off)
#elif defined(__GNUC__)
// Without rounding-math g++ makes -double(k) of 0.0 - double(k): of the wrong sign where k is 0.
#pragma GCC optimize("fp-contract=off", "rounding-math")
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

// Sums of integers wrap.
template <typename T>
T add(T a, std::common_type_t<T> b) {
    if constexpr (std::is_integral_v<T>) return T(uint64_t(a) + uint64_t(b));
    return a + b;
}

// Differences wrap.
template <typename T>
T sub(T a, std::common_type_t<T> b) {
    using U = std::make_unsigned_t<T>;
    return T(U(a) - U(b));
}

// Products wrap.
template <typename T>
T mul(T a, std::common_type_t<T> b) {
    using U = std::make_unsigned_t<T>;
    return T(U(a) * U(b));
}

// NaN wins over any number, +0 over -0.
// Both choices agree but for zeros of two signs and for NaN: a form that compilers vectorise.
template <typename T>
T maximum(T a, std::common_type_t<T> b) {
    const T one = a > b ? a : b;
    if constexpr (std::is_integral_v<T>) {
        return one;
    } else {
        const T other = b > a ? b : a;
        return std::isunordered(a, b) ? a + b : from_bits<T>(to_bits(one) & to_bits(other));
    }
}

// NaN wins over any number, -0 over +0.
// Both choices agree but for zeros of two signs and for NaN: a form that compilers vectorise.
template <typename T>
T minimum(T a, std::common_type_t<T> b) {
    const T one = a < b ? a : b;
    if constexpr (std::is_integral_v<T>) {
        return one;
    } else {
        const T other = b < a ? b : a;
        return std::isunordered(a, b) ? a + b : from_bits<T>(to_bits(one) | to_bits(other));
    }
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

void row_stats(const xyz program_id, int64_t columns, const double *__restrict__ heights,
               double *__restrict__ lowest, double *__restrict__ highest, double *__restrict__ mean,
               double *__restrict__ variance) {
    // row = tile.program_id()
    const int64_t row = program_id.x;
    const int64_t product = mul(row, columns);
    vec<double, 512> h;
    vec<double, 512> value;
    vec<double, 512> value_2;
    for (int k = 0; k < 512; ++k) {
        // h = tile.load(heights, row * columns + column, inside)
        // column = tile.arange(WIDTH)
        // inside = column < columns
        const bool inside = k < columns;
        h.at[k] = inside ? heights[add(product, k)] : 0.0;
        // tile.store(lowest, row, tile.min(tile.where(inside, h, float("inf"))))
        // tile.store(highest, row, tile.max(tile.where(inside, h, float("-inf"))))
        value.at[k] = inside ? h.at[k] : INFINITY;
        value_2.at[k] = inside ? h.at[k] : -INFINITY;
    }
    // average = tile.sum(h) / columns
    const double sum = fold<add<double>>(h);
    const double smallest = fold<minimum<double>>(value);
    const double largest = fold<maximum<double>>(value_2);
    const double average = sum / double(columns);
    lowest[row] = smallest;
    highest[row] = largest;
    // tile.store(mean, row, average)
    mean[row] = average;
    vec<double, 512> value_3;
    for (int k = 0; k < 512; ++k) {
        // off = tile.where(inside, h - average, 0.0)
        const bool inside = k < columns;
        const double off = inside ? h.at[k] - average : 0.0;
        value_3.at[k] = off * off;  // tile.store(variance, row, tile.sum(off * off) / columns)
    }
    const double sum_2 = fold<add<double>>(value_3);
    variance[row] = sum_2 / double(columns);
}

void normalise(const xyz program_id, int64_t columns, const double *__restrict__ heights,
               const double *__restrict__ mean, const double *__restrict__ variance,
               double *__restrict__ out) {
    // row = tile.program_id()
    const int64_t row = program_id.x;
    const int64_t product = mul(row, columns);
    // tile.store(out, at, (h - tile.load(mean, row)) / tile.sqrt(tile.load(variance, row)), inside)
    const double value = mean[row];
    const double root = std::sqrt(variance[row]);
    for (int k = 0; k < 512; ++k) {
        // at = row * columns + column
        const int64_t at = add(product, k);  // column = tile.arange(WIDTH)
        const bool inside = k < columns;  // inside = column < columns
        // h = tile.load(heights, at, inside)
        const double h = inside ? heights[at] : 0.0;
        if (inside) out[at] = (h - value) / root;
    }
}

void shade(const xyz program_id, int64_t rows, int64_t columns, double east_scale,
           double south_scale, const double *__restrict__ heights, double *__restrict__ out) {
    const int64_t row = program_id.x;  // row = tile.program_id()
    const int64_t north = mul(maximum(row - 1, 0), columns);  // north = max(row - 1, 0) * columns
    // south = min(row + 1, rows - 1) * columns
    const int64_t south = mul(minimum(row + 1, sub(rows, 1)), columns);
    const int64_t difference = sub(columns, 1);
    const int64_t product = mul(row, columns);
    const int64_t product_2 = mul(row, columns);
    const int64_t product_3 = mul(row, columns);
    for (int k = 0; k < 512; ++k) {
        // column = tile.arange(WIDTH)
        const int64_t west = maximum(int64_t(k - 1), 0);  // west = tile.maximum(column - 1, 0)
        // east = tile.minimum(column + 1, columns - 1)
        const int64_t east = minimum(int64_t(k + 1), difference);
        // rise_east = tile.load(heights, row * columns + east, inside) - tile.load(heights, row *
        //     columns + west, inside)
        // inside = column < columns
        const bool inside = k < columns;
        const double value = inside ? heights[add(product, east)] : 0.0;
        const double rise_east = value - (inside ? heights[add(product_2, west)] : 0.0);
        // rise_south = tile.load(heights, south + column, inside) - tile.load(heights, north +
        //     column, inside)
        const double value_2 = inside ? heights[add(south, k)] : 0.0;
        const double rise_south = value_2 - (inside ? heights[add(north, k)] : 0.0);
        const double dx = rise_east * east_scale;  // dx = rise_east * east_scale
        const double dy = rise_south * south_scale;  // dy = rise_south * south_scale
        // light = (dx * 0.5 + dy * 0.5 + 0.7071067811865476) / tile.sqrt(dx * dx + dy * dy + 1.0)
        const double sum = dx * 0.5 + dy * 0.5 + 0.7071067811865476;
        const double light = sum / std::sqrt(dx * dx + dy * dy + 1.0);
        // tile.store(out, row * columns + column, tile.maximum(light, 0.0), inside)
        if (inside) out[add(product_3, k)] = maximum(light, 0.0);
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

extern "C" int32_t terrain_row_stats(int64_t grid_x, int64_t grid_y, int64_t grid_z,
                                     int64_t columns, const double *heights, double *lowest,
                                     double *highest, double *mean, double *variance, void *) {
    const xyz grid_dim = {grid_x, grid_y, grid_z};
    return launch(grid_dim, 10775, [=](const xyz &place_in_grid) {
        row_stats(place_in_grid, columns, heights, lowest, highest, mean, variance);
    });
}

extern "C" int32_t terrain_normalise(int64_t grid_x, int64_t grid_y, int64_t grid_z,
                                     int64_t columns, const double *heights, const double *mean,
                                     const double *variance, double *out, void *) {
    const xyz grid_dim = {grid_x, grid_y, grid_z};
    return launch(grid_dim, 7179, [=](const xyz &place_in_grid) {
        normalise(place_in_grid, columns, heights, mean, variance, out);
    });
}

extern "C" int32_t terrain_shade(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t rows,
                                 int64_t columns, double east_scale, double south_scale,
                                 const double *heights, double *out, void *) {
    const xyz grid_dim = {grid_x, grid_y, grid_z};
    return launch(grid_dim, 24587, [=](const xyz &place_in_grid) {
        shade(place_in_grid, rows, columns, east_scale, south_scale, heights, out);
    });
}

extern "C" int32_t terrain_relief(int64_t rows, int64_t columns, double east_scale,
                                  double south_scale, const double *heights, double *lowest,
                                  double *highest, double *mean, double *variance, double *flat,
                                  double *shaded, void *stream) {
    // tile.launch(row_stats, rows, columns, heights, lowest, highest, mean, variance)
    if (const int32_t failed = terrain_row_stats(rows, 1, 1, columns, heights, lowest, highest,
        mean, variance, stream)) return failed;
    // tile.launch(normalise, rows, columns, heights, mean, variance, flat)
    if (const int32_t failed = terrain_normalise(rows, 1, 1, columns, heights, mean, variance, flat,
        stream)) return failed;
    // tile.launch(shade, rows, rows, columns, east_scale, south_scale, heights, shaded)
    return terrain_shade(rows, 1, 1, rows, columns, east_scale, south_scale, heights, shaded,
        stream);
}

}  // namespace transpiled

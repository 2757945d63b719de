// tiles.cpp: the kernels of tiles.py as C++. Written by transpile (format 4, code 6b3c6bc8).
// Do not edit: change tiles.py, then `python -m transpile build tiles.py`.
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

template <typename T>
T add(T a, std::common_type_t<T> b) {
    return a + b;
}

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

void saxpy(const xyz program_id, int64_t n, double a, const double *__restrict__ x,
           double *__restrict__ y) {
    const int64_t product = program_id.x * 256;
    for (int k = 0; k < 256; ++k) {
        // offsets = tile.program_id() * 256 + tile.arange(256)
        const int64_t offsets = product + k;
        const bool mask = offsets < n;  // mask = offsets < n
        const double xs = mask ? x[offsets] : 0.0;  // xs = tile.load(x, offsets, mask)
        const double ys = mask ? y[offsets] : 0.0;  // ys = tile.load(y, offsets, mask)
        if (mask) y[offsets] = a * xs + ys;  // tile.store(y, offsets, a * xs + ys, mask)
    }
}

void block_max(const xyz program_id, const double *__restrict__ x, double *__restrict__ out) {
    // pid = tile.program_id()
    const int64_t pid = program_id.x;
    const int64_t product = pid * 64;
    // values = tile.load(x, pid * 64 + tile.arange(64))
    vec<double, 64> values;
    for (int k = 0; k < 64; ++k) values.at[k] = x[product + k];
    // tile.store(out, pid, tile.max(values))
    const double largest = fold<maximum<double>>(values);
    out[pid] = largest;
}

void row_stats(const xyz program_id, int64_t n, const double *__restrict__ x,
               double *__restrict__ out) {
    // pid = tile.program_id()
    const int64_t pid = program_id.x;
    const int64_t product = pid * 1024;
    int64_t count = 0;
    vec<double, 1024> xs;
    for (int k = 0; k < 1024; ++k) {
        const int64_t offsets = product + k;  // offsets = pid * 1024 + tile.arange(1024)
        const bool mask = offsets < n;  // mask = offsets < n
        // xs = tile.load(x, offsets, mask)
        // count = tile.sum(mask)
        xs.at[k] = mask ? x[offsets] : 0.0;
        count += mask;
    }
    const double total = fold<add<double>>(xs);  // total = tile.sum(xs)
    const double mean = total / double(count);  // mean = total / count
    // spread = tile.sum(tile.where(mask, (xs - mean) * (xs - mean), 0.0))
    vec<double, 1024> value;
    for (int k = 0; k < 1024; ++k) {
        const int64_t offsets = product + k;
        const bool mask = offsets < n;
        value.at[k] = mask ? (xs.at[k] - mean) * (xs.at[k] - mean) : 0.0;
    }
    const double spread = fold<add<double>>(value);
    out[pid * 2] = mean;  // tile.store(out, pid * 2, mean)
    out[pid * 2 + 1] = spread / double(count);  // tile.store(out, pid * 2 + 1, spread / count)
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

extern "C" int32_t tiles_saxpy(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t n, double a,
                               const double *x, double *y, void *) {
    const xyz grid_dim = {grid_x, grid_y, grid_z};
    return launch(grid_dim, 2305, [=](const xyz &place_in_grid) {
        saxpy(place_in_grid, n, a, x, y);
    });
}

extern "C" int32_t tiles_block_max(int64_t grid_x, int64_t grid_y, int64_t grid_z, const double *x,
                                   double *out, void *) {
    const xyz grid_dim = {grid_x, grid_y, grid_z};
    return launch(grid_dim, 258, [=](const xyz &place_in_grid) {
        block_max(place_in_grid, x, out);
    });
}

extern "C" int32_t tiles_row_stats(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t n,
                                   const double *x, double *out, void *) {
    const xyz grid_dim = {grid_x, grid_y, grid_z};
    return launch(grid_dim, 19480, [=](const xyz &place_in_grid) {
        row_stats(place_in_grid, n, x, out);
    });
}

extern "C" int32_t tiles_run(int64_t n, double a, const double *x, double *y, void *stream) {
    // tile.launch(saxpy, (n + 255) // 256, n, a, x, y)
    int64_t sum;
    if (__builtin_add_overflow(n, int64_t(255), &sum)) return status::overflow;
    return tiles_saxpy(sum / 256 - (sum % 256 < 0), 1, 1, n, a, x, y, stream);
}

}  // namespace transpiled

// reports.cpp: the kernels of reports.py as C++. Written by transpile (format 4, code 8f01d453).
// Do not edit: change reports.py, then `python -m transpile build reports.py`.
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
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <system_error>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>
#include <sched.h>
#include <unistd.h>

namespace transpiled {
namespace {

enum status : int32_t { ok, overflow, zero_division, bad_grid, bad_block, launch_failed,
    assertion_failed };

struct xyz { int64_t x, y, z; };

// The lanes of a tile.
template <typename T, int N>
struct vec {
    T at[N];
};

// NaN has one text, whatever its sign.
double shown(double value) { return value == value ? value : NAN; }
long long shown(int64_t value) { return value; }

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

// An assertion that failed: its number, and the program, or block and thread, that it stopped.
struct failure {
    int number;
    int64_t place[6];
};

// Ends a program or a block: its launch catches the failure.
template <typename... Places>
[[noreturn]] void fail(int number, Places... places) {
    throw failure{number, {int64_t(places)...}};
}

double portion(double part, double whole, int64_t program) {
    if (!(whole > 0.0)) fail(1, program);  // assert whole > 0.0, "nothing to share"
    return part / whole;
}

double portion_2(double part, double whole, int64_t block, int64_t thread) {
    if (!(whole > 0.0)) fail(2, block, thread);  // assert whole > 0.0, "nothing to share"
    return part / whole;
}

void shares(const xyz program_id, int64_t n, const double *__restrict__ x,
            double *__restrict__ out) {
    const int64_t product = program_id.x * 256;
    bool value = true;
    vec<double, 256> t;
    for (int k = 0; k < 256; ++k) {
        const int64_t at = product + k;  // at = tile.program_id() * 256 + tile.arange(256)
        t.at[k] = at < n ? x[at] : 0.0;  // t = tile.load(x, at, at < n)
        value = value && t.at[k] >= 0.0;  // assert tile.all(t >= 0.0)
    }
    if (!value) fail(3, program_id.x);
    // print("largest", tile.max(t), "of", n)
    const double largest = fold<maximum<double>>(t);
    std::printf("[program %lld] largest %.17g of %lld\n", shown(program_id.x), shown(largest),
        shown(n));
    // tile.store(out, tile.program_id(), portion(tile.max(t), tile.sum(t)))
    const double largest_2 = fold<maximum<double>>(t);
    const double sum = fold<add<double>>(t);
    const double portion_3 = portion(largest_2, sum, program_id.x);
    out[program_id.x] = portion_3;
}

[[gnu::always_inline]] inline void scatter(const xyz block_id, const xyz block_dim, int64_t n,
                                           const int64_t *__restrict__ to,
                                           const double *__restrict__ x, double *__restrict__ out) {
    for (int64_t thread_id_z = 0; thread_id_z < block_dim.z; ++thread_id_z)
        for (int64_t thread_id_y = 0; thread_id_y < block_dim.y; ++thread_id_y)
            for (int64_t thread_id_x = 0; thread_id_x < block_dim.x; ++thread_id_x) {
                const int64_t i = block_id.x * block_dim.x + thread_id_x;  // i = cuda.global_id()
                const int64_t slot = to[i];  // slot = native.load(native.offset(to, i))
                // assert 0 <= slot < n, "no slot of the array"
                if (!(0 <= slot && slot < n)) fail(4, block_id.x, thread_id_x);
                if (slot == 0) {  // if slot == 0:
                    // print(f"first: {native.load(native.offset(x, i)):.3f}")
                    std::printf("[block %lld, thread %lld] first: %.3f\n", shown(block_id.x),
                        shown(thread_id_x), shown(x[i]));
                }
                // native.store(native.offset(out, slot), portion(native.load(native.offset(x, i)),
                //     2.0))
                const double portion_3 = portion_2(x[i], 2.0, block_id.x, thread_id_x);
                out[slot] = portion_3;
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

// An assertion as it stands in Python, and the place that failed: the first `numbers` of `place`.
struct assertion {
    const char *file;
    int32_t line;
    const char *text, *message;
    int32_t numbers;
    int64_t place[6] = {};
};

constexpr assertion assertions[] = {
    {"reports.py", 8, "whole > 0.0", "nothing to share", 1},
    {"reports.py", 8, "whole > 0.0", "nothing to share", 2},
    {"reports.py", 16, "tile.all(t >= 0.0)", "", 1},
    {"reports.py", 25, "0 <= slot < n", "no slot of the array", 2},
};

bool tell(const failure &failed, assertion *found) {
    *found = assertions[failed.number - 1];
    for (int k = 0; k < found->numbers; ++k) found->place[k] = failed.place[k];
    return true;
}

// What failed in a launch that this thread made, until it is told.
thread_local failure last_failure = {};

// Keeps the first failure of a launch, in which several threads may work.
class failures {
  public:
    void keep(const failure &failed) {
        const std::lock_guard<std::mutex> held(lock);
        if (first.number == 0) first = failed;
    }

    int32_t status() const {
        if (first.number == 0) return ok;
        last_failure = first;
        return assertion_failed;
    }

  private:
    failure first = {};
    std::mutex lock;
};

bool fits(const xyz &n, int64_t least, const xyz &most) {
    if (n.x < least || n.y < least || n.z < least) return false;
    return n.x <= most.x && n.y <= most.y && n.z <= most.z;
}

int64_t threads_of(const xyz &block) { return block.x * block.y * block.z; }

bool is_block(const xyz &block) {
    return fits(block, 1, {1024, 1024, 64}) && threads_of(block) <= 1024;
}

// Calls `body(block)`; where the block is a row, its y and z are constants: walking it is cheaper.
template <typename Body>
void with_block(const xyz &block, const Body &body) {
    if (block.y == 1 && block.z == 1) return body(xyz{block.x, 1, 1});
    body(block);
}

// Runs `body(place)` for every place of the grid; one is about `cost` operations.
template <typename Body>
int32_t launch(const xyz &grid, int64_t cost, const Body &body) {
    if (!fits(grid, 0, {INT32_MAX, 65535, 65535})) return bad_grid;
    if (grid.x == 0 || grid.y == 0 || grid.z == 0) return ok;
    using context = std::tuple<const xyz &, const Body &, failures &>;
    const auto run = [](const void *parts, int64_t first, int64_t last) {
        const auto &[count, call, failed] = *static_cast<const context *>(parts);
        xyz at = {first % count.x, first / count.x % count.y, first / count.x / count.y};
        for (int64_t done = first; done < last; ++done) {
            try {
                call(at);
            } catch (const failure &caught) {
                return failed.keep(caught);
            }
            if (++at.x < count.x) continue;
            at.x = 0;
            if (++at.y < count.y) continue;
            at.y = 0;
            ++at.z;
        }
    };
    failures failed;
    const context parts(grid, body, failed);
    run_in_parallel(run, &parts, grid.x * grid.y * grid.z, cost);
    std::fflush(stdout);
    return failed.status();
}

}  // namespace

extern "C" int32_t reports_shares(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t n,
                                  const double *x, double *out, void *) {
    const xyz grid_dim = {grid_x, grid_y, grid_z};
    return launch(grid_dim, 3090, [=](const xyz &place_in_grid) {
        shares(place_in_grid, n, x, out);
    });
}

extern "C" int32_t reports_scatter(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t block_x,
                                   int64_t block_y, int64_t block_z, int64_t n, const int64_t *to,
                                   const double *x, double *out, void *) {
    const xyz grid_dim = {grid_x, grid_y, grid_z};
    const xyz block_dim = {block_x, block_y, block_z};
    if (!is_block(block_dim)) return status::bad_block;
    return launch(grid_dim, 26 * threads_of(block_dim), [=](const xyz &place_in_grid) {
        with_block(block_dim, [=](const xyz &given_block) {
            scatter(place_in_grid, given_block, n, to, x, out);
        });
    });
}

extern "C" bool reports_failed_assertion(void *found) {
    if (last_failure.number == 0) return false;
    const failure failed = last_failure;
    last_failure.number = 0;
    return tell(failed, static_cast<assertion *>(found));
}

}  // namespace transpiled

// reports.cpp: the kernels of reports.py as C++. Written by transpile (format 2, code f6b5815a).
// Do not edit: change reports.py, then `python -m transpile build reports.py`.
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
unsigned long long shown(uint64_t value) { return value; }

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

#if defined(__GNUC__) && !defined(__clang__)
// A shared array holds nothing until it is written: which threads write it is the kernel's affair.
// And g++ takes a loop over the threads of a block for one that may not run at all.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

// Sums of integers wrap.
template <typename T>
T add(T a, std::common_type_t<T> b) {
    if constexpr (std::is_integral_v<T>) return T(uint64_t(a) + uint64_t(b));
    return a + b;
}

// The remainder has the divisor's sign; 0 for a divisor of 0.
template <typename T>
T floor_mod(T a, std::common_type_t<T> b) {
    if (b == 0 || b == -1) return 0;
    const T remainder = a % b;
    return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
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

// For each lane of a group the value of the lane whose number differs by the bit `Distance`.
template <int Distance, typename T>
vec<T, 32> across(const T (&held)[32]) {
    vec<T, 32> other;
    for (int first = 0; first < 32; first += 2 * Distance) {
        for (int k = first; k < first + Distance; ++k) {
            other.at[k] = held[k + Distance];
            other.at[k + Distance] = held[k];
        }
    }
    return other;
}

int64_t groups(const xyz &block_dim) { return (block_dim.x * block_dim.y * block_dim.z + 31) / 32; }

int64_t x_of(int64_t thread, const xyz &block_dim) {
    return block_dim.y * block_dim.z == 1 ? thread : thread % block_dim.x;
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

double root(double v, int64_t program) {
    if (!(v >= 0.0)) fail(1, program);  // assert v >= 0.0, "no \"root\": 100%"
    if (v == 0.0) {  // if v == 0.0:
        std::printf("[program %lld] nothing\n", shown(program));  // print("nothing")
        return 0.0;
    }
    std::printf("[program %lld] root of %.17g\n", shown(program), shown(v));  // print("root of", v)
    return std::sqrt(v);  // return math.sqrt(v)
}

double sums(double v, int64_t n, int64_t program) {
    double total = 0.0;  // total = 0.0
    for (int64_t k = 0; k < n; ++k) {  // for k in range(n):
        // total += root(v + k)
        const double root_4 = root(v + double(k), program);
        total += root_4;
        if (!(total < 100.0)) fail(2, program);  // assert total < LIMIT
    }
    return total;
}

double root_2(double v, int64_t program_x, int64_t program_y, int64_t program_z) {
    // assert v >= 0.0, "no \"root\": 100%"
    if (!(v >= 0.0)) fail(3, program_x, program_y, program_z);
    if (v == 0.0) {  // if v == 0.0:
        // print("nothing")
        std::printf("[program (%lld, %lld, %lld)] nothing\n", shown(program_x), shown(program_y),
            shown(program_z));
        return 0.0;
    }
    // print("root of", v)
    std::printf("[program (%lld, %lld, %lld)] root of %.17g\n", shown(program_x), shown(program_y),
        shown(program_z), shown(v));
    return std::sqrt(v);  // return math.sqrt(v)
}

double root_3(double v, int64_t block_x_, int64_t block_y_, int64_t block_z_, int64_t thread_x,
              int64_t thread_y, int64_t thread_z) {
    // assert v >= 0.0, "no \"root\": 100%"
    if (!(v >= 0.0)) fail(4, block_x_, block_y_, block_z_, thread_x, thread_y, thread_z);
    if (v == 0.0) {  // if v == 0.0:
        // print("nothing")
        std::printf("[block (%lld, %lld, %lld), thread (%lld, %lld, %lld)] nothing\n",
            shown(block_x_), shown(block_y_), shown(block_z_), shown(thread_x), shown(thread_y),
            shown(thread_z));
        return 0.0;
    }
    // print("root of", v)
    std::printf("[block (%lld, %lld, %lld), thread (%lld, %lld, %lld)] root of " "%.17g\n",
        shown(block_x_), shown(block_y_), shown(block_z_), shown(thread_x), shown(thread_y),
        shown(thread_z), shown(v));
    return std::sqrt(v);  // return math.sqrt(v)
}

double sums_2(double v, int64_t n, int64_t block_x_, int64_t block_y_, int64_t block_z_,
              int64_t thread_x, int64_t thread_y, int64_t thread_z) {
    double total = 0.0;  // total = 0.0
    for (int64_t k = 0; k < n; ++k) {  // for k in range(n):
        // total += root(v + k)
        const double sum = v + double(k);
        const double root_4 =
            root_3(sum, block_x_, block_y_, block_z_, thread_x, thread_y, thread_z);
        total += root_4;
        // assert total < LIMIT
        const bool flag = total < 100.0;
        if (!flag) fail(5, block_x_, block_y_, block_z_, thread_x, thread_y, thread_z);
    }
    return total;
}

void forms(const xyz program_id, int32_t i, int64_t n, uint32_t u, uint64_t w, double a, float b,
           bool flag) {
    std::printf("[program %lld]\n", shown(program_id.x));  // print()
    // print("100% \"é\" ? ?=", i, n, u, w, a, b, flag, 2, -0.5, True, sep="|")
    std::printf("[program %lld] 100%% \"\303\251\" "
        "?\077=|%d|%lld|%u|%llu|%.17g|%.9g|%s|%d|%.17g|%s\n", shown(program_id.x), i, shown(n), u,
        shown(w), shown(a), shown(b), flag ? "True" : "False", 2, -0.5, "True");
    // print(f"{i:5d}|{n:<22d}|{n:+d}|{u:x}|{w:X}|{u:08d}|{flag:d}")
    std::printf("[program %lld] %5d|%-22lld|%+lld|%x|%llX|%08u|%lld\n", shown(program_id.x), i,
        shown(n), shown(n), u, shown(w), u, shown(int64_t(flag)));
    // print(f"{a:.3f}|{a:12.4e}|{a:<12.3g}|{b:G}|{b:+.2f}|{b:15}|{{}}|{i=}", end=".\n")
    std::printf("[program %lld] %.3f|%12.4e|%-12.3g|%G|%+.2f|%15.9g|{}|i=%d.\n",
        shown(program_id.x), shown(a), shown(a), shown(a), shown(b), shown(b), shown(b), i);
}

void rows(const xyz program_id, int64_t n, const double *__restrict__ x, double *__restrict__ out) {
    // row = tile.program_id()
    const int64_t row = program_id.x;
    const int64_t product = row * 64;
    vec<double, 64> t;
    for (int k = 0; k < 64; ++k) {
        const int64_t at = product + k;  // at = row * 64 + tile.arange(64)
        t.at[k] = at < n ? x[at] : 0.0;  // t = tile.load(x, at, at < n)
    }
    const double largest = fold<maximum<double>>(t);  // largest = tile.max(t)
    // print("largest", largest)
    std::printf("[program %lld] largest %.17g\n", shown(program_id.x), shown(largest));
    // assert tile.all(t <= LIMIT) and largest > -LIMIT, "out of range"
    bool value = true;
    for (int k = 0; k < 64; ++k) value = value && t.at[k] <= 100.0;
    if (!(value && largest > -100.0)) fail(6, program_id.x);
    double total = 0.0;  // total = 0.0
    for (int64_t k = 0; k < 3; ++k) {  // for k in range(3):
        // total += tile.sum(t) + root(largest) * k
        const double sum = fold<add<double>>(t);
        const double root_4 = root(largest, program_id.x);
        total += sum + root_4 * double(k);
        // print(f"turn {k}: {total:.6g}")
        std::printf("[program %lld] turn %lld: %.6g\n", shown(program_id.x), shown(k),
            shown(total));
    }
    if (row == 1) {  // if row == 1:
        // print("I am the second")
        std::printf("[program %lld] I am the second\n", shown(program_id.x));
        root(total * 0.0 + 4.0, program_id.x);  // root(total * 0.0 + 4.0)
    }
    // tile.store(out, row, sums(total * 0.0, 2) + total)
    const double sums_3 = sums(total * 0.0, 2, program_id.x);
    out[row] = sums_3 + total;
}

void grid(const xyz program_id, int32_t *__restrict__ out) {
    // x, y = tile.program_id(), tile.program_id(1)
    const int64_t x = program_id.x;
    const int64_t y = program_id.y;
    // print("here", root(float(x)))
    const double root_4 = root_2(double(x), program_id.x, program_id.y, program_id.z);
    std::printf("[program (%lld, %lld, %lld)] here %.17g\n", shown(program_id.x),
        shown(program_id.y), shown(program_id.z), shown(root_4));
    // assert x < 2 or y < 1
    if (!(x < 2 || y < 1)) fail(7, program_id.x, program_id.y, program_id.z);
    out[x + y * 3] = 1;  // tile.store(out, x + y * 3, 1)
}

[[gnu::always_inline]] inline void meet(const xyz block_id, const xyz block_dim, int64_t n,
                                        const int32_t *__restrict__ x, int32_t *__restrict__ out) {
    // held = cuda.shared[native.i32, 64]()
    int32_t held[64];
    int32_t v[1024];
    for (int64_t thread_id_z = 0; thread_id_z < block_dim.z; ++thread_id_z)
        for (int64_t thread_id_y = 0; thread_id_y < block_dim.y; ++thread_id_y)
            for (int64_t thread_id_x = 0; thread_id_x < block_dim.x; ++thread_id_x) {
                const int64_t thread =
                    thread_id_x + block_dim.x * (thread_id_y + block_dim.y * thread_id_z);
                const int64_t t = thread_id_x;  // t = cuda.thread_id()
                const int64_t i = block_id.x * block_dim.x + thread_id_x;  // i = cuda.global_id()
                v[thread] = x[i];  // v = native.load(native.offset(x, i))
                if (floor_mod(v[thread], 3) == 0) {  // if v % 3 == 0:
                    // print(f"thread {t} has {v}")
                    std::printf("[block %lld, thread %lld] thread %lld has %d\n", shown(block_id.x),
                        shown(thread_id_x), shown(t), v[thread]);
                }
                // assert v >= 0 and v < n, "index"
                if (!(v[thread] >= 0 && int64_t(v[thread]) < n)) fail(8, block_id.x, thread_id_x);
                held[t] = v[thread];  // native.store(native.offset(held, t), v)
            }
    for (int64_t group = 0; group < groups(block_dim); ++group) {  // cuda.syncthreads()
        int32_t sent[32];
        for (int64_t lane = 0; lane < 32; ++lane) {
            const int64_t thread_in_block = group * 32 + lane;
            const int64_t thread_id_x = x_of(thread_in_block, block_dim);
            const int64_t t = thread_id_x;
            sent[lane] = held[(t + 1) % 64];
        }
        const vec<int32_t, 32> sent_across_1 = across<1>(sent);
        for (int64_t lane = 0; lane < 32; ++lane) {
            const int64_t thread = group * 32 + lane;
            const int64_t thread_id_x = x_of(thread, block_dim);
            const int64_t t = thread_id_x;
            // w = cuda.shfl_xor(native.load(native.offset(held, (t + 1) % 64)), 1)
            const int32_t w = sent_across_1.at[lane];
            if (t == 5) {  // if t == 5:
                // print("received", w)
                std::printf("[block %lld, thread %lld] received %d\n", shown(block_id.x),
                    shown(thread_id_x), w);
            }
            out[v[thread]] = w;  // native.store(native.offset(out, v), w)
        }
    }
}

[[gnu::always_inline]] inline void turns(const xyz block_id, const xyz block_dim, int64_t n,
                                         double *__restrict__ out) {
    for (int64_t thread_id_z = 0; thread_id_z < block_dim.z; ++thread_id_z)
        for (int64_t thread_id_y = 0; thread_id_y < block_dim.y; ++thread_id_y)
            for (int64_t thread_id_x = 0; thread_id_x < block_dim.x; ++thread_id_x) {
                int64_t k = 0;  // k = 0
                while (true) {  // while True:
                    // assert k < n, "too many turns"
                    if (k >= n) fail(9, block_id.x, block_id.y, block_id.z, thread_id_x,
                        thread_id_y, thread_id_z);
                    // if sums(float(k), 2) > 3.0:
                    const double sums_3 = sums_2(double(k), 2, block_id.x, block_id.y, block_id.z,
                        thread_id_x, thread_id_y, thread_id_z);
                    if (sums_3 > 3.0) {
                        break;
                    }
                    k = add(k, 1);  // k += 1
                }
                // native.store(native.offset(out, cuda.global_id()), float(k) + cuda.thread_id(1))
                double *const pointer = out + (block_id.x * block_dim.x + thread_id_x);
                *pointer = double(k) + double(thread_id_y);
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
    {"reports.py", 12, "v >= 0.0", "no \"root\": 100%", 1},
    {"reports.py", 25, "total < LIMIT", "", 1},
    {"reports.py", 12, "v >= 0.0", "no \"root\": 100%", 3},
    {"reports.py", 12, "v >= 0.0", "no \"root\": 100%", 6},
    {"reports.py", 25, "total < LIMIT", "", 6},
    {"reports.py", 44, "tile.all(t <= LIMIT) and largest > -LIMIT", "out of range", 1},
    {"reports.py", 59, "x < 2 or y < 1", "", 3},
    {"reports.py", 71, "v >= 0 and v < n", "index", 2},
    {"reports.py", 84, "k < n", "too many turns", 6},
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

extern "C" int32_t reports_forms(int64_t grid_x, int64_t grid_y, int64_t grid_z, int32_t i,
                                 int64_t n, uint32_t u, uint64_t w, double a, float b, bool flag,
                                 void *) {
    const xyz grid_dim = {grid_x, grid_y, grid_z};
    return launch(grid_dim, 1, [=](const xyz &place_in_grid) {
        forms(place_in_grid, i, n, u, w, a, b, flag);
    });
}

extern "C" int32_t reports_rows(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t n,
                                const double *x, double *out, void *) {
    const xyz grid_dim = {grid_x, grid_y, grid_z};
    return launch(grid_dim, 936, [=](const xyz &place_in_grid) {
        rows(place_in_grid, n, x, out);
    });
}

extern "C" int32_t reports_grid(int64_t grid_x, int64_t grid_y, int64_t grid_z, int32_t *out,
                                void *) {
    const xyz grid_dim = {grid_x, grid_y, grid_z};
    return launch(grid_dim, 23, [=](const xyz &place_in_grid) {
        grid(place_in_grid, out);
    });
}

extern "C" int32_t reports_meet(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t block_x,
                                int64_t block_y, int64_t block_z, int64_t n, const int32_t *x,
                                int32_t *out, void *) {
    if ((block_x % 32) * (block_y % 32) * (block_z % 32) % 32 != 0) return status::bad_block;
    const xyz grid_dim = {grid_x, grid_y, grid_z};
    const xyz block_dim = {block_x, block_y, block_z};
    if (!is_block(block_dim)) return status::bad_block;
    return launch(grid_dim, 40 * threads_of(block_dim), [=](const xyz &place_in_grid) {
        with_block(block_dim, [=](const xyz &given_block) {
            meet(place_in_grid, given_block, n, x, out);
        });
    });
}

extern "C" int32_t reports_turns(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t block_x,
                                 int64_t block_y, int64_t block_z, int64_t n, double *out, void *) {
    const xyz grid_dim = {grid_x, grid_y, grid_z};
    const xyz block_dim = {block_x, block_y, block_z};
    if (!is_block(block_dim)) return status::bad_block;
    return launch(grid_dim, 342 * threads_of(block_dim), [=](const xyz &place_in_grid) {
        with_block(block_dim, [=](const xyz &given_block) {
            turns(place_in_grid, given_block, n, out);
        });
    });
}

extern "C" bool reports_failed_assertion(assertion *found) {
    if (last_failure.number == 0) return false;
    const failure failed = last_failure;
    last_failure.number = 0;
    return tell(failed, found);
}

}  // namespace transpiled

// saxpy.cpp: the kernels of saxpy.py as C++. Written by transpile (format 4, code 507feeda).
// Do not edit: change saxpy.py, then `python -m transpile build saxpy.py`.
#ifdef __FAST_MATH__
#error "this text promises the bits of IEEE arithmetic: compile it without -ffast-math"
#endif
#if defined(__clang__)
#pragma clang fp contract(off)
#elif defined(__GNUC__)
// Without rounding-math g++ makes -double(k) of 0.0 - double(k): of the wrong sign where k is 0.
#pragma GCC optimize("fp-contract=off", "rounding-math")
#ifdef __x86_64__
// A thread that reads what vectors of threads have just written waits longer for the widest stores.
#pragma GCC target("prefer-vector-width=256")
#endif
#endif
#include <algorithm>
#include <atomic>
#include <cmath>
#include <condition_variable>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <system_error>
#include <thread>
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

#if defined(__GNUC__) && !defined(__clang__)
// A shared array holds nothing until it is written: which threads write it is the kernel's affair.
// And g++ takes a loop over the threads of a block for one that may not run at all.
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

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

double fma(double a, double x, double y) {
    return a * x + y;
}

[[gnu::always_inline]] inline void saxpy(const xyz block_id, const xyz block_dim, int64_t n,
                                         double a, const double *__restrict__ x,
                                         double *__restrict__ y) {
    for (int64_t thread_id_z = 0; thread_id_z < block_dim.z; ++thread_id_z)
        for (int64_t thread_id_y = 0; thread_id_y < block_dim.y; ++thread_id_y)
            for (int64_t thread_id_x = 0; thread_id_x < block_dim.x; ++thread_id_x) {
                const int64_t i = block_id.x * block_dim.x + thread_id_x;  // i = cuda.global_id()
                if (i < n) {  // if i < n:
                    double *const slot = y + i;  // slot = native.offset(y, i)
                    // native.store(slot, fma(a, native.load(native.offset(x, i)),
                    //     native.load(slot)))
                    *slot = fma(a, x[i], *slot);
                }
            }
}

[[gnu::always_inline]] inline void block_max(const xyz block_id, const xyz block_dim,
                                             const double *__restrict__ x,
                                             double *__restrict__ out) {
    // parked = cuda.shared[float, 64]()
    double parked[64];
    for (int64_t thread_id_z = 0; thread_id_z < block_dim.z; ++thread_id_z)
        for (int64_t thread_id_y = 0; thread_id_y < block_dim.y; ++thread_id_y)
            for (int64_t thread_id_x = 0; thread_id_x < block_dim.x; ++thread_id_x) {
                const int64_t tid = thread_id_x;  // tid = cuda.thread_id()
                // native.store(native.offset(parked, tid), native.load(native.offset(x,
                //     cuda.global_id())))
                parked[tid] = x[block_id.x * block_dim.x + thread_id_x];
            }
    for (int64_t group = 0; group < groups(block_dim); ++group) {  // cuda.syncthreads()
        double mine[32];
        for (int64_t lane = 0; lane < 32; ++lane) {
            const int64_t thread_in_block = group * 32 + lane;
            const int64_t thread_id_x = x_of(thread_in_block, block_dim);
            const int64_t tid = thread_id_x;
            mine[lane] = parked[tid];  // mine = native.load(native.offset(parked, tid))
        }
        const vec<double, 32> mine_across_1 = across<1>(mine);
        for (int64_t lane = 0; lane < 32; ++lane) {
            const int64_t thread_in_block = group * 32 + lane;
            const int64_t thread_id_x = x_of(thread_in_block, block_dim);
            const int64_t tid = thread_id_x;
            const double other = mine_across_1.at[lane];  // other = cuda.shfl_xor(mine, 1)
            // mine = other if other > mine else mine
            const double mine_2 = other > mine[lane] ? other : mine[lane];
            parked[tid] = mine_2;  // native.store(native.offset(parked, tid), mine)
        }
    }
    // cuda.syncthreads()
    for (int64_t thread_id_z = 0; thread_id_z < block_dim.z; ++thread_id_z)
        for (int64_t thread_id_y = 0; thread_id_y < block_dim.y; ++thread_id_y) {
            // if tid == 0:
            double best = *parked;  // best = native.load(parked)
            for (int64_t k = 1; k < block_dim.x; ++k) {  // for k in range(1, cuda.block_dim()):
                // candidate = native.load(native.offset(parked, k))
                const double candidate = parked[k];
                // best = candidate if candidate > best else best
                if (candidate > best) best = candidate;
            }
            out[block_id.x] = best;  // native.store(native.offset(out, cuda.block_id()), best)
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

extern "C" int32_t saxpy_saxpy(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t block_x,
                               int64_t block_y, int64_t block_z, int64_t n, double a,
                               const double *x, double *y, void *) {
    const xyz grid_dim = {grid_x, grid_y, grid_z};
    const xyz block_dim = {block_x, block_y, block_z};
    if (!is_block(block_dim)) return status::bad_block;
    return launch(grid_dim, 22 * threads_of(block_dim), [=](const xyz &place_in_grid) {
        with_block(block_dim, [=](const xyz &given_block) {
            saxpy(place_in_grid, given_block, n, a, x, y);
        });
    });
}

extern "C" int32_t saxpy_block_max(int64_t grid_x, int64_t grid_y, int64_t grid_z, int64_t block_x,
                                   int64_t block_y, int64_t block_z, const double *x, double *out,
                                   void *) {
    if ((block_x % 32) * (block_y % 32) * (block_z % 32) % 32 != 0) return status::bad_block;
    const xyz grid_dim = {grid_x, grid_y, grid_z};
    const xyz block_dim = {block_x, block_y, block_z};
    if (!is_block(block_dim)) return status::bad_block;
    return launch(grid_dim, 79 * threads_of(block_dim), [=](const xyz &place_in_grid) {
        with_block(block_dim, [=](const xyz &given_block) {
            block_max(place_in_grid, given_block, x, out);
        });
    });
}

extern "C" int32_t saxpy_run(int64_t n, double a, const double *x, double *y, void *stream) {
    // cuda.launch(saxpy, (n + 255) // 256, 256, n, a, x, y)
    int64_t sum;
    if (__builtin_add_overflow(n, int64_t(255), &sum)) return status::overflow;
    return saxpy_saxpy(sum / 256 - (sum % 256 < 0), 1, 1, 256, 1, 1, n, a, x, y, stream);
}

}  // namespace transpiled

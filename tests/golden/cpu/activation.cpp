// activation.cpp: the kernels of activation.py as C++. Written by transpile (format 4, code
//     4f52cc5b).
// Do not edit: change activation.py, then `python -m transpile build activation.py`.
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

// A product with a rounding of its own: a sum that it meets cannot be fused with it.
float mul(float a, float b) { return a * b; }

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

float silu_affine(float x, float scale, float bias) {
    const float y = x / (1.0f + exp(-x));  // y = x / (1.0 + math.exp(-x))
    return y * scale + bias;
}

float affine(float x) {
    return x * 2.0f + 1.0f;  // return x * 2.0 + 1.0
}

void activation(const xyz program_id, const float *__restrict__ x, float *__restrict__ out) {
    const int64_t product = program_id.x * 256;
    for (int k = 0; k < 256; ++k) {
        const int64_t at = product + k;  // at = tile.program_id() * 256 + tile.arange(256)
        float values = x[at];  // values = tile.load(x, at)
        values = silu_affine(values, 2.0f, 1.0f);  // values = silu_affine(values, 2.0, 1.0)
        out[at] = values;  // tile.store(out, at, values)
    }
}

[[gnu::always_inline]] inline void shared_affine(const xyz block_dim, const float *__restrict__ x,
                                                 float *__restrict__ out) {
    // rows = cuda.shared[native.f32, 256]()
    float rows[256];
    for (int64_t thread_id_z = 0; thread_id_z < block_dim.z; ++thread_id_z)
        for (int64_t thread_id_y = 0; thread_id_y < block_dim.y; ++thread_id_y)
            for (int64_t thread_id_x = 0; thread_id_x < block_dim.x; ++thread_id_x) {
                const int64_t tid = thread_id_x;  // tid = cuda.thread_id()
                float *const mine = rows + tid * 4;  // mine = native.offset(rows, tid * 4)
                for (int64_t j = 0; j < 4; ++j) {  // for j in range(4):
                    // native.store(native.offset(mine, j), native.load(native.offset(x, tid * 4 +
                    //     j)))
                    mine[j] = x[tid * 4 + j];
                }
            }
    // cuda.syncthreads()
    for (int64_t thread_id_z = 0; thread_id_z < block_dim.z; ++thread_id_z)
        for (int64_t thread_id_y = 0; thread_id_y < block_dim.y; ++thread_id_y)
            for (int64_t thread_id_x = 0; thread_id_x < block_dim.x; ++thread_id_x) {
                const int64_t tid = thread_id_x;
                float *const mine = rows + tid * 4;
                for (int64_t j = 0; j < 4; ++j) {  // for j in range(4):
                    float *const slot = mine + j;  // slot = native.offset(mine, j)
                    *slot = affine(*slot);  // native.store(slot, affine(native.load(slot)))
                }
            }
    // cuda.syncthreads()
    for (int64_t thread_id_z = 0; thread_id_z < block_dim.z; ++thread_id_z)
        for (int64_t thread_id_y = 0; thread_id_y < block_dim.y; ++thread_id_y)
            for (int64_t thread_id_x = 0; thread_id_x < block_dim.x; ++thread_id_x) {
                const int64_t tid = thread_id_x;
                // theirs = native.offset(rows, (tid + 1) % 64 * 4)
                float *const theirs = rows + (tid + 1) % 64 * 4;
                for (int64_t j = 0; j < 4; ++j) {  // for j in range(4):
                    // native.store(native.offset(out, tid * 4 + j),
                    //     native.load(native.offset(theirs, j)))
                    out[tid * 4 + j] = theirs[j];
                }
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

extern "C" int32_t activation_activation(int64_t grid_x, int64_t grid_y, int64_t grid_z,
                                         const float *x, float *out, void *) {
    const xyz grid_dim = {grid_x, grid_y, grid_z};
    return launch(grid_dim, 5121, [=](const xyz &place_in_grid) {
        activation(place_in_grid, x, out);
    });
}

extern "C" int32_t activation_shared_affine(int64_t grid_x, int64_t grid_y, int64_t grid_z,
                                            int64_t block_x, int64_t block_y, int64_t block_z,
                                            const float *x, float *out, void *) {
    const xyz grid_dim = {grid_x, grid_y, grid_z};
    const xyz block_dim = {block_x, block_y, block_z};
    if (!is_block(block_dim)) return status::bad_block;
    return launch(grid_dim, 116 * threads_of(block_dim), [=](const xyz &) {
        with_block(block_dim, [=](const xyz &given_block) {
            shared_affine(given_block, x, out);
        });
    });
}

extern "C" int32_t activation_run(const float *x, float *activated, float *mapped, void *stream) {
    // tile.launch(activation, 1, x, activated)
    if (const int32_t failed = activation_activation(1, 1, 1, x, activated, stream)) return failed;
    // cuda.launch(shared_affine, 1, 64, x, mapped)
    return activation_shared_affine(1, 1, 1, 64, 1, 1, x, mapped, stream);
}

}  // namespace transpiled

// Host arrays to the device and back, as fast as hand-written C++ was found to do it: each thread of a pool copies
// chunks into pinned buffers of its own, two of each in turn, and moves them on a stream of its own, so that copies on
// the host, copies over the bus and kernels overlap. `devices_arrays.py` calls it through ctypes.
#include <cuda_runtime.h>
#include <immintrin.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <cstring>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace {

__global__ void saxpy(int64_t pairs, double a, const double2 *__restrict__ x, double2 *__restrict__ y) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i >= pairs) return;
    const double2 xs = x[i], ys = y[i];
    y[i] = make_double2(a * xs.x + ys.x, a * xs.y + ys.y);
}

// A warp for each 64 elements.
__global__ void block_max(int64_t tiles, const double2 *__restrict__ x, double *__restrict__ out) {
    const int64_t tile = (int64_t(blockIdx.x) * blockDim.x + threadIdx.x) / 32;
    if (tile >= tiles) return;
    const double2 pair = x[tile * 32 + threadIdx.x % 32];
    double best = pair.x > pair.y ? pair.x : pair.y;
    for (int distance = 16; distance != 0; distance /= 2) {
        const double other = __shfl_xor_sync(~0u, best, distance);
        best = other > best ? other : best;
    }
    if (threadIdx.x % 32 == 0) out[tile] = best;
}

void start_saxpy(int64_t n, double a, const double *x, double *y, cudaStream_t stream) {
    const int64_t pairs = n / 2;
    saxpy<<<static_cast<unsigned>((pairs + 255) / 256), 256, 0, stream>>>(
        pairs, a, reinterpret_cast<const double2 *>(x), reinterpret_cast<double2 *>(y));
}

void start_block_max(int64_t tiles, const double *x, double *out) {
    block_max<<<static_cast<unsigned>((tiles + 7) / 8), 256>>>(tiles, reinterpret_cast<const double2 *>(x), out);
}

// A copy whose stores go past the caches. The destination is 32-byte aligned but for its first bytes.
__attribute__((target("avx2"))) void stream_copy(char *to, const char *from, size_t bytes) {
    const size_t head = std::min(bytes, static_cast<size_t>(-reinterpret_cast<uintptr_t>(to) & 31));
    std::memcpy(to, from, head);
    size_t at = head;
    for (; at + 32 <= bytes; at += 32) {
        const __m256i four = _mm256_loadu_si256(reinterpret_cast<const __m256i *>(from + at));
        _mm256_stream_si256(reinterpret_cast<__m256i *>(to + at), four);
    }
    _mm_sfence();
    std::memcpy(to + at, from + at, bytes - at);
}

struct worker {
    cudaStream_t stream;
    cudaEvent_t moved[2];                 // the buffers of that turn are free again
    char *x[2], *y[2], *out[2];           // pinned, a chunk each
};

class pool {
public:
    pool(int threads, int64_t chunk_bytes, bool streaming_out)
        : chunk(chunk_bytes), streaming(streaming_out), workers(static_cast<size_t>(threads)) {
        cudaGetDevice(&device);
        for (worker &each : workers) {
            good = good && cudaStreamCreateWithFlags(&each.stream, cudaStreamNonBlocking) == cudaSuccess;
            for (int turn = 0; turn < 2; ++turn) {
                good = good && cudaEventCreateWithFlags(&each.moved[turn], cudaEventDisableTiming) == cudaSuccess;
                char **buffers[] = {&each.x[turn], &each.y[turn], &each.out[turn]};
                for (char **buffer : buffers) {
                    void *made = nullptr;
                    good = good && cudaHostAlloc(&made, static_cast<size_t>(chunk), 0) == cudaSuccess;
                    if (good) *buffer = static_cast<char *>(std::memset(made, 1, static_cast<size_t>(chunk)));
                }
            }
        }
        for (size_t at = 0; good && at < workers.size(); ++at) threads_.emplace_back([this, at] { serve(at); });
    }

    ~pool() {
        {
            const std::lock_guard<std::mutex> held(mutex);
            stopping = true;
            ++generation;
        }
        begin.notify_all();
        for (std::thread &each : threads_) each.join();
    }

    // Calls `job(worker, first chunk)` in every thread and waits for all of them.
    bool run(std::function<bool(worker &, int64_t)> job) {
        std::unique_lock<std::mutex> held(mutex);
        work = std::move(job);
        left = workers.size();
        all_good = true;
        ++generation;
        begin.notify_all();
        finished.wait(held, [this] { return left == 0; });
        return all_good;
    }

    void copy_out(char *to, const char *from, int64_t bytes) const {
        if (streaming) {
            stream_copy(to, from, static_cast<size_t>(bytes));
        } else {
            std::memcpy(to, from, static_cast<size_t>(bytes));
        }
    }

    int64_t stride() const { return chunk * static_cast<int64_t>(workers.size()); }

    const int64_t chunk;
    bool good = true;

private:
    void serve(size_t at) {
        cudaSetDevice(device);
        int seen = 0;
        for (;;) {
            std::function<bool(worker &, int64_t)> job;
            {
                std::unique_lock<std::mutex> held(mutex);
                begin.wait(held, [&] { return generation != seen; });
                seen = generation;
                if (stopping) return;
                job = work;
            }
            const bool went_well = job(workers[at], static_cast<int64_t>(at) * chunk);
            const std::lock_guard<std::mutex> held(mutex);
            all_good = all_good && went_well;
            if (--left == 0) finished.notify_one();
        }
    }

    const bool streaming;
    int device = 0;
    std::vector<worker> workers;
    std::vector<std::thread> threads_;
    std::mutex mutex;
    std::condition_variable begin, finished;
    std::function<bool(worker &, int64_t)> work;
    int generation = 0;
    size_t left = 0;
    bool stopping = false, all_good = true;
};

// Device memory for the arrays, kept from call to call.
double *device_array(int which, int64_t n) {
    static double *kept[3] = {};
    static int64_t sizes[3] = {};
    if (sizes[which] < n) {
        cudaFree(kept[which]);
        sizes[which] = cudaMalloc(&kept[which], static_cast<size_t>(n) * sizeof(double)) == cudaSuccess ? n : 0;
    }
    return sizes[which] >= n ? kept[which] : nullptr;
}

bool in(void *to, const void *from, int64_t bytes, cudaStream_t stream) {
    return cudaMemcpyAsync(to, from, static_cast<size_t>(bytes), cudaMemcpyHostToDevice, stream) == cudaSuccess;
}

bool out(void *to, const void *from, int64_t bytes, cudaStream_t stream) {
    return cudaMemcpyAsync(to, from, static_cast<size_t>(bytes), cudaMemcpyDeviceToHost, stream) == cudaSuccess;
}

}  // namespace

// Each function returns 0, or 1 where the driver refused. n is a multiple of 64.

extern "C" void *staged_pool(int threads, int64_t chunk, int streaming_out) {
    auto *made = new pool(threads, chunk, streaming_out != 0);
    if (made->good) return made;
    delete made;
    return nullptr;
}

extern "C" void staged_close(void *handle) { delete static_cast<pool *>(handle); }

// Chunk by chunk: in, the kernel over the chunk, out.
extern "C" int staged_saxpy(void *handle, int64_t n, double a, const char *x, char *y) {
    auto &threads = *static_cast<pool *>(handle);
    auto *device_x = reinterpret_cast<char *>(device_array(0, n));
    auto *device_y = reinterpret_cast<char *>(device_array(1, n));
    if (device_x == nullptr || device_y == nullptr) return 1;
    const int64_t bytes = n * static_cast<int64_t>(sizeof(double));
    const bool good = threads.run([&](worker &mine, int64_t first) {
        int64_t at[2] = {0, 0}, length[2] = {0, 0};
        bool fine = true;
        const auto flush = [&](int turn) {
            if (length[turn] == 0) return;
            fine = cudaEventSynchronize(mine.moved[turn]) == cudaSuccess && fine;
            threads.copy_out(y + at[turn], mine.out[turn], length[turn]);
            length[turn] = 0;
        };
        int turn = 0;
        for (int64_t here = first; here < bytes; here += threads.stride(), turn ^= 1) {
            flush(turn);
            const int64_t part = std::min(threads.chunk, bytes - here);
            std::memcpy(mine.x[turn], x + here, static_cast<size_t>(part));
            fine = in(device_x + here, mine.x[turn], part, mine.stream) && fine;
            std::memcpy(mine.y[turn], y + here, static_cast<size_t>(part));
            fine = in(device_y + here, mine.y[turn], part, mine.stream) && fine;
            start_saxpy(part / static_cast<int64_t>(sizeof(double)), a, reinterpret_cast<double *>(device_x + here),
                        reinterpret_cast<double *>(device_y + here), mine.stream);
            fine = out(mine.out[turn], device_y + here, part, mine.stream) && fine;
            fine = cudaEventRecord(mine.moved[turn], mine.stream) == cudaSuccess && fine;
            at[turn] = here;
            length[turn] = part;
        }
        flush(turn);
        flush(turn ^ 1);
        return fine;
    });
    return good ? 0 : 1;
}

// The input in chunks, then the kernel; the result is small.
extern "C" int staged_block_max(void *handle, int64_t n, const char *x, char *result) {
    auto &threads = *static_cast<pool *>(handle);
    auto *device_x = reinterpret_cast<char *>(device_array(0, n));
    double *device_result = device_array(2, n / 64);
    if (device_x == nullptr || device_result == nullptr) return 1;
    const int64_t bytes = n * static_cast<int64_t>(sizeof(double));
    const bool good = threads.run([&](worker &mine, int64_t first) {
        bool fine = true;
        int turn = 0;
        for (int64_t here = first; here < bytes; here += threads.stride(), turn ^= 1) {
            const int64_t part = std::min(threads.chunk, bytes - here);
            fine = cudaEventSynchronize(mine.moved[turn]) == cudaSuccess && fine;
            std::memcpy(mine.x[turn], x + here, static_cast<size_t>(part));
            fine = in(device_x + here, mine.x[turn], part, mine.stream) && fine;
            fine = cudaEventRecord(mine.moved[turn], mine.stream) == cudaSuccess && fine;
        }
        return cudaStreamSynchronize(mine.stream) == cudaSuccess && fine;
    });
    start_block_max(n / 64, reinterpret_cast<double *>(device_x), device_result);
    const auto result_bytes = static_cast<size_t>(bytes / 64);
    return good && cudaMemcpy(result, device_result, result_bytes, cudaMemcpyDeviceToHost) == cudaSuccess ? 0 : 1;
}

// The kernels over pinned host memory, where it lies.

extern "C" void *pinned(int64_t bytes) {
    void *made = nullptr;
    return cudaHostAlloc(&made, static_cast<size_t>(bytes), 0) == cudaSuccess ? made : nullptr;
}

extern "C" int in_place_saxpy(int64_t n, double a, const double *x, double *y) {
    start_saxpy(n, a, x, y, nullptr);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}

extern "C" int in_place_block_max(int64_t n, const double *x, double *result) {
    start_block_max(n / 64, x, result);
    return cudaDeviceSynchronize() == cudaSuccess ? 0 : 1;
}

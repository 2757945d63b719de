// Host arrays to a device and back, for the length of a call. Pinned arrays need none of this: kernels use them in place.
//
//     piece pieces[] = {{x, bytes, false}, {y, bytes, true}};
//     round_trip trip(staging_of(gpu, device), pieces, 2, stream);  // copies in
//     launch(pieces[0].device, pieces[1].device, stream);
//     trip.bring_back();                                            // waits, and copies back what comes back
//
// The device must be the calling thread's current one, and the GIL need not be held. Any number of threads may call at
// once. What fails is thrown as driver_error or std::bad_alloc: by the constructor before anything was written to a host
// array; by `bring_back` when host arrays that come back may be partly written.
#pragma once

#include "staging_blocks.hpp"
#include "staging_ring.hpp"

#include <pthread.h>
#include <sched.h>
#include <signal.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

namespace transpile {

// A host array of one call.
struct piece {
    void *host;
    size_t bytes;
    bool comes_back;         // whether a kernel may write it
    void *device = nullptr;  // its copy, during the round trip
};

// What one device needs for staging, kept as long as the process: threads, pinned rings, blocks of device memory. All
// are made when first needed.
class staging {
public:
    block_cache blocks;

    staging(driver &gpu, int device, const staging_options &options = default_options())
        : blocks(gpu), gpu(gpu), options(options), in(gpu, device, this->options), out(gpu, device, this->options) {}
    staging(const staging &) = delete;
    staging &operator=(const staging &) = delete;
    ~staging() = delete;  // its threads wait in it until the process ends

    driver &api() { return gpu; }

    // To the device. The arrays have been read when it returns; the stream waits until they are there.
    void bring_in(const std::vector<segment> &segments, void *stream) {
        if (is_small(segments)) return copy_in(segments, stream);
        const std::lock_guard<std::mutex> alone(in.use);
        if (!in.prepare() || !start()) return copy_in(segments, stream);
        transfer job(direction::in, segments, options);
        run(job, in);
        in.arrive(stream);
    }

    // Back, once the work on the stream is done. The arrays have been written when it returns.
    void take_out(const std::vector<segment> &segments, void *stream) {
        if (is_small(segments)) return copy_out(segments, stream);
        gpu.synchronize(stream);  // before others are kept from the ring
        const std::lock_guard<std::mutex> alone(out.use);
        if (!out.prepare() || !start()) return copy_out(segments, stream);
        transfer job(direction::out, segments, options);
        run(job, out);
    }

private:
    // A transfer in the queue: how many more threads may take part, and how many do.
    struct entry {
        transfer *job;
        ring *through;
        int wanted;
        int helping;
    };

    driver &gpu;
    const staging_options options;
    ring in, out;
    std::mutex guard;  // of all below
    std::condition_variable woken, ended;
    std::deque<entry *> queue;
    int started = 0;

    static staging_options default_options() {
        staging_options chosen;
        cpu_set_t usable;
        CPU_ZERO(&usable);
        if (sched_getaffinity(0, sizeof usable, &usable) == 0) {
            chosen.threads = std::clamp(CPU_COUNT(&usable), 1, chosen.threads);
        }
        return chosen;
    }

    bool is_small(const std::vector<segment> &segments) const {
        size_t bytes = 0;
        for (const segment &each : segments) bytes += each.bytes;
        return bytes <= options.plain;
    }

    // The driver's own copies of pageable memory, by this thread: for small arrays, and where there is nothing better.
    void copy_in(const std::vector<segment> &segments, void *stream) {
        for (const segment &each : segments) gpu.copy_in(each.device, each.host, each.bytes, stream);
    }
    void copy_out(const std::vector<segment> &segments, void *stream) {
        for (const segment &each : segments) gpu.copy_out(each.host, each.device, each.bytes, stream);
        gpu.synchronize(stream);
    }

    // Whether there are threads.
    bool start() {
        const std::lock_guard<std::mutex> hold(guard);
        if (started == 0) start_threads();
        return started > 0;
    }

    // Signals are for the threads of the program. Where the process may have no more threads, fewer do.
    void start_threads() {
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        try {
            for (; started < options.threads; ++started) std::thread([this] { help(); }).detach();
        } catch (const std::system_error &) {
        }
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }

    // Waits until all that is the processor's work is done.
    void run(transfer &job, ring &through) {
        through.begin(job);
        entry queued = {&job, &through, job.worth(), 0};
        {
            std::unique_lock<std::mutex> hold(guard);
            queue.push_back(&queued);
            for (int k = 0; k < queued.wanted; ++k) woken.notify_one();
            ended.wait(hold, [&] { return queued.wanted == 0 && queued.helping == 0; });
        }
        job.rethrow();
    }

    void help() {
        std::unique_lock<std::mutex> hold(guard);
        for (;;) {
            woken.wait(hold, [&] { return !queue.empty(); });
            entry &taken = *queue.front();
            ++taken.helping;
            if (--taken.wanted == 0) queue.pop_front();
            hold.unlock();
            taken.through->carry(*taken.job);
            hold.lock();
            leave(taken);
        }
    }

    // A thread leaves a transfer when nothing of it is left, so that no other need come.
    void leave(entry &taken) {
        if (taken.wanted > 0) queue.erase(std::find(queue.begin(), queue.end(), &taken));
        taken.wanted = 0;
        if (--taken.helping == 0) ended.notify_all();
    }
};

// The staging of a device of this process.
inline staging &staging_of(driver &gpu, int device) {
    static std::mutex making;
    static std::vector<staging *> made[2];  // by vendor and device
    const std::lock_guard<std::mutex> hold(making);
    auto &devices = made[static_cast<size_t>(gpu.whose())];
    if (devices.empty()) devices.resize(static_cast<size_t>(gpu.count()));
    staging *&found = devices.at(static_cast<size_t>(device));
    if (found == nullptr) found = new staging(gpu, device);
    return *found;
}

// Copies of host arrays on the device, from the call's beginning to its end. Host arrays that overlap share one copy.
class round_trip {
public:
    // Copies in: work queued on the stream from now on finds the arrays at `device` of their pieces.
    round_trip(staging &way, piece *first, int count, void *stream) : way(way), stream(stream) {
        const std::vector<piece *> ordered = in_order(first, count);
        for (const piece *each : ordered) add(there, static_cast<char *>(each->host), each->bytes);
        if (there.empty()) return;
        held = way.blocks.take(bytes_on_device());
        try {
            place(ordered);
            way.bring_in(there, stream);
        } catch (...) {
            settle();
            way.blocks.give(held);
            throw;
        }
    }
    round_trip(const round_trip &) = delete;
    round_trip &operator=(const round_trip &) = delete;

    ~round_trip() {
        if (held.memory == nullptr) return;
        is_idle ? way.blocks.give(held) : way.blocks.give_after(held, stream);
    }

    // Copies back what comes back, once the work on the stream is done. Where nothing does, returns at once.
    void bring_back() {
        if (back.empty()) return;
        try {
            way.take_out(back, stream);
        } catch (...) {
            settle();
            throw;
        }
        is_idle = true;
    }

private:
    static constexpr size_t alignment = 256;  // of what drivers allocate

    staging &way;
    void *stream;
    block held;
    std::vector<segment> there, back;  // what goes and what comes back: apart, in the order of host addresses
    bool is_idle = false;              // no work uses the block any more

    static std::vector<piece *> in_order(piece *first, int count) {
        std::vector<piece *> ordered;
        for (piece *each = first; each != first + count; ++each) {
            each->device = nullptr;
            if (each->bytes > 0) ordered.push_back(each);
        }
        std::sort(ordered.begin(), ordered.end(), [](const piece *a, const piece *b) {
            return std::less<>()(a->host, b->host);
        });
        return ordered;
    }

    // Ascending host addresses: what overlaps the last segment makes it longer.
    static void add(std::vector<segment> &segments, char *host, size_t bytes, char *device = nullptr) {
        if (segments.empty() || host >= segments.back().host + segments.back().bytes) {
            segments.push_back({host, device, bytes});
        } else {
            segment &last = segments.back();
            last.bytes = std::max(last.bytes, static_cast<size_t>(host - last.host) + bytes);
        }
    }

    static size_t padded(size_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

    size_t bytes_on_device() const {
        size_t bytes = 0;
        for (const segment &each : there) bytes += padded(each.bytes);
        return bytes;
    }

    void place(const std::vector<piece *> &ordered) {
        char *next = static_cast<char *>(held.memory);
        for (segment &each : there) {
            each.device = next;
            next += padded(each.bytes);
        }
        auto around = there.begin();
        for (piece *each : ordered) {
            char *host = static_cast<char *>(each->host);
            while (host >= around->host + around->bytes) ++around;
            char *device = around->device + (host - around->host);
            each->device = device;
            if (each->comes_back) add(back, host, each->bytes, device);
        }
    }

    // After a failure: nothing is on its way, or the device is past using.
    void settle() noexcept {
        try {
            way.api().synchronize_device();
        } catch (const driver_error &) {
        }
    }
};

}  // namespace transpile

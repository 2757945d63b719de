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
#include "staging_transfer.hpp"

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
        : blocks(gpu), gpu(gpu), device(device), options(options) {}
    staging(const staging &) = delete;
    staging &operator=(const staging &) = delete;
    ~staging() = delete;  // its threads wait in it until the process ends

    driver &api() { return gpu; }
    const staging_options &how() const { return options; }

    // Whether there are threads to `run` on, and rings for them: made now, if there were none. Raises driver_error where
    // anything but memory is missing.
    bool start() {
        const std::lock_guard<std::mutex> hold(guard);
        if (started > 0) return true;
        if (rings == nullptr) make_rings();
        if (rings != nullptr) start_threads();
        return started > 0;
    }

    // Runs the transfer on the copying threads and waits until all that is the processor's work is done.
    void run(transfer &job) {
        std::unique_lock<std::mutex> hold(guard);
        entry queued = {&job, job.worth(), 0};
        queue.push_back(&queued);
        if (queued.wanted < started) {
            for (int k = 0; k < queued.wanted; ++k) woken.notify_one();
        } else {
            woken.notify_all();
        }
        ended.wait(hold, [&] { return queued.wanted == 0 && queued.helping == 0; });
        job.rethrow();
    }

private:
    // A transfer in the queue: how many more threads may take part, and how many do.
    struct entry {
        transfer *job;
        int wanted;
        int helping;
    };

    driver &gpu;
    const int device;
    const staging_options options;
    std::mutex guard;  // of all below
    std::condition_variable woken, ended;
    std::deque<entry *> queue;
    int started = 0;
    char *rings = nullptr;  // pinned: one after the other

    static staging_options default_options() {
        staging_options chosen;
        cpu_set_t usable;
        CPU_ZERO(&usable);
        if (sched_getaffinity(0, sizeof usable, &usable) == 0) {
            chosen.threads = std::clamp(CPU_COUNT(&usable), 1, chosen.threads);
        }
        return chosen;
    }

    size_t bytes_of_ring() const { return options.chunk * static_cast<size_t>(options.slots); }

    void make_rings() {
        try {
            rings = static_cast<char *>(gpu.allocate_pinned(bytes_of_ring() * static_cast<size_t>(options.threads)));
        } catch (const driver_error &error) {
            if (error.code != driver_out_of_memory) throw;
        }
    }

    // Signals are for the threads of the program. Where the process may have no more threads, fewer do.
    void start_threads() {
        sigset_t all, before;
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before);
        try {
            for (; started < options.threads; ++started) {
                char *ring = rings + static_cast<size_t>(started) * bytes_of_ring();
                std::thread([this, ring] { help(ring); }).detach();
            }
        } catch (const std::system_error &) {
        }
        pthread_sigmask(SIG_SETMASK, &before, nullptr);
    }

    void help(char *ring) {
        lane own(gpu, device, options, ring);
        std::unique_lock<std::mutex> hold(guard);
        for (;;) {
            woken.wait(hold, [&] { return !queue.empty(); });
            entry &taken = *queue.front();
            ++taken.helping;
            if (--taken.wanted == 0) queue.pop_front();
            hold.unlock();
            own.carry(*taken.job);
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
            send();
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
        driver &gpu = way.api();
        try {
            if (is_plain(back)) {
                for (const segment &each : back) gpu.copy_out(each.host, each.device, each.bytes, stream);
                gpu.synchronize(stream);
            } else {
                gpu.synchronize(stream);
                transfer job(direction::out, back, way.how());
                way.run(job);
            }
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

    // Whether the driver's own copy of pageable memory does as well.
    bool is_plain(const std::vector<segment> &segments) const {
        size_t bytes = 0;
        for (const segment &each : segments) bytes += each.bytes;
        return bytes <= way.how().plain || !way.start();
    }

    void send() {
        driver &gpu = way.api();
        if (is_plain(there)) {
            for (const segment &each : there) gpu.copy_in(each.device, each.host, each.bytes, stream);
            return;
        }
        transfer job(direction::in, there, way.how());
        way.run(job);
        for (void *event : job.arrived()) gpu.wait(stream, event);
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

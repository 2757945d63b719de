// Moves bytes between pageable host memory and a device through pinned memory. A transfer is what one call moves in one
// direction; threads take chunks of it, each through the pinned ring of its own lane, so that the copies of the
// processor and those of the device overlap.
#pragma once

#include "driver.hpp"
#include "staging_copy.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <mutex>
#include <vector>

namespace transpile {

enum class direction : uint8_t { in, out };

// Bytes of a host array and their place on the device.
struct segment {
    char *host;
    char *device;
    size_t bytes;
};

// How host arrays are staged.
struct staging_options {
    int threads = 12;
    size_t chunk = size_t{1} << 20;  // bytes, at least 512; the first and the last of a transfer are smaller
    int slots = 2;                   // chunks on their way in each lane
    size_t plain = size_t{1} << 19;  // up to so many bytes the driver's own copy of pageable memory is quicker
    copy_function copy_in = copy_cached;
    copy_function copy_out = copy_streaming;
};

class transfer {
public:
    const direction way;

    transfer(direction way, const std::vector<segment> &segments, const staging_options &options)
        : way(way), options(options), segments(segments) {
        for (const segment &each : segments) left += each.bytes;
    }
    transfer(const transfer &) = delete;
    transfer &operator=(const transfer &) = delete;

    // The next chunk; false where nothing is left, or one has failed.
    bool claim(segment &chunk) {
        const std::lock_guard<std::mutex> hold(guard);
        while (at < segments.size() && done == segments[at].bytes) {
            ++at;
            done = 0;
        }
        if (failure != nullptr || at == segments.size()) return false;
        const segment &from = segments[at];
        chunk = {from.host + done, from.device + done, std::min(from.bytes - done, next_size())};
        done += chunk.bytes;
        left -= chunk.bytes;
        ++claimed;
        return true;
    }

    // How many threads find something worth waking for.
    int worth() const {
        const size_t chunks = left / least();
        return chunks < static_cast<size_t>(options.threads) ? std::max(1, static_cast<int>(chunks)) : options.threads;
    }

    // The device has what a lane sent it when it reaches this event.
    void arrives(void *event) {
        const std::lock_guard<std::mutex> hold(guard);
        arrivals.push_back(event);
    }

    void fail(std::exception_ptr reason) {
        const std::lock_guard<std::mutex> hold(guard);
        if (failure == nullptr) failure = reason;
    }

    // The rest is for the thread that waits, when no other holds the transfer.
    const std::vector<void *> &arrived() const { return arrivals; }
    void rethrow() const {
        if (failure != nullptr) std::rethrow_exception(failure);
    }

private:
    const staging_options &options;
    const std::vector<segment> &segments;
    std::mutex guard;
    size_t at = 0, done = 0;  // the segment that chunks are taken from, and how much of it is taken
    size_t left = 0;
    int claimed = 0;
    std::vector<void *> arrivals;
    std::exception_ptr failure;

    size_t least() const { return options.chunk / 8; }

    // Small first, so that the device has something to do soon; small last, so that all end together.
    size_t next_size() const {
        constexpr size_t line = 64;
        const size_t first = options.chunk >> std::max(0, 2 - claimed / options.threads);
        const size_t share = left / static_cast<size_t>(2 * options.threads);
        return std::max(least(), std::min(first, share) / line * line);
    }
};

// One thread's way to a device: a ring of pinned slots, and a stream for each direction, made when first needed.
class lane {
public:
    lane(driver &gpu, int device, const staging_options &options, char *ring)
        : gpu(gpu), device(device), options(options), slots(static_cast<size_t>(options.slots)) {
        for (size_t k = 0; k < slots.size(); ++k) slots[k].memory = ring + k * options.chunk;
    }
    lane(const lane &) = delete;
    lane &operator=(const lane &) = delete;

    // Carries chunks of the transfer until none is left. A failure is the transfer's.
    void carry(transfer &job) noexcept {
        try {
            prepare();
            job.way == direction::in ? carry_in(job) : carry_out(job);
        } catch (...) {
            job.fail(std::current_exception());
            settle();
        }
    }

private:
    struct slot {
        char *memory = nullptr;
        void *moved = nullptr;  // the event that ends its last copy
        bool is_moving = false;
        segment chunk = {};
    };

    driver &gpu;
    int device;
    const staging_options &options;
    void *stream_in = nullptr, *stream_out = nullptr;
    std::vector<slot> slots;
    size_t turn = 0;

    // What an earlier try has made stays.
    void prepare() {
        if (slots.back().moved != nullptr) return;
        gpu.use(device);
        if (stream_in == nullptr) stream_in = gpu.create_stream();
        if (stream_out == nullptr) stream_out = gpu.create_stream();
        for (slot &each : slots) {
            if (each.moved == nullptr) each.moved = gpu.create_event();
        }
    }

    slot &next_slot() { return slots[turn++ % slots.size()]; }

    void await(slot &used) {
        if (used.is_moving) gpu.synchronize_event(used.moved);
        used.is_moving = false;
    }

    void mark(slot &used, void *stream) {
        gpu.record(used.moved, stream);
        used.is_moving = true;
    }

    void carry_in(transfer &job) {
        segment chunk;
        const slot *last = nullptr;
        while (job.claim(chunk)) {
            slot &free = next_slot();
            await(free);
            options.copy_in(free.memory, chunk.host, chunk.bytes);
            gpu.copy_in(chunk.device, free.memory, chunk.bytes, stream_in);
            mark(free, stream_in);
            last = &free;
        }
        if (last != nullptr) job.arrives(last->moved);
    }

    void carry_out(transfer &job) {
        size_t moving = 0;
        for (;;) {
            segment chunk;
            while (moving < slots.size() && job.claim(chunk)) {
                slot &free = next_slot();
                await(free);
                free.chunk = chunk;
                gpu.copy_out(free.memory, chunk.device, chunk.bytes, stream_out);
                mark(free, stream_out);
                ++moving;
            }
            if (moving == 0) return;
            slot &oldest = slots[(turn - moving) % slots.size()];
            await(oldest);
            options.copy_out(oldest.chunk.host, oldest.memory, oldest.chunk.bytes);
            --moving;
        }
    }

    // Nothing is on its way afterwards, or the device is past using.
    void settle() noexcept {
        for (void *stream : {stream_in, stream_out}) {
            try {
                if (stream != nullptr) gpu.synchronize(stream);
            } catch (const driver_error &) {
            }
        }
        for (slot &each : slots) each.is_moving = false;
    }
};

}  // namespace transpile

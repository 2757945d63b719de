// Device memory for host arrays, kept from call to call: an allocation and its release cost a fifth of a millisecond,
// which is more than many kernels take.
#pragma once

#include "driver.hpp"

#include <algorithm>
#include <mutex>
#include <new>
#include <string>
#include <vector>

namespace transpile {

// A piece of device memory. It may be used again when `busy` is reached; null where it is free already.
struct block {
    void *memory = nullptr;
    size_t bytes = 0;
    void *busy = nullptr;
};

// The free blocks of one device, up to a sixteenth of its memory and a gigabyte: arrays beyond that take so long to copy
// that an allocation is nothing beside it. The device must be the calling thread's current one. Safe to call from several
// threads.
class block_cache {
public:
    explicit block_cache(driver &gpu) : gpu(gpu) {}

    // A block of at least `bytes`: a free one, or a new one. What is free goes back to the driver before an allocation
    // is given up. Raises driver_error.
    block take(size_t bytes) {
        block found;
        {
            const std::lock_guard<std::mutex> hold(guard);
            found = take_free(bytes);
        }
        if (found.memory != nullptr) return found;
        found.bytes = round_up(bytes);
        find_limit();
        found.memory = try_allocate(found.bytes);
        if (found.memory == nullptr && release_free()) found.memory = try_allocate(found.bytes);
        if (found.memory == nullptr) fail_full(bytes);
        return found;
    }

    // Takes back a block that no queued work uses.
    void give(const block &used) noexcept {
        const std::lock_guard<std::mutex> hold(guard);
        keep(used);
    }

    // Takes back a block that work queued on the stream still uses.
    void give_after(block used, void *stream) noexcept {
        try {
            used.busy = gpu.create_event();
            gpu.record(used.busy, stream);
        } catch (const driver_error &) {
            drop(used);  // the driver waits for the work, or the device is past using
            return;
        }
        give(used);
    }

private:
    driver &gpu;
    std::mutex guard;
    std::vector<block> free;  // in the order in which they came back
    size_t held = 0;          // bytes of them
    size_t limit = 0;         // of `held`; known before the first block is

    // An eighth more at most, so that arrays of much the same size find each other's blocks.
    static size_t round_up(size_t bytes) {
        size_t step = 512;
        while (step * 8 < bytes) step *= 2;
        return (bytes + step - 1) / step * step;
    }

    void find_limit() {
        const std::lock_guard<std::mutex> hold(guard);
        if (limit > 0) return;
        size_t available = 0, total = 0;
        gpu.memory_info(&available, &total);
        limit = std::min(size_t{1} << 30, total / 16);
    }

    // Null where the device is full.
    void *try_allocate(size_t bytes) {
        try {
            return gpu.allocate(bytes);
        } catch (const driver_error &error) {
            if (error.code != driver_out_of_memory) throw;
            return nullptr;
        }
    }

    [[noreturn]] void fail_full(size_t bytes) {
        size_t available = 0, total = 0;
        gpu.memory_info(&available, &total);
        throw driver_error(driver_out_of_memory, "host arrays need " + std::to_string(bytes) + " bytes of it, and " +
                                                     std::to_string(available) + " of " + std::to_string(total) +
                                                     " are free");
    }

    bool is_reached(block &each) {
        if (each.busy == nullptr) return true;
        if (!gpu.is_reached(each.busy)) return false;
        gpu.destroy_event(each.busy);
        each.busy = nullptr;
        return true;
    }

    // The smallest that is large enough, unless more than half of it would lie idle.
    block take_free(size_t bytes) {
        const size_t wanted = round_up(bytes);
        auto best = free.end();
        for (auto each = free.begin(); each != free.end(); ++each) {
            if (each->bytes < wanted || each->bytes / 2 > wanted) continue;
            if ((best == free.end() || each->bytes < best->bytes) && is_reached(*each)) best = each;
        }
        if (best == free.end()) return {};
        const block found = *best;
        free.erase(best);
        held -= found.bytes;
        return found;
    }

    void keep(block used) noexcept {
        if (used.bytes > limit) {
            drop(used);
            return;
        }
        try {
            free.push_back(used);
        } catch (const std::bad_alloc &) {
            drop(used);
            return;
        }
        held += used.bytes;
        while (held > limit) {
            held -= free.front().bytes;
            drop(free.front());
            free.erase(free.begin());
        }
    }

    // False if there was nothing to release.
    bool release_free() noexcept {
        const std::lock_guard<std::mutex> hold(guard);
        for (block &each : free) drop(each);
        const bool any = !free.empty();
        free.clear();
        held = 0;
        return any;
    }

    // A failure here is one that the next call will meet and tell.
    void drop(block &used) noexcept {
        try {
            if (used.busy != nullptr) gpu.destroy_event(used.busy);
            gpu.release(used.memory);
        } catch (const driver_error &) {
        }
    }
};

}  // namespace transpile

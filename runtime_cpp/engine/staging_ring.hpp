// Moves bytes between pageable host memory and a device through pinned memory. What the device copies at once is a load:
// large, since the device rests for some microseconds between two. What a thread copies at once is a part of a load:
// small, so that all threads end together. Each load has a slot of a pinned ring to itself while it is on its way, so
// that the copies of the processor and those of the device overlap.
#pragma once

#include "driver.hpp"

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <exception>
#include <mutex>
#include <thread>
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
    int slots = 6;                   // of the ring of each direction
    size_t load = size_t{1} << 22;   // bytes of a slot
    size_t part = size_t{1} << 18;   // bytes that a thread copies at once
    size_t plain = size_t{1} << 19;  // up to so many bytes the driver's own copy of pageable memory is quicker
};

struct load {
    segment what;
    std::atomic<size_t> left;           // bytes that threads have yet to copy
    std::atomic<bool> is_asked{false};  // a thread waits for the device
    std::atomic<bool> is_ready{false};  // threads may copy: its slot is free (in), or holds it (out)
    std::atomic<bool> is_sent{false};   // the device has been told to copy it

    explicit load(const segment &what) : what(what), left(what.bytes) {}
};

struct part {
    size_t load;  // by number
    size_t offset;
    size_t bytes;
};

// What one call moves in one direction. Threads take parts of it until nothing is left.
class transfer {
public:
    const direction way;
    std::deque<load> loads;

    transfer(direction way, const std::vector<segment> &segments, const staging_options &options)
        : way(way), options(options) {
        size_t left = 0, begun = 0;
        for (const segment &each : segments) left += each.bytes;
        for (const segment &each : segments) {
            for (size_t done = 0; done < each.bytes;) {
                const size_t bytes = std::min(each.bytes - done, size_of_load(begun, left));
                add_load({each.host + done, each.device + done, bytes});
                done += bytes;
                begun += bytes;
                left -= bytes;
            }
        }
    }
    transfer(const transfer &) = delete;
    transfer &operator=(const transfer &) = delete;

    // The next part; null where nothing is left, or something has failed.
    const part *claim() {
        const size_t number = claimed.fetch_add(1, std::memory_order_relaxed);
        return failed || number >= parts.size() ? nullptr : &parts[number];
    }

    // How many threads find something worth waking for.
    int worth() const { return static_cast<int>(std::min(parts.size(), static_cast<size_t>(options.threads))); }

    // False where something has failed meanwhile. Whoever is to set it is at work, or waits for the device alone.
    bool await(const std::atomic<bool> &set) const {
        while (!set.load(std::memory_order_acquire)) {
            if (failed) return false;
            std::this_thread::yield();
        }
        return true;
    }

    void fail(std::exception_ptr reason) {
        const std::lock_guard<std::mutex> hold(guard);
        if (!failed) failure = reason;
        failed = true;
    }

    // When no thread is at work any more.
    void rethrow() const {
        if (failure != nullptr) std::rethrow_exception(failure);
    }

private:
    const staging_options &options;
    std::vector<part> parts;
    std::atomic<size_t> claimed{0};
    std::atomic<bool> failed{false};
    std::mutex guard;  // of the failure
    std::exception_ptr failure;

    void add_load(const segment &what) {
        for (size_t offset = 0; offset < what.bytes; offset += options.part) {
            parts.push_back({loads.size(), offset, std::min(what.bytes - offset, options.part)});
        }
        loads.emplace_back(what);
    }

    // Small first and last: the device begins soon, and ends soon after the processor, or the other way round.
    size_t size_of_load(size_t begun, size_t left) const {
        constexpr size_t line = 64;
        return std::min(options.load, std::max(options.load / 8, std::min(begun, left / 2) / line * line));
    }
};

// One direction's slots and stream, made when first needed. One transfer at a time goes through.
class ring {
public:
    std::mutex use;

    ring(driver &gpu, int device, const staging_options &options)
        : gpu(gpu), device(device), options(options), slots(static_cast<size_t>(options.slots)) {}
    ring(const ring &) = delete;
    ring &operator=(const ring &) = delete;

    // False where there is no pinned memory. What an earlier try has made stays. Raises driver_error.
    bool prepare() {
        if (memory != nullptr) return true;
        if (stream == nullptr) stream = gpu.create_stream();
        if (arrived == nullptr) arrived = gpu.create_event();
        for (slot &each : slots) {
            if (each.moved == nullptr) each.moved = gpu.create_event();
        }
        try {
            memory = static_cast<char *>(gpu.allocate_pinned(options.load * slots.size()));
        } catch (const driver_error &error) {
            if (error.code != driver_out_of_memory) throw;
            return false;
        }
        for (size_t k = 0; k < slots.size(); ++k) slots[k].memory = memory + k * options.load;
        return true;
    }

    // Sets the device to work where the transfer begins with it.
    void begin(transfer &job) {
        if (job.way == direction::in) return;
        for (size_t k = 0; k < std::min(slots.size(), job.loads.size()); ++k) send(job, k);
    }

    // Copies parts, on any thread, until none is left. A failure is the transfer's.
    void carry(transfer &job) noexcept {
        try {
            gpu.use(device);
            for (const part *next = job.claim(); next != nullptr; next = job.claim()) {
                if (!is_ready(job, next->load)) return;
                copy(job, *next);
            }
        } catch (...) {
            job.fail(std::current_exception());
        }
    }

    // Work queued on the stream from now on finds what was carried in.
    void arrive(void *other) {
        gpu.record(arrived, stream);
        gpu.wait(other, arrived);
    }

private:
    struct slot {
        char *memory = nullptr;
        void *moved = nullptr;  // the event that ends the device's last copy
    };

    driver &gpu;
    int device;
    const staging_options &options;
    void *stream = nullptr;
    void *arrived = nullptr;
    char *memory = nullptr;
    std::vector<slot> slots;

    slot &slot_of(size_t number) { return slots[number % slots.size()]; }

    void send(transfer &job, size_t number) {
        load &sent = job.loads[number];
        const slot &through = slot_of(number);
        if (job.way == direction::in) {
            gpu.copy_in(sent.what.device, through.memory, sent.what.bytes, stream);
        } else {
            gpu.copy_out(through.memory, sent.what.device, sent.what.bytes, stream);
        }
        gpu.record(through.moved, stream);
        sent.is_sent.store(true, std::memory_order_release);
    }

    // Waits until threads may copy the load; false where something has failed. One of them asks the driver, for whose
    // locks all would queue.
    bool is_ready(transfer &job, size_t number) {
        load &whole = job.loads[number];
        if (whole.is_asked.exchange(true)) return job.await(whole.is_ready);
        if (job.way == direction::out && !job.await(whole.is_sent)) return false;
        if (job.way == direction::in && number >= slots.size()) {
            if (!job.await(job.loads[number - slots.size()].is_sent)) return false;
        }
        gpu.synchronize_event(slot_of(number).moved);
        whole.is_ready.store(true, std::memory_order_release);
        return true;
    }

    void copy(transfer &job, const part &next) {
        load &whole = job.loads[next.load];
        char *host = whole.what.host + next.offset, *pinned = slot_of(next.load).memory + next.offset;
        job.way == direction::in ? std::memcpy(pinned, host, next.bytes) : std::memcpy(host, pinned, next.bytes);
        if (whole.left.fetch_sub(next.bytes, std::memory_order_acq_rel) != next.bytes) return;
        const size_t following = job.way == direction::in ? next.load : next.load + slots.size();
        if (following < job.loads.size()) send(job, following);
    }
};

}  // namespace transpile

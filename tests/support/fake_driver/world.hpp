// The state of the stand-in for NVIDIA's driver: devices of host memory, and streams whose work waits, if it is asked
// to, until somebody waits for it. So a missing wait shows as a wrong result, every time.
#pragma once

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>

namespace fake {

enum code : int {
    success = 0,
    invalid_value = 1,
    out_of_memory = 2,
    invalid_device = 101,
    invalid_image = 200,
    invalid_context = 201,
    invalid_handle = 400,
    not_found = 500,
    not_ready = 600,
    capture_unsupported = 900,
};

enum class kind { pinned, device };

struct block {
    size_t bytes;
    fake::kind kind;
    int device;
};

// A point in a stream's work, which an event remembers.
struct stream;
struct mark {
    stream *where;
    bool is_reached = false;
};

struct stream {
    int device;
    bool is_capturing = false;
    std::deque<std::function<void()>> work;

    bool step() {
        if (work.empty()) return false;
        const std::function<void()> next = std::move(work.front());
        work.pop_front();
        next();
        return true;
    }
    void drain() {
        while (step()) continue;
    }
};

struct context {
    int device;
    stream legacy;
};

struct event {
    const context *home;  // events and images are of a context, and invalid in another
    std::shared_ptr<mark> last;
};

struct failure {
    int64_t at;  // which call from now on fails; 0: every one
    int code;
};

inline int64_t setting(const char *name, int64_t otherwise) {
    const char *text = std::getenv(name);
    return text != nullptr && *text != '\0' ? std::strtoll(text, nullptr, 10) : otherwise;
}

struct world {
    std::recursive_mutex one_at_a_time;
    int devices = static_cast<int>(setting("FAKE_CUDA_DEVICES", 1));
    int version = static_cast<int>(setting("FAKE_CUDA_VERSION", 13000));
    bool is_lazy = setting("FAKE_CUDA_LAZY", 0) != 0;
    size_t memory = static_cast<size_t>(setting("FAKE_CUDA_MEMORY", INT64_C(1) << 33));  // of each device
    std::map<int, std::unique_ptr<context>> contexts;
    std::map<const char *, block> blocks;
    std::map<int, size_t> used;
    std::set<stream *> streams;
    std::map<std::string, int64_t> calls;
    std::map<std::string, failure> failures;
    void *last_stream = nullptr;
    int last_device = -1;
    std::string launches;

    static world &get() {
        static world *const the = new world();
        return *the;
    }

    world() {
        // FAKE_CUDA_FAIL=cuInit=100,cuMemAlloc_v2:3=2 : a function, which of its calls, and the error
        const char *text = std::getenv("FAKE_CUDA_FAIL");
        std::string rest = text != nullptr ? text : "";
        while (!rest.empty()) {
            const std::string one = rest.substr(0, rest.find(','));
            rest = one.size() < rest.size() ? rest.substr(one.size() + 1) : "";
            const size_t equals = one.find('='), colon = one.find(':');
            const int64_t at = colon < equals ? std::strtoll(one.c_str() + colon + 1, nullptr, 10) : 0;
            failures[one.substr(0, std::min(colon, equals))] = {at, std::atoi(one.c_str() + equals + 1)};
        }
    }

    // Counts a call, and says whether it is one that must fail.
    int count(const char *name) {
        ++calls[name];
        const auto found = failures.find(name);
        if (found == failures.end()) return success;
        if (found->second.at > 1) {
            --found->second.at;
            return success;
        }
        const int failed = found->second.code;
        if (found->second.at == 1) failures.erase(found);
        return failed;
    }

    // The block that holds all of these bytes, or null.
    const block *block_of(const void *address, size_t bytes, const char **start = nullptr) const {
        const auto *at = static_cast<const char *>(address);
        auto after = blocks.upper_bound(at);
        if (after == blocks.begin()) return nullptr;
        --after;
        if (at + bytes > after->first + after->second.bytes || (bytes == 0 && at >= after->first + after->second.bytes))
            return nullptr;
        if (start != nullptr) *start = after->first;
        return &after->second;
    }

    bool is_device(const void *address, size_t bytes) const {
        const block *found = block_of(address, bytes);
        return bytes == 0 || (found != nullptr && found->kind == kind::device);
    }
    bool is_pinned(const void *address, size_t bytes) const {
        const block *found = block_of(address, bytes);
        return found != nullptr && found->kind == kind::pinned;
    }

    bool is_capturing() const {
        for (const stream *each : streams) {
            if (each->is_capturing) return true;
        }
        return false;
    }

    void add(stream *where, std::function<void()> work) {
        if (where->is_capturing) return;
        where->work.push_back(std::move(work));
        if (!is_lazy) where->drain();
    }

    void drain_all() {
        for (auto &[device, held] : contexts) held->legacy.drain();
        for (stream *each : streams) each->drain();
    }
};

inline thread_local context *current = nullptr;

// The stream of a handle: 0 and 1 are the legacy one of the current device, 2 the thread's, which is the same here.
inline stream *find_stream(void *handle) {
    if (reinterpret_cast<uintptr_t>(handle) <= 2) return current != nullptr ? &current->legacy : nullptr;
    auto *found = static_cast<stream *>(handle);
    return world::get().streams.count(found) != 0 ? found : nullptr;
}

}  // namespace fake

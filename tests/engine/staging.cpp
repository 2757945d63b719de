// Tests of engine/staging.hpp against the stand-in for the driver: `staging CASE` ends with status 0, or says which line
// failed. Without a case it lists them.
#include "engine/staging.hpp"

#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>

extern "C" {
int64_t fake_calls(const char *name);
void fake_fail(const char *name, int64_t at, int code);
void fake_queue(void *handle, void (*work)(void *), void *data);
void fake_limit(size_t bytes);
size_t fake_used(int device);
}

#define CHECK(condition)                                              \
    if (!(condition)) {                                               \
        std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
        std::exit(1);                                                 \
    }

namespace {

using namespace transpile;
using bytes = std::vector<unsigned char>;

// Small loads, so that small arrays take many.
staging_options small_loads(int threads = 3) {
    staging_options options;
    options.threads = threads;
    options.slots = 2;
    options.load = 4096;
    options.part = 512;
    options.plain = 1000;
    return options;
}

driver &first_device() {
    driver &gpu = driver::of(vendor::cuda);
    gpu.use(0);
    return gpu;
}

bytes numbered(size_t count, unsigned seed) {
    std::mt19937 random(seed);
    bytes made(count);
    for (unsigned char &each : made) each = static_cast<unsigned char>(random());
    return made;
}

// A kernel on the stand-in's device: y[k] = y[k] * 3 + x[k], one byte at a time.
struct update {
    const unsigned char *x;
    unsigned char *y;
    size_t count;

    static void run(void *data) {
        const auto *self = static_cast<update *>(data);
        for (size_t k = 0; k < self->count; ++k) {
            self->y[k] = static_cast<unsigned char>(self->y[k] * 3 + (self->x != nullptr ? self->x[k] : 0));
        }
    }
};

void check_updated(const bytes &x, const bytes &before, const bytes &after) {
    CHECK(before.size() == after.size());
    for (size_t k = 0; k < before.size(); ++k) {
        CHECK(after[k] == static_cast<unsigned char>(before[k] * 3 + x[k]));
    }
}

// One whole call: both arrays there, the kernel, `y` back.
void call(staging &way, size_t count, void *stream, unsigned seed) {
    bytes x = numbered(count, seed), y = numbered(count, seed + 1);
    const bytes x_before = x, y_before = y;
    piece pieces[] = {{x.data(), count, false}, {y.data(), count, true}};
    update kernel = {nullptr, nullptr, count};
    {
        round_trip trip(way, pieces, 2, stream);
        kernel.x = static_cast<unsigned char *>(pieces[0].device);
        kernel.y = static_cast<unsigned char *>(pieces[1].device);
        CHECK(count == 0 || (kernel.x != nullptr && kernel.y != nullptr));
        CHECK(reinterpret_cast<uintptr_t>(kernel.x) % 256 == 0 && reinterpret_cast<uintptr_t>(kernel.y) % 256 == 0);
        fake_queue(stream, update::run, &kernel);
        trip.bring_back();
        check_updated(x_before, y_before, y);
    }
    CHECK(x == x_before);
    // The caller's `kernel` is read by the stream until it has run.
    way.api().synchronize(stream);
}

void sizes() {
    driver &gpu = first_device();
    staging &way = *new staging(gpu, 0, small_loads());
    void *stream = gpu.create_stream();
    for (const size_t base : {0, 1, 500, 1000, 4096, 8192, 3 * 8192, 100000}) {
        for (const size_t count : {base, base + 1, base == 0 ? base : base - 1}) {
            call(way, count, stream, static_cast<unsigned>(count));
            call(way, count, nullptr, static_cast<unsigned>(count));
        }
    }
}

void defaults() {
    driver &gpu = first_device();
    staging &way = staging_of(gpu, 0);
    CHECK(&way == &staging_of(gpu, 0));
    call(way, size_t{5} << 20, nullptr, 1);
    CHECK(fake_calls("cuMemHostAlloc") > 0);
}

// Arrays that go by the driver's own copies need no thread and no pinned memory.
void small_arrays() {
    driver &gpu = first_device();
    staging &way = *new staging(gpu, 0, small_loads());
    call(way, 400, nullptr, 1);
    CHECK(fake_calls("cuMemHostAlloc") == 0 && fake_calls("cuStreamCreate") == 0);
}

// Where the process may have no more threads, or no pinned memory, all arrays go by the driver's own copies.
void nothing_to_stage_with() {
    driver &gpu = first_device();
    staging &way = *new staging(gpu, 0, small_loads());
    fake_fail("cuMemHostAlloc", 0, driver_out_of_memory);
    call(way, 50000, nullptr, 1);
    CHECK(fake_calls("cuMemcpyHtoDAsync_v2") == 2);  // an array each
    fake_fail("cuMemHostAlloc", 0, 0);
    const rlimit none = {0, 0};
    CHECK(setrlimit(RLIMIT_NPROC, &none) == 0);
    CHECK(geteuid() != 0 || setuid(65534) == 0);  // root may have as many as it likes
    call(way, 50000, nullptr, 1);
    CHECK(fake_calls("cuMemcpyHtoDAsync_v2") == 4);
}

// Random pieces of one buffer, many of which overlap, against the same done in place.
void overlapping_arrays() {
    driver &gpu = first_device();
    staging &way = *new staging(gpu, 0, small_loads());
    void *stream = gpu.create_stream();
    std::mt19937 random(7);
    for (int round = 0; round < 60; ++round) {
        const size_t total = 1 + random() % 60000;
        bytes host = numbered(total, static_cast<unsigned>(round));
        bytes expected = host;
        std::vector<piece> pieces;
        for (unsigned k = random() % 8; k != 0; --k) {
            const size_t first = random() % total;
            pieces.push_back({host.data() + first, random() % (total - first + 1), random() % 2 == 0});
        }
        std::vector<update> kernels;
        kernels.reserve(pieces.size());
        round_trip trip(way, pieces.data(), static_cast<int>(pieces.size()), stream);
        for (const piece &each : pieces) {
            CHECK((each.device == nullptr) == (each.bytes == 0));
            if (!each.comes_back) continue;
            kernels.push_back({nullptr, static_cast<unsigned char *>(each.device), each.bytes});
            fake_queue(stream, update::run, &kernels.back());
            update in_place = {nullptr, expected.data() + (static_cast<unsigned char *>(each.host) - host.data()), each.bytes};
            update::run(&in_place);
        }
        trip.bring_back();
        CHECK(host == expected);
    }
}

// What a kernel may not write is not even touched: its page cannot be written.
void read_only_arrays() {
    driver &gpu = first_device();
    staging &way = *new staging(gpu, 0, small_loads());
    constexpr size_t count = 40960;
    auto *x = static_cast<unsigned char *>(
        mmap(nullptr, count, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    std::memset(x, 7, count);
    CHECK(mprotect(x, count, PROT_READ) == 0);
    bytes y = numbered(count, 3);
    const bytes before = y;
    piece pieces[] = {{x, count, false}, {y.data(), count, true}, {x, count, false}, {x + 100, 50, false}};
    round_trip trip(way, pieces, 4, nullptr);
    CHECK(pieces[2].device == pieces[0].device);
    CHECK(pieces[3].device == static_cast<char *>(pieces[0].device) + 100);
    update kernel = {static_cast<unsigned char *>(pieces[0].device), static_cast<unsigned char *>(pieces[1].device), count};
    fake_queue(nullptr, update::run, &kernel);
    trip.bring_back();
    check_updated(bytes(count, 7), before, y);
}

void several_threads() {
    driver &gpu = first_device();
    staging &way = *new staging(gpu, 0, small_loads(4));
    std::vector<std::thread> threads;
    for (unsigned t = 0; t < 6; ++t) {
        threads.emplace_back([&, t] {
            gpu.use(0);
            void *stream = t < 2 ? nullptr : gpu.create_stream();
            for (unsigned round = 0; round < 12; ++round) call(way, 1 + (t * 7919 + round * 104729) % 50000, stream, t * 100 + round);
        });
    }
    for (std::thread &each : threads) each.join();
}

void two_devices() {
    driver &gpu = first_device();
    CHECK(gpu.count() == 2);
    for (const int device : {0, 1, 0}) {
        gpu.use(device);
        call(staging_of(gpu, device), size_t{3} << 20, nullptr, 5);
        CHECK(fake_used(device) > 0);
    }
    CHECK(&staging_of(gpu, 0) != &staging_of(gpu, 1));
}

// Each function of the driver fails once at each of its calls; what was held before is as it was, and the next call works.
void failures() {
    driver &gpu = first_device();
    staging &way = *new staging(gpu, 0, small_loads(2));
    void *stream = gpu.create_stream();
    constexpr size_t count = 30000;
    constexpr int code = 999;
    int failed = 0;
    for (const char *function : {"cuMemAlloc_v2", "cuStreamCreate", "cuEventCreate", "cuMemHostAlloc", "cuMemcpyHtoDAsync_v2",
                                 "cuEventRecord", "cuEventSynchronize", "cuStreamWaitEvent", "cuCtxSetCurrent",
                                 "cuMemcpyDtoHAsync_v2", "cuStreamSynchronize"}) {
        for (int64_t at = 1; at <= 12; ++at) {
            bytes x = numbered(count, 1), y = numbered(count, 2);
            const bytes x_before = x, y_before = y;
            piece pieces[] = {{x.data(), count, false}, {y.data(), count, true}};
            fake_fail(function, at, code);
            bool is_sent = false;
            try {
                round_trip trip(way, pieces, 2, stream);
                is_sent = true;
                trip.bring_back();
                CHECK(y == y_before);
            } catch (const driver_error &error) {
                ++failed;
                CHECK(error.code == code);
                CHECK(is_sent || y == y_before);
            }
            CHECK(x == x_before);
            fake_fail(function, 0, 0);
            call(way, count, stream, 9);
        }
    }
    CHECK(failed > 30);
    CHECK(fake_used(0) < 200000);
}

// The fault of a kernel comes with the wait; nothing comes back.
void kernel_fault() {
    driver &gpu = first_device();
    staging &way = *new staging(gpu, 0, small_loads());
    bytes y = numbered(30000, 2);
    const bytes before = y;
    piece pieces[] = {{y.data(), y.size(), true}};
    int code = 0;
    try {
        round_trip trip(way, pieces, 1, nullptr);
        fake_fail("cuStreamSynchronize", 1, 700);
        trip.bring_back();
    } catch (const driver_error &error) {
        code = error.code;
    }
    CHECK(code == 700 && y == before);
}

// Free blocks go back to the driver when it has no more memory; too much is refused.
void out_of_memory() {
    driver &gpu = first_device();
    staging &way = *new staging(gpu, 0, small_loads());
    call(way, 300000, nullptr, 1);
    fake_limit(1 << 20);
    CHECK(fake_used(0) >= 600000);
    call(way, 100000, nullptr, 1);  // less than half of the free block: one of its own
    CHECK(fake_used(0) >= 800000);
    call(way, 400000, nullptr, 2);
    bytes y = numbered(2 << 20, 3);
    const bytes before = y;
    piece pieces[] = {{y.data(), y.size(), true}};
    int code = 0;
    try {
        round_trip trip(way, pieces, 1, nullptr);
    } catch (const driver_error &error) {
        code = error.code;
    }
    CHECK(code == driver_out_of_memory && y == before && fake_used(0) == 0);
    call(way, 400000, nullptr, 2);
}

void blocks_are_kept() {
    driver &gpu = first_device();
    staging &way = *new staging(gpu, 0, small_loads());
    for (const size_t count : {50000, 50001, 49990, 49000, 50000}) call(way, count, nullptr, 1);
    CHECK(fake_calls("cuMemAlloc_v2") == 1 && fake_calls("cuMemFree_v2") == 0);
    CHECK(fake_calls("cuMemHostAlloc") == 2 && fake_calls("cuStreamCreate") == 2);
    const block first = way.blocks.take(100000);
    const block second = way.blocks.take(100000);
    CHECK(first.memory != second.memory);
    way.blocks.give(first);
    CHECK(way.blocks.take(90000).memory == first.memory);
    constexpr size_t limit = size_t{1} << 29;  // the stand-in's devices have 8 GiB
    way.blocks.give({gpu.allocate(256), limit + 1, nullptr});
    CHECK(fake_calls("cuMemFree_v2") == 1);
    for (int k = 0; k < 5; ++k) way.blocks.give({gpu.allocate(256), limit / 2, nullptr});
    CHECK(fake_calls("cuMemFree_v2") == 4);
}

void note(void *data) { *static_cast<bool *>(data) = true; }

// A call that gets nothing back does not wait, and its block stays its own until the stream has come past it.
void nothing_comes_back() {
    driver &gpu = first_device();
    staging &way = *new staging(gpu, 0, small_loads());
    void *stream = gpu.create_stream();
    for (const size_t count : {size_t{100}, size_t{30000}}) {
        bytes x = numbered(count, 1);
        piece pieces[] = {{x.data(), count, false}};
        bool has_run = false;
        {
            round_trip trip(way, pieces, 1, stream);
            fake_queue(stream, note, &has_run);
            trip.bring_back();
        }
        CHECK(!has_run);
        CHECK(way.blocks.take(count).memory != pieces[0].device);
        gpu.synchronize(stream);
        CHECK(has_run && way.blocks.take(count).memory == pieces[0].device);
    }
}

// A call that ends without `bring_back`, as where its launch fails: nothing comes back.
void abandoned() {
    driver &gpu = first_device();
    staging &way = *new staging(gpu, 0, small_loads());
    bytes y = numbered(30000, 1);
    const bytes before = y;
    piece pieces[] = {{y.data(), y.size(), true}};
    update kernel = {nullptr, nullptr, y.size()};
    {
        round_trip trip(way, pieces, 1, nullptr);
        kernel.y = static_cast<unsigned char *>(pieces[0].device);
        fake_queue(nullptr, update::run, &kernel);
    }
    gpu.synchronize(nullptr);
    CHECK(y == before);
    call(way, 30000, nullptr, 4);
}

struct {
    const char *name;
    void (*run)();
} const cases[] = {
    {"sizes", sizes},
    {"defaults", defaults},
    {"small_arrays", small_arrays},
    {"nothing_to_stage_with", nothing_to_stage_with},
    {"overlapping_arrays", overlapping_arrays},
    {"read_only_arrays", read_only_arrays},
    {"several_threads", several_threads},
    {"two_devices", two_devices},
    {"failures", failures},
    {"kernel_fault", kernel_fault},
    {"out_of_memory", out_of_memory},
    {"blocks_are_kept", blocks_are_kept},
    {"nothing_comes_back", nothing_comes_back},
    {"abandoned", abandoned},
};

}  // namespace

int main(int count, char **arguments) {
    for (const auto &each : cases) {
        if (count == 1) std::puts(each.name);
        if (count != 2 || std::strcmp(each.name, arguments[1]) != 0) continue;
        each.run();
        return 0;
    }
    return count == 1 ? 0 : 2;
}

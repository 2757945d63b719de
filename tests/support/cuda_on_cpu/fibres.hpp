// Runs one block of device threads at a time on the calling thread: a fibre for each, switched at barriers and shuffles.
// It proves what the text says (indices, barriers, exchanges, bits); fibres run one by one, in an order that the test
// chooses, so that a missing barrier shows as another result. A barrier that can never open is reported, never waited for.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>
#if !defined(__x86_64__)
#include <ucontext.h>
#endif

struct uint3 {
    unsigned x, y, z;
};

struct dim3 {
    unsigned x, y, z;
    constexpr dim3(unsigned x = 1, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

#if defined(__x86_64__)
// Saves the callee-saved registers and the stack of one fibre, takes up another.
asm(R"(
.text
.p2align 4
.type fibres_switch, @function
fibres_switch:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size fibres_switch, .-fibres_switch
)");
extern "C" __attribute__((visibility("hidden"))) void fibres_switch(void **from, void *to);
#endif

namespace fibres {

constexpr int most_threads = 1024;
constexpr size_t stack_bytes = size_t(1) << 20;  // reserved; only touched pages cost anything
constexpr size_t stack_step = stack_bytes + 4096;

enum class State { ready, at_block, at_warp, gone };

// What a thread brings to a meeting of its warp, and what it takes away.
struct Meeting {
    const char *name = "";
    uint64_t lanes = 0;    // who meets, as bits of the warp
    bool in_step = false;  // lanes that have left are not waited for
    uint64_t value[2] = {};
    uint64_t result[2] = {};
    int source = 0;        // the lane whose value is taken; negative: a vote
};

struct Fibre {
#if defined(__x86_64__)
    void *stack_pointer = nullptr;
#else
    ucontext_t context;
#endif
    uint3 thread{};
    int index = 0;
    State state = State::gone;
    Meeting meeting;
    int vote = 0;  // of __syncthreads_and and its kind
};

// What a test may choose before a launch, and what it may ask after.
struct Settings {
    int warp = 32;
    uint64_t order = 0;  // 0: ascending, 1: descending, else the seed of a shuffle for each block
    std::string report;
    int error = 0;
};

inline Settings &settings() {
    static thread_local Settings value;
    return value;
}

class Machine {
  public:
    Fibre fibre[most_threads];
    Fibre *current = nullptr;
    uint3 block_index{};
    dim3 block{1, 1, 1};
    dim3 grid{1, 1, 1};
    std::vector<unsigned char> dynamic_shared;
    int vote_sum = 0, vote_threads = 0;

    template <typename Body>
    void launch(dim3 grid_size, dim3 block_size, size_t shared_bytes, const Body &body) {
        grid = grid_size;
        block = block_size;
        const uint64_t threads = uint64_t(block.x) * block.y * block.z;
        if (threads == 0 || threads > most_threads || block.z > 64) return fail("a block of this size cannot be launched");
        if (grid.x == 0 || grid.y == 0 || grid.z == 0) return fail("an empty grid cannot be launched");
        if (grid.x > 0x7fffffffu || grid.y > 65535 || grid.z > 65535) return fail("a grid of this size cannot be launched");
        if (shared_bytes > 227 * 1024) return fail("this much dynamic shared memory cannot be launched");
        dynamic_shared.assign(shared_bytes + 16, 0xdb);
        call_ = [](const void *what) { (*static_cast<const Body *>(what))(); };
        what_ = &body;
        for (unsigned z = 0; z < grid.z; ++z)
            for (unsigned y = 0; y < grid.y; ++y)
                for (unsigned x = 0; x < grid.x; ++x) {
                    block_index = {x, y, z};
                    if (!run_block(int(threads))) return;
                }
    }

    void wait_for_block() {
        current->state = State::at_block;
        leave();
    }

    // Waits until every lane of `meeting.lanes` is here with the same meeting, then has `result`.
    void meet(const Meeting &meeting) {
        current->meeting = meeting;
        current->state = State::at_warp;
        if (!settle(current->index / settings().warp)) return abandon();
        if (current->state != State::ready) leave();
    }

    int lane() const { return current->index % settings().warp; }

    // The lanes of this thread's warp that the block has at all.
    uint64_t present() const {
        const int warp = settings().warp, first = current->index / warp * warp;
        uint64_t bits = 0;
        for (int i = 0; i < warp && first + i < threads_; ++i) bits |= uint64_t(1) << i;
        return bits;
    }

    void fail(const std::string &what) {
        if (settings().report.empty()) settings().report = what;
        settings().error = 1;
    }

    // A thread that ends before its kernel does: nothing waits for it any more.
    [[noreturn]] void end() {
        may_miss_ = true;
        finish();
    }

    [[noreturn]] void finish() {
        current->state = State::gone;
        settle(current->index / settings().warp);
        leave();
        std::abort();
    }

    void run_current() { call_(what_); }

  private:
    void (*call_)(const void *) = nullptr;
    const void *what_ = nullptr;
    int threads_ = 0;
    bool failed_ = false;
    bool may_miss_ = false;  // threads of this block have ended early
    unsigned char *stacks_ = nullptr;
    int stacks_made_ = 0;
    uint64_t random_ = 0;
#if defined(__x86_64__)
    void *scheduler_ = nullptr;
#else
    ucontext_t scheduler_;
#endif

    void leave() {
        Fibre *self = current;
#if defined(__x86_64__)
        fibres_switch(&self->stack_pointer, scheduler_);
#else
        swapcontext(&self->context, &scheduler_);
#endif
    }

    void enter(Fibre &next) {
        current = &next;
#if defined(__x86_64__)
        fibres_switch(&scheduler_, next.stack_pointer);
#else
        swapcontext(&scheduler_, &next.context);
#endif
        current = nullptr;
    }

    [[noreturn]] void abandon() {
        failed_ = true;
        leave();
        std::abort();
    }

    static void entry();

    void prepare(int index) {
        if (stacks_ == nullptr) {
            void *memory = mmap(nullptr, stack_step * most_threads, PROT_READ | PROT_WRITE,
                                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
            if (memory == MAP_FAILED) std::abort();
            stacks_ = static_cast<unsigned char *>(memory);
        }
        unsigned char *stack = stacks_ + size_t(index) * stack_step;
        for (; stacks_made_ <= index; ++stacks_made_)
            mprotect(stacks_ + size_t(stacks_made_) * stack_step, 4096, PROT_NONE);
        Fibre &made = fibre[index];
        made.index = index;
        made.state = State::ready;
        made.thread = {unsigned(index) % block.x, unsigned(index) / block.x % block.y, unsigned(index) / (block.x * block.y)};
#if defined(__x86_64__)
        // Tops that differ by an odd number of cache lines, so that they do not fall in one set.
        const size_t top = stack_step - 64 * (1 + size_t(index) % 61);
        void **at = reinterpret_cast<void **>(stack + top);
        *--at = nullptr;  // where `entry` would return to: it never does
        *--at = reinterpret_cast<void *>(&Machine::entry);
        for (int i = 0; i < 6; ++i) *--at = nullptr;
        made.stack_pointer = at;
#else
        getcontext(&made.context);
        made.context.uc_stack.ss_sp = stack + 4096;
        made.context.uc_stack.ss_size = stack_bytes;
        made.context.uc_link = nullptr;
        makecontext(&made.context, &Machine::entry, 0);
#endif
    }

    bool run_block(int threads) {
        threads_ = threads;
        failed_ = may_miss_ = false;
        int order[most_threads];
        arrange(order);
        for (int i = 0; i < threads; ++i) prepare(i);
        for (;;) {
            bool moved = false;
            int live = 0, at_block = 0;
            for (int i = 0; i < threads; ++i) {
                Fibre &next = fibre[order[i]];
                if (next.state == State::ready) {
                    enter(next);
                    moved = true;
                    if (failed_) return false;
                }
            }
            for (int i = 0; i < threads; ++i) {
                live += fibre[i].state != State::gone;
                at_block += fibre[i].state == State::at_block;
            }
            if (live == 0) return true;
            if (at_block == live && live < threads && !may_miss_) {
                describe_stuck(live, at_block);  // devices differ here; the language refuses it
                return false;
            }
            if (at_block == live) {
                vote_sum = 0;
                vote_threads = live;
                for (int i = 0; i < threads; ++i)
                    if (fibre[i].state == State::at_block) {
                        vote_sum += fibre[i].vote != 0;
                        fibre[i].state = State::ready;
                    }
            } else if (!moved) {
                describe_stuck(live, at_block);
                return false;
            }
        }
    }

    void arrange(int *order) {
        const uint64_t choice = settings().order;
        for (int i = 0; i < threads_; ++i) order[i] = choice == 1 ? threads_ - 1 - i : i;
        if (choice < 2) return;
        random_ = choice * 0x9e3779b97f4a7c15u + block_index.x + 1;
        for (int i = threads_ - 1; i > 0; --i) {
            random_ = random_ * 6364136223846793005u + 1442695040888963407u;
            const int other = int((random_ >> 33) % uint64_t(i + 1));
            const int kept = order[i];
            order[i] = order[other];
            order[other] = kept;
        }
    }

    // Opens the meetings of a warp whose lanes are all there. False: one names a lane that has left.
    bool settle(int warp_number) {
        const int warp = settings().warp, first = warp_number * warp;
        for (int i = 0; i < warp && first + i < threads_; ++i) {
            Fibre &one = fibre[first + i];
            if (one.state != State::at_warp) continue;
            const uint64_t lanes = one.meeting.lanes;
            if (!(lanes >> i & 1)) return refuse(one, "is called by a lane outside its mask");
            bool complete = true;
            for (int k = 0; k < warp && complete; ++k) {
                if (!(lanes >> k & 1)) continue;
                if (first + k >= threads_) return refuse(one, "names a lane that the block does not have");
                const Fibre &other = fibre[first + k];
                if (other.state == State::gone && (one.meeting.in_step || may_miss_)) continue;
                if (other.state == State::gone) return refuse(one, "names a lane that has left the kernel");
                complete = other.state == State::at_warp && other.meeting.lanes == lanes && other.meeting.name == one.meeting.name;
            }
            if (complete && !open(one, first)) return false;
        }
        return true;
    }

    bool open(Fibre &one, int first) {
        uint64_t lanes = 0, votes = 0;
        for (int k = 0; k < settings().warp; ++k)
            if (one.meeting.lanes >> k & 1 && fibre[first + k].state != State::gone) lanes |= uint64_t(1) << k;
        for (int k = 0; k < settings().warp; ++k)
            if (lanes >> k & 1 && fibre[first + k].meeting.value[0] != 0) votes |= uint64_t(1) << k;
        for (int k = 0; k < settings().warp; ++k) {
            if (!(lanes >> k & 1)) continue;
            Meeting &meeting = fibre[first + k].meeting;
            if (meeting.source < 0) {
                meeting.result[0] = votes;
            } else if (may_miss_ && !(lanes >> meeting.source & 1)) {
                std::memset(meeting.result, 0, sizeof meeting.result);  // a device gives anything
            } else {
                if (!(lanes >> meeting.source & 1)) return refuse(one, "reads a lane that does not take part");
                std::memcpy(meeting.result, fibre[first + meeting.source].meeting.value, sizeof meeting.result);
            }
        }
        for (int k = 0; k < settings().warp; ++k)
            if (lanes >> k & 1) fibre[first + k].state = State::ready;
        return true;
    }

    bool refuse(const Fibre &one, const char *why) {
        char text[256];
        std::snprintf(text, sizeof text, "%s in thread %d of block (%u, %u, %u) %s", one.meeting.name, one.index,
                      block_index.x, block_index.y, block_index.z, why);
        fail(text);
        failed_ = true;
        return false;
    }

    void describe_stuck(int live, int at_block) {
        const char *name = "";
        for (int i = 0; i < threads_; ++i)
            if (fibre[i].state == State::at_warp) name = fibre[i].meeting.name;
        char text[256];
        std::snprintf(text, sizeof text,
                      "stuck in block (%u, %u, %u): of %d threads %d wait at __syncthreads, %d at %s and %d have left",
                      block_index.x, block_index.y, block_index.z, threads_, at_block, live - at_block,
                      live == at_block ? "a warp" : name, threads_ - live);
        fail(text);
    }
};

inline Machine &machine() {
    static thread_local Machine *made = new Machine;  // kept for the life of the thread: a stack may still be in use at exit
    return *made;
}

inline void Machine::entry() {
    machine().run_current();
    machine().finish();
}

}  // namespace fibres

// For the test that loads this library.
extern "C" inline __attribute__((used, visibility("default"))) void fibres_configure(int warp, uint64_t order) {
    fibres::settings().warp = warp;
    fibres::settings().order = order;
    fibres::settings().report.clear();
    fibres::settings().error = 0;
}

extern "C" inline __attribute__((used, visibility("default"))) const char *fibres_report() {
    return fibres::settings().report.c_str();
}

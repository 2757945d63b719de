// What device code asks of the machine: meetings of a warp, barriers, dynamic shared memory; and launches.
#pragma once

#include "fibres.hpp"

namespace fibres {

// Meetings are told apart by the address of their name.
inline const char *const sync_name = "__syncwarp";
inline const char *const shuffle_name = "a shuffle";
inline const char *const vote_name = "a vote";

inline void sync_warp(uint64_t lanes, bool in_step = false) {
    Meeting meeting;
    meeting.name = sync_name;
    meeting.lanes = lanes;
    meeting.in_step = in_step;
    meeting.source = -1;
    machine().meet(meeting);
}

inline uint64_t vote(uint64_t lanes, bool value) {
    Meeting meeting;
    meeting.name = vote_name;
    meeting.lanes = lanes;
    meeting.source = -1;
    meeting.value[0] = value;
    machine().meet(meeting);
    return machine().current->meeting.result[0];
}

template <typename T>
T shuffle(uint64_t lanes, T value, int source, bool in_step = false) {
    static_assert(sizeof(T) <= sizeof(Meeting::value), "a shuffle moves at most 16 bytes");
    Meeting meeting;
    meeting.name = shuffle_name;
    meeting.lanes = lanes;
    meeting.in_step = in_step;
    meeting.source = source;
    std::memcpy(meeting.value, &value, sizeof value);
    machine().meet(meeting);
    std::memcpy(&value, machine().current->meeting.result, sizeof value);
    return value;
}

// The source lanes of the four shuffles; `width` divides the warp into segments.
inline int from_lane(int lane, int width) { return (machine().lane() & ~(width - 1)) | (lane & (width - 1)); }

inline int from_xor(int mask, int width) {
    const int lane = machine().lane(), source = lane ^ mask;
    return source >= (lane & ~(width - 1)) + width ? lane : source;
}

inline int from_up(unsigned delta, int width) {
    const int lane = machine().lane(), first = lane & ~(width - 1);
    return int64_t(lane) - int64_t(delta) < first ? lane : lane - int(delta);
}

inline int from_down(unsigned delta, int width) {
    const int lane = machine().lane(), end = (lane & ~(width - 1)) + width;
    return int64_t(lane) + int64_t(delta) >= end ? lane : lane + int(delta);
}

// A block barrier that also counts the threads with a true `value`.
inline int count_at_barrier(int value) {
    machine().current->vote = value;
    machine().wait_for_block();
    return machine().vote_sum;
}

template <typename T>
T *dynamic_shared() {
    return reinterpret_cast<T *>((reinterpret_cast<uintptr_t>(machine().dynamic_shared.data()) + 15) & ~uintptr_t(15));
}

template <typename Body>
void launch(dim3 grid, dim3 block, size_t shared_bytes, const void *, const Body &body) {
    machine().launch(grid, block, shared_bytes, body);
}

template <typename Body>
void launch(dim3 grid, dim3 block, size_t shared_bytes, const Body &body) {
    machine().launch(grid, block, shared_bytes, body);
}

template <typename Body>
void launch(dim3 grid, dim3 block, const Body &body) {
    machine().launch(grid, block, 0, body);
}

}  // namespace fibres

// Copies between host arrays and pinned memory, by one thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

namespace transpile {

using copy_function = void (*)(char *to, const char *from, size_t bytes);

// Leaves what it wrote in the caches: for pinned memory that a device reads next.
inline void copy_cached(char *to, const char *from, size_t bytes) { std::memcpy(to, from, bytes); }

// Writes past the caches, so that the lines written are not read first: for large arrays that a device has written.
inline void copy_streaming(char *to, const char *from, size_t bytes) {
#if defined(__SSE2__)
    constexpr size_t line = 64;
    constexpr size_t ahead = 512;  // the processor's own prefetcher stops at the end of a page
    size_t head = (line - reinterpret_cast<uintptr_t>(to) % line) % line;
    if (bytes < line + head) head = bytes;
    std::memcpy(to, from, head);
    size_t at = head;
    for (; at + line <= bytes; at += line) {
        _mm_prefetch(from + at + ahead, _MM_HINT_T0);
        const auto *source = reinterpret_cast<const __m128i *>(from + at);
        auto *target = reinterpret_cast<__m128i *>(to + at);
        const __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1);
        const __m128i c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
        _mm_stream_si128(target, a);
        _mm_stream_si128(target + 1, b);
        _mm_stream_si128(target + 2, c);
        _mm_stream_si128(target + 3, d);
    }
    _mm_sfence();
    std::memcpy(to + at, from + at, bytes - at);
#else
    std::memcpy(to, from, bytes);
#endif
}

}  // namespace transpile

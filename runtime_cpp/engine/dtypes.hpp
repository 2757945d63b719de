// The rows of the dtypes, and what the buffer protocol and DLPack call them.
#pragma once

#include <transpile/table.h>

#include <cstring>

namespace transpile {

enum class family : uint8_t { boolean, integer, natural, real, brain, e4m3, e5m2, other };

struct dtype_row {
    const char *name;   // as NumPy calls it
    const char *spelt;  // as a kernel's annotation calls it
    transpile::family family;
    int32_t bytes;
};

inline const dtype_row &row_of(dtype type) {
    static constexpr dtype_row rows[] = {
        {"bool", "bool", family::boolean, 1},           {"int8", "native.i8", family::integer, 1},
        {"int16", "native.i16", family::integer, 2},    {"int32", "native.i32", family::integer, 4},
        {"int64", "int", family::integer, 8},           {"uint8", "native.u8", family::natural, 1},
        {"uint16", "native.u16", family::natural, 2},   {"uint32", "native.u32", family::natural, 4},
        {"uint64", "native.u64", family::natural, 8},   {"float16", "native.f16", family::real, 2},
        {"bfloat16", "native.bf16", family::brain, 2},  {"float32", "native.f32", family::real, 4},
        {"float64", "float", family::real, 8},          {"float8_e4m3fn", "native.f8e4m3", family::e4m3, 1},
        {"float8_e5m2", "native.f8e5m2", family::e5m2, 1},
    };
    return rows[static_cast<size_t>(type)];
}

// What an array says of its elements.
struct element {
    transpile::family family = family::other;
    int32_t bytes = 0;
    bool swapped = false;

    bool is(const dtype_row &row) const { return family == row.family && bytes == row.bytes && !swapped; }

    // Whether these are the bits of a type that NumPy itself has not: of bfloat16 in uint16, of the eights in uint8.
    bool holds_bits_of(const dtype_row &row) const {
        const bool is_of_others = row.family == family::brain || row.family == family::e4m3 || row.family == family::e5m2;
        return is_of_others && family == family::natural && bytes == row.bytes && !swapped;
    }

    // NumPy's name, or null for what has none here.
    const char *name() const {
        for (int code = 0; code <= static_cast<int>(dtype::f8e5m2); ++code) {
            const dtype_row &row = row_of(static_cast<dtype>(code));
            if (family == row.family && bytes == row.bytes) return row.name;
        }
        return nullptr;
    }
};

// A float narrower than those of C++: bits of significand, the exponent's bias, the bits of the largest number, of what
// is beyond it, and of NaN.
struct narrow_format {
    int mantissa, bias;
    uint32_t last, beyond, nan;
};

inline const narrow_format *format_of(const dtype_row &row) {
    static constexpr narrow_format half = {10, 15, 0x7bff, 0x7c00, 0x7e00}, brain = {7, 127, 0x7f7f, 0x7f80, 0x7fc0};
    static constexpr narrow_format e4m3 = {3, 7, 0x7e, 0x7e, 0x7f}, e5m2 = {2, 15, 0x7b, 0x7b, 0x7e};
    switch (row.family) {
        case family::real: return row.bytes == 2 ? &half : nullptr;
        case family::brain: return &brain;
        case family::e4m3: return &e4m3;
        case family::e5m2: return &e5m2;
        default: return nullptr;
    }
}

constexpr bool little_endian = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__;

// Reads a format of the buffer protocol (struct's language); null means bytes.
inline element parse_format(const char *format, int64_t bytes) {
    element found;
    found.bytes = static_cast<int32_t>(bytes);
    if (format == nullptr) format = "B";
    bool little = little_endian;
    switch (*format) {
        case '<': little = true; ++format; break;
        case '>':
        case '!': little = false; ++format; break;
        case '@':
        case '=': ++format; break;
        default: break;
    }
    found.swapped = bytes > 1 && little != little_endian;
    if (std::strlen(format) != 1) return found;
    if (*format == '?') found.family = family::boolean;
    if (std::strchr("bhilqn", *format) != nullptr) found.family = family::integer;
    if (std::strchr("BHILQN", *format) != nullptr) found.family = family::natural;
    if (std::strchr("efd", *format) != nullptr) found.family = family::real;
    return found;
}

}  // namespace transpile

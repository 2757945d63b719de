// An argument that is a number: bool becomes int, int becomes float, never the other way. NumPy's scalars and arrays
// of no dimension count as numbers; a value outside the parameter's type is refused.
#pragma once

#include "dtypes.hpp"
#include "errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace transpile {

// What was passed, before it is converted.
struct number {
    enum class sort { boolean, integer, real } is = sort::integer;
    bool too_large = false;  // an integer beyond int64
    bool too_wide = false;   // and beyond uint64: only `real` and `to_round` are known
    int64_t whole = 0;       // of one beyond int64 the bits, as uint64 has them
    double real = 0.0;
    double to_round = 0.0;  // what rounds to any narrower float as the value itself does
};

inline double half_to_double(uint16_t bits) {
    const int exponent = (bits >> 10) & 31;
    const double sign = (bits & 0x8000u) != 0 ? -1.0 : 1.0;
    const double fraction = bits & 1023;
    if (exponent == 31) return fraction != 0.0 ? std::numeric_limits<double>::quiet_NaN() : sign * HUGE_VAL;
    if (exponent == 0) return sign * std::ldexp(fraction, -24);
    return sign * std::ldexp(fraction + 1024.0, exponent - 25);
}

template <typename T>
T read_as(const void *from) {
    T value;
    std::memcpy(&value, from, sizeof value);
    return value;
}

// The lowest bits of an integer that a double cannot hold count only as being there.
template <typename T>
double to_be_rounded(T value) {
    const T rest = value & 0xfff;
    const bool is_large = value >> 52 != 0 && value >> 52 != T(-1);
    return static_cast<double>(is_large ? value - rest + (rest != 0 ? 0x800 : 0) : value);
}

inline void set_natural(number *found, uint64_t value) {
    found->whole = static_cast<int64_t>(value);
    found->real = static_cast<double>(value);
    found->to_round = to_be_rounded(value);
    found->too_large = value > static_cast<uint64_t>(INT64_MAX);
}

inline void set_whole(number *found, int64_t value) {
    found->whole = value;
    found->real = static_cast<double>(value);
    found->to_round = to_be_rounded(value);
}

inline void set_real(number *found, double value) {
    found->is = number::sort::real;
    found->real = found->to_round = value;
}

// From the double nearest to a huge integer, the one that a further rounding takes to the right float.
inline double round_to_odd(PyObject *object, double nearest) {
    if (std::isinf(nearest)) return nearest;
    const py::float_ rounded(nearest);
    const bool above = PyObject_RichCompareBool(rounded.ptr(), object, Py_GT) == 1;
    const bool below = PyObject_RichCompareBool(rounded.ptr(), object, Py_LT) == 1;
    if (!above && !below) return nearest;
    const double lower = above ? std::nextafter(nearest, -HUGE_VAL) : nearest;
    const bool is_odd = (read_as<uint64_t>(&lower) & 1) != 0;
    return is_odd ? lower : std::nextafter(lower, HUGE_VAL);
}

// Reads the one element of a buffer of no dimension. False where it is no number of ours.
inline bool read_element(const Py_buffer &view, number *found) {
    const element type = parse_format(view.format, view.itemsize);
    if (type.swapped) return false;
    found->is = number::sort::integer;
    switch (type.family) {
        case family::boolean:
            found->is = number::sort::boolean;
            set_whole(found, read_as<uint8_t>(view.buf) != 0);
            return true;
        case family::integer:
            if (type.bytes == 1) set_whole(found, read_as<int8_t>(view.buf));
            if (type.bytes == 2) set_whole(found, read_as<int16_t>(view.buf));
            if (type.bytes == 4) set_whole(found, read_as<int32_t>(view.buf));
            if (type.bytes == 8) set_whole(found, read_as<int64_t>(view.buf));
            return true;
        case family::natural:
            if (type.bytes == 1) set_natural(found, read_as<uint8_t>(view.buf));
            if (type.bytes == 2) set_natural(found, read_as<uint16_t>(view.buf));
            if (type.bytes == 4) set_natural(found, read_as<uint32_t>(view.buf));
            if (type.bytes == 8) set_natural(found, read_as<uint64_t>(view.buf));
            return true;
        case family::real:
            if (type.bytes == 2) set_real(found, half_to_double(read_as<uint16_t>(view.buf)));
            if (type.bytes == 4) set_real(found, read_as<float>(view.buf));
            if (type.bytes == 8) set_real(found, read_as<double>(view.buf));
            return true;
        default: return false;
    }
}

inline void read_integer(PyObject *object, number *found) {
    int overflow = 0;
    found->is = number::sort::integer;
    found->whole = PyLong_AsLongLongAndOverflow(object, &overflow);
    if (found->whole == -1 && overflow == 0 && PyErr_Occurred() != nullptr) fail_as_set();
    found->too_large = overflow != 0;
    if (overflow == 0) {
        set_whole(found, found->whole);
        return;
    }
    found->whole = static_cast<int64_t>(PyLong_AsUnsignedLongLong(object));
    found->too_wide = PyErr_Occurred() != nullptr;
    PyErr_Clear();
    found->real = PyLong_AsDouble(object);
    if (found->real == -1.0 && PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        found->real = HUGE_VAL;
    }
    found->to_round = round_to_odd(object, found->real);
}

// An array of no dimension, of objects or in another byte order: NumPy itself says which number it holds.
inline bool read_item(PyObject *object, number *found);

inline bool has_no_dimension(PyObject *object) {
    const auto count = py::reinterpret_steal<py::object>(PyObject_GetAttrString(object, "ndim"));
    const bool is_zero = count && PyLong_Check(count.ptr()) != 0 && PyLong_AsLong(count.ptr()) == 0;
    PyErr_Clear();
    return is_zero;
}

inline bool read_number(PyObject *object, number *found) {
    if (PyFloat_Check(object) != 0) {
        set_real(found, PyFloat_AS_DOUBLE(object));
        return true;
    }
    if (PyBool_Check(object) != 0) {
        found->is = number::sort::boolean;
        set_whole(found, object == Py_True);
        return true;
    }
    if (PyLong_Check(object) != 0) {
        read_integer(object, found);
        return true;
    }
    if (PyObject_CheckBuffer(object) != 0) {
        Py_buffer view;
        if (PyObject_GetBuffer(object, &view, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
            PyErr_Clear();  // as of a dtype of ml_dtypes
            return has_no_dimension(object) && read_item(object, found);
        }
        const bool is_single = view.ndim == 0;
        const bool is_number = is_single && read_element(view, found);
        PyBuffer_Release(&view);
        return is_number || (is_single && read_item(object, found));
    }
    if (PyIndex_Check(object) == 0) return false;
    auto whole = py::reinterpret_steal<py::object>(PyNumber_Index(object));
    if (!whole) {
        PyErr_Clear();
        return false;
    }
    read_integer(whole.ptr(), found);
    return true;
}

inline bool read_item(PyObject *object, number *found) {
    if (PyObject_HasAttrString(object, "__array_interface__") == 0) return false;
    const auto item = py::reinterpret_steal<py::object>(PyObject_CallMethod(object, "item", nullptr));
    if (!item) {
        PyErr_Clear();
        return false;
    }
    const bool is_number = PyFloat_Check(item.ptr()) != 0 || PyLong_Check(item.ptr()) != 0;  // a bool is an int
    return is_number && read_number(item.ptr(), found);
}

[[noreturn]] inline void fail_range(PyObject *object, const dtype_row &row, const place &where) {
    int overflow = 0;
    if (PyLong_Check(object) != 0 && (PyLong_AsLongLongAndOverflow(object, &overflow), overflow != 0)) {
        // Its digits may be thousands.
        fail(PyExc_OverflowError, "%s: argument '%s' is outside of %s", where.function, where.argument, row.name);
    }
    fail(PyExc_OverflowError, "%s: argument '%s' is %R, outside of %s", where.function, where.argument, object,
         row.name);
}

[[noreturn]] inline void fail_number(PyObject *object, const dtype_row &row, const place &where) {
    const bool is_whole = row.family == family::integer || row.family == family::natural;
    const char *wanted = row.family == family::boolean ? "a bool" : is_whole ? "an int" : "a float";
    fail(PyExc_TypeError, "%s: argument '%s' must be %s, not %s", where.function, where.argument, wanted,
         type_name(object));
}

inline value convert_integer(PyObject *object, const number &found, const dtype_row &row, const place &where) {
    if (found.is == number::sort::real) fail_number(object, row, where);
    value result;
    result.integer = found.whole;
    if (found.too_large) {
        if (found.too_wide || row.family != family::natural || row.bytes != 8) fail_range(object, row, where);
        return result;
    }
    const int bits = row.bytes * 8;
    const bool is_signed = row.family == family::integer;
    const int64_t lowest = is_signed ? -(INT64_C(1) << (bits - 2)) * 2 : 0;
    const int64_t highest = bits == 64 ? INT64_MAX : (INT64_C(1) << (is_signed ? bits - 1 : bits)) - 1;
    if (found.whole < lowest || found.whole > highest) fail_range(object, row, where);
    return result;
}

// The bits of a number of a narrow float, rounded once. Sets `is_beyond` where it would not keep its size.
inline uint32_t narrow_bits(double number, const narrow_format &format, int bytes, bool *is_beyond) {
    if (std::isnan(number)) return format.nan;
    const double magnitude = std::fabs(number);
    const int lowest = 1 - format.bias;
    const int exponent = magnitude > 0.0 && std::isfinite(magnitude) ? std::max(std::ilogb(magnitude), lowest) : lowest;
    const double steps = std::rint(std::ldexp(magnitude, format.mantissa - exponent));
    uint32_t bits = format.beyond;
    if (std::isfinite(magnitude)) bits = static_cast<uint32_t>((int64_t(exponent - lowest) << format.mantissa) + steps);
    const bool has_infinity = format.beyond != format.last;
    *is_beyond = std::isfinite(magnitude) ? bits > format.last : !has_infinity;
    return bits | (std::signbit(number) ? 1u << (8 * bytes - 1) : 0u);
}

inline value convert_real(PyObject *object, const number &found, const dtype_row &row, const place &where) {
    value result;
    result.real = found.real;
    if (found.too_large && std::isinf(result.real)) fail_range(object, row, where);
    if (const narrow_format *format = format_of(row)) {
        bool is_beyond = false;
        result.integer = narrow_bits(found.to_round, *format, row.bytes, &is_beyond);
        if (is_beyond) fail_range(object, row, where);
        return result;
    }
    if (row.bytes == 4 && std::isfinite(result.real)) {
        const float narrow = static_cast<float>(found.to_round);
        if (std::isinf(narrow)) fail_range(object, row, where);
        result.real = static_cast<double>(narrow);
    }
    return result;
}

// The number that `object` is, as the parameter's type. Raises TypeError or OverflowError.
inline value convert_scalar(PyObject *object, const parameter &wanted, const place &where) {
    const dtype_row &row = row_of(wanted.dtype);
    number found;
    if (PyFloat_CheckExact(object) != 0 && wanted.dtype == dtype::f64) {
        value result;
        result.real = PyFloat_AS_DOUBLE(object);
        return result;
    }
    if (!read_number(object, &found)) fail_number(object, row, where);
    if (row.family == family::boolean) {
        if (found.is != number::sort::boolean) fail_number(object, row, where);
        value result;
        result.integer = found.whole;
        return result;
    }
    if (row.family == family::integer || row.family == family::natural) {
        return convert_integer(object, found, row, where);
    }
    return convert_real(object, found, row, where);
}

}  // namespace transpile

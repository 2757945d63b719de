// Reads `kernel[grid]` and `kernel[grid, block]`: an int or a tuple of up to three, within the language's limits.
#pragma once

#include "call.hpp"

namespace transpile {

constexpr int64_t max_grid_x = INT64_C(2147483647);
constexpr int64_t max_grid_yz = 65535;
constexpr int64_t max_block_z = 64;
constexpr int64_t max_threads = 1024;

inline int64_t read_size(const callable &called, PyObject *size, const char *what, char axis) {
    auto whole = py::reinterpret_steal<py::object>(PyIndex_Check(size) != 0 ? PyNumber_Index(size) : nullptr);
    if (!whole) {
        PyErr_Clear();
        fail(PyExc_ValueError, "%s: the %s must be an int or a tuple of up to three ints; %c is %R", called.row->name,
             what, axis, size);
    }
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
    if (overflow != 0) {
        // Its digits may be thousands.
        fail(PyExc_ValueError, "%s: the %s's %c is outside of int64", called.row->name, what, axis);
    }
    return value;
}

inline void read_sizes(const callable &called, PyObject *sizes, const char *what, int64_t *into) {
    if (PyTuple_Check(sizes) == 0) {
        into[0] = read_size(called, sizes, what, 'x');
        return;
    }
    const Py_ssize_t count = PyTuple_GET_SIZE(sizes);
    if (count < 1 || count > 3) {
        fail(PyExc_ValueError, "%s: the %s must be an int or a tuple of up to three ints, not of %zd", called.row->name,
             what, count);
    }
    for (Py_ssize_t axis = 0; axis < count; ++axis) {
        into[axis] = read_size(called, PyTuple_GET_ITEM(sizes, axis), what, "xyz"[axis]);
    }
}

inline void check_grid(const callable &called, const int64_t *grid) {
    for (int axis = 0; axis < 3; ++axis) {
        const int64_t most = axis == 0 ? max_grid_x : max_grid_yz;
        if (grid[axis] >= 0 && grid[axis] <= most) continue;
        fail(PyExc_ValueError, "%s: the grid's %c is %lld; it must be 0 to %lld", called.row->name, "xyz"[axis],
             static_cast<long long>(grid[axis]), static_cast<long long>(most));
    }
}

inline void check_block(const callable &called, const int64_t *block) {
    for (int axis = 0; axis < 3; ++axis) {
        const int64_t most = axis == 2 ? max_block_z : max_threads;
        if (block[axis] >= 1 && block[axis] <= most) continue;
        fail(PyExc_ValueError, "%s: the block's %c is %lld; it must be 1 to %lld", called.row->name, "xyz"[axis],
             static_cast<long long>(block[axis]), static_cast<long long>(most));
    }
    const int64_t threads = block[0] * block[1] * block[2];
    if (threads > max_threads) {
        fail(PyExc_ValueError, "%s: the block has %lld threads; it may have 1024", called.row->name,
             static_cast<long long>(threads));
    }
    const block_rule rule = called.row->rule;
    const bool whole_groups = rule == block_rule::whole_groups || rule == block_rule::whole_groups_and_rows;
    const bool group_rows = rule == block_rule::group_rows || rule == block_rule::whole_groups_and_rows;
    if (whole_groups && threads % 32 != 0) {
        fail(PyExc_ValueError, "%s: the block has %lld threads; a kernel that shuffles needs a multiple of 32",
             called.row->name, static_cast<long long>(threads));
    }
    if (group_rows && block[0] % 32 != 0 && (block[1] != 1 || block[2] != 1)) {
        fail(PyExc_ValueError,
             "%s: the block is %lld x %lld x %lld; this kernel needs x to be a multiple of 32, or y and z to be 1",
             called.row->name, static_cast<long long>(block[0]), static_cast<long long>(block[1]),
             static_cast<long long>(block[2]));
    }
}

inline dimensions read_dimensions(const callable &called, PyObject *key) {
    dimensions found;
    if (called.row->role == role::tile_kernel) {
        found.count = 3;
        read_sizes(called, key, "grid", found.of);
        check_grid(called, found.of);
        return found;
    }
    if (PyTuple_Check(key) == 0 || PyTuple_GET_SIZE(key) != 2) {
        fail(PyExc_ValueError, "%s: a thread kernel needs its grid and its block: %s[grid, block](...)",
             called.row->name, called.row->name);
    }
    found.count = 6;
    read_sizes(called, PyTuple_GET_ITEM(key, 0), "grid", found.of);
    read_sizes(called, PyTuple_GET_ITEM(key, 1), "block", found.of + 3);
    check_grid(called, found.of);
    check_block(called, found.of + 3);
    return found;
}

}  // namespace transpile

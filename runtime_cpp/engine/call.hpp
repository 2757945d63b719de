// One call of a kernel or launcher: arguments matched to parameters, checked, converted, and the compiled code run
// without the GIL. Nothing runs before everything is checked.
#pragma once

#include "scalars.hpp"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

namespace transpile {

// Up to N items without the heap.
template <typename T, int N>
class small {
public:
    explicit small(int count) : more(count > N ? new T[static_cast<size_t>(count)]() : nullptr) {}
    T *get() { return more ? more.get() : few; }
    T &operator[](int at) { return get()[at]; }

private:
    T few[N] = {};
    std::unique_ptr<T[]> more;
};

// Where a kernel is launched: grid x, y, z, then block x, y, z.
struct dimensions {
    int64_t of[6] = {1, 1, 1, 1, 1, 1};
    int count = 0;  // how many of them the kernel's C function takes: 0, 3 or 6
};

class released_gil {
public:
    released_gil() : state(PyEval_SaveThread()) {}
    ~released_gil() { PyEval_RestoreThread(state); }
    released_gil(const released_gil &) = delete;
    released_gil &operator=(const released_gil &) = delete;

private:
    PyThreadState *state;
};

// A row of the table with what calls of it need; lives as long as the library, which Python never unloads.
struct callable {
    const transpile::function *row;
    std::vector<PyObject *> parameters;  // interned names
    std::string signature;               // "n: int, x: native.const_ptr[float], *, stream=None"
    std::string method_doc;
    PyMethodDef method;

    explicit callable(const transpile::function &function) : row(&function), method() {
        for (const parameter &each : function.parameters) {
            PyObject *name = PyUnicode_InternFromString(each.name);
            if (name == nullptr) fail_as_set();
            parameters.push_back(name);
            const char *spelt = row_of(each.dtype).spelt;
            signature += std::string(each.name) + ": ";
            if (each.kind == kind::scalar) signature += spelt;
            if (each.kind == kind::static_int) signature += "native.static[int]";
            if (each.kind == kind::pointer) signature += std::string("native.ptr[") + spelt + "]";
            if (each.kind == kind::const_pointer) signature += std::string("native.const_ptr[") + spelt + "]";
            signature += ", ";
        }
        signature += "*, stream=None";
    }

    int count() const { return row->parameters.count; }
};

inline void check_stream(const callable &called, PyObject *stream) {
    if (stream == Py_None || PyLong_Check(stream) != 0) return;
    fail(PyExc_TypeError, "%s: stream must be None or an int, not %s (the CPU has no streams)", called.row->name,
         type_name(stream));
}

inline int position_of(const callable &called, PyObject *name) {
    for (int at = 0; at < called.count(); ++at) {
        if (called.parameters[static_cast<size_t>(at)] == name) return at;
    }
    for (int at = 0; at < called.count(); ++at) {
        if (PyUnicode_Compare(called.parameters[static_cast<size_t>(at)], name) == 0) return at;
    }
    return -1;
}

// Puts each argument at its parameter's place.
inline void match(const callable &called, PyObject *const *args, Py_ssize_t positional, PyObject *keywords,
                  PyObject **matched) {
    const char *name = called.row->name;
    if (positional > called.count()) {
        fail(PyExc_TypeError, "%s: takes %d arguments, but %zd were given", name, called.count(), positional);
    }
    std::copy(args, args + positional, matched);
    const Py_ssize_t named = keywords != nullptr ? PyTuple_GET_SIZE(keywords) : 0;
    for (Py_ssize_t k = 0; k < named; ++k) {
        PyObject *keyword = PyTuple_GET_ITEM(keywords, k);
        const int at = position_of(called, keyword);
        if (at < 0 && PyUnicode_CompareWithASCIIString(keyword, "stream") == 0) {
            check_stream(called, args[positional + k]);
            continue;
        }
        if (at < 0) fail(PyExc_TypeError, "%s: has no parameter '%U'", name, keyword);
        if (matched[at] != nullptr) fail(PyExc_TypeError, "%s: argument '%U' is given twice", name, keyword);
        matched[at] = args[positional + k];
    }
    for (int at = 0; at < called.count(); ++at) {
        if (matched[at] != nullptr) continue;
        fail(PyExc_TypeError, "%s: argument '%s' is missing", name, called.row->parameters.first[at].name);
    }
}

inline std::string describe_statics(const callable &called, const int64_t *statics) {
    std::string text;
    for (const parameter &each : called.row->parameters) {
        if (each.kind != kind::static_int) continue;
        if (!text.empty()) text += ", ";
        text += std::string(each.name) + "=" + std::to_string(*statics++);
    }
    return text;
}

// The instance that was built for these values of the static parameters.
inline const instance &choose(const callable &called, const int64_t *statics) {
    for (const instance &each : called.row->instances) {
        if (std::equal(each.statics.begin(), each.statics.end(), statics)) return each;
    }
    std::string built;
    for (const instance &each : called.row->instances) {
        built += (built.empty() ? "" : "; ") + describe_statics(called, each.statics.first);
    }
    fail(PyExc_ValueError, "%s: was not built for %s (built: %s); build it with --instance", called.row->name,
         describe_statics(called, statics).c_str(), built.empty() ? "nothing" : built.c_str());
}

inline void check_apart(const callable &called, small<array, 8> &arrays) {
    for (const pair &each : called.row->apart) {
        if (!arrays[each.first].overlaps(arrays[each.second])) continue;
        if (each.first == each.second) {
            fail(PyExc_ValueError,
                 "%s: argument '%s' reaches two parameters of one kernel, which may write one of them; declare the "
                 "kernel with alias=True",
                 called.row->name, called.row->parameters.first[each.first].name);
        }
        const parameter *parameters = called.row->parameters.first;
        fail(PyExc_ValueError,
             "%s: arguments '%s' and '%s' overlap in memory, and the kernel may write one of them; pass a copy, or "
             "declare the kernel with alias=True",
             called.row->name, parameters[each.first].name, parameters[each.second].name);
    }
}

inline void check_status(const callable &called, int32_t status) {
    const char *name = called.row->name;
    switch (status) {
        case status_ok: return;
        case status_overflow: fail(PyExc_OverflowError, "%s: an integer operation left its type", name);
        case status_zero_division: fail(PyExc_ZeroDivisionError, "%s: integer division or modulo by zero", name);
        case status_bad_grid:
            fail(PyExc_ValueError, "%s: a grid must be 0 to 2147483647 in x and 0 to 65535 in y and z", name);
        case status_bad_block:
            fail(PyExc_ValueError,
                 "%s: a block must be 1 to 1024 threads, at most 64 in z (a multiple of 32 where the kernel shuffles)",
                 name);
        default: fail(PyExc_RuntimeError, "%s: the launch failed (status %d)", name, status);
    }
}

// Checks everything, runs, and raises what the status says.
inline void run(const callable &called, const dimensions &where, PyObject *const *args, Py_ssize_t positional,
                PyObject *keywords) {
    const int count = called.count();
    small<PyObject *, 8> matched(count);
    match(called, args, positional, keywords, matched.get());
    small<array, 8> arrays(count);
    small<value, 16> values(count + where.count);
    small<int64_t, 4> statics(count);
    int static_count = 0, next = 0;
    for (; next < where.count; ++next) values[next].integer = where.of[next];
    for (int at = 0; at < count; ++at) {
        const parameter &wanted = called.row->parameters.first[at];
        const place here = {called.row->name, wanted.name};
        if (wanted.kind == kind::static_int) {
            statics[static_count++] = convert_scalar(matched[at], wanted, here).integer;
        } else if (wanted.kind == kind::scalar) {
            values[next++] = convert_scalar(matched[at], wanted, here);
        } else {
            values[next++].address = arrays[at].open(matched[at], wanted, here);
        }
    }
    check_apart(called, arrays);
    const instance &chosen = choose(called, statics.get());
    int32_t status = status_ok;
    {
        const released_gil while_running;
        status = chosen.call(values.get(), nullptr);
    }
    check_status(called, status);
}

}  // namespace transpile

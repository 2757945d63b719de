// Assertions of kernels that failed, as Python exceptions; and the text that kernels print, in its order among Python's.
#pragma once

#include "failures.hpp"

#include <cstdio>

namespace transpile {

// "[block 2, thread 17] ", of the 0, 1, 2, 3 or 6 numbers of a place.
inline std::string place_of(const assertion &failed) {
    const auto number = [&](int at) { return std::to_string(failed.place[at]); };
    const auto three = [&](int at) { return "(" + number(at) + ", " + number(at + 1) + ", " + number(at + 2) + ")"; };
    switch (failed.numbers) {
        case 1: return "[program " + number(0) + "] ";
        case 2: return "[block " + number(0) + ", thread " + number(1) + "] ";
        case 3: return "[program " + three(0) + "] ";
        case 6: return "[block " + three(0) + ", thread " + three(3) + "] ";
        default: return "";
    }
}

// One number, or x, y and z; None where a place has none of that kind.
inline py::object numbers_of(const assertion &failed, int first, int count) {
    if (count == 0) return py::none();
    if (count == 1) return py::int_(failed.place[first]);
    return py::make_tuple(failed.place[first], failed.place[first + 1], failed.place[first + 2]);
}

// transpile's own kind of AssertionError where the program has transpile, else Python's.
inline py::object assertion_type() {
    if (const py::object home = py::reinterpret_steal<py::object>(PyImport_GetModule(py::str("transpile").ptr()))) {
        PyObject *found = PyObject_GetAttrString(home.ptr(), "KernelAssertionError");
        if (found != nullptr) return py::reinterpret_steal<py::object>(found);
    }
    PyErr_Clear();
    return py::reinterpret_borrow<py::object>(PyExc_AssertionError);
}

[[noreturn]] inline void fail_assertion(const assertion &failed) {
    std::string text = std::string(failed.file) + ":" + std::to_string(failed.line) + ": " + place_of(failed) +
                       "assert " + failed.text;
    if (failed.message[0] != '\0') text += std::string(": ") + failed.message;
    const py::object type = assertion_type();
    const py::object error = type(py::str(text));
    const bool is_of_threads = failed.numbers == 2 || failed.numbers == 6;
    error.attr("file") = py::str(failed.file);
    error.attr("line") = py::int_(failed.line);
    error.attr("text") = py::str(failed.text);
    error.attr("message") = py::str(failed.message);
    error.attr("program") = numbers_of(failed, 0, is_of_threads ? 0 : failed.numbers);
    error.attr("block") = numbers_of(failed, 0, is_of_threads ? failed.numbers / 2 : 0);
    error.attr("thread") = numbers_of(failed, failed.numbers / 2, is_of_threads ? failed.numbers / 2 : 0);
    PyErr_SetObject(type.ptr(), error.ptr());
    fail_as_set();
}

// Whether an assertion of the function's module has failed, of which nobody was told yet.
inline bool take_failure(const callable &called, assertion &found) {
    for (const instance &each : called.row->instances) {
        if (each.image != nullptr && each.image->take(found)) return true;
    }
    const reporting &reports = called.table->reports;
    return reports.take != nullptr && reports.take(&found);
}

inline void raise_failed(const callable &called) {
    assertion failed = {};
    if (take_failure(called, failed)) fail_assertion(failed);
}

// What Python has printed stands before what kernels print from now on. Nothing is said of a stream that is closed; an
// interrupt is no matter of the stream.
inline void flush_python() {
    PyObject *stream = PySys_GetObject("stdout");  // borrowed
    if (stream == nullptr || stream == Py_None) return;
    PyObject *done = PyObject_CallMethod(stream, "flush", nullptr);
    Py_XDECREF(done);
    if (done != nullptr) return;
    if (PyErr_ExceptionMatches(PyExc_Exception) == 0) fail_as_set();
    PyErr_Clear();
}

// What kernels have printed is there.
inline void flush_kernels() { std::fflush(stdout); }

}  // namespace transpile

// How the engine fails: it sets a Python exception and unwinds to the entry point.
#pragma once

// Python's own functions take the GIL. pybind11's would bring everything that it knows of classes into each module, a
// third of the engine.
#define PYBIND11_SIMPLE_GIL_MANAGEMENT
#include <pybind11/pybind11.h>

#include <unistd.h>

#include <cstdarg>
#include <new>
#include <stdexcept>

namespace transpile {

namespace py = pybind11;

// Raises `type` with a message in the format language of PyUnicode_FromFormat. An exception that is already set
// becomes its cause.
[[noreturn]] inline void fail(PyObject *type, const char *format, ...) {
    py::object cause;
    if (PyErr_Occurred() != nullptr) {
        PyObject *kind = nullptr, *error = nullptr, *trace = nullptr;
        PyErr_Fetch(&kind, &error, &trace);
        PyErr_NormalizeException(&kind, &error, &trace);
        cause = py::reinterpret_steal<py::object>(error);
        Py_XDECREF(kind);
        Py_XDECREF(trace);
    }
    va_list arguments;
    va_start(arguments, format);
    PyErr_FormatV(type, format, arguments);
    va_end(arguments);
    if (cause) {
        PyObject *kind = nullptr, *error = nullptr, *trace = nullptr;
        PyErr_Fetch(&kind, &error, &trace);
        PyErr_NormalizeException(&kind, &error, &trace);
        PyException_SetCause(error, cause.release().ptr());
        PyErr_Restore(kind, error, trace);
    }
    throw py::error_already_set();
}

// Unwinds with the exception that a failed call of Python's API has set.
[[noreturn]] inline void fail_as_set() { throw py::error_already_set(); }

// Whether this is the first interpreter; sets ImportError where it is not. In any other nothing may be thrown, since what
// carries an exception of Python's asks for the GIL as a thread of the first.
inline bool is_in_main_interpreter(const char *module) {
    if (PyInterpreterState_Get() == PyInterpreterState_Main()) return true;
    PyErr_Format(PyExc_ImportError, "%s: it can be imported in the main interpreter alone", module);
    return false;
}

// Owns a new reference; null unwinds.
inline py::object checked(PyObject *made) {
    if (made == nullptr) fail_as_set();
    return py::reinterpret_steal<py::object>(made);
}

// Once Python is ending, another thread gets no GIL any more: it is unwound by force, which neither C nor a destructor
// survives. It waits for the end of the process instead, as it does in Python 3.14.
[[noreturn]] inline void wait_for_end() noexcept {
    for (;;) pause();
}

// Runs `body` at a boundary that Python calls: a C++ exception leaves as a Python one.
template <typename Body>
PyObject *guarded(Body body) noexcept {
    try {
        return body();
    } catch (py::error_already_set &error) {
        error.restore();
    } catch (const std::bad_alloc &) {
        PyErr_NoMemory();
    } catch (const std::runtime_error &error) {
        PyErr_SetString(PyExc_RuntimeError, error.what());  // of the driver, or of the system
    } catch (const std::exception &error) {
        PyErr_SetString(PyExc_SystemError, error.what());
    } catch (...) {
        wait_for_end();
    }
    return nullptr;
}

// Names an argument in messages: "saxpy: argument 'x'".
struct place {
    const char *function;
    const char *argument;
};

// The type's name without its module, as a user says it.
inline const char *type_name(PyObject *object) {
    const char *name = Py_TYPE(object)->tp_name;
    const char *dot = nullptr;
    for (const char *at = name; *at != '\0'; ++at) {
        if (*at == '.') dot = at;
    }
    return dot != nullptr ? dot + 1 : name;
}

}  // namespace transpile

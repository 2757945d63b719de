// Python objects held from C++: counted references, the few values that the engine builds, and exceptions that unwind.
// This is all that the engine needs of a binding library, so that it compiles in a second and stays small.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <string>
#include <utility>
#include <vector>

namespace transpile::py {

// The exception that Python has set, on its way out through C++.
class error {
public:
    error() { PyErr_Fetch(&kind, &value, &trace); }
    error(const error &) = delete;
    error(error &&other) noexcept
        : kind(std::exchange(other.kind, nullptr)), value(std::exchange(other.value, nullptr)),
          trace(std::exchange(other.trace, nullptr)) {}
    ~error() {
        Py_XDECREF(kind);
        Py_XDECREF(value);
        Py_XDECREF(trace);
    }

    // Sets it again.
    void restore() {
        PyErr_Restore(std::exchange(kind, nullptr), std::exchange(value, nullptr), std::exchange(trace, nullptr));
    }

private:
    PyObject *kind = nullptr, *value = nullptr, *trace = nullptr;
};

// A reference of our own, or none.
class object {
public:
    object() = default;
    object(const object &other) noexcept : held(other.held) { Py_XINCREF(held); }
    object(object &&other) noexcept : held(std::exchange(other.held, nullptr)) {}
    ~object() { Py_XDECREF(held); }
    object &operator=(object other) noexcept {
        std::swap(held, other.held);
        return *this;
    }

    PyObject *ptr() const { return held; }
    explicit operator bool() const { return held != nullptr; }

    // Hands the reference over.
    PyObject *release() { return std::exchange(held, nullptr); }

    friend object steal(PyObject *made);

private:
    PyObject *held = nullptr;
};

// Owns a new reference, or null.
inline object steal(PyObject *made) {
    object found;
    found.held = made;
    return found;
}

// Owns another reference to what somebody else holds.
inline object borrow(PyObject *held) {
    Py_XINCREF(held);
    return steal(held);
}

// Owns a new reference; null unwinds with the exception that is set.
inline object checked(PyObject *made) {
    if (made == nullptr) throw error();
    return steal(made);
}

inline object text(const std::string &utf8) {
    return checked(PyUnicode_FromStringAndSize(utf8.data(), static_cast<Py_ssize_t>(utf8.size())));
}

inline object number(long long value) { return checked(PyLong_FromLongLong(value)); }

// A list that grows, and the tuple of it.
class list {
public:
    list() : items(checked(PyList_New(0))) {}
    void append(const object &item) {
        if (PyList_Append(items.ptr(), item.ptr()) != 0) throw error();
    }
    object as_tuple() const { return checked(PyList_AsTuple(items.ptr())); }
    operator const object &() const { return items; }

private:
    object items;
};

class dict {
public:
    dict() : items(checked(PyDict_New())) {}
    void set(const char *key, const object &value) {
        if (PyDict_SetItem(items.ptr(), text(key).ptr(), value.ptr()) != 0) throw error();
    }
    operator const object &() const { return items; }
    PyObject *release() { return items.release(); }

private:
    object items;
};

// ---------------------------------------------------------------- reading, with Python's own exceptions

// The value of a dictionary's key.
inline object item(const object &of, const char *key) { return checked(PyObject_GetItem(of.ptr(), text(key).ptr())); }

// The members of a list or tuple.
inline std::vector<object> members(const object &of) {
    const object held = checked(PySequence_Fast(of.ptr(), "a list or tuple is wanted"));
    std::vector<object> found;
    for (Py_ssize_t k = 0; k < PySequence_Fast_GET_SIZE(held.ptr()); ++k) {
        found.push_back(borrow(PySequence_Fast_GET_ITEM(held.ptr(), k)));
    }
    return found;
}

inline std::string as_text(const object &of) {
    Py_ssize_t size = 0;
    const char *utf8 = PyUnicode_AsUTF8AndSize(of.ptr(), &size);
    if (utf8 == nullptr) throw error();
    return std::string(utf8, static_cast<size_t>(size));
}

inline std::string as_bytes(const object &of) {
    char *first = nullptr;
    Py_ssize_t size = 0;
    if (PyBytes_AsStringAndSize(of.ptr(), &first, &size) != 0) throw error();
    return std::string(first, static_cast<size_t>(size));
}

inline long long as_integer(const object &of) {
    const long long value = PyLong_AsLongLong(of.ptr());
    if (value == -1 && PyErr_Occurred() != nullptr) throw error();
    return value;
}

inline object attribute(const object &of, const char *name) { return checked(PyObject_GetAttrString(of.ptr(), name)); }

inline void set_attribute(const object &of, const char *name, const object &value) {
    if (PyObject_SetAttrString(of.ptr(), name, value.ptr()) != 0) throw error();
}

}  // namespace transpile::py

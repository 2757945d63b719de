// The strings that calls look up, interned once, and how an attribute is looked up.
#pragma once

#include "errors.hpp"

namespace transpile {

struct names {
    PyObject *pointer = PyUnicode_InternFromString("__transpile_pointer__");
    PyObject *cuda_interface = PyUnicode_InternFromString("__cuda_array_interface__");
    PyObject *dlpack = PyUnicode_InternFromString("__dlpack__");
    PyObject *dlpack_device = PyUnicode_InternFromString("__dlpack_device__");
    PyObject *exchange_api = PyUnicode_InternFromString("__dlpack_c_exchange_api__");
    PyObject *max_version = PyUnicode_InternFromString("max_version");
    PyObject *stream = PyUnicode_InternFromString("stream");
    PyObject *dtype = PyUnicode_InternFromString("dtype");
    PyObject *size = PyUnicode_InternFromString("size");
    PyObject *data = PyUnicode_InternFromString("data");
    PyObject *is_contiguous = PyUnicode_InternFromString("_c_contiguous");
    PyObject *address = PyUnicode_InternFromString("ptr");
    PyObject *device_id = PyUnicode_InternFromString("device_id");
    PyObject *cuda_stream_method = PyUnicode_InternFromString("__cuda_stream__");
    PyObject *cuda_stream = PyUnicode_InternFromString("cuda_stream");

    static const names &get() {
        static const names all;
        return all;
    }
};

// The attribute of an object, if it has it; no other error is hidden.
inline py::object attribute_of(PyObject *object, PyObject *name) {
    auto found = py::reinterpret_steal<py::object>(PyObject_GetAttr(object, name));
    if (found) return found;
    if (PyErr_ExceptionMatches(PyExc_AttributeError) == 0) fail_as_set();
    PyErr_Clear();
    return found;
}

}  // namespace transpile

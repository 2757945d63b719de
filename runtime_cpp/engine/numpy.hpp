// NumPy's arrays and dtypes as they lie in memory, so that the common array costs no call: the beginnings of their
// structs, which NumPy 1 and 2 share and keep for every extension that is compiled already.
#pragma once

#include "dtypes.hpp"
#include "errors.hpp"

namespace transpile::numpy {

struct dtype_object {
    PyObject_HEAD
    PyTypeObject *scalar;
    char kind;
    char letter;
    char byte_order;  // '=' is the machine's, as is the one of '<' and '>' that it has; '|' where it has none
    char flags;
    int number;
};

struct array_object {
    PyObject_HEAD
    char *data;
    int ndim;
    Py_ssize_t *shape;
    Py_ssize_t *strides;
    PyObject *base;
    dtype_object *dtype;
    int flags;
};

enum flag : unsigned { c_contiguous = 0x1, aligned = 0x100, writable = 0x400, warns_on_write = 1u << 31 };

// The elements of a dtype that NumPy itself brings and a kernel may use; `other` for any else.
inline element element_of(const dtype_object *dtype) {
    static constexpr struct {
        transpile::family family;
        int8_t bytes;
    } rows[] = {
        {family::boolean, 1},
        {family::integer, 1},
        {family::natural, 1},
        {family::integer, 2},
        {family::natural, 2},
        {family::integer, 4},
        {family::natural, 4},
        {family::integer, sizeof(long)},
        {family::natural, sizeof(long)},
        {family::integer, 8},
        {family::natural, 8},
        {family::real, 4},
        {family::real, 8},
    };
    constexpr int half = 23;
    element found;
    if (dtype->number >= 0 && dtype->number < static_cast<int>(sizeof rows / sizeof *rows)) {
        found.family = rows[dtype->number].family;
        found.bytes = rows[dtype->number].bytes;
    } else if (dtype->number == half) {
        found.family = family::real;
        found.bytes = 2;
    }
    found.swapped = dtype->byte_order == (little_endian ? '>' : '<');
    return found;
}

// The class `name` of a module, if the process has imported that: a borrowed reference, or null.
inline PyTypeObject *type_of_module(const char *module, const char *name) {
    PyObject *found = PyDict_GetItemString(PyImport_GetModuleDict(), module);
    if (found == nullptr) return nullptr;
    PyObject *type = PyObject_GetAttrString(found, name);
    if (type == nullptr) PyErr_Clear();
    Py_XDECREF(type);  // the module holds it
    return type != nullptr && PyType_Check(type) != 0 ? reinterpret_cast<PyTypeObject *>(type) : nullptr;
}

// The elements of a dtype of ml_dtypes, which NumPy and CuPy know by its name alone; `dtype` may be the name itself.
inline element element_by_name(PyObject *dtype) {
    element found;
    const auto name = PyUnicode_Check(dtype) != 0
                          ? py::reinterpret_borrow<py::object>(dtype)
                          : py::reinterpret_steal<py::object>(PyObject_GetAttrString(dtype, "name"));
    const char *text = name && PyUnicode_Check(name.ptr()) != 0 ? PyUnicode_AsUTF8(name.ptr()) : nullptr;
    if (text == nullptr) {
        PyErr_Clear();
        return found;
    }
    for (const transpile::dtype each : {dtype::bf16, dtype::f8e4m3, dtype::f8e5m2}) {
        const dtype_row &row = row_of(each);
        if (std::strcmp(text, row.name) != 0) continue;
        found.family = row.family;
        found.bytes = row.bytes;
    }
    return found;
}

}  // namespace transpile::numpy

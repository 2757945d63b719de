// An argument that is a host array: where its elements are, and the checks that a pointer parameter asks for.
// Sources: the buffer protocol, DLPack, and `__transpile_pointer__`, by which `native.offset` and
// `native.stack_alloc` say which array they point into and how many elements on.
#pragma once

#include "dlpack.hpp"
#include "errors.hpp"

namespace transpile {

// The strings that a call looks up, interned once.
struct names {
    PyObject *pointer = PyUnicode_InternFromString("__transpile_pointer__");
    PyObject *cuda_interface = PyUnicode_InternFromString("__cuda_array_interface__");
    PyObject *dlpack = PyUnicode_InternFromString("__dlpack__");
    PyObject *dlpack_device = PyUnicode_InternFromString("__dlpack_device__");
    PyObject *max_version = PyUnicode_InternFromString("max_version");
    PyObject *dtype = PyUnicode_InternFromString("dtype");

    static const names &get() {
        static const names all;
        return all;
    }
};

// Borrows one array for the length of a call.
class array {
public:
    array() { view.obj = nullptr; }
    array(const array &) = delete;
    array &operator=(const array &) = delete;
    ~array() {
        if (view.obj != nullptr) PyBuffer_Release(&view);
    }

    // The address to pass for `object` as `wanted`. Raises if it is not a usable array.
    void *open(PyObject *object, const parameter &wanted, const place &where) {
        int64_t offset = 0;
        py::object base;
        if (PyObject_CheckBuffer(object) != 0) {
            open_buffer(object, where);
        } else if (has(object, names::get().pointer)) {
            base = follow(object, &offset, where);
            if (PyObject_CheckBuffer(base.ptr()) == 0) fail_kind(object, wanted, where);
            open_buffer(base.ptr(), where);
        } else if (has(object, names::get().cuda_interface)) {
            fail_device(where, "a CUDA device");
        } else if (has(object, names::get().dlpack)) {
            open_dlpack(object, where);
        } else {
            fail_kind(object, wanted, where);
        }
        check(base ? base.ptr() : object, wanted, where);
        return data + offset * elements.bytes;
    }

    bool overlaps(const array &other) const {
        return bytes > 0 && other.bytes > 0 && data < other.data + other.bytes && other.data < data + bytes;
    }

private:
    Py_buffer view;
    py::object capsule;  // of DLPack: owns the tensor
    char *data = nullptr;
    int64_t bytes = 0;
    element elements;
    bool contiguous = true;
    bool read_only = false;

    static bool has(PyObject *object, PyObject *name) {
        PyObject *found = PyObject_GetAttr(reinterpret_cast<PyObject *>(Py_TYPE(object)), name);
        if (found == nullptr) PyErr_Clear();
        Py_XDECREF(found);
        return found != nullptr;
    }

    static py::object follow(PyObject *object, int64_t *offset, const place &where) {
        const py::object pair = checked(PyObject_GetAttr(object, names::get().pointer));
        if (PyTuple_Check(pair.ptr()) == 0 || PyTuple_GET_SIZE(pair.ptr()) != 2) {
            fail(PyExc_TypeError, "%s: argument '%s': __transpile_pointer__ must be (array, offset)", where.function,
                 where.argument);
        }
        *offset = PyLong_AsLongLong(PyTuple_GET_ITEM(pair.ptr(), 1));
        if (*offset == -1 && PyErr_Occurred() != nullptr) fail_as_set();
        return py::reinterpret_borrow<py::object>(PyTuple_GET_ITEM(pair.ptr(), 0));
    }

    void open_buffer(PyObject *object, const place &where) {
        if (PyObject_GetBuffer(object, &view, PyBUF_STRIDES | PyBUF_FORMAT) != 0) {
            view.obj = nullptr;
            auto dtype = py::reinterpret_steal<py::object>(PyObject_GetAttr(object, names::get().dtype));
            if (!dtype) PyErr_Clear();
            fail(PyExc_TypeError, "%s: argument '%s' is an array that cannot be passed (%S)", where.function,
                 where.argument, dtype ? dtype.ptr() : reinterpret_cast<PyObject *>(Py_TYPE(object)));
        }
        data = static_cast<char *>(view.buf);
        bytes = view.len;
        elements = parse_format(view.format, view.itemsize);
        contiguous = view.len == 0 || PyBuffer_IsContiguous(&view, 'C') != 0;
        read_only = view.readonly != 0;
    }

    void open_dlpack(PyObject *object, const place &where) {
        check_dlpack_device(object, where);
        capsule = export_dlpack(object);
        const dlpack::tensor *tensor = nullptr;
        if (void *versioned = PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned")) {
            const auto *held = static_cast<dlpack::managed_versioned *>(versioned);
            tensor = &held->tensor;
            read_only = (held->flags & dlpack::flag_read_only) != 0;
        } else {
            PyErr_Clear();
            auto *held = static_cast<dlpack::managed *>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"));
            if (held == nullptr) fail_as_set();
            tensor = &held->tensor;
        }
        if (!dlpack::is_host(tensor->device.type)) fail_device(where, "another device");
        data = static_cast<char *>(tensor->data) + tensor->byte_offset;
        elements = dlpack::element_of(*tensor);
        bytes = dlpack::count_of(*tensor) * elements.bytes;
        contiguous = dlpack::is_contiguous(*tensor);
    }

    static void check_dlpack_device(PyObject *object, const place &where) {
        const py::object device = checked(PyObject_CallMethodNoArgs(object, names::get().dlpack_device));
        if (PyTuple_Check(device.ptr()) == 0 || PyTuple_GET_SIZE(device.ptr()) < 1) return;
        const long type = PyLong_AsLong(PyTuple_GET_ITEM(device.ptr(), 0));
        if (type == -1 && PyErr_Occurred() != nullptr) fail_as_set();
        if (dlpack::is_host(static_cast<int32_t>(type))) return;
        fail_device(where, type == dlpack::cuda || type == dlpack::cuda_managed ? "a CUDA device" : "another device");
    }

    // A capsule that is never renamed stays its owner: its own destructor frees the tensor.
    static py::object export_dlpack(PyObject *object) {
        const py::object version = checked(Py_BuildValue("(ii)", 1, 0));
        const py::object keywords = checked(PyTuple_Pack(1, names::get().max_version));
        PyObject *arguments[] = {object, version.ptr()};
        PyObject *found = PyObject_VectorcallMethod(names::get().dlpack, arguments, 1, keywords.ptr());
        if (found == nullptr && PyErr_ExceptionMatches(PyExc_TypeError) != 0) {
            PyErr_Clear();  // a producer from before DLPack 1.0 has no max_version
            found = PyObject_CallMethodNoArgs(object, names::get().dlpack);
        }
        return checked(found);
    }

    void check(PyObject *object, const parameter &wanted, const place &where) const {
        const dtype_row &row = row_of(wanted.dtype);
        if (!elements.is(row)) fail_dtype(object, row, where);
        if (!contiguous) {
            fail(PyExc_ValueError, "%s: argument '%s' is not C-contiguous; pass numpy.ascontiguousarray(%s)",
                 where.function, where.argument, where.argument);
        }
        if (bytes > 0 && reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(row.bytes) != 0) {
            fail(PyExc_ValueError, "%s: argument '%s' is not aligned to its %d-byte elements; pass a copy",
                 where.function, where.argument, row.bytes);
        }
        if (read_only && wanted.kind == kind::pointer) {
            fail(PyExc_ValueError, "%s: argument '%s' is read-only, but the kernel may write it", where.function,
                 where.argument);
        }
    }

    [[noreturn]] void fail_dtype(PyObject *object, const dtype_row &row, const place &where) const {
        if (elements.swapped) {
            fail(PyExc_TypeError, "%s: argument '%s' must be an array of %s in the machine's byte order",
                 where.function, where.argument, row.name);
        }
        if (const char *name = elements.name()) {
            fail(PyExc_TypeError, "%s: argument '%s' must be an array of %s, not of %s", where.function, where.argument,
                 row.name, name);
        }
        auto dtype = py::reinterpret_steal<py::object>(PyObject_GetAttr(object, names::get().dtype));
        if (!dtype) PyErr_Clear();
        if (dtype) {
            fail(PyExc_TypeError, "%s: argument '%s' must be an array of %s, not of %S", where.function, where.argument,
                 row.name, dtype.ptr());
        }
        fail(PyExc_TypeError, "%s: argument '%s' must be an array of %s, not of format '%s'", where.function,
             where.argument, row.name, view.obj != nullptr && view.format != nullptr ? view.format : "?");
    }

    [[noreturn]] static void fail_kind(PyObject *object, const parameter &wanted, const place &where) {
        fail(PyExc_TypeError, "%s: argument '%s' must be an array of %s, not %s", where.function, where.argument,
             row_of(wanted.dtype).name, type_name(object));
    }

    [[noreturn]] static void fail_device(const place &where, const char *device) {
        fail(PyExc_ValueError, "%s: argument '%s' is on %s; this module is built for the CPU and takes host arrays",
             where.function, where.argument, device);
    }
};

}  // namespace transpile

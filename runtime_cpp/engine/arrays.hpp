// An argument that is an array: where its elements are, and the checks that a pointer parameter asks for. What it is read
// from: DLPack's exchange API, NumPy, CuPy, the buffer protocol, `__cuda_array_interface__`, DLPack, and
// `__transpile_pointer__`, by which `native.offset` and `native.stack_alloc` say which array they point into and how many
// elements on.
#pragma once

#include "readers.hpp"

namespace transpile {

// Borrows one array for the length of a call.
class array {
public:
    array() {}  // not defaulted: that would clear the buffer as well, for every argument
    array(const array &) = delete;
    array &operator=(const array &) = delete;
    ~array() {
        if (holds_buffer) PyBuffer_Release(&buffer);
    }

    // Reads and checks an argument; `gpu` is the module's driver, null for the CPU. Raises if it is not a usable array.
    void open(PyObject *given, const parameter &wanted, const place &where, driver *gpu) {
        if (!read(given, where, gpu)) fail_kind(given, wanted, where);
        if (!is_pending()) check(wanted, where);
    }

    // What an argument's elements are: of no family where it is no array, or one that does not say.
    element look(PyObject *given, const place &where, driver *gpu) {
        if (!read(given, where, gpu) || !is_pending()) return view.elements;
        const py::object dtype = own_dtype();
        return dtype ? read_dtype(dtype.ptr()) : element();
    }

    // Whether the array is DLPack's, of a device, and not yet read.
    bool is_pending() const { return how == access::dlpack && view.device != on_host && !capsule; }

    // Reads such an array: its producer has its work done before what is queued on the stream. Raises as `open`.
    void receive(void *stream, const parameter &wanted, const place &where, const driver &gpu) {
        const bool is_legacy = stream == nullptr && gpu.whose() == vendor::cuda;
        const auto number = checked(is_legacy ? PyLong_FromLong(1) : PyLong_FromVoidPtr(stream));
        capsule = export_dlpack(number.ptr());
        read_capsule(where, &gpu);
        check(wanted, where);
    }

    char *address() const { return view.data + offset * view.elements.bytes; }
    char *data() const { return view.data; }
    int64_t bytes() const { return view.bytes; }
    int device() const { return view.device; }
    const array_view &seen() const { return view; }
    access kind() const { return how; }
    bool is_old_torch() const { return is_old_torch_; }
    const dlpack::exchange_api *exchange_api() const { return exchange; }

    // What keeps the elements of a DLPack array alive; the caller may keep it longer than the call.
    const py::object &owner() const { return capsule; }

    // Uses another address for the elements: of their copy on a device, or as a device sees them.
    void *moved(void *elements) const { return static_cast<char *>(elements) + offset * view.elements.bytes; }

    bool overlaps(const array &other) const {
        return view.bytes > 0 && other.view.bytes > 0 && view.data < other.view.data + other.view.bytes &&
               other.view.data < view.data + view.bytes;
    }

private:
    array_view view;
    access how = access::none;
    bool holds_buffer = false;
    bool is_immutable = false;
    bool is_old_torch_ = false;
    PyObject *object = nullptr;  // the caller's, or `base`
    int64_t offset = 0;          // in elements, of a pointer into the array
    const dlpack::exchange_api *exchange = nullptr;
    py::object base;
    py::object capsule;  // of DLPack: owns the tensor
    Py_buffer buffer;

    // False for what is no array. Raises where an array cannot be read.
    bool read(PyObject *given, const place &where, driver *gpu) {
        object = given;
        const array_type *type = &array_type::of(object);
        if (type->how == access::pointer) {
            base = follow(object, &offset, where);
            object = base.ptr();
            type = &array_type::of(object);
        }
        exchange = type->exchange;
        is_immutable = type->is_immutable;
        is_old_torch_ = type->is_old_torch;
        how = type->how;
        const access otherwise = type->otherwise;  // what follows may run Python, which may look at other types
        if (how == access::numpy && !read_numpy(object, &view)) how = access::buffer;
        if (how == access::buffer && !open_buffer()) {
            if (otherwise == access::none) fail_unreadable(where);
            PyErr_Clear();
            how = otherwise;
        }
        if (how == access::cuda_interface && !open_interface(where, gpu)) {
            how = PyObject_HasAttr(object, names::get().dlpack) != 0 ? access::dlpack : access::none;
        }
        switch (how) {
            case access::numpy:
            case access::buffer:
            case access::cuda_interface: break;
            case access::exchange: open_exchange(where, gpu); break;
            case access::cupy: open_cupy(where, gpu); break;
            case access::dlpack: open_dlpack(where, gpu); break;
            default: return false;
        }
        return true;
    }

    static py::object follow(PyObject *pointer, int64_t *offset, const place &where) {
        const py::object pair = checked(PyObject_GetAttr(pointer, names::get().pointer));
        if (PyTuple_Check(pair.ptr()) == 0 || PyTuple_GET_SIZE(pair.ptr()) != 2) {
            fail(PyExc_TypeError, "%s: argument '%s': __transpile_pointer__ must be (array, offset)", where.function,
                 where.argument);
        }
        *offset = PyLong_AsLongLong(PyTuple_GET_ITEM(pair.ptr(), 1));
        if (*offset == -1 && PyErr_Occurred() != nullptr) {
            fail(PyExc_TypeError, "%s: argument '%s': the offset of its __transpile_pointer__ must be an int64",
                 where.function, where.argument);
        }
        return py::reinterpret_borrow<py::object>(PyTuple_GET_ITEM(pair.ptr(), 0));
    }

    // False where the object refuses; an exception is set then.
    bool open_buffer() {
        holds_buffer = PyObject_GetBuffer(object, &buffer, PyBUF_STRIDES | PyBUF_FORMAT) == 0;
        if (!holds_buffer) return false;
        view.data = static_cast<char *>(buffer.buf);
        view.bytes = buffer.len;
        view.elements = parse_format(buffer.format, buffer.itemsize);
        view.is_contiguous = buffer.len == 0 || PyBuffer_IsContiguous(&buffer, 'C') != 0;
        view.is_read_only = buffer.readonly != 0;
        return true;
    }

    void open_exchange(const place &where, const driver *gpu) {
        dlpack::tensor tensor;
        if (exchange->view(object, &tensor) != 0) fail_unreadable(where);
        check_place(tensor.device, where, gpu);
        read_tensor(tensor, &view);
        view.is_read_only = is_immutable;
    }

    void open_cupy(const place &where, const driver *gpu) {
        if (gpu == nullptr) fail_device(where, "a CUDA device", gpu);
        read_cupy(object, *gpu, &view);
    }

    // False where only other objects of the type have it, those that are on a device.
    bool open_interface(const place &where, driver *gpu) {
        const py::object found = attribute_of(object, names::get().cuda_interface);
        if (!found) return false;
        if (gpu == nullptr) fail_device(where, "a CUDA device", gpu);
        read_cuda_interface(object, found, *gpu, where, &view);
        if (view.device != on_host) return true;
        fail(PyExc_ValueError, "%s: argument '%s': its __cuda_array_interface__ points to memory of no device",
             where.function, where.argument);
    }

    // Of another library, by DLPack. What is on a device is read later, by `receive`.
    void open_dlpack(const place &where, const driver *gpu) {
        const py::object found = checked(PyObject_CallMethodNoArgs(object, names::get().dlpack_device));
        if (PyTuple_Check(found.ptr()) != 0 && PyTuple_GET_SIZE(found.ptr()) == 2) {
            dlpack::device device;
            device.type = static_cast<int32_t>(read_int(PyTuple_GET_ITEM(found.ptr(), 0)));
            device.id = static_cast<int32_t>(read_int(PyTuple_GET_ITEM(found.ptr(), 1)));
            check_place(device, where, gpu);
        }
        if (view.device != on_host) return;
        capsule = export_dlpack(nullptr);
        read_capsule(where, gpu);
    }

    // A capsule that is never renamed stays its owner: its own destructor frees the tensor.
    py::object export_dlpack(PyObject *stream) const {
        const names &n = names::get();
        const py::object version = checked(Py_BuildValue("(ii)", 1, 0));
        const py::object keywords =
            checked(stream != nullptr ? PyTuple_Pack(2, n.max_version, n.stream) : PyTuple_Pack(1, n.max_version));
        PyObject *arguments[] = {object, version.ptr(), stream};
        PyObject *found = PyObject_VectorcallMethod(n.dlpack, arguments, 1, keywords.ptr());
        if (found == nullptr && PyErr_ExceptionMatches(PyExc_TypeError) != 0) {
            PyErr_Clear();  // a producer from before DLPack 1.0 has no max_version
            const py::object stream_alone = checked(PyTuple_Pack(1, n.stream));
            PyObject *fewer[] = {object, stream};
            found = stream != nullptr ? PyObject_VectorcallMethod(n.dlpack, fewer, 1, stream_alone.ptr())
                                      : PyObject_CallMethodNoArgs(object, n.dlpack);
        }
        return checked(found);
    }

    void read_capsule(const place &where, const driver *gpu) {
        const dlpack::tensor *tensor = nullptr;
        if (PyCapsule_IsValid(capsule.ptr(), "dltensor_versioned") != 0) {
            const auto *held = static_cast<dlpack::managed_versioned *>(
                PyCapsule_GetPointer(capsule.ptr(), "dltensor_versioned"));
            if (held->major != 1) fail_capsule(where);  // what follows lies elsewhere
            tensor = &held->tensor;
            view.is_read_only = (held->flags & dlpack::flag_read_only) != 0;
        } else if (PyCapsule_IsValid(capsule.ptr(), "dltensor") != 0) {
            tensor = &static_cast<dlpack::managed *>(PyCapsule_GetPointer(capsule.ptr(), "dltensor"))->tensor;
        } else {
            fail_capsule(where);
        }
        view.is_read_only = view.is_read_only || is_immutable;
        check_place(tensor->device, where, gpu);
        read_tensor(*tensor, &view);
    }

    void check_place(const dlpack::device &device, const place &where, const driver *gpu) {
        view.device = place_of(device, gpu);
        if (view.device != on_other_device) return;
        const bool is_cuda = device.type == dlpack::cuda || device.type == dlpack::cuda_managed;
        fail_device(where, is_cuda ? "a CUDA device" : "another device", gpu);
    }

    void check(const parameter &wanted, const place &where) const {
        const dtype_row &row = row_of(wanted.dtype);
        if (!view.elements.is(row) && !view.elements.holds_bits_of(row)) fail_dtype(row, where);
        if (!view.is_contiguous) {
            fail(PyExc_ValueError, "%s: argument '%s' is not C-contiguous; pass %s", where.function, where.argument,
                 contiguous(where.argument).c_str());
        }
        if (view.bytes > 0 && reinterpret_cast<uintptr_t>(view.data) % static_cast<uintptr_t>(row.bytes) != 0) {
            fail(PyExc_ValueError, "%s: argument '%s' is not aligned to its %d-byte elements; pass a copy",
                 where.function, where.argument, row.bytes);
        }
        if (view.is_read_only && wanted.kind == kind::pointer) {
            fail(PyExc_ValueError, "%s: argument '%s' is read-only, but the kernel may write it", where.function,
                 where.argument);
        }
    }

    // How its library makes a contiguous copy.
    std::string contiguous(const std::string &name) const {
        if (how == access::exchange) return name + ".contiguous()";
        if (how == access::cupy) return "cupy.ascontiguousarray(" + name + ")";
        return view.device == on_host ? "numpy.ascontiguousarray(" + name + ")" : "a contiguous copy";
    }

    // The dtype as the array's own library calls it, or null.
    py::object own_dtype() const {
        auto dtype = py::reinterpret_steal<py::object>(PyObject_GetAttr(object, names::get().dtype));
        if (!dtype) PyErr_Clear();
        return dtype;
    }

    [[noreturn]] void fail_unreadable(const place &where) const {
        PyObject *kind = nullptr, *error = nullptr, *trace = nullptr;
        PyErr_Fetch(&kind, &error, &trace);  // becomes the cause
        const py::object dtype = own_dtype();
        PyErr_Restore(kind, error, trace);
        fail(PyExc_TypeError, "%s: argument '%s' is an array that cannot be passed (%S)", where.function,
             where.argument, dtype ? dtype.ptr() : reinterpret_cast<PyObject *>(Py_TYPE(object)));
    }

    [[noreturn]] static void fail_capsule(const place &where) {
        fail(PyExc_TypeError, "%s: argument '%s': its __dlpack__ gives no tensor of DLPack 1 that nobody has taken",
             where.function, where.argument);
    }

    [[noreturn]] void fail_dtype(const dtype_row &row, const place &where) const {
        if (view.elements.swapped) {
            fail(PyExc_TypeError, "%s: argument '%s' must be an array of %s in the machine's byte order",
                 where.function, where.argument, row.name);
        }
        if (const char *name = view.elements.name()) {
            fail(PyExc_TypeError, "%s: argument '%s' must be an array of %s, not of %s", where.function, where.argument,
                 row.name, name);
        }
        if (const py::object dtype = own_dtype()) {
            fail(PyExc_TypeError, "%s: argument '%s' must be an array of %s, not of %S", where.function, where.argument,
                 row.name, dtype.ptr());
        }
        fail(PyExc_TypeError, "%s: argument '%s' must be an array of %s, not of format '%s'", where.function,
             where.argument, row.name, holds_buffer && buffer.format != nullptr ? buffer.format : "?");
    }

    [[noreturn]] static void fail_kind(PyObject *object, const parameter &wanted, const place &where) {
        fail(PyExc_TypeError, "%s: argument '%s' must be an array of %s, not %s", where.function, where.argument,
             row_of(wanted.dtype).name, type_name(object));
    }

    [[noreturn]] static void fail_device(const place &where, const char *device, const driver *gpu) {
        if (gpu == nullptr) {
            fail(PyExc_ValueError, "%s: argument '%s' is on %s; this module is built for the CPU and takes host arrays",
                 where.function, where.argument, device);
        }
        fail(PyExc_ValueError, "%s: argument '%s' is on %s; this module is built for %s", where.function,
             where.argument, device, gpu->whose() == vendor::cuda ? "CUDA" : "HIP");
    }
};

// An array on its way to a kernel: for which parameter, and where its address lies among the values.
struct array_argument {
    array given;
    const parameter *wanted = nullptr;
    value *slot = nullptr;
};

}  // namespace transpile

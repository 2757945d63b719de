// Reads what an array says of itself: where its elements are, of which type, and whether they lie in a row.
#pragma once

#include "array_types.hpp"
#include "driver.hpp"

#include <vector>

namespace transpile {

// Where an array is: a device of the module's vendor by its number, or one of these.
enum place_of_array : int {
    on_host = -1,
    on_any_device = -2,      // managed memory: wherever it is used
    on_other_device = -3,    // one that this module is not built for
};

struct array_view {
    char *data = nullptr;
    int64_t bytes = 0;
    int device = on_host;
    element elements;
    bool is_contiguous = true;
    bool is_read_only = false;
    bool has_stream = false;  // whether the array itself says on which stream it was made
    void *stream = nullptr;
};

// Where DLPack's device is for a module of this driver; without one, of the CPU.
inline int place_of(const dlpack::device &device, const driver *gpu) {
    if (dlpack::is_host(device.type)) return on_host;
    if (gpu == nullptr) return on_other_device;
    if (gpu->whose() == vendor::hip) return device.type == dlpack::rocm ? device.id : int(on_other_device);
    if (device.type == dlpack::cuda_managed) return on_any_device;
    return device.type == dlpack::cuda ? device.id : int(on_other_device);
}

// All but the place of it.
inline void read_tensor(const dlpack::tensor &tensor, array_view *view) {
    view->data = static_cast<char *>(tensor.data) + tensor.byte_offset;
    view->elements = dlpack::element_of(tensor);
    view->bytes = dlpack::count_of(tensor) * view->elements.bytes;
    view->is_contiguous = view->bytes == 0 || dlpack::is_contiguous(tensor);
}

// The common array, read in place. False for any other: the buffer protocol says what is the matter with it.
inline bool read_numpy(PyObject *object, array_view *view) {
    const auto *held = reinterpret_cast<const numpy::array_object *>(object);
    const auto flags = static_cast<unsigned>(held->flags);
    constexpr int first_of_others = 256;
    const bool has_buffer = held->dtype->number < first_of_others;
    const bool is_common = (~flags & (numpy::c_contiguous | numpy::aligned)) == 0 && (flags & numpy::warns_on_write) == 0;
    if (has_buffer && !is_common) return false;
    view->elements = has_buffer ? numpy::element_of(held->dtype)
                                : numpy::element_by_name(reinterpret_cast<PyObject *>(held->dtype));
    if (view->elements.family == family::other) return false;
    view->is_contiguous = (flags & numpy::c_contiguous) != 0;
    int64_t count = 1;
    for (int axis = 0; axis < held->ndim; ++axis) count *= held->shape[axis];
    view->data = held->data;
    view->bytes = count * view->elements.bytes;
    view->is_read_only = (flags & numpy::writable) == 0;
    return true;
}

inline int64_t read_int(PyObject *number) {
    const long long value = PyLong_AsLongLong(number);
    if (value == -1 && PyErr_Occurred() != nullptr) fail_as_set();
    return value;
}

inline void *read_address(PyObject *number) {
    void *address = PyLong_AsVoidPtr(number);
    if (address == nullptr && PyErr_Occurred() != nullptr) fail_as_set();
    return address;
}

// The elements of an object that is a dtype of NumPy, or looks like one.
inline element read_dtype(PyObject *dtype) {
    PyTypeObject *numpy_dtype = numpy::type_of_module("numpy", "dtype");
    element found;
    if (numpy_dtype != nullptr && PyObject_TypeCheck(dtype, numpy_dtype) != 0) {
        found = numpy::element_of(reinterpret_cast<const numpy::dtype_object *>(dtype));
    }
    return found.family != family::other ? found : numpy::element_by_name(dtype);
}

// What CuPy's arrays and their memory declare, and the dtype that was read last: NumPy has one object of each.
struct cupy_attributes {
    declared_attribute dtype{names::get().dtype}, size{names::get().size}, data{names::get().data};
    declared_attribute is_contiguous{names::get().is_contiguous};
    declared_attribute address{names::get().address}, device_id{names::get().device_id};
    PyObject *last_dtype = nullptr;  // held
    element last_elements;

    static cupy_attributes &get() {
        static cupy_attributes all;
        return all;
    }

    element elements_of(PyObject *array) {
        const py::object type = dtype.of(array);
        if (type.ptr() != last_dtype) {
            last_elements = read_dtype(type.ptr());
            Py_XSETREF(last_dtype, type.inc_ref().ptr());
        }
        return last_elements;
    }
};

// CuPy's own attributes: its interface makes a dictionary of eight at every look.
inline void read_cupy(PyObject *object, const driver &gpu, array_view *view) {
    cupy_attributes &cupy = cupy_attributes::get();
    view->elements = cupy.elements_of(object);
    view->bytes = read_int(cupy.size.of(object).ptr()) * view->elements.bytes;
    view->is_contiguous = cupy.is_contiguous.of(object).ptr() == Py_True || view->bytes == 0;
    const py::object memory = cupy.data.of(object);
    view->data = static_cast<char *>(read_address(cupy.address.of(memory.ptr()).ptr()));
    view->device = gpu.count() == 1 ? 0 : static_cast<int>(read_int(cupy.device_id.of(memory.ptr()).ptr()));
}

// "<f8": the byte order, what it is, and its bytes. What NumPy has no letter for is looked up by its name.
inline element parse_typestr(const char *text, PyObject *object) {
    element found;
    if (std::strlen(text) < 3) return found;
    switch (text[1]) {
        case 'b': found.family = family::boolean; break;
        case 'i': found.family = family::integer; break;
        case 'u': found.family = family::natural; break;
        case 'f': found.family = family::real; break;
        default: break;
    }
    found.bytes = std::atoi(text + 2);
    found.swapped = found.bytes > 1 && text[0] == (little_endian ? '>' : '<');
    if (found.family != family::other) return found;
    const auto dtype = py::reinterpret_steal<py::object>(PyObject_GetAttr(object, names::get().dtype));
    if (!dtype) {
        PyErr_Clear();
        return found;
    }
    const element named = numpy::element_by_name(dtype.ptr());
    return named.family != family::other ? named : found;
}

// The ints of a tuple, of at most 32.
struct sizes {
    int count = 0;
    int64_t at[32];

    bool read(PyObject *tuple) {
        if (tuple == nullptr || PyTuple_Check(tuple) == 0 || PyTuple_GET_SIZE(tuple) > 32) return false;
        for (; count < PyTuple_GET_SIZE(tuple); ++count) at[count] = read_int(PyTuple_GET_ITEM(tuple, count));
        return true;
    }
};

// What `found`, the object's `__cuda_array_interface__`, says. Raises TypeError where it is not as its description asks.
// See https://numba.readthedocs.io/en/stable/cuda/cuda_array_interface.html.
inline void read_cuda_interface(PyObject *object, const py::object &found, driver &gpu, const place &where,
                                array_view *view) {
    const auto refuse = [&](const char *why) {
        fail(PyExc_TypeError, "%s: argument '%s': its __cuda_array_interface__ %s", where.function, where.argument, why);
    };
    if (PyDict_Check(found.ptr()) == 0) refuse("is no dict");
    // Held, since reading a number may run Python, which may change the dict.
    std::vector<py::object> held;
    const auto item = [&](const char *key) -> PyObject * {
        PyObject *value = PyDict_GetItemString(found.ptr(), key);
        if (value == nullptr || value == Py_None) return nullptr;
        held.push_back(py::reinterpret_borrow<py::object>(value));
        return value;
    };
    PyObject *type = item("typestr"), *data = item("data"), *strides = item("strides"), *stream = item("stream");
    const char *text = type != nullptr && PyUnicode_Check(type) != 0 ? PyUnicode_AsUTF8(type) : nullptr;
    sizes extents, steps;
    if (!extents.read(item("shape")) || text == nullptr) refuse("needs a shape and a typestr");
    if (data == nullptr || PyTuple_Check(data) == 0 || PyTuple_GET_SIZE(data) != 2) refuse("needs data of two parts");
    if (item("mask") != nullptr) refuse("has a mask");
    view->elements = parse_typestr(text, object);
    int64_t count = 1;
    for (int axis = 0; axis < extents.count; ++axis) count *= extents.at[axis];
    view->bytes = count * view->elements.bytes;
    if (strides != nullptr && view->bytes > 0) {
        if (!steps.read(strides) || steps.count != extents.count) refuse("has strides that do not fit its shape");
        view->is_contiguous = dlpack::is_contiguous(extents.count, extents.at, steps.at, view->elements.bytes);
    }
    view->data = static_cast<char *>(read_address(PyTuple_GET_ITEM(data, 0)));
    view->is_read_only = PyObject_IsTrue(PyTuple_GET_ITEM(data, 1)) == 1;
    if (stream != nullptr) {
        view->has_stream = true;
        view->stream = read_address(stream);
    }
    if (view->bytes == 0) {
        view->device = on_any_device;
        return;
    }
    const location found_at = gpu.memory_of(view->data);
    view->device = found_at.kind == memory::device ? found_at.device
                   : found_at.kind == memory::host ? int(on_host)
                                                   : int(on_any_device);
}

}  // namespace transpile

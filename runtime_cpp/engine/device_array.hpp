// `_engine.allocate`: an array of zeros on a device, freed with its last reference. Other packages see it by
// `__cuda_array_interface__` and `__dlpack__`; `copy_in` and `copy_out` move all of it from and to a host buffer, and wait
// for whatever the device does.
#pragma once

#include "objects.hpp"

namespace transpile {

struct device_array {
    PyObject_HEAD
    vendor whose;
    int device;
    transpile::dtype dtype;
    int64_t count;
    void *address;

    size_t bytes() const { return static_cast<size_t>(count) * static_cast<size_t>(row_of(dtype).bytes); }

    static device_array *of(PyObject *self) { return reinterpret_cast<device_array *>(self); }
};

// Waits, without the GIL, for the kernels that use the memory.
inline void release_memory(const device_array &array) {
    const released_gil while_waiting;
    try {
        driver &gpu = driver::of(array.whose);
        const on_device here(gpu, array.device);
        gpu.release(array.address);
    } catch (const std::exception &) {
        // A forked child, or a driver that has ended with the process: the memory is gone, or its parent's.
    }
}

inline void free_device_array(PyObject *self) {
    const device_array *array = device_array::of(self);
    if (array->address != nullptr) release_memory(*array);
    PyTypeObject *type = Py_TYPE(self);
    PyObject_Free(self);
    Py_DECREF(type);
}

inline PyObject *device_array_interface(PyObject *self, void *) {
    const device_array *array = device_array::of(self);
    const dtype_row &row = row_of(array->dtype);
    const char kind = row.family == family::boolean ? 'b'
                      : row.family == family::integer ? 'i'
                      : row.family == family::natural ? 'u'
                      : row.family == family::real    ? 'f'
                                                      : 'V';  // as ml_dtypes has it
    return Py_BuildValue("{s:(L),s:N,s:(KO),s:i}", "shape", static_cast<long long>(array->count), "typestr",
                         PyUnicode_FromFormat("%c%c%d", row.bytes == 1 ? '|' : '<', kind, row.bytes), "data",
                         reinterpret_cast<unsigned long long>(array->address), Py_False, "version", 3);
}

inline PyObject *device_array_place(PyObject *self, PyObject *) {
    const device_array *array = device_array::of(self);
    const int kind = array->whose == vendor::cuda ? dlpack::cuda : dlpack::rocm;
    return Py_BuildValue("(ii)", kind, array->device);
}

// What a consumer of DLPack owns: the tensor and a reference to the array.
struct exported_array {
    dlpack::managed_versioned versioned = {};
    dlpack::managed plain = {};
    int64_t shape = 0;
    PyObject *owner = nullptr;
};

inline void release_exported(exported_array *exported) {
    if (Py_IsInitialized() == 0) return;  // by a consumer that outlasts Python: the process ends
    const PyGILState_STATE state = PyGILState_Ensure();
    Py_DECREF(exported->owner);
    PyGILState_Release(state);
    delete exported;
}

inline uint8_t code_of(family family) {
    switch (family) {
        case family::boolean: return dlpack::code_bool;
        case family::integer: return dlpack::code_int;
        case family::natural: return dlpack::code_uint;
        case family::brain: return dlpack::code_bfloat;
        case family::e4m3: return dlpack::code_e4m3fn;
        case family::e5m2: return dlpack::code_e5m2;
        default: return dlpack::code_float;
    }
}

inline exported_array *export_array(PyObject *self) {
    const device_array *array = device_array::of(self);
    const dtype_row &row = row_of(array->dtype);
    auto exported = std::make_unique<exported_array>();
    exported->shape = array->count;
    dlpack::tensor tensor = {};
    tensor.data = array->address;
    tensor.device = {array->whose == vendor::cuda ? dlpack::cuda : dlpack::rocm, array->device};
    tensor.ndim = 1;
    tensor.type.code = code_of(row.family);
    tensor.type.bits = static_cast<uint8_t>(row.bytes * 8);
    tensor.type.lanes = 1;
    tensor.shape = &exported->shape;
    exported->plain.tensor = exported->versioned.tensor = tensor;
    exported->plain.context = exported->versioned.context = exported.get();
    exported->plain.deleter = [](dlpack::managed *held) {
        release_exported(static_cast<exported_array *>(held->context));
    };
    exported->versioned.major = 1;
    exported->versioned.deleter = [](dlpack::managed_versioned *held) {
        release_exported(static_cast<exported_array *>(held->context));
    };
    Py_INCREF(self);
    exported->owner = self;
    return exported.release();
}

// A capsule that nobody took frees what it holds: whoever takes it gives it another name.
template <typename Managed>
void free_capsule(PyObject *capsule) {
    const char *name = PyCapsule_GetName(capsule);
    if (name == nullptr || std::strncmp(name, "used_", 5) == 0) return;
    auto *held = static_cast<Managed *>(PyCapsule_GetPointer(capsule, name));
    if (held != nullptr) held->deleter(held);
}

// `__dlpack__(*, stream=None, max_version=None, dl_device=None, copy=None)`. Nothing is queued that a consumer's stream
// would have to wait for but what the caller launched; it knows the stream of that. Raises BufferError where another
// device or a copy is asked for.
inline PyObject *device_array_dlpack(PyObject *self, PyObject *, PyObject *keywords) {
    return guarded([&] {
        const auto given = [&](const char *name) {
            PyObject *found = keywords != nullptr ? PyDict_GetItemString(keywords, name) : nullptr;
            return found != Py_None ? found : nullptr;
        };
        PyObject *version = given("max_version"), *wanted = given("dl_device"), *copy = given("copy");
        if (copy != nullptr && PyObject_IsTrue(copy) != 0) fail(PyExc_BufferError, "the array is shared, never copied");
        if (wanted != nullptr) {
            const py::object own = checked(device_array_place(self, nullptr));
            const int is_own = PyObject_RichCompareBool(wanted, own.ptr(), Py_EQ);
            if (is_own < 0) fail_as_set();
            if (is_own == 0) fail(PyExc_BufferError, "the array is on DLPack's device %R, not on %R", own.ptr(), wanted);
        }
        const bool is_versioned = version != nullptr && PyTuple_Check(version) != 0 && PyTuple_GET_SIZE(version) > 0 &&
                                  PyLong_AsLong(PyTuple_GET_ITEM(version, 0)) >= 1;
        if (PyErr_Occurred() != nullptr) fail_as_set();
        exported_array *exported = export_array(self);
        if (is_versioned) {
            return PyCapsule_New(&exported->versioned, "dltensor_versioned", free_capsule<dlpack::managed_versioned>);
        }
        return PyCapsule_New(&exported->plain, "dltensor", free_capsule<dlpack::managed>);
    });
}

// Borrows a host buffer of exactly the array's size.
class host_bytes {
public:
    host_bytes(PyObject *object, const device_array &array, bool is_written) {
        const int flags = is_written ? PyBUF_CONTIG : PyBUF_CONTIG_RO;
        if (PyObject_GetBuffer(object, &view, flags) != 0) fail_as_set();
        if (static_cast<size_t>(view.len) == array.bytes()) return;
        const Py_ssize_t length = view.len;
        PyBuffer_Release(&view);
        fail(PyExc_ValueError, "the array has %zu bytes, and the buffer %zd", array.bytes(), length);
    }
    ~host_bytes() { PyBuffer_Release(&view); }
    host_bytes(const host_bytes &) = delete;
    host_bytes &operator=(const host_bytes &) = delete;

    void *data() const { return view.buf; }

private:
    Py_buffer view;
};

[[noreturn]] inline void fail_array(const device_array &array, const driver_error &error) {
    if (error.code == driver_out_of_memory) {
        fail(PyExc_MemoryError, "the device has too little memory for %zu bytes: %s", array.bytes(), error.what());
    }
    if (!is_sticky(error.code)) fail(PyExc_RuntimeError, "the driver failed: %s", error.what());
    fail(PyExc_RuntimeError,
         "a kernel that was launched before has failed: %s; arrays that it may write are undefined now, and this process "
         "cannot use the device any more",
         error.what());
}

// What is done once somebody has waited for the device: it may raise. Set when the engine is imported.
inline void (*&after_waiting())() {
    static void (*chosen)() = nullptr;
    return chosen;
}

// Copies all of the array, without the GIL, once the device has done all that was queued. Where a kernel has faulted
// since, this is where it shows.
inline PyObject *copy_array(PyObject *self, PyObject *buffer, bool is_in) {
    return guarded([&] {
        const device_array *array = device_array::of(self);
        const host_bytes host(buffer, *array, !is_in);
        try {
            const released_gil while_copying;
            driver &gpu = driver::of(array->whose);
            const on_device here(gpu, array->device);
            gpu.synchronize_device();
            if (array->count > 0 && is_in) gpu.copy_in(array->address, host.data(), array->bytes(), nullptr);
            if (array->count > 0 && !is_in) gpu.copy_out(host.data(), array->address, array->bytes(), nullptr);
            gpu.synchronize(nullptr);
        } catch (const driver_error &error) {
            fail_array(*array, error);
        }
        if (after_waiting() != nullptr) after_waiting()();
        return none();
    });
}

inline PyObject *device_array_copy_in(PyObject *self, PyObject *buffer) { return copy_array(self, buffer, true); }
inline PyObject *device_array_copy_out(PyObject *self, PyObject *buffer) { return copy_array(self, buffer, false); }

inline PyObject *device_array_dtype(PyObject *self, void *) {
    return PyUnicode_FromString(row_of(device_array::of(self)->dtype).name);
}

inline PyObject *device_array_device(PyObject *self, void *) { return PyLong_FromLong(device_array::of(self)->device); }

inline Py_ssize_t device_array_length(PyObject *self) { return device_array::of(self)->count; }

inline PyTypeObject *device_array_type() {
    static PyMethodDef methods[] = {
        {"copy_in", device_array_copy_in, METH_O, nullptr},
        {"copy_out", device_array_copy_out, METH_O, nullptr},
        {"__dlpack__", reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(device_array_dlpack)),
         METH_VARARGS | METH_KEYWORDS, nullptr},
        {"__dlpack_device__", device_array_place, METH_NOARGS, nullptr},
        {nullptr, nullptr, 0, nullptr},
    };
    static PyGetSetDef attributes[] = {
        {"__cuda_array_interface__", device_array_interface, nullptr, nullptr, nullptr},
        {"device", device_array_device, nullptr, nullptr, nullptr},
        {"dtype", device_array_dtype, nullptr, nullptr, nullptr},
        {nullptr, nullptr, nullptr, nullptr, nullptr},
    };
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, slot(free_device_array)},
        {Py_tp_methods, methods},
        {Py_tp_getset, attributes},
        {Py_sq_length, slot(device_array_length)},
        {0, nullptr},
    };
    static PyType_Spec spec = {"transpile.DeviceArray", sizeof(device_array), 0, Py_TPFLAGS_DEFAULT, slots};
    static PyTypeObject *kept = nullptr;
    return once(kept, &spec);
}

// Zeros on `device`; a negative one means the caller's current device. Their bytes must be a number of size_t.
inline PyObject *allocate_array(vendor whose, int device, dtype type, int64_t count) {
    auto *array = PyObject_New(device_array, device_array_type());
    if (array == nullptr) fail_as_set();
    array->whose = whose;
    array->device = device;
    array->dtype = type;
    array->count = count;
    array->address = nullptr;
    py::object owned = checked(reinterpret_cast<PyObject *>(array));
    try {
        const released_gil while_waiting;
        driver &gpu = driver::of(whose);
        if (device < 0) array->device = gpu.current();
        const on_device here(gpu, array->device);
        const size_t bytes = array->bytes();
        array->address = gpu.allocate(bytes > 0 ? bytes : 1);
        gpu.fill(array->address, 0, bytes, nullptr);
        gpu.synchronize(nullptr);
    } catch (const driver_error &error) {
        fail_array(*array, error);
    }
    return owned.release().ptr();
}

}  // namespace transpile

// Which stream a kernel runs on: the one that `stream=` names, else the current one of whoever made the arrays.
#pragma once

#include "arrays.hpp"
#include "callable.hpp"

namespace transpile {

inline bool is_int(PyObject *object) { return PyLong_Check(object) != 0 && PyBool_Check(object) == 0; }

// Whether it is a default stream, the legacy one or a thread's: each device has them, and the current one's is meant.
inline bool is_default_stream(void *stream) { return reinterpret_cast<uintptr_t>(stream) <= 2; }

// The handle that `stream=` gives: an int, or a stream of cuda.core (`__cuda_stream__`), torch (`cuda_stream`) or CuPy
// (`ptr`). Raises TypeError, ValueError.
inline void *read_stream(const callable &called, PyObject *stream) {
    const names &n = names::get();
    py::object handle;
    if (is_int(stream)) {
        handle = py::reinterpret_borrow<py::object>(stream);
    } else if (const py::object method = attribute_of(stream, n.cuda_stream_method)) {
        const py::object pair = checked(PyObject_CallNoArgs(method.ptr()));
        if (PyTuple_Check(pair.ptr()) != 0 && PyTuple_GET_SIZE(pair.ptr()) == 2) {
            handle = py::reinterpret_borrow<py::object>(PyTuple_GET_ITEM(pair.ptr(), 1));
        }
    } else {
        handle = attribute_of(stream, n.cuda_stream);
        if (!handle) handle = attribute_of(stream, n.address);
    }
    if (!handle || !is_int(handle.ptr())) {
        fail(PyExc_TypeError, "%s: stream must be None, an int, or a stream of torch, CuPy or cuda.core, not %s",
             called.row->name, type_name(stream));
    }
    void *found = PyLong_AsVoidPtr(handle.ptr());
    const bool is_negative = found != nullptr && PyErr_Occurred() == nullptr &&
                             PyObject_RichCompareBool(handle.ptr(), py::int_(0).ptr(), Py_LT) == 1;
    if (is_negative || PyErr_Occurred() != nullptr) {
        PyErr_Clear();
        fail(PyExc_ValueError, "%s: stream is no handle of a stream", called.row->name);
    }
    return found;
}

// Asks a library for its current stream on a device, by a function of one of its modules.
class stream_function {
public:
    // The one that `kept` remembers, found now if it was not. An import lets other threads run, which may come here too:
    // the GIL guards `kept`, and no lock of C++'s is held.
    static stream_function &once(stream_function *&kept, const char *module, const char *name, PyObject *handle) {
        if (kept == nullptr) {
            const py::object home = checked(PyImport_ImportModule(module));
            py::object function = checked(PyObject_GetAttrString(home.ptr(), name));
            if (kept == nullptr) kept = new stream_function(std::move(function), handle);
        }
        return *kept;
    }

    void *operator()(int device) {
        const py::object number = checked(PyLong_FromLong(device));
        const py::object stream = checked(PyObject_CallOneArg(function.ptr(), number.ptr()));
        return read_address(handle.of(stream.ptr()).ptr());
    }

private:
    py::object function;
    declared_attribute handle;

    stream_function(py::object function, PyObject *handle) : function(std::move(function)), handle(handle) {}
};

// CuPy's own C function for it, or null for a CuPy that has none: a module of Cython's offers other modules what they may
// call in `__pyx_capi__`, in capsules that are named by their C types.
inline intptr_t (*find_cupy_stream_function())(int) {
    static constexpr const char *type = "intptr_t (int)";
    const auto stolen = [](PyObject *object) { return py::reinterpret_steal<py::object>(object); };
    const py::object home = stolen(PyImport_ImportModule("cupy_backends.cuda.stream"));
    const py::object offered = home ? stolen(PyObject_GetAttrString(home.ptr(), "__pyx_capi__")) : home;
    const py::object capsule = offered ? stolen(PyMapping_GetItemString(offered.ptr(), "get_stream_ptr")) : offered;
    PyErr_Clear();
    if (!capsule || PyCapsule_IsValid(capsule.ptr(), type) == 0) return nullptr;
    return reinterpret_cast<intptr_t (*)(int)>(PyCapsule_GetPointer(capsule.ptr(), type));
}

inline void *current_cupy_stream(int device) {
    static stream_function *kept = nullptr;
    static intptr_t (*stream_of)(int) = nullptr;
    if (kept == nullptr && stream_of == nullptr) stream_of = find_cupy_stream_function();
    if (stream_of == nullptr) {
        return stream_function::once(kept, "cupy.cuda", "get_current_stream", names::get().address)(device);
    }
    const intptr_t found = stream_of(device);
    if (PyErr_Occurred() != nullptr) fail_as_set();
    return reinterpret_cast<void *>(found);
}

inline void *current_torch_stream(int device) {
    static stream_function *kept = nullptr;
    return stream_function::once(kept, "torch.cuda", "current_stream", names::get().cuda_stream)(device);
}

// Finds the stream on which all producers of a call's arrays work.
class current_stream {
public:
    explicit current_stream(const callable &called) : called(called) {}

    // Asks the producer of an array, unless it has been asked.
    void add(const array_argument &argument, int device) {
        const array &given = argument.given;
        if (given.kind() == access::exchange) {
            if (given.exchange_api() == asked_api) return;
            asked_api = given.exchange_api();
            void *stream = nullptr;
            const int32_t type = *called.device == vendor::cuda ? dlpack::cuda : dlpack::rocm;
            if (asked_api->current_stream(type, device, &stream) != 0) fail_unknown(argument);
            meet(argument, stream);
        } else if (given.kind() == access::cupy) {
            if (asked_cupy) return;
            asked_cupy = true;
            meet(argument, current_cupy_stream(device));
        } else if (given.is_old_torch()) {
            if (asked_torch) return;
            asked_torch = true;
            meet(argument, current_torch_stream(device));
        } else if (given.seen().has_stream) {
            meet(argument, given.seen().stream);
        }
    }

    // The default stream where nobody has one.
    void *handle() const { return found; }

private:
    const callable &called;
    const dlpack::exchange_api *asked_api = nullptr;
    bool asked_cupy = false, asked_torch = false;
    const parameter *first = nullptr;  // the one whose array `found` is from
    void *found = nullptr;

    // 0 and 1 are both the legacy default stream.
    static uintptr_t number_of(void *stream) {
        const auto number = reinterpret_cast<uintptr_t>(stream);
        return number == 1 ? 0 : number;
    }

    [[noreturn]] void fail_unknown(const array_argument &argument) const {
        fail(PyExc_RuntimeError, "%s: argument '%s': its library has no current stream; pass stream=", called.row->name,
             argument.wanted->name);
    }

    void meet(const array_argument &argument, void *stream) {
        if (first == nullptr) {
            first = argument.wanted;
            found = stream;
            return;
        }
        if (number_of(stream) == number_of(found)) return;
        fail(PyExc_ValueError,
             "%s: arguments '%s' and '%s' come from different current streams; pass stream= to say where the kernel "
             "runs",
             called.row->name, first->name, argument.wanted->name);
    }
};

}  // namespace transpile

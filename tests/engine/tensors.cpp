//
//     tensors.Tensor(address, shape, code, bits, device_type=1, device=0, strides=None, offset=0, read_only=False)
//     tensors.Exchanged(...)            the same, read through `__dlpack_c_exchange_api__`, as torch's are
//     Tensor.capsule(is_versioned=True) for a class of Python that has `__dlpack__`
//     tensors.Buffered                  a base whose buffer refuses, as those of CuPy's and JAX's arrays do
//     tensors.set_stream(handle)        what Exchanged's API calls the current stream
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include "engine/dlpack.hpp"

#include <string>

using namespace transpile;

namespace {

struct tensor_object {
    PyObject_HEAD
    dlpack::tensor tensor;
    int64_t shape[8], strides[8];
    int is_read_only;
};

void *current_stream = nullptr;
long streams_asked = 0, alive = 0;

PyObject *make(PyTypeObject *type, PyObject *arguments, PyObject *keywords) {
    static const char *names[] = {"address", "shape",   "code",   "bits",      "device_type",
                                  "device",  "strides", "offset", "read_only", nullptr};
    unsigned long long address = 0, offset = 0;
    PyObject *shape = nullptr, *strides = Py_None;
    int code = 0, bits = 0, device_type = 1, device = 0, is_read_only = 0;
    if (!PyArg_ParseTupleAndKeywords(arguments, keywords, "KO!ii|iiOKp", const_cast<char **>(names), &address,
                                     &PyTuple_Type, &shape, &code, &bits, &device_type, &device, &strides, &offset,
                                     &is_read_only)) {
        return nullptr;
    }
    auto *made = reinterpret_cast<tensor_object *>(type->tp_alloc(type, 0));
    if (made == nullptr) return nullptr;
    const Py_ssize_t ndim = PyTuple_GET_SIZE(shape);
    for (Py_ssize_t axis = 0; axis < ndim; ++axis) {
        made->shape[axis] = PyLong_AsLongLong(PyTuple_GET_ITEM(shape, axis));
        if (strides != Py_None) made->strides[axis] = PyLong_AsLongLong(PyTuple_GET_ITEM(strides, axis));
    }
    made->tensor = {reinterpret_cast<void *>(address),
                    {device_type, device},
                    static_cast<int32_t>(ndim),
                    {static_cast<uint8_t>(code), static_cast<uint8_t>(bits), 1},
                    made->shape,
                    strides != Py_None ? made->strides : nullptr,
                    offset};
    made->is_read_only = is_read_only;
    return reinterpret_cast<PyObject *>(made);
}

void release(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    type->tp_free(self);
    Py_DECREF(type);
}

template <typename Managed>
void delete_managed(Managed *managed) {
    --alive;
    Py_DECREF(static_cast<PyObject *>(managed->context));
    delete managed;
}

template <typename Managed>
void delete_capsule(PyObject *capsule) {
    auto *managed = static_cast<Managed *>(PyCapsule_GetPointer(capsule, PyCapsule_GetName(capsule)));
    managed->deleter(managed);
}

PyObject *capsule(PyObject *self, PyObject *arguments) {
    int is_versioned = 1;
    if (!PyArg_ParseTuple(arguments, "|p", &is_versioned)) return nullptr;
    auto *held = reinterpret_cast<tensor_object *>(self);
    Py_INCREF(self);
    ++alive;
    if (!is_versioned) {
        auto *made = new dlpack::managed{held->tensor, self, delete_managed<dlpack::managed>};
        return PyCapsule_New(made, "dltensor", delete_capsule<dlpack::managed>);
    }
    auto *made = new dlpack::managed_versioned{1,
                                               0,
                                               self,
                                               delete_managed<dlpack::managed_versioned>,
                                               held->is_read_only ? dlpack::flag_read_only : 0,
                                               held->tensor};
    return PyCapsule_New(made, "dltensor_versioned", delete_capsule<dlpack::managed_versioned>);
}

int view(void *object, dlpack::tensor *out) {
    const auto *held = static_cast<tensor_object *>(object);
    if (held->tensor.ndim == 8) {
        PyErr_SetString(PyExc_BufferError, "eight dimensions are too many");
        return -1;
    }
    *out = held->tensor;
    return 0;
}

int give_stream(int32_t, int32_t, void **out) {
    ++streams_asked;
    *out = current_stream;
    return 0;
}

dlpack::exchange_api api = {{1, 3, nullptr}, nullptr, nullptr, nullptr, view, give_stream};

PyObject *set_stream(PyObject *, PyObject *handle) {
    current_stream = PyLong_AsVoidPtr(handle);
    if (PyErr_Occurred() != nullptr) return nullptr;
    Py_RETURN_NONE;
}

PyObject *counts(PyObject *, PyObject *) { return Py_BuildValue("(ll)", streams_asked, alive); }

PyMethodDef tensor_methods[] = {{"capsule", capsule, METH_VARARGS, nullptr}, {nullptr, nullptr, 0, nullptr}};
PyType_Slot tensor_slots[] = {{Py_tp_new, reinterpret_cast<void *>(make)},
                              {Py_tp_dealloc, reinterpret_cast<void *>(release)},
                              {Py_tp_methods, tensor_methods},
                              {0, nullptr}};
PyType_Spec tensor_spec = {"tensors.Tensor", sizeof(tensor_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                           tensor_slots};
PyType_Slot exchanged_slots[] = {{0, nullptr}};
PyType_Spec exchanged_spec = {"tensors.Exchanged", sizeof(tensor_object), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                              exchanged_slots};

int refuse_buffer(PyObject *, Py_buffer *, int) {
    PyErr_SetString(PyExc_TypeError, "not while it is on a device");
    return -1;
}

PyType_Slot buffered_slots[] = {{Py_bf_getbuffer, reinterpret_cast<void *>(refuse_buffer)}, {0, nullptr}};
PyType_Spec buffered_spec = {"tensors.Buffered", sizeof(PyObject), 0, Py_TPFLAGS_DEFAULT | Py_TPFLAGS_BASETYPE,
                             buffered_slots};

// As CuPy's own function tells its current stream, here one of device 0: with an exception where it cannot.
intptr_t cupy_stream(int device) {
    if (device == 0) return reinterpret_cast<intptr_t>(current_stream);
    PyErr_Format(PyExc_IndexError, "no device %d", device);
    return -1;
}

PyObject *cython_offers(PyObject *, PyObject *type) {
    const auto *named = new std::string(PyUnicode_AsUTF8(type));  // for good: a capsule does not copy its name
    return PyCapsule_New(reinterpret_cast<void *>(cupy_stream), named->c_str(), nullptr);
}

PyMethodDef functions[] = {{"set_stream", set_stream, METH_O, nullptr},
                           {"cython_offers", cython_offers, METH_O, "cupy_stream as a function of this C type"},
                           {"counts", counts, METH_NOARGS, "(how often a stream was asked for, capsules alive)"},
                           {nullptr, nullptr, 0, nullptr}};
PyModuleDef definition = {PyModuleDef_HEAD_INIT, "tensors", nullptr, -1, functions, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_tensors() {
    PyObject *module = PyModule_Create(&definition);
    PyObject *tensor = PyType_FromSpec(&tensor_spec);
    PyObject *bases = PyTuple_Pack(1, tensor);
    PyObject *exchanged = PyType_FromSpecWithBases(&exchanged_spec, bases);
    PyObject_SetAttrString(exchanged, "__dlpack_c_exchange_api__", PyCapsule_New(&api, "dlpack_exchange_api", nullptr));
    PyModule_AddObject(module, "Buffered", PyType_FromSpec(&buffered_spec));
    PyModule_AddObject(module, "Tensor", tensor);
    PyModule_AddObject(module, "Exchanged", exchanged);
    return module;
}

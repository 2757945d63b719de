// The Python objects of a module's functions: a built-in function for a launcher, a Kernel that is subscripted to a
// Launch for a kernel.
#pragma once

#include "geometry.hpp"

#include <structmember.h>

#include <utility>

namespace transpile {

// `last` is what the newest subscript `last_key` gave, for the next that is the same object: both are immutable.
struct kernel_object {
    PyObject_HEAD
    const callable *called;
    PyObject *last_key;
    PyObject *last;
};

// A kernel with its grid: what `kernel[grid]` gives.
struct launch_object {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    const callable *called;
    dimensions where;
};

inline PyTypeObject *launch_type();

inline PyObject *none() {
    Py_INCREF(Py_None);
    return Py_None;
}

inline PyObject *call_launch(PyObject *self, PyObject *const *args, size_t flags, PyObject *keywords) {
    return guarded([&] {
        const auto *launch = reinterpret_cast<launch_object *>(self);
        run(*launch->called, launch->where, args, PyVectorcall_NARGS(flags), keywords);
        return none();
    });
}

inline PyObject *call_launcher(PyObject *self, PyObject *const *args, Py_ssize_t positional, PyObject *keywords) {
    return guarded([&] {
        const auto *called = static_cast<const callable *>(PyCapsule_GetPointer(self, nullptr));
        if (called == nullptr) fail_as_set();
        run(*called, dimensions(), args, positional, keywords);
        return none();
    });
}

// Whether a grid is all ints of Python's own, or a tuple of these.
inline bool is_immutable_key(PyObject *key) {
    if (PyLong_CheckExact(key) != 0) return true;
    if (PyTuple_CheckExact(key) == 0) return false;
    for (Py_ssize_t at = 0; at < PyTuple_GET_SIZE(key); ++at) {
        if (!is_immutable_key(PyTuple_GET_ITEM(key, at))) return false;
    }
    return true;
}

inline PyObject *subscript_kernel(PyObject *self, PyObject *key) {
    return guarded([&] {
        auto *kernel = reinterpret_cast<kernel_object *>(self);
        if (key == kernel->last_key) {
            Py_INCREF(kernel->last);
            return kernel->last;
        }
        const callable *called = kernel->called;
        const dimensions where = read_dimensions(*called, key);
        auto *launch = PyObject_New(launch_object, launch_type());
        if (launch == nullptr) fail_as_set();
        launch->vectorcall = call_launch;
        launch->called = called;
        launch->where = where;
        auto *made = reinterpret_cast<PyObject *>(launch);
        if (is_immutable_key(key)) {
            Py_INCREF(key);
            Py_INCREF(made);
            PyObject *old_key = std::exchange(kernel->last_key, key), *old = std::exchange(kernel->last, made);
            Py_XDECREF(old_key);
            Py_XDECREF(old);
        }
        return made;
    });
}

inline const char *brackets(const callable &called) {
    return called.row->role == role::tile_kernel ? "[grid]" : "[grid, block]";
}

inline PyObject *refuse_kernel_call(PyObject *self, PyObject *, PyObject *) {
    return guarded([&]() -> PyObject * {
        const callable *called = reinterpret_cast<kernel_object *>(self)->called;
        const char *name = called->row->name;
        fail(PyExc_TypeError, "%s: a kernel needs its grid: %s%s(...)", name, name, brackets(*called));
    });
}

inline PyObject *repr_kernel(PyObject *self) {
    const callable *called = reinterpret_cast<kernel_object *>(self)->called;
    return PyUnicode_FromFormat("<kernel %s%s(%s)>", called->row->name, brackets(*called), called->signature.c_str());
}

inline PyObject *kernel_name(PyObject *self, void *) {
    return PyUnicode_FromString(reinterpret_cast<kernel_object *>(self)->called->row->name);
}

inline PyObject *kernel_doc(PyObject *self, void *) {
    const callable *called = reinterpret_cast<kernel_object *>(self)->called;
    return PyUnicode_FromFormat("%s%s(%s)\n\n%s", called->row->name, brackets(*called), called->signature.c_str(),
                                called->row->summary);
}

inline void free_kernel(PyObject *self) {
    auto *kernel = reinterpret_cast<kernel_object *>(self);
    PyTypeObject *type = Py_TYPE(self);
    Py_CLEAR(kernel->last_key);
    Py_CLEAR(kernel->last);
    PyObject_Free(self);
    Py_DECREF(type);
}

inline void free_object(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_Free(self);
    Py_DECREF(type);
}

inline PyGetSetDef kernel_attributes[] = {
    {"__name__", kernel_name, nullptr, nullptr, nullptr},
    {"__doc__", kernel_doc, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

inline PyMemberDef launch_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(launch_object, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

template <typename F>
inline void *slot(F *function) {
    return reinterpret_cast<void *>(function);
}

// The type that `kept` remembers, made now if it was not: every engine has types of its own. Making one may run Python,
// and other threads with it, which may come here too: the GIL guards `kept`, and no lock of C++'s is held.
inline PyTypeObject *once(PyTypeObject *&kept, PyType_Spec *spec) {
    if (kept != nullptr) return kept;
    py::object made = checked(PyType_FromSpec(spec));
    if (kept == nullptr) kept = reinterpret_cast<PyTypeObject *>(made.release().ptr());
    return kept;
}

inline PyTypeObject *kernel_type() {
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, slot(free_kernel)},     {Py_mp_subscript, slot(subscript_kernel)},
        {Py_tp_call, slot(refuse_kernel_call)}, {Py_tp_repr, slot(repr_kernel)},
        {Py_tp_getset, kernel_attributes},      {0, nullptr},
    };
    static PyType_Spec spec = {"transpile.Kernel", sizeof(kernel_object), 0, Py_TPFLAGS_DEFAULT, slots};
    static PyTypeObject *kept = nullptr;
    return once(kept, &spec);
}

inline PyTypeObject *launch_type() {
    static PyType_Slot slots[] = {
        {Py_tp_dealloc, slot(free_object)},
        {Py_tp_call, slot(PyVectorcall_Call)},
        {Py_tp_members, launch_members},
        {0, nullptr},
    };
    static PyType_Spec spec = {"transpile.Launch", sizeof(launch_object), 0,
                               Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, slots};
    static PyTypeObject *kept = nullptr;
    return once(kept, &spec);
}

}  // namespace transpile

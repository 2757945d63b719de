// How the arrays of a Python type are read: found out once for a type, and remembered.
#pragma once

#include "dlpack.hpp"
#include "names.hpp"
#include "numpy.hpp"

#include <utility>

namespace transpile {

enum class access : uint8_t { none, exchange, numpy, buffer, pointer, cupy, cuda_interface, dlpack };

// An attribute that C types declare (a member or a property), found once for a type and then read without a look-up.
class declared_attribute {
public:
    explicit declared_attribute(PyObject *name) : name(name) {}

    // A new reference. Unwinds where there is none.
    py::object of(PyObject *object) {
        if (Py_TYPE(object) != type) find(Py_TYPE(object));
        if (Py_TYPE(object) != type || found == nullptr) return checked(PyObject_GetAttr(object, name));
        if (getter != nullptr) return checked(getter->get(object, getter->closure));
        return checked(Py_TYPE(found)->tp_descr_get(found, object, reinterpret_cast<PyObject *>(type)));
    }

private:
    PyObject *name;
    PyTypeObject *type = nullptr;  // held, so that no other type takes its address
    PyObject *found = nullptr;     // null where the type does not declare it
    const PyGetSetDef *getter = nullptr;  // of `found`, where that is a property

    // Looking up, and letting go of a type, may run Python, and other threads with it: both change at once in between.
    void find(PyTypeObject *newer) {
        PyObject *attribute = PyObject_GetAttr(reinterpret_cast<PyObject *>(newer), name);
        if (attribute == nullptr) PyErr_Clear();
        if (attribute != nullptr && Py_TYPE(attribute) != &PyGetSetDescr_Type &&
            Py_TYPE(attribute) != &PyMemberDescr_Type) {
            Py_CLEAR(attribute);
        }
        const bool is_property = attribute != nullptr && Py_TYPE(attribute) == &PyGetSetDescr_Type;
        Py_INCREF(newer);
        std::swap(found, attribute);
        std::swap(type, newer);
        getter = is_property ? reinterpret_cast<PyGetSetDescrObject *>(found)->d_getset : nullptr;
        Py_XDECREF(attribute);
        Py_XDECREF(newer);
    }
};

class array_type {
public:
    access how = access::none;
    access otherwise = access::none;                 // of access::buffer: where the object's buffer refuses
    bool is_immutable = false;                       // JAX: what it once made never changes
    bool is_old_torch = false;                       // a torch from before the exchange API
    const dlpack::exchange_api *exchange = nullptr;  // of access::exchange

    // Borrowed until the next call.
    static const array_type &of(PyObject *object) {
        static array_type known[slots];
        static array_type *last = known;
        PyTypeObject *type = Py_TYPE(object);
        if (last->type == type) return *last;
        for (array_type &each : known) {
            if (each.type == type) return *(last = &each);
        }
        static const array_type unknown;
        static int oldest = 0;
        array_type found;
        found.how = found.classify(type);  // may run Python, and so come here again
        if (found.how == access::none) return unknown;  // not remembered: the type may learn it yet
        Py_INCREF(type);
        found.type = type;
        array_type &slot = *(last = &known[oldest]);
        oldest = (oldest + 1) % slots;
        std::swap(slot, found);
        Py_XDECREF(found.type);  // may run Python as well
        return slot.type == type ? slot : of(object);
    }

private:
    static constexpr int slots = 8;
    PyTypeObject *type = nullptr;  // held, so that no other type takes its address

    // CuPy's arrays and JAX's have a buffer as well, which refuses where they are on a device.
    access classify(PyTypeObject *of) {
        const names &n = names::get();
        is_immutable = (is_from(of, "jax") || is_from(of, "jaxlib")) && has(of, n.dlpack);
        if (finds_exchange(of)) return access::exchange;
        if (is_kind_of(of, "numpy", "ndarray")) return access::numpy;
        if (is_kind_of(of, "cupy", "ndarray")) return access::cupy;
        if (is_immutable) return access::dlpack;
        if (has(of, n.pointer)) return access::pointer;
        is_old_torch = is_from(of, "torch");
        const access shared = has(of, n.cuda_interface) ? access::cuda_interface
                              : has(of, n.dlpack)       ? access::dlpack
                                                        : access::none;
        if (of->tp_as_buffer == nullptr || of->tp_as_buffer->bf_getbuffer == nullptr) return shared;
        otherwise = shared;
        return access::buffer;
    }

    // Whether the type is that class of a module, or derives from it.
    static bool is_kind_of(PyTypeObject *type, const char *module, const char *name) {
        PyTypeObject *known = numpy::type_of_module(module, name);
        return known != nullptr && PyType_IsSubtype(type, known) != 0;
    }

    // Whether a module of that package makes it.
    static bool is_from(PyTypeObject *type, const char *package) {
        const auto module =
            py::reinterpret_steal<py::object>(PyObject_GetAttrString(reinterpret_cast<PyObject *>(type), "__module__"));
        const char *name = module && PyUnicode_Check(module.ptr()) != 0 ? PyUnicode_AsUTF8(module.ptr()) : nullptr;
        PyErr_Clear();
        const size_t length = std::strlen(package);
        return name != nullptr && std::strncmp(name, package, length) == 0 &&
               (name[length] == '.' || name[length] == '\0');
    }

    static bool has(PyTypeObject *type, PyObject *name) {
        PyObject *found = PyObject_GetAttr(reinterpret_cast<PyObject *>(type), name);
        if (found == nullptr) PyErr_Clear();
        Py_XDECREF(found);
        return found != nullptr;
    }

    bool finds_exchange(PyTypeObject *type) {
        const auto capsule = py::reinterpret_steal<py::object>(
            PyObject_GetAttr(reinterpret_cast<PyObject *>(type), names::get().exchange_api));
        if (!capsule || PyCapsule_IsValid(capsule.ptr(), "dlpack_exchange_api") == 0) {
            PyErr_Clear();
            return false;
        }
        const auto *api = static_cast<const dlpack::exchange_api *>(
            PyCapsule_GetPointer(capsule.ptr(), "dlpack_exchange_api"));
        if (api->header.major != 1 || api->view == nullptr || api->current_stream == nullptr) return false;
        exchange = api;  // the type's own, as long as it is
        return true;
    }
};

}  // namespace transpile

// The engine of every built module: makes a Python module from a table (transpile/table.h). Compiled once for a Python
// and a compiler, then linked beside each table and its kernels.
//
//     module.launcher(*args, stream=None)          a built-in function
//     module.kernel[grid](*args, stream=None)      a Kernel, subscripted to a Launch
//     module.kernel[grid, block](*args, stream=None)
//     module.__transpile__                         what it was built from

#include "engine/geometry.hpp"

#include <structmember.h>

namespace {

using namespace transpile;

// ---------------------------------------------------------------- Python's types

struct kernel_object {
    PyObject_HEAD
    const callable *called;
};

// A kernel with its grid: what `kernel[grid]` gives.
struct launch_object {
    PyObject_HEAD
    vectorcallfunc vectorcall;
    const callable *called;
    dimensions where;
};

PyTypeObject *launch_type = nullptr;  // set once, when the module is made; each module has an engine of its own

PyObject *none() {
    Py_INCREF(Py_None);
    return Py_None;
}

PyObject *call_launch(PyObject *self, PyObject *const *args, size_t flags, PyObject *keywords) {
    return guarded([&] {
        const auto *launch = reinterpret_cast<launch_object *>(self);
        run(*launch->called, launch->where, args, PyVectorcall_NARGS(flags), keywords);
        return none();
    });
}

PyObject *call_launcher(PyObject *self, PyObject *const *args, Py_ssize_t positional, PyObject *keywords) {
    return guarded([&] {
        const auto *called = static_cast<const callable *>(PyCapsule_GetPointer(self, nullptr));
        if (called == nullptr) fail_as_set();
        run(*called, dimensions(), args, positional, keywords);
        return none();
    });
}

PyObject *subscript_kernel(PyObject *self, PyObject *key) {
    return guarded([&] {
        const callable *called = reinterpret_cast<kernel_object *>(self)->called;
        const dimensions where = read_dimensions(*called, key);
        auto *launch = PyObject_New(launch_object, launch_type);
        if (launch == nullptr) fail_as_set();
        launch->vectorcall = call_launch;
        launch->called = called;
        launch->where = where;
        return reinterpret_cast<PyObject *>(launch);
    });
}

const char *brackets(const callable &called) {
    return called.row->role == role::tile_kernel ? "[grid]" : "[grid, block]";
}

PyObject *refuse_kernel_call(PyObject *self, PyObject *, PyObject *) {
    return guarded([&]() -> PyObject * {
        const callable *called = reinterpret_cast<kernel_object *>(self)->called;
        const char *name = called->row->name;
        fail(PyExc_TypeError, "%s: a kernel needs its grid: %s%s(...)", name, name, brackets(*called));
    });
}

PyObject *repr_kernel(PyObject *self) {
    const callable *called = reinterpret_cast<kernel_object *>(self)->called;
    return PyUnicode_FromFormat("<kernel %s%s(%s)>", called->row->name, brackets(*called), called->signature.c_str());
}

PyObject *kernel_name(PyObject *self, void *) {
    return PyUnicode_FromString(reinterpret_cast<kernel_object *>(self)->called->row->name);
}

PyObject *kernel_doc(PyObject *self, void *) {
    const callable *called = reinterpret_cast<kernel_object *>(self)->called;
    return PyUnicode_FromFormat("%s%s(%s)\n\n%s", called->row->name, brackets(*called), called->signature.c_str(),
                                called->row->summary);
}

void free_object(PyObject *self) {
    PyTypeObject *type = Py_TYPE(self);
    PyObject_Free(self);
    Py_DECREF(type);
}

PyGetSetDef kernel_attributes[] = {
    {"__name__", kernel_name, nullptr, nullptr, nullptr},
    {"__doc__", kernel_doc, nullptr, nullptr, nullptr},
    {nullptr, nullptr, nullptr, nullptr, nullptr},
};

PyMemberDef launch_members[] = {
    {"__vectorcalloffset__", T_PYSSIZET, offsetof(launch_object, vectorcall), READONLY, nullptr},
    {nullptr, 0, 0, 0, nullptr},
};

template <typename F>
void *slot(F *function) {
    return reinterpret_cast<void *>(function);
}

PyTypeObject *make_kernel_type() {
    PyType_Slot slots[] = {
        {Py_tp_dealloc, slot(free_object)},    {Py_mp_subscript, slot(subscript_kernel)},
        {Py_tp_call, slot(refuse_kernel_call)}, {Py_tp_repr, slot(repr_kernel)},
        {Py_tp_getset, kernel_attributes},      {0, nullptr},
    };
    PyType_Spec spec = {"transpile.Kernel", sizeof(kernel_object), 0, Py_TPFLAGS_DEFAULT, slots};
    return reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
}

PyTypeObject *make_launch_type() {
    PyType_Slot slots[] = {
        {Py_tp_dealloc, slot(free_object)},
        {Py_tp_call, slot(PyVectorcall_Call)},
        {Py_tp_members, launch_members},
        {0, nullptr},
    };
    PyType_Spec spec = {"transpile.Launch", sizeof(launch_object), 0,
                        Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_VECTORCALL, slots};
    return reinterpret_cast<PyTypeObject *>(PyType_FromSpec(&spec));
}

// ---------------------------------------------------------------- the module

py::object make_kernel(const callable &called, PyTypeObject *type) {
    auto *kernel = PyObject_New(kernel_object, type);
    if (kernel == nullptr) fail_as_set();
    kernel->called = &called;
    return py::reinterpret_steal<py::object>(reinterpret_cast<PyObject *>(kernel));
}

// A built-in function: `help` and `inspect.signature` read its parameters from the first line of its doc.
py::object make_launcher(callable &called, PyObject *module_name) {
    std::string names;
    for (const parameter &each : called.row->parameters) names += std::string(each.name) + ", ";
    called.method_doc = std::string(called.row->name) + "($self, " + names + "*, stream=None)\n--\n\n" +
                        called.row->name + "(" + called.signature + ")\n\n" + called.row->summary;
    called.method.ml_name = called.row->name;
    called.method.ml_meth = reinterpret_cast<PyCFunction>(reinterpret_cast<void (*)()>(call_launcher));
    called.method.ml_flags = METH_FASTCALL | METH_KEYWORDS;
    called.method.ml_doc = called.method_doc.c_str();
    const py::object capsule = checked(PyCapsule_New(&called, nullptr, nullptr));
    return checked(PyCFunction_NewEx(&called.method, capsule.ptr(), module_name));
}

py::dict describe(const transpile::function &row) {
    py::dict captures;
    for (const capture &each : row.captures) captures[py::str(each.name)] = py::str(each.value);
    py::list instances;
    for (const instance &each : row.instances) {
        py::list statics;
        for (const int64_t number : each.statics) statics.append(py::int_(number));
        instances.append(py::tuple(statics));
    }
    py::list parameters;
    for (const parameter &each : row.parameters) parameters.append(py::str(each.name));
    py::dict found;
    found["role"] = py::str(row.role == role::launcher      ? "launcher"
                            : row.role == role::tile_kernel ? "tile"
                                                            : "thread");
    found["parameters"] = py::tuple(parameters);
    found["instances"] = py::tuple(instances);
    found["captures"] = captures;
    return found;
}

py::dict describe(const module_table &table) {
    py::dict functions;
    for (const transpile::function &each : table.functions) functions[py::str(each.name)] = describe(each);
    py::dict found;
    found["source"] = py::str(table.source);
    found["code"] = py::str(table.code);
    found["format"] = py::str(table.emitter);
    found["target"] = py::str(table.target);
    found["options"] = py::str(table.options);
    found["functions"] = functions;
    return found;
}

PyModuleDef definition = {PyModuleDef_HEAD_INIT, nullptr, nullptr, -1, nullptr, nullptr, nullptr, nullptr, nullptr};

PyObject *make_module(const module_table &table) {
    if (table.format != table_format) {
        fail(PyExc_ImportError, "%s: its table has format %d and its engine reads %d; build it again", table.name,
             table.format, table_format);
    }
    definition.m_name = table.name;
    definition.m_doc = table.doc;
    py::object module = checked(PyModule_Create(&definition));
    const py::object name = module.attr("__name__");
    const py::object kernel_type = checked(reinterpret_cast<PyObject *>(make_kernel_type()));
    launch_type = make_launch_type();
    if (launch_type == nullptr) fail_as_set();
    py::list all;
    for (const transpile::function &row : table.functions) {
        auto *called = new callable(row);  // as long as the library, which is never unloaded
        const py::object made = row.role == role::launcher
                                    ? make_launcher(*called, name.ptr())
                                    : make_kernel(*called, reinterpret_cast<PyTypeObject *>(kernel_type.ptr()));
        module.attr(row.name) = made;
        all.append(py::str(row.name));
    }
    module.attr("__all__") = all;
    module.attr("__transpile__") = describe(table);
    return module.release().ptr();
}

}  // namespace

extern "C" void *transpile_make_module(const transpile::module_table *table) {
    return guarded([&] { return make_module(*table); });
}

// Fills a Python module from a table (transpile/table.h).
//
//     module.launcher(*args, stream=None)          a built-in function
//     module.kernel[grid](*args, stream=None)      a Kernel, subscripted to a Launch
//     module.kernel[grid, block](*args, stream=None)
//     module.__transpile__                         what it was built from
#pragma once

#include "objects.hpp"

namespace transpile {

inline py::object make_kernel(const callable &called) {
    auto *kernel = PyObject_New(kernel_object, kernel_type());
    if (kernel == nullptr) fail_as_set();
    kernel->called = &called;
    kernel->last_key = kernel->last = nullptr;
    return py::reinterpret_steal<py::object>(reinterpret_cast<PyObject *>(kernel));
}

// A built-in function: `help` and `inspect.signature` read its parameters from the first line of its doc.
inline py::object make_launcher(callable &called, PyObject *module_name) {
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

// Waits for the current device and raises what kernels did wrong.
inline PyObject *synchronize_module(PyObject *self, PyObject *) {
    return guarded([&] {
        const auto *table = static_cast<const module_table *>(PyCapsule_GetPointer(self, nullptr));
        if (table == nullptr) fail_as_set();
        flush_python();
        wait_for_device(vendor_of(*table));
        flush_kernels();
        assertion failed = {};
        if (table->reports.take != nullptr && table->reports.take(&failed)) fail_assertion(failed);
        return none();
    });
}

inline py::object make_synchronize(const module_table &table) {
    static PyMethodDef method = {"synchronize", synchronize_module, METH_NOARGS,
                                 "synchronize($self)\n--\n\nWaits for the current device, and raises what kernels did "
                                 "wrong: an AssertionError for an assertion that failed."};
    void *given = const_cast<module_table *>(&table);
    const py::object capsule = checked(PyCapsule_New(given, nullptr, nullptr));
    return checked(PyCFunction_New(&method, capsule.ptr()));
}

inline py::dict describe(const transpile::function &row) {
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

inline py::dict describe(const module_table &table) {
    py::dict functions;
    for (const transpile::function &each : table.functions) {
        const py::str name(each.name);
        if (!functions.contains(name)) functions[name] = describe(each);
    }
    py::dict found;
    found["source"] = py::str(table.source);
    found["code"] = py::str(table.code);
    found["format"] = py::str(table.emitter);
    found["target"] = py::str(table.target);
    found["options"] = py::str(table.options + (table.options[0] == ' ' ? 1 : 0));  // nothing but TRANSPILE_MACHINES
    found["functions"] = functions;
    return found;
}

// The rows of a generic function follow each other, one for each choice of its element types.
inline bool is_same_name(const transpile::function &one, const transpile::function &other) {
    return std::strcmp(one.name, other.name) == 0;
}

// Gives the module its functions, `__all__` and `__transpile__`. The table is kept: it lives as long as the process.
inline void fill_module(const py::module_ &module, const module_table &table) {
    const py::object name = module.attr("__name__");
    py::list all;
    const transpile::function *const end = table.functions.end();
    for (const transpile::function *row = table.functions.begin(); row != end; ++row) {
        auto *called = new callable(*row, table);  // as long as the library, which is never unloaded
        for (callable *last = called; row + 1 != end && is_same_name(row[0], row[1]); last = last->next.get(), ++row) {
            last->next = std::make_unique<callable>(row[1], table);
        }
        called->describe();
        const py::object made =
            row->role == role::launcher ? make_launcher(*called, name.ptr()) : make_kernel(*called);
        module.attr(row->name) = made;
        all.append(py::str(row->name));
    }
    if ((table.reports.prints || table.reports.take != nullptr) && !py::hasattr(module, "synchronize")) {
        module.attr("synchronize") = make_synchronize(table);
        all.append(py::str("synchronize"));
    }
    module.attr("__all__") = all;
    module.attr("__transpile__") = describe(table);
}

}  // namespace transpile

// The engine of every built module: makes a Python module from a table (transpile/table.h). Compiled once for a Python
// and a compiler, then linked beside each table and its kernels.

#include "engine/module.hpp"

#include <cstdlib>

#ifdef __GLIBCXX__
// libstdc++'s own handler brings a demangler along, 60 KB of a module where a compiler links the library statically.
namespace __gnu_cxx {
void __verbose_terminate_handler() { std::abort(); }
}  // namespace __gnu_cxx
#endif

namespace {

using namespace transpile;

// A size of 0, since Python copies a module of -1 to other interpreters without a word to it.
PyModuleDef definition = {PyModuleDef_HEAD_INIT, nullptr, nullptr, 0, nullptr, nullptr, nullptr, nullptr, nullptr};

PyObject *make_module(const module_table &table) {
    if (table.format != table_format) {
        fail(PyExc_ImportError, "%s: its table has format %d and its engine reads %d; build it again", table.name,
             table.format, table_format);
    }
    definition.m_name = table.name;
    definition.m_doc = table.doc;
    auto module = py::reinterpret_steal<py::module_>(PyModule_Create(&definition));
    if (!module) fail_as_set();
    fill_module(module, table);
    return module.release().ptr();
}

}  // namespace

extern "C" void *transpile_make_module(const transpile::module_table *table) {
    if (!is_in_main_interpreter(table->name)) return nullptr;
    return guarded([&] { return make_module(*table); });
}

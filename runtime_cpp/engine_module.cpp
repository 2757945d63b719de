// `transpile._engine`: what a program needs to launch kernels that were compiled while it runs. Built once, with the
// package, and linked with nothing of a vendor's.
//
//     load(description, images)                      a module as a built one is, of one kernel
//     start(target)                                  the current device made ready, without the GIL
//     allocate(target, device, dtype, count)         an array of zeros
//     synchronize(target)                            waits for the current device; raises what kernels did wrong
//     source                                         names the sources that this was compiled from

#include "engine/device_array.hpp"
#include "engine/image.hpp"
#include "engine/module.hpp"

#include <deque>

#ifndef TRANSPILE_ENGINE_SOURCE
#define TRANSPILE_ENGINE_SOURCE ""
#endif

namespace {

using namespace transpile;

// ---------------------------------------------------------------- descriptions

// A word of `table.h` and what it stands for.
template <typename T>
struct word {
    const char *text;
    T value;
};

constexpr word<role> roles[] = {{"tile_kernel", role::tile_kernel}, {"thread_kernel", role::thread_kernel}};
constexpr word<block_rule> rules[] = {{"any", block_rule::any},
                                      {"whole_groups", block_rule::whole_groups},
                                      {"group_rows", block_rule::group_rows},
                                      {"whole_groups_and_rows", block_rule::whole_groups_and_rows}};
constexpr word<kind> kinds[] = {{"scalar", kind::scalar},
                                {"pointer", kind::pointer},
                                {"const_pointer", kind::const_pointer},
                                {"static_int", kind::static_int}};
constexpr word<dtype> dtypes[] = {
    {"boolean", dtype::boolean}, {"i8", dtype::i8},     {"i16", dtype::i16},       {"i32", dtype::i32},
    {"i64", dtype::i64},         {"u8", dtype::u8},     {"u16", dtype::u16},       {"u32", dtype::u32},
    {"u64", dtype::u64},         {"f16", dtype::f16},   {"bf16", dtype::bf16},     {"f32", dtype::f32},
    {"f64", dtype::f64},         {"f8e4m3", dtype::f8e4m3}, {"f8e5m2", dtype::f8e5m2},
};
constexpr word<vendor> vendors[] = {{"cuda", vendor::cuda}, {"hip", vendor::hip}};

template <typename T, size_t N>
T meaning(const word<T> (&words)[N], const std::string &text) {
    for (const word<T> &each : words) {
        if (text == each.text) return each.value;
    }
    fail(PyExc_ValueError, "_engine: '%s' is no word of a description", text.c_str());
}

vendor vendor_of(PyObject *target) { return meaning(vendors, py::cast<std::string>(py::handle(target))); }

// What the table of a loaded kernel points into: kept as long as the process, as the code of a built module is.
struct loaded_kernel {
    std::string name, summary;
    std::vector<std::string> names;
    std::vector<parameter> parameters;
    std::vector<int64_t> statics;
    std::vector<pair> apart;
    std::deque<std::string> texts;
    std::vector<assertion> assertions;
    transpile::instance instance = {};
    transpile::function row = {};
    module_table table = {};
};

template <typename T>
list<T> list_of(const std::vector<T> &items) {
    list<T> found;
    found.first = items.data();
    found.count = static_cast<int32_t>(items.size());
    return found;
}

void read_parameters(loaded_kernel &into, const py::dict &description) {
    const py::list given = description["parameters"];
    into.names.reserve(given.size());  // the rows point into it
    for (const py::handle each : given) {
        const py::sequence row = py::reinterpret_borrow<py::sequence>(each);
        into.names.push_back(py::cast<std::string>(row[0]));
        into.parameters.push_back({into.names.back().c_str(), meaning(kinds, py::cast<std::string>(row[1])),
                                   meaning(dtypes, py::cast<std::string>(row[2]))});
    }
}

// The kernels that assert: each may have failed since somebody last asked.
std::vector<const loaded_kernel *> &asserting() {
    static std::vector<const loaded_kernel *> kept;  // under the GIL
    return kept;
}

// What kernels have printed is there, and an assertion that failed is raised.
void tell_of_kernels() {
    flush_kernels();
    for (const loaded_kernel *each : asserting()) {
        assertion failed = {};
        if (each->instance.image->take(failed)) fail_assertion(failed);
    }
}

void read_assertions(loaded_kernel &into, const py::dict &description) {
    for (const py::handle each : py::list(description["assertions"])) {
        const py::sequence row = py::reinterpret_borrow<py::sequence>(each);
        const auto text = [&](int at) { return into.texts.emplace_back(py::cast<std::string>(row[at])).c_str(); };
        const char *file = text(0), *condition = text(2), *message = text(3);
        into.assertions.push_back({file, py::cast<int32_t>(row[1]), condition, message, py::cast<int32_t>(row[4]), {}});
    }
}

std::map<int, std::string> read_images(const py::dict &images) {
    std::map<int, std::string> found;
    for (const auto &[capability, bytes] : images) {
        found[py::cast<int>(capability)] = py::cast<std::string>(bytes);
    }
    return found;
}

PyModuleDef loaded_definition = {
    PyModuleDef_HEAD_INIT, "transpile_kernels", "A kernel that was compiled while the program runs.", -1, nullptr,
    nullptr,               nullptr,             nullptr,                                              nullptr,
};

sized_array read_sized(const py::dict &description) {
    const py::sequence both = py::reinterpret_borrow<py::sequence>(description["sized"]);
    if (py::len(both) == 0) return {};
    return {py::cast<int>(both[0]), py::cast<int>(both[1])};
}

PyObject *load(PyObject *, PyObject *arguments) {
    return guarded([&] {
        PyObject *given = nullptr, *images = nullptr;
        if (PyArg_ParseTuple(arguments, "O!O!:load", &PyDict_Type, &given, &PyDict_Type, &images) == 0) fail_as_set();
        const auto description = py::reinterpret_borrow<py::dict>(given);
        auto kept = std::make_unique<loaded_kernel>();
        kept->name = py::cast<std::string>(description["name"]);
        kept->summary = py::cast<std::string>(description["summary"]);
        read_parameters(*kept, description);
        read_assertions(*kept, description);
        for (const py::handle each : py::list(description["statics"])) kept->statics.push_back(py::cast<int64_t>(each));
        for (const py::handle each : py::list(description["apart"])) {
            const py::sequence both = py::reinterpret_borrow<py::sequence>(each);
            kept->apart.push_back({py::cast<int32_t>(both[0]), py::cast<int32_t>(both[1])});
        }
        kept->row.name = kept->name.c_str();
        kept->row.summary = kept->summary.c_str();
        kept->row.role = meaning(roles, py::cast<std::string>(description["role"]));
        kept->row.rule = meaning(rules, py::cast<std::string>(description["rule"]));
        kept->row.parameters = list_of(kept->parameters);
        kept->row.apart = list_of(kept->apart);
        kept->instance.statics = list_of(kept->statics);
        kept->instance.image = new image_kernel(
            read_images(py::reinterpret_borrow<py::dict>(images)), py::cast<std::string>(description["symbol"]),
            kept->row, py::cast<int>(description["threads"]), py::cast<int>(description["shared"]),
            read_sized(description), list_of(kept->assertions));
        kept->row.instances.first = &kept->instance;
        kept->row.instances.count = 1;
        kept->table = {table_format, "transpile_kernels", "", "", "", "", "cuda", "", {}};
        kept->table.reports.prints = py::cast<bool>(description["prints"]);
        kept->table.functions.first = &kept->row;
        kept->table.functions.count = 1;
        auto module = py::reinterpret_steal<py::module_>(PyModule_Create(&loaded_definition));
        if (!module) fail_as_set();
        fill_module(module, kept->table);
        const loaded_kernel *held = kept.release();
        if (!held->assertions.empty()) asserting().push_back(held);
        return module.release().ptr();
    });
}

// ---------------------------------------------------------------- devices

PyObject *start(PyObject *, PyObject *target) {
    return guarded([&] {
        const vendor whose = vendor_of(target);
        {
            const released_gil while_starting;
            driver &gpu = driver::of(whose);
            const on_device here(gpu, gpu.current());
        }
        return none();
    });
}

PyObject *allocate(PyObject *, PyObject *arguments) {
    return guarded([&] {
        PyObject *target = nullptr;
        int device = 0;
        const char *type = nullptr;
        long long count = 0;
        if (PyArg_ParseTuple(arguments, "OisL:allocate", &target, &device, &type, &count) == 0) fail_as_set();
        return allocate_array(vendor_of(target), device, meaning(dtypes, type), count);
    });
}

PyObject *synchronize(PyObject *, PyObject *target) {
    return guarded([&] {
        const vendor whose = vendor_of(target);
        flush_python();
        if (driver::loaded(whose) != nullptr) wait_for_device(whose);
        tell_of_kernels();
        return none();
    });
}

PyMethodDef methods[] = {
    {"load", load, METH_VARARGS, "load(description, images): the module of one kernel."},
    {"start", start, METH_O, "start(target): makes the current device ready."},
    {"allocate", allocate, METH_VARARGS, "allocate(target, device, dtype, count): an array of zeros."},
    {"synchronize", synchronize, METH_O, "synchronize(target): waits for the current device."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_engine", "Launches kernels that were compiled while the program runs.",
    0,                     methods,   nullptr,
    nullptr,               nullptr,   nullptr,
};

}  // namespace

extern "C" __attribute__((visibility("default"))) PyObject *PyInit__engine() {
    if (!is_in_main_interpreter("_engine")) return nullptr;
    return guarded([] {
        const py::object module = checked(PyModule_Create(&definition));
        after_waiting() = tell_of_kernels;
        module.attr("source") = TRANSPILE_ENGINE_SOURCE;
        return py::object(module).release().ptr();
    });
}

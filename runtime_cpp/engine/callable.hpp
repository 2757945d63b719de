// A row of a table with what calls of it need, and the small things that calls are made with.
#pragma once

#include "driver_functions.hpp"
#include "scalars.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace transpile {

// None for the CPU. Raises ImportError for a target that this engine does not know.
inline std::optional<vendor> vendor_of(const module_table &table) {
    const std::string target = table.target;
    if (target == "cuda") return vendor::cuda;
    if (target == "hip") return vendor::hip;
    if (target != "cpu") fail(PyExc_ImportError, "%s: it is built for '%s'", table.name, table.target);
    return std::nullopt;
}

// `count` items, up to N of them without the heap; no more than `count` are made.
template <typename T, int N>
class small {
public:
    explicit small(int count) : count(count), first(reinterpret_cast<T *>(few)) {
        if (count > N) first = static_cast<T *>(operator new(sizeof(T) * static_cast<size_t>(count)));
        for (int at = 0; at < count; ++at) new (first + at) T();
    }
    ~small() {
        std::destroy_n(first, count);
        if (count > N) operator delete(first);
    }
    small(const small &) = delete;
    small &operator=(const small &) = delete;

    T *get() { return first; }
    T &operator[](int at) { return first[at]; }

private:
    int count;
    T *first;
    alignas(T) unsigned char few[sizeof(T) * N];
};

// Where a kernel is launched: grid x, y, z, then block x, y, z.
struct dimensions {
    int64_t of[6] = {1, 1, 1, 1, 1, 1};
    int count = 0;  // how many of them the kernel's C function takes: 0, 3 or 6
};

class released_gil {
public:
    released_gil() : state(PyEval_SaveThread()) {}
    ~released_gil() {
        try {
            PyEval_RestoreThread(state);
        } catch (...) {
            wait_for_end();
        }
    }
    released_gil(const released_gil &) = delete;
    released_gil &operator=(const released_gil &) = delete;

private:
    PyThreadState *state;
};

// A row of the table with what calls of it need; lives as long as the library, which Python never unloads.
struct callable {
    const transpile::function *row;
    const module_table *table;
    std::optional<transpile::vendor> device;  // whose devices it runs on; none: on the CPU
    std::vector<PyObject *> parameters;  // interned names
    std::vector<int> array_of;           // for each parameter, its number among those that are arrays
    int array_count = 0;
    std::string signature;               // "n: int, x: native.const_ptr[float], *, stream=None"
    std::string method_doc;
    PyMethodDef method;
    std::unique_ptr<callable> next;      // of a generic function: the instance for other element types

    callable(const transpile::function &function, const module_table &table)
        : row(&function), table(&table), device(vendor_of(table)), method() {
        for (const parameter &each : function.parameters) {
            PyObject *name = PyUnicode_InternFromString(each.name);
            if (name == nullptr) fail_as_set();
            parameters.push_back(name);
            array_of.push_back(array_count);
            if (each.kind == kind::pointer || each.kind == kind::const_pointer) ++array_count;
        }
    }

    // Writes the signature, once all instances of a generic function are here.
    void describe() {
        for (int at = 0; at < count(); ++at) {
            const parameter &each = row->parameters.first[at];
            const std::string spelt = spelt_of(at);
            signature += std::string(each.name) + ": ";
            if (each.kind == kind::scalar) signature += spelt;
            if (each.kind == kind::static_int) signature += "native.static[int]";
            if (each.kind == kind::pointer) signature += "native.ptr[" + spelt + "]";
            if (each.kind == kind::const_pointer) signature += "native.const_ptr[" + spelt + "]";
            signature += ", ";
        }
        signature += "*, stream=None";
    }

    int count() const { return row->parameters.count; }

private:
    // The element types that a parameter has: "native.f16 | native.f32".
    std::string spelt_of(int at) const {
        std::string text;
        for (const callable *each = this; each != nullptr; each = each->next.get()) {
            const std::string one = row_of(each->row->parameters.first[at].dtype).spelt;
            if (text.find(one) == std::string::npos) text += (text.empty() ? "" : " | ") + one;
        }
        return text;
    }
};

}  // namespace transpile

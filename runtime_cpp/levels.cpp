// The init function of a module whose kernels are compiled for several levels of x86-64: it takes the highest that this
// processor has, or the one that TRANSPILE_MARCH names. Compiled with -DTRANSPILE_INIT=PyInit_NAME, for every processor.
//
// Each level brings kernels and a table of its own (compiled with -DTRANSPILE_LEVEL=transpile_table_LEVEL, see table.h),
// so that a call costs nothing more: which level it is was decided when the module was imported.

#include <Python.h>

#include <cpuid.h>
#include <transpile/table.h>

#include <cstdlib>
#include <cstring>

namespace {

using transpile::module_table;

struct registers {
    unsigned eax, ebx, ecx, edx;
};

// Zeros where the processor has no such leaf.
registers cpuid(unsigned leaf) {
    registers found = {};
    __get_cpuid_count(leaf, 0, &found.eax, &found.ebx, &found.ecx, &found.edx);
    return found;
}

// Which registers the operating system saves when it switches threads.
unsigned saved_registers() {
    unsigned low, high;
    __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

bool has(unsigned bits, unsigned wanted) { return (bits & wanted) == wanted; }

constexpr unsigned osxsave = 1u << 27;
// What v2 and v3 add, as the psABI lists it. Leaf 1: sse3, ssse3, fma, cmpxchg16b, sse4.1, sse4.2, movbe, popcnt,
// osxsave, avx, f16c. Leaf 7: bmi1, avx2, bmi2. Leaf 0x80000001: lahf, lzcnt.
constexpr unsigned v3_leaf_1 = 1u | 1u << 9 | 1u << 12 | 1u << 13 | 1u << 19 | 1u << 20 | 1u << 22 | 1u << 23 |
                               osxsave | 1u << 28 | 1u << 29;
constexpr unsigned v3_leaf_7 = 1u << 3 | 1u << 5 | 1u << 8;
constexpr unsigned v3_extended = 1u | 1u << 5;
// What v4 adds: avx512f, dq, cd, bw, vl.
constexpr unsigned v4_leaf_7 = 1u << 16 | 1u << 17 | 1u << 28 | 1u << 30 | 1u << 31;
constexpr unsigned ymm_saved = 0x6, zmm_saved = 0xe6;

bool is_any() { return true; }

bool is_v3() {
    const unsigned leaf_1 = cpuid(1).ecx;
    return has(leaf_1, v3_leaf_1) && has(cpuid(7).ebx, v3_leaf_7) && has(cpuid(0x80000001u).ecx, v3_extended) &&
           has(saved_registers(), ymm_saved);
}

bool is_v4() { return is_v3() && has(cpuid(7).ebx, v4_leaf_7) && has(saved_registers(), zmm_saved); }

#define HIDDEN __attribute__((visibility("hidden")))
extern "C" {
HIDDEN const module_table *transpile_table_x86_64();
// Null where the compiler did not know the level.
HIDDEN __attribute__((weak)) const module_table *transpile_table_x86_64_v3();
HIDDEN __attribute__((weak)) const module_table *transpile_table_x86_64_v4();
}

struct level {
    const char *name;
    const module_table *(*table)();
    bool (*is_here)();
};

const module_table *choose() {
    const level levels[] = {
        {"x86-64-v4", transpile_table_x86_64_v4, is_v4},
        {"x86-64-v3", transpile_table_x86_64_v3, is_v3},
        {"x86-64", transpile_table_x86_64, is_any},
    };
    const char *wanted = std::getenv("TRANSPILE_MARCH");
    if (wanted != nullptr && *wanted == '\0') wanted = nullptr;
    for (const level &each : levels) {
        if (each.table == nullptr || (wanted != nullptr && std::strcmp(wanted, each.name) != 0)) continue;
        if (each.is_here()) return each.table();
        if (wanted != nullptr) {
            PyErr_Format(PyExc_ImportError, "TRANSPILE_MARCH is %s, which this processor is not", wanted);
            return nullptr;
        }
    }
    const char *const others = levels[0].table != nullptr   ? "x86-64, x86-64-v3 and x86-64-v4"
                               : levels[1].table != nullptr ? "x86-64 and x86-64-v3"
                                                            : "x86-64";
    PyErr_Format(PyExc_ImportError, "TRANSPILE_MARCH is '%s', and this module was compiled for %s", wanted, others);
    return nullptr;
}

}  // namespace

extern "C" __attribute__((visibility("default"))) PyObject *TRANSPILE_INIT() {
    const module_table *table = choose();
    return table != nullptr ? static_cast<PyObject *>(transpile_make_module(table)) : nullptr;
}

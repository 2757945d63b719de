// What a built module holds, as plain data: STEM_ext.cpp fills it in, the engine (engine.cpp) reads it.
// It knows neither Python nor pybind11, so that a table compiles in a moment.
//
//     #include "tiles.h"  // the C ABI: int32_t tiles_saxpy(grid_x, grid_y, grid_z, n, a, x, y, stream)
//
//     #include <transpile/table.h>
//
//     namespace transpile {
//     namespace {
//
//     int32_t call_saxpy(const value *v, void *stream) {
//         return ::tiles_saxpy(v[0].as<int64_t>(), v[1].as<int64_t>(), v[2].as<int64_t>(), v[3].as<int64_t>(),
//             v[4].as<double>(), v[5].as<const double *>(), v[6].as<double *>(), stream);
//     }
//     constexpr parameter saxpy_parameters[] = {
//         {"n", kind::scalar, dtype::i64}, {"a", kind::scalar, dtype::f64},
//         {"x", kind::const_pointer, dtype::f64}, {"y", kind::pointer, dtype::f64},
//     };
//     constexpr instance saxpy_instances[] = {{{}, call_saxpy}};
//     constexpr pair saxpy_pairs[] = {{2, 3}};  // x and y must not overlap
//
//     constexpr function functions[] = {
//         {"saxpy", "The docstring.", role::tile_kernel, block_rule::any, saxpy_parameters, saxpy_instances,
//          saxpy_pairs, {}},
//     };
//     constexpr module_table table = {table_format, "tiles_ext", "The kernels of tiles.py, built for the CPU.",
//         "tiles.py", "5f3c9a1e", "1", "cpu", "" TRANSPILE_MACHINES, functions};
//
//     }  // namespace
//     }  // namespace transpile
//
//     TRANSPILE_MODULE(tiles_ext, transpile::table)
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

// Which processors or GPUs the module is compiled for, as on the command line; whoever compiles the table may say it.
#ifndef TRANSPILE_MACHINES
#define TRANSPILE_MACHINES ""
#endif

namespace transpile {

constexpr int32_t table_format = 3;

enum class dtype : uint8_t { boolean, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16, f32, f64, f8e4m3, f8e5m2 };

enum class kind : uint8_t { scalar, pointer, const_pointer, static_int };

enum class role : uint8_t { launcher, tile_kernel, thread_kernel };

// What a thread kernel asks of its block: shuffles want whole groups of 32 threads; conditions that are uniform in a
// group want rows of 32 (x a multiple of 32, or y and z 1).
enum class block_rule : uint8_t { any, whole_groups, group_rows, whole_groups_and_rows };

// What every C ABI function returns, in the low byte. Above it, where a launch failed, is the vendor's error number.
enum status : int32_t {
    status_ok = 0,
    status_overflow = 1,       // host arithmetic of a launcher left int64
    status_zero_division = 2,  // host arithmetic of a launcher divided by zero
    status_bad_grid = 3,       // negative, or beyond 2^31 - 1 in x or 65535 in y and z
    status_bad_block = 4,      // below 1, beyond 1024 threads or 64 in z, or against the kernel's block_rule
    status_launch_failed = 5,  // refused by the vendor's runtime, or work before it has failed
    status_assertion_failed = 6,  // an `assert` of a kernel, in this launch or, on a GPU, in one before
    status_bad_shared = 7,        // an array that the launch sizes is below 0 or beyond what a block has
};

// One argument on its way to a kernel: integers and bools as `integer`, floats as `real`.
union value {
    int64_t integer;
    double real;
    void *address;

    template <typename T>
    T as() const {
        if constexpr (std::is_pointer_v<T>) {
            return static_cast<T>(address);
        } else if constexpr (std::is_floating_point_v<T>) {
            return static_cast<T>(real);
        } else if constexpr (std::is_same_v<T, bool>) {
            return integer != 0;
        } else {
            return static_cast<T>(integer);
        }
    }
};

// A constant array and its length.
template <typename T>
struct list {
    const T *first = nullptr;
    int32_t count = 0;

    constexpr list() = default;
    template <size_t N>
    constexpr list(const T (&items)[N]) : first(items), count(static_cast<int32_t>(N)) {}

    constexpr const T *begin() const { return first; }
    constexpr const T *end() const { return first + count; }
};

struct parameter {
    const char *name;  // UTF-8, as the user wrote it
    transpile::kind kind;
    transpile::dtype dtype;
};

class image_kernel;  // engine/image.hpp

// A kernel for given values of its static parameters, in the order of the parameters. `call` takes grid x, y, z (and,
// for a thread kernel, block x, y, z), then the arguments that are not static; a launcher's takes its arguments alone.
// A kernel that was compiled while the program runs has an `image` instead.
struct instance {
    list<int64_t> statics;
    int32_t (*call)(const value *values, void *stream);
    const image_kernel *image = nullptr;
};

// Two parameters, by position (statics counted), whose arrays must not overlap.
struct pair {
    int32_t first;
    int32_t second;
};

// A value from outside the kernel that was compiled in: its name and its Python repr.
struct capture {
    const char *name;
    const char *value;
};

// A kernel or launcher. A generic one has a row for each choice of its element types, one after the other.
struct function {
    const char *name;
    const char *summary;  // the docstring, or ""
    transpile::role role;
    block_rule rule;
    list<parameter> parameters;
    list<instance> instances;
    list<pair> apart;
    list<capture> captures;
};

// An assertion that failed, as the C ABI tells of it (STEM.h). `place` has `numbers` numbers: the program (1, or x, y and
// z), or the block and the thread (2, or 6).
struct assertion {
    const char *file;
    int32_t line;
    const char *text;
    const char *message;
    int32_t numbers;
    int64_t place[6];
};

// What kernels report: `take` tells of the first assertion that failed, once, and is null where there are none.
struct reporting {
    bool prints = false;
    bool (*take)(assertion *found) = nullptr;
};

struct module_table {
    int32_t format;  // table_format
    const char *name;
    const char *doc;
    const char *source;   // file name
    const char *code;     // hash of the kernels' code
    const char *emitter;  // format version of the emitted text
    const char *target;   // cpu, cuda or hip
    const char *options;  // as on the command line, or ""
    list<function> functions;
    reporting reports = {};
};

}  // namespace transpile

// Defined by the engine: a new reference to the Python module, or null with an exception set.
extern "C" void *transpile_make_module(const transpile::module_table *table);

// With TRANSPILE_LEVEL a table is one of several of its module, for processors that have more than others: levels.cpp
// asks for it by that name, and makes the module of the best.
#ifdef TRANSPILE_LEVEL
#define TRANSPILE_MODULE(name, table)                                                              \
    extern "C" __attribute__((visibility("hidden"))) const transpile::module_table *TRANSPILE_LEVEL() { \
        return &table;                                                                             \
    }
#else
#define TRANSPILE_MODULE(name, table)                                                              \
    extern "C" __attribute__((visibility("default"))) void *PyInit_##name();                       \
    extern "C" void *PyInit_##name() { return transpile_make_module(&table); }
#endif

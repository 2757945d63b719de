#include "hand.h"

#include <transpile/table.h>

namespace {

using namespace transpile;

int32_t call_saxpy(const value *v, void *stream) {
    return hand_saxpy(v[0].as<int64_t>(), v[1].as<int64_t>(), v[2].as<int64_t>(), v[3].as<int64_t>(),
                      v[4].as<double>(), v[5].as<const double *>(), v[6].as<double *>(), stream);
}
constexpr parameter saxpy_parameters[] = {
    {"n", kind::scalar, dtype::i64},
    {"a", kind::scalar, dtype::f64},
    {"x", kind::const_pointer, dtype::f64},
    {"y", kind::pointer, dtype::f64},
};
constexpr instance saxpy_instances[] = {{{}, call_saxpy}};
constexpr pair saxpy_apart[] = {{2, 3}};

int32_t call_scale(const value *v, void *stream) {
    return hand_scale(v[0].as<int64_t>(), v[1].as<int64_t>(), v[2].as<int64_t>(), v[3].as<int64_t>(),
                      v[4].as<int64_t>(), v[5].as<int64_t>(), v[6].as<float>(), v[7].as<bool>(), v[8].as<int32_t>(),
                      v[9].as<const float *>(), v[10].as<float *>(), stream);
}
constexpr parameter scale_parameters[] = {
    {"a", kind::scalar, dtype::f32},        {"negate", kind::scalar, dtype::boolean},
    {"shift", kind::scalar, dtype::i32},    {"x", kind::const_pointer, dtype::f32},
    {"\xc3\xbd", kind::pointer, dtype::f32},
};
constexpr instance scale_instances[] = {{{}, call_scale}};
constexpr capture scale_captures[] = {{"SCALE", "2.0"}};

int32_t call_fill__4(const value *v, void *stream) {
    return hand_fill__4(v[0].as<int64_t>(), v[1].as<int64_t>(), v[2].as<int64_t>(), v[3].as<double *>(), stream);
}
int32_t call_fill__8(const value *v, void *stream) {
    return hand_fill__8(v[0].as<int64_t>(), v[1].as<int64_t>(), v[2].as<int64_t>(), v[3].as<double *>(), stream);
}
constexpr parameter fill_parameters[] = {
    {"size", kind::static_int, dtype::i64},
    {"out", kind::pointer, dtype::f64},
};
constexpr int64_t fill__4[] = {4};
constexpr int64_t fill__8[] = {8};
constexpr instance fill_instances[] = {{fill__4, call_fill__4}, {fill__8, call_fill__8}};

int32_t call_flags(const value *v, void *stream) {
    return hand_flags(v[0].as<int64_t>(), v[1].as<int64_t>(), v[2].as<int64_t>(), v[3].as<const bool *>(),
                      v[4].as<int64_t *>(), stream);
}
constexpr parameter flags_parameters[] = {
    {"flags", kind::const_pointer, dtype::boolean},
    {"out", kind::pointer, dtype::i64},
};
constexpr instance flags_instances[] = {{{}, call_flags}};

int32_t call_wait(const value *v, void *stream) { return hand_wait(v[0].as<int64_t>(), v[1].as<double *>(), stream); }
constexpr parameter wait_parameters[] = {
    {"milliseconds", kind::scalar, dtype::i64},
    {"out", kind::pointer, dtype::f64},
};
constexpr instance wait_instances[] = {{{}, call_wait}};

int32_t call_many(const value *v, void *stream) {
    return hand_many(v[0].as<const double *>(), v[1].as<const double *>(), v[2].as<const double *>(), v[3].as<const
        double *>(), v[4].as<const double *>(), v[5].as<const double *>(), v[6].as<const double *>(),
        v[7].as<const double *>(), v[8].as<double *>(), v[9].as<int64_t>(), v[10].as<int64_t>(),
        v[11].as<int64_t>(), v[12].as<int64_t>(), v[13].as<int64_t>(), v[14].as<int64_t>(), v[15].as<int64_t>(),
        v[16].as<int64_t>(), stream);
}
constexpr parameter many_parameters[] = {{"x0", kind::const_pointer, dtype::f64}, {"x1", kind::const_pointer,
    dtype::f64}, {"x2", kind::const_pointer, dtype::f64}, {"x3", kind::const_pointer, dtype::f64}, {"x4",
    kind::const_pointer, dtype::f64}, {"x5", kind::const_pointer, dtype::f64}, {"x6", kind::const_pointer,
    dtype::f64}, {"x7", kind::const_pointer, dtype::f64}, {"out", kind::pointer, dtype::f64}, {"a", kind::scalar,
    dtype::i64}, {"b", kind::scalar, dtype::i64}, {"c", kind::scalar, dtype::i64}, {"d", kind::scalar, dtype::i64},
    {"e", kind::scalar, dtype::i64}, {"f", kind::scalar, dtype::i64}, {"g", kind::scalar, dtype::i64}, {"h",
    kind::scalar, dtype::i64}};
constexpr instance many_instances[] = {{{}, call_many}};
constexpr pair many_apart[] = {{0, 8}, {7, 8}};

int32_t call_run(const value *v, void *stream) {
    return hand_run(v[0].as<int64_t>(), v[1].as<double>(), v[2].as<const double *>(), v[3].as<double *>(), stream);
}
constexpr instance run_instances[] = {{{}, call_run}};

constexpr function functions[] = {
    {"saxpy", "y += a * x.", role::tile_kernel, block_rule::any, saxpy_parameters, saxpy_instances, saxpy_apart, {}},
    {"scale", "", role::thread_kernel, block_rule::whole_groups_and_rows, scale_parameters, scale_instances, {},
     scale_captures},
    {"fill", "", role::tile_kernel, block_rule::any, fill_parameters, fill_instances, {}, {}},
    {"flags", "", role::tile_kernel, block_rule::any, flags_parameters, flags_instances, {}, {}},
    {"wait", "", role::launcher, block_rule::any, wait_parameters, wait_instances, {}, {}},
    {"many", "", role::launcher, block_rule::any, many_parameters, many_instances, many_apart, {}},
    {"run", "Runs saxpy.", role::launcher, block_rule::any, saxpy_parameters, run_instances, saxpy_apart, {}},
};
constexpr module_table table = {table_format, "hand_ext", "Kernels written by hand.", "hand.py", "5f3c9a1e", "1",
                                "cpu",        "",         functions};

}  // namespace

TRANSPILE_MODULE(hand_ext, table)

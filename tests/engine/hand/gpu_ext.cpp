#include "gpu.h"

#include <transpile/table.h>

namespace {

using namespace transpile;

int32_t call_saxpy(const value *v, void *stream) {
    return gpu_saxpy(v[0].as<int64_t>(), v[1].as<int64_t>(), v[2].as<int64_t>(), v[3].as<int64_t>(), v[4].as<double>(),
                     v[5].as<const double *>(), v[6].as<double *>(), stream);
}
constexpr parameter saxpy_parameters[] = {
    {"n", kind::scalar, dtype::i64},
    {"a", kind::scalar, dtype::f64},
    {"x", kind::const_pointer, dtype::f64},
    {"y", kind::pointer, dtype::f64},
};
constexpr instance saxpy_instances[] = {{{}, call_saxpy}};
constexpr pair saxpy_apart[] = {{2, 3}};

int32_t call_touch(const value *v, void *stream) {
    return gpu_touch(v[0].as<int64_t>(), v[1].as<int64_t>(), v[2].as<int64_t>(), v[3].as<int64_t>(),
                     v[4].as<int64_t>(), v[5].as<int64_t>(), v[6].as<const uint16_t *>(), v[7].as<const uint16_t *>(),
                     v[8].as<const bool *>(), v[9].as<float *>(), stream);
}
constexpr parameter touch_parameters[] = {
    {"half", kind::const_pointer, dtype::f16},
    {"brain", kind::const_pointer, dtype::bf16},
    {"flags", kind::const_pointer, dtype::boolean},
    {"out", kind::pointer, dtype::f32},
};
constexpr instance touch_instances[] = {{{}, call_touch}};

int32_t call_mix(const value *v, void *stream) {
    return gpu_mix(v[0].as<int64_t>(), v[1].as<int64_t>(), v[2].as<int64_t>(), v[3].as<int64_t>(),
                   v[4].as<double *>(), v[5].as<double *>(), stream);
}
constexpr parameter mix_parameters[] = {
    {"n", kind::scalar, dtype::i64},
    {"x", kind::pointer, dtype::f64},
    {"y", kind::pointer, dtype::f64},
};
constexpr instance mix_instances[] = {{{}, call_mix}};

int32_t call_run(const value *v, void *stream) {
    return gpu_run(v[0].as<int64_t>(), v[1].as<int64_t>(), v[2].as<double *>(), stream);
}
constexpr parameter run_parameters[] = {
    {"times", kind::scalar, dtype::i64},
    {"then", kind::scalar, dtype::i64},
    {"x", kind::pointer, dtype::f64},
};
constexpr instance run_instances[] = {{{}, call_run}};

constexpr function functions[] = {
    {"saxpy", "y += a * x.", role::tile_kernel, block_rule::any, saxpy_parameters, saxpy_instances, saxpy_apart, {}},
    {"touch", "", role::thread_kernel, block_rule::any, touch_parameters, touch_instances, {}, {}},
    {"mix", "", role::tile_kernel, block_rule::any, mix_parameters, mix_instances, {}, {}},
    {"run", "", role::launcher, block_rule::any, run_parameters, run_instances, {}, {}},
};
constexpr module_table table = {table_format, "gpu_ext", "Kernels written by hand.", "gpu.py", "5f3c9a1e", "1",
                                "cuda",       "",        functions};

}  // namespace

TRANSPILE_MODULE(gpu_ext, table)

// The part of DLPack's ABI that reading a tensor needs. See https://dmlc.github.io/dlpack/latest/c_api.html.
#pragma once

#include "dtypes.hpp"

namespace transpile::dlpack {

enum device_type : int32_t { cpu = 1, cuda = 2, cuda_host = 3, rocm = 10, rocm_host = 11, cuda_managed = 13 };
enum type_code : uint8_t {
    code_int = 0,
    code_uint = 1,
    code_float = 2,
    code_bfloat = 4,
    code_bool = 6,
    code_e4m3fn = 10,
    code_e5m2 = 12,
};
constexpr uint64_t flag_read_only = 1;

struct device {
    int32_t type;
    int32_t id;
};

struct tensor {
    void *data;
    dlpack::device device;
    int32_t ndim;
    struct {
        uint8_t code;
        uint8_t bits;
        uint16_t lanes;
    } type;
    int64_t *shape;
    int64_t *strides;  // in elements; null: C-contiguous
    uint64_t byte_offset;
};

struct managed {
    dlpack::tensor tensor;
    void *context;
    void (*deleter)(managed *self);
};

struct managed_versioned {
    uint32_t major, minor;
    void *context;
    void (*deleter)(managed_versioned *self);
    uint64_t flags;
    dlpack::tensor tensor;
};

// What a type offers as `__dlpack_c_exchange_api__`: its tensors read without a call of Python.
struct exchange_api {
    struct {
        uint32_t major, minor;
        void *previous;
    } header;
    void *allocate;
    void *from_object;
    void *to_object;
    int (*view)(void *object, tensor *out);  // borrows: nothing to free; may be null
    int (*current_stream)(int32_t device_type, int32_t device, void **out);
};

inline bool is_host(int32_t type) { return type == cpu || type == cuda_host || type == rocm_host; }

inline element element_of(const tensor &tensor) {
    element found;
    found.bytes = tensor.type.bits / 8;
    if (tensor.type.lanes != 1) return found;
    switch (tensor.type.code) {
        case code_int: found.family = family::integer; break;
        case code_uint: found.family = family::natural; break;
        case code_float: found.family = family::real; break;
        case code_bfloat: found.family = family::brain; break;
        case code_bool: found.family = family::boolean; break;
        case code_e4m3fn: found.family = family::e4m3; break;
        case code_e5m2: found.family = family::e5m2; break;
        default: break;
    }
    return found;
}

inline int64_t count_of(const tensor &tensor) {
    int64_t count = 1;
    for (int32_t axis = 0; axis < tensor.ndim; ++axis) count *= tensor.shape[axis];
    return count;
}

// Whether `strides` are those of a C-contiguous array, whose last one is `unit`. An axis of size 1 may have any.
template <typename Size>
bool is_contiguous(int ndim, const Size *shape, const Size *strides, int64_t unit) {
    int64_t expected = unit;
    for (int axis = ndim - 1; axis >= 0; --axis) {
        if (shape[axis] != 1 && strides[axis] != expected) return false;
        expected *= shape[axis];
    }
    return true;
}

inline bool is_contiguous(const tensor &tensor) {
    return tensor.strides == nullptr || is_contiguous(tensor.ndim, tensor.shape, tensor.strides, 1);
}

}  // namespace transpile::dlpack

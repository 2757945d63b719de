// An array of numbers in the memory that the kernels work on: the GPU's, or ordinary memory for the CPU target.
#pragma once

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#if defined(WAVES_CUDA)
#include <cuda_runtime_api.h>
#define DEVICE(name) cuda##name
#elif defined(WAVES_HIP)
#include <hip/hip_runtime_api.h>
#define DEVICE(name) hip##name
#endif

#if defined(DEVICE)
inline void check(DEVICE(Error_t) status, const char *what) {
    if (status == DEVICE(Success)) return;
    std::fprintf(stderr, "%s: %s\n", what, DEVICE(GetErrorString)(status));
    std::exit(1);
}
#endif

template <typename T>
class device_array {
public:
    explicit device_array(const std::vector<T> &values) : count_(values.size()) {
#if defined(DEVICE)
        check(DEVICE(Malloc)(reinterpret_cast<void **>(&data_), bytes()), "allocating");
        check(DEVICE(Memcpy)(data_, values.data(), bytes(), DEVICE(MemcpyHostToDevice)), "copying to the device");
#else
        data_ = new T[count_];
        std::memcpy(data_, values.data(), bytes());
#endif
    }

    ~device_array() {
#if defined(DEVICE)
        static_cast<void>(DEVICE(Free)(data_));
#else
        delete[] data_;
#endif
    }

    device_array(const device_array &) = delete;
    device_array &operator=(const device_array &) = delete;

    T *data() { return data_; }

    // The numbers, once every kernel that was launched before has ended.
    std::vector<T> values() const {
        std::vector<T> found(count_);
#if defined(DEVICE)
        check(DEVICE(Memcpy)(found.data(), data_, bytes(), DEVICE(MemcpyDeviceToHost)), "copying from the device");
#else
        std::memcpy(found.data(), data_, bytes());
#endif
        return found;
    }

private:
    size_t bytes() const { return count_ * sizeof(T); }

    size_t count_;
    T *data_ = nullptr;
};

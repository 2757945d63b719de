// What a launch costs in C: loops around cuLaunchKernel, for `devices_launch.py`. A plain module of CPython's C API.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cuda.h>
#include <cuda_runtime.h>

#include <cstdint>

namespace {

__global__ void saxpy(int64_t n, double a, const double *x, double *y) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

decltype(&cuLaunchKernel) launch = nullptr;
decltype(&cuCtxSynchronize) wait = nullptr;
CUfunction function = nullptr;

template <typename F>
bool find(const char *name, F &entry) {
    cudaDriverEntryPointQueryResult found;
    void *address = nullptr;
    if (cudaGetDriverEntryPointByVersion(name, &address, 12000, cudaEnableDefault, &found) != cudaSuccess) return false;
    entry = reinterpret_cast<F>(address);
    return address != nullptr;
}

// Makes the context current and finds what the loops call; false where there is no device.
bool prepare() {
    if (function != nullptr) return true;
    cudaFunction_t found = nullptr;
    if (cudaFree(nullptr) != cudaSuccess) return false;
    if (!find("cuLaunchKernel", launch) || !find("cuCtxSynchronize", wait)) return false;
    if (cudaGetFuncBySymbol(&found, reinterpret_cast<const void *>(saxpy)) != cudaSuccess) return false;
    function = found;
    return true;
}

PyObject *answer(bool good) {
    if (good) Py_RETURN_NONE;
    PyErr_SetString(PyExc_RuntimeError, "floor: the driver refused");
    return nullptr;
}

template <bool waits>
PyObject *loop(PyObject *, PyObject *arguments) {
    long long calls, n;
    double a;
    unsigned long long x, y;
    if (!PyArg_ParseTuple(arguments, "LLdKK", &calls, &n, &a, &x, &y)) return nullptr;
    bool good = prepare();
    void *values[] = {&n, &a, &x, &y};
    const auto blocks = static_cast<unsigned>((n + 255) / 256);
    for (long long call = 0; good && call < calls; ++call) {
        good = launch(function, blocks, 1, 1, 256, 1, 1, 0, nullptr, values, nullptr) == CUDA_SUCCESS;
        if (waits) good = good && wait() == CUDA_SUCCESS;
    }
    return answer(good);
}

PyObject *synchronize(PyObject *, PyObject *) { return answer(prepare() && wait() == CUDA_SUCCESS); }

PyMethodDef methods[] = {
    {"loop", loop<false>, METH_VARARGS, "loop(calls, n, a, x, y): launches only; x and y are addresses."},
    {"loop_waiting", loop<true>, METH_VARARGS, "loop_waiting(calls, n, a, x, y): each launch is waited for."},
    {"synchronize", synchronize, METH_NOARGS, "Waits for the context's work."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {PyModuleDef_HEAD_INIT, "floor", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_floor() { return PyModule_Create(&definition); }

// The least that an extension module can be: a saxpy over host arrays through CPython's C API and the CUDA runtime.
// `devices_cold.py` starts processes that import it.
#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <cuda_runtime.h>

#include <cstdint>

namespace {

__global__ void kernel(int64_t n, double a, const double *x, double *y) {
    const int64_t i = int64_t(blockIdx.x) * blockDim.x + threadIdx.x;
    if (i < n) y[i] = a * x[i] + y[i];
}

bool run(int64_t n, double a, const void *x, void *y) {
    const size_t bytes = static_cast<size_t>(n) * sizeof(double);
    double *on_device[2] = {nullptr, nullptr};  // never freed: the process ends with its first result
    for (double *&array : on_device) {
        if (cudaMalloc(&array, bytes) != cudaSuccess) return false;
    }
    cudaMemcpy(on_device[0], x, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(on_device[1], y, bytes, cudaMemcpyHostToDevice);
    kernel<<<static_cast<unsigned>((n + 255) / 256), 256>>>(n, a, on_device[0], on_device[1]);
    return cudaMemcpy(y, on_device[1], bytes, cudaMemcpyDeviceToHost) == cudaSuccess;
}

PyObject *saxpy(PyObject *, PyObject *arguments) {
    long long n;
    double a;
    Py_buffer x, y;
    if (!PyArg_ParseTuple(arguments, "Ldy*w*", &n, &a, &x, &y)) return nullptr;
    const bool good = run(n, a, x.buf, y.buf);
    PyBuffer_Release(&x);
    PyBuffer_Release(&y);
    if (good) Py_RETURN_NONE;
    PyErr_SetString(PyExc_RuntimeError, cudaGetErrorString(cudaGetLastError()));
    return nullptr;
}

PyMethodDef methods[] = {
    {"saxpy", saxpy, METH_VARARGS, "saxpy(n, a, x, y): y = a * x + y over host arrays of doubles."},
    {nullptr, nullptr, 0, nullptr},
};

PyModuleDef definition = {PyModuleDef_HEAD_INIT, "bare", nullptr, -1, methods, nullptr, nullptr, nullptr, nullptr};

}  // namespace

PyMODINIT_FUNC PyInit_bare() { return PyModule_Create(&definition); }

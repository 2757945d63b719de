"""A compiler of annotated Python kernels to CUDA, HIP and C++. Kernels start with `from transpile import cuda, native, tile`."""

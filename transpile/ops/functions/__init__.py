"""The definitions of the functions that are not exact: the algorithms of `runtime_cpp/math/`, in NumPy.

Each does the same operations in the same order as its C++, so that both give the same bits; neither asks a library.
"""

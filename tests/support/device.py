"""The NVIDIA device of this machine, through its driver alone: copies of arrays there, for kernels that compiled texts
launch. Nothing here is the product's, so that it can judge it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cache
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tests.support.tools import find

Array = NDArray[Any]
DRIVER: Final = "libcuda.so.1"
ALIGNMENT: Final = 256  # of what the driver allocates
MAJOR: Final = 75  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR
MINOR: Final = 76


class DeviceError(AssertionError):
    """A call of the driver failed: its own fault, or that of a kernel before it."""


def lacking() -> str:
    """Why emitted text cannot run on a device here, or an empty text."""
    try:
        architecture()
    except (OSError, DeviceError) as error:
        return f"no NVIDIA device: {error}"
    return "" if find("nvcc") else "no nvcc"


@cache
def driver() -> ctypes.CDLL:
    """The driver, with the first device's primary context current: the one that compiled texts launch in."""
    library = ctypes.CDLL(DRIVER)
    context, device = ctypes.c_void_p(), ctypes.c_int()
    _check(library, library.cuInit(0), "cuInit")
    _check(library, library.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
    _check(library, library.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "cuDevicePrimaryCtxRetain")
    _check(library, library.cuCtxSetCurrent(context), "cuCtxSetCurrent")
    return library


def _check(library: ctypes.CDLL, status: int, name: str) -> None:
    if status != 0:
        text = ctypes.c_char_p()
        library.cuGetErrorName(status, ctypes.byref(text))
        raise DeviceError(f"{name}: {(text.value or str(status).encode()).decode()}")


def _do(name: str, *arguments: Any) -> None:
    _check(driver(), getattr(driver(), name)(*arguments), name)


@cache
def architecture() -> str:
    """The device's, as nvcc spells it."""
    numbers = []
    for attribute in (MAJOR, MINOR):
        number = ctypes.c_int()
        _do("cuDeviceGetAttribute", ctypes.byref(number), attribute, 0)
        numbers.append(number.value)
    return f"sm_{numbers[0]}{numbers[1]}"


def synchronize() -> None:
    """Waits for the device. Raises DeviceError with the fault of a kernel."""
    _do("cuCtxSynchronize")


@contextmanager
def mirrored(arrays: Sequence[Array]) -> Iterator[list[int]]:
    """The addresses of copies on the device; at the end of a block that did not raise, what was written comes back.

    A copy is as far from a 256-byte boundary as the array is, and ends where its memory ends. Arrays that overlap share
    one copy; an empty array has no memory and the address 0.
    """
    pieces = _extents(arrays)
    copies: list[ctypes.c_uint64] = []
    try:
        for start, end in pieces:
            copy, lead = ctypes.c_uint64(), start % ALIGNMENT
            _do("cuMemAlloc_v2", ctypes.byref(copy), ctypes.c_size_t(lead + end - start))
            copies.append(copy)
            _do("cuMemcpyHtoD_v2", _at(copy, lead), ctypes.c_void_p(start), ctypes.c_size_t(end - start))
        yield [_address(array, pieces, copies) for array in arrays]
        synchronize()
        written = [array for array in arrays if array.nbytes and array.flags.writeable]
        for array in written:
            source = ctypes.c_uint64(_address(array, pieces, copies))
            _do("cuMemcpyDtoH_v2", ctypes.c_void_p(array.ctypes.data), source, ctypes.c_size_t(array.nbytes))
    finally:
        for copy in copies:
            driver().cuMemFree_v2(copy)  # fails after a kernel's fault, which is on its way already


def _extents(arrays: Sequence[Array]) -> list[tuple[int, int]]:
    """Where the pieces of memory begin and end that the arrays lie in, in order."""
    found: list[tuple[int, int]] = []
    for start, end in sorted((each.ctypes.data, each.ctypes.data + each.nbytes) for each in arrays if each.nbytes):
        if found and start < found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((start, end))
    return found


def _at(copy: ctypes.c_uint64, offset: int) -> ctypes.c_uint64:
    return ctypes.c_uint64(copy.value + offset)


def _address(array: Array, pieces: Sequence[tuple[int, int]], copies: Sequence[ctypes.c_uint64]) -> int:
    if not array.nbytes:
        return 0
    assert array.flags.c_contiguous
    start = array.ctypes.data
    place = int(np.searchsorted([piece[0] for piece in pieces], start, side="right")) - 1
    return copies[place].value + pieces[place][0] % ALIGNMENT + start - pieces[place][0]

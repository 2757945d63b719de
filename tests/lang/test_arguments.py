"""What a launch refuses before anything runs, with the exact words, and what it converts."""

from __future__ import annotations

import array
import ctypes
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
import pytest

from tests.lang import kernels
from tests.ops.exact import F32, nearest
from transpile import cuda, dtypes, native, rounding, tile
from transpile.diagnostics.launch import KernelFault
from transpile.lang.scalars import convert_element, convert_scalar


def read_only(values: np.ndarray) -> np.ndarray:
    values.flags.writeable = False
    return values


def unaligned() -> np.ndarray:
    return np.zeros(33, np.uint8)[1:].view(np.float64)


X, Y = np.arange(4.0), np.zeros(4)
REFUSED: list[tuple[list[Any], type[Exception], str]] = [
    ([4, 2.0, X], TypeError, "twice: argument 'y' is missing"),
    ([4, 2.0, X, Y, 1], TypeError, "twice: takes 4 arguments, but 5 were given"),
    ([4.0, 2.0, X, Y], TypeError, "twice: argument 'n' must be an int, not float"),
    ([np.float64(4), 2.0, X, Y], TypeError, "twice: argument 'n' must be an int, not float64"),
    (["4", 2.0, X, Y], TypeError, "twice: argument 'n' must be an int, not str"),
    ([np.array([4]), 2.0, X, Y], TypeError, "twice: argument 'n' must be an int, not ndarray"),
    ([4, 1j, X, Y], TypeError, "twice: argument 'a' must be a float, not complex"),
    ([2**63, 2.0, X, Y], OverflowError, "twice: argument 'n' is outside of int64"),
    ([4, 10**400, X, Y], OverflowError, "twice: argument 'a' is outside of float64"),
    ([4, 2.0, [1.0], Y], TypeError, "twice: argument 'x' must be an array of float64, not list"),
    ([4, 2.0, None, Y], TypeError, "twice: argument 'x' must be an array of float64, not NoneType"),
    ([4, 2.0, X.astype("f4"), Y], TypeError, "twice: argument 'x' must be an array of float64, not of float32"),
    ([4, 2.0, np.arange(4), Y], TypeError, "twice: argument 'x' must be an array of float64, not of int64"),
    ([4, 2.0, b"12345678", Y], TypeError, "twice: argument 'x' must be an array of float64, not of uint8"),
    (
        [4, 2.0, X.astype(">f8"), Y],
        TypeError,
        "twice: argument 'x' must be an array of float64 in the machine's byte order",
    ),
    (
        [4, 2.0, np.arange(8.0)[::2], Y],
        ValueError,
        "twice: argument 'x' is not C-contiguous; pass numpy.ascontiguousarray(x)",
    ),
    (
        [4, 2.0, np.zeros((3, 4)).T, Y],
        ValueError,
        "twice: argument 'x' is not C-contiguous; pass numpy.ascontiguousarray(x)",
    ),
    (
        [4, 2.0, unaligned(), Y],
        ValueError,
        "twice: argument 'x' is not aligned to its 8-byte elements; pass a copy",
    ),
    (
        [4, 2.0, X, read_only(np.zeros(4))],
        ValueError,
        "twice: argument 'y' is read-only, but the kernel may write it",
    ),
    (
        [4, 2.0, Y, Y],
        ValueError,
        "twice: arguments 'x' and 'y' overlap in memory, and the kernel may write one of them; pass a copy, or declare "
        "the kernel with alias=True",
    ),
]


@pytest.mark.parametrize(
    ("arguments", "error", "message"), REFUSED, ids=lambda one: one if isinstance(one, str) else ""
)
@pytest.mark.parametrize("grid", [1, 0])
def test_refused(arguments: list[Any], error: type[Exception], message: str, grid: int) -> None:
    Y[:] = 5.0
    with pytest.raises(error) as caught:
        tile.launch(kernels.twice, grid, *arguments)
    assert str(caught.value) == message
    assert Y.tolist() == [5.0] * 4


ACCEPTED: dict[str, Callable[[], list[Any]]] = {
    "numbers of NumPy": lambda: [np.int8(4), np.float32(2), X, np.zeros(4)],
    "arrays of no dimension": lambda: [np.array(4), np.array(2.0), X, np.zeros(4)],
    "objects of no dimension": lambda: [np.array(4, object), np.array(2.0, object), X, np.zeros(4)],
    "numbers of the other byte order": lambda: [np.array(4, ">i8"), np.array(2, ">i2"), X, np.zeros(4)],
    "an int for a float": lambda: [4, 2, X, np.zeros(4)],
    "bools": lambda: [True, True, X, np.zeros(4)],
    "a read-only array to read": lambda: [4, 2.0, read_only(np.arange(4.0)), np.zeros(4)],
    "two dimensions": lambda: [4, 2.0, np.arange(4.0).reshape(2, 2), np.zeros((2, 2))],
    "matrices": lambda: [4, 2.0, np.matrix(np.arange(4.0)), np.matrix(np.zeros(4))],
    "Python's arrays": lambda: [4, 2.0, array.array("d", [0, 1, 2, 3]), array.array("d", [0] * 4)],
    "arrays of C": lambda: [4, 2.0, (ctypes.c_double * 4)(0, 1, 2, 3), (ctypes.c_double * 4)()],
    "views of memory": lambda: [4, 2.0, memoryview(np.arange(4.0)), memoryview(np.zeros(4))],
}


@pytest.mark.parametrize("name", ACCEPTED)
def test_accepted(name: str) -> None:
    arguments = ACCEPTED[name]()
    tile.launch(kernels.twice, 1, *arguments)
    n, a = int(arguments[0]), float(arguments[1])
    expected = [value * a for value in range(n)] + [0.0] * (4 - n)
    assert np.asarray(arguments[3]).reshape(-1).tolist() == expected


def test_an_empty_array_passes() -> None:
    y = np.full(3, 5.0)
    tile.launch(kernels.twice, 1, 0, 2.0, np.empty(0), y)
    assert y.tolist() == [5.0, 5.0, 5.0]


def test_arrays_through_dlpack() -> None:
    class Lends:
        """As arrays of other libraries do: DLPack alone."""

        def __init__(self, values: np.ndarray) -> None:
            self.values = values

        def __dlpack__(self, **keywords: Any) -> Any:
            return self.values.__dlpack__(**keywords)

        def __dlpack_device__(self) -> Any:
            return self.values.__dlpack_device__()

    y = np.zeros(4)
    tile.launch(kernels.twice, 1, 4, 2.0, Lends(np.arange(4.0)), y)
    assert y.tolist() == [0.0, 2.0, 4.0, 6.0]


def test_a_device_array_is_refused_by_name() -> None:
    class OnDevice:
        __cuda_array_interface__: ClassVar[dict[str, Any]] = {}

    with pytest.raises(ValueError, match=r"^twice: argument 'x' is on a CUDA device; this target takes host arrays$"):
        tile.launch(kernels.twice, 1, 4, 2.0, OnDevice(), Y)


def test_overlap_is_of_whole_arrays() -> None:
    values = np.zeros(64)
    tile.launch(kernels.twice, 1, 4, 2.0, values[:32], values[32:])
    with pytest.raises(ValueError, match="'x' and 'y' overlap"):
        tile.launch(kernels.twice, 1, 4, 2.0, values[:33], values[32:])
    pointer = native.stack_alloc[float](64)
    with pytest.raises(ValueError, match="'x' and 'y' overlap"):
        tile.launch(kernels.twice, 1, 4, 2.0, pointer, native.offset(pointer, 32))


def test_alias_lets_arrays_overlap() -> None:
    values = np.arange(4.0)
    tile.launch(kernels.rotate, 1, values, values)
    assert values.tolist() == [1.0, 2.0, 3.0, 0.0]


def test_narrow_parameters() -> None:
    x, y = np.array([1.5, -2.5, 3e9, 1.0], np.float32), np.zeros(4, np.int32)
    tile.launch(kernels.narrow, 1, 7, 2.0, True, x, y)
    assert y.tolist() == [10, 2, (2**31 - 1 + 7) - 2**32, 9]
    for arguments, error, message in [
        ((2**31, 2.0, True), OverflowError, "narrow: argument 'k' is 2147483648, outside of int32"),
        ((1, 1e300, True), OverflowError, "narrow: argument 'a' is 1e+300, outside of float32"),
        ((1, 1.0, 1), TypeError, "narrow: argument 'flag' must be a bool, not int"),
    ]:
        with pytest.raises(error) as caught:
            tile.launch(kernels.narrow, 1, *arguments, x, y)
        assert str(caught.value) == message


GEOMETRY: list[tuple[Any, Any, str]] = [
    (-1, 4, "grow: the grid's x is -1; it must be 0 to 2147483647"),
    (2**31, 4, "grow: the grid's x is 2147483648; it must be 0 to 2147483647"),
    (2**80, 4, "grow: the grid's x is outside of int64"),
    (1, (1, -(2**63) - 1), "grow: the block's y is outside of int64"),
    ((1, 65536), 4, "grow: the grid's y is 65536; it must be 0 to 65535"),
    ((1, 1, -2), 4, "grow: the grid's z is -2; it must be 0 to 65535"),
    (1.0, 4, "grow: the grid must be an int or a tuple of up to three ints; x is 1.0"),
    ((1, "2"), 4, "grow: the grid must be an int or a tuple of up to three ints; y is '2'"),
    ((), 4, "grow: the grid must be an int or a tuple of up to three ints, not of 0"),
    ((1, 1, 1, 1), 4, "grow: the grid must be an int or a tuple of up to three ints, not of 4"),
    (1, 0, "grow: the block's x is 0; it must be 1 to 1024"),
    (1, (1, -1), "grow: the block's y is -1; it must be 1 to 1024"),
    (1, 1025, "grow: the block's x is 1025; it must be 1 to 1024"),
    (1, (1, 1, 65), "grow: the block's z is 65; it must be 1 to 64"),
    (1, (32, 33), "grow: the block has 1056 threads; it may have 1024"),
    (1, None, "grow: the block must be an int or a tuple of up to three ints; x is None"),
]


@pytest.mark.parametrize(("grid", "block", "message"), GEOMETRY)
def test_grids_and_blocks(grid: Any, block: Any, message: str) -> None:
    x = np.zeros(4)
    with pytest.raises(ValueError, match=r"^grow: ") as caught:
        cuda.launch(kernels.grow, grid, block, x)
    assert str(caught.value) == message
    assert x.tolist() == [0.0] * 4


def test_sizes_of_numpy_are_sizes() -> None:
    x = np.zeros(8)
    cuda.launch(kernels.grow, (np.int64(2), 1), np.int32(4), x)
    assert x.tolist() == [1.0] * 8


def test_a_zero_in_a_grid_runs_nothing() -> None:
    x = np.zeros(4)
    for grid in (0, (0, 5), (3, 0, 2)):
        cuda.launch(kernels.grow, grid, 4, x)
    assert x.tolist() == [0.0] * 4


def test_shuffles_want_whole_groups() -> None:
    message = "swap: the block has 48 threads; a kernel that shuffles needs a multiple of 32"
    with pytest.raises(ValueError, match=f"^{message}$"):
        cuda.launch(kernels.swap, 1, 48, np.zeros(48))
    x = np.arange(64.0)
    cuda.launch(kernels.swap, 1, (16, 4), x)


def test_shared_arrays_that_the_launch_sizes() -> None:
    x = np.arange(4.0)
    cuda.launch(kernels.turn, 1, 4, 4, x)
    assert x.tolist() == [3.0, 2.0, 1.0, 0.0]
    cuda.launch(kernels.turn, 1, 4, 29054, x)
    assert x.tolist() == [0.0, 1.0, 2.0, 3.0]
    for size in (-1, 29055, (1 << 63) - 1):
        message = (
            f"turn: argument 'n' is {size}, the size of a shared array of f64; it must be 0 to 29054: a block has "
            "232448 bytes beside 16 of others"
        )
        for grid in (1, 0):
            with pytest.raises(ValueError, match=f"^{message}$"):
                cuda.launch(kernels.turn, grid, 4, size, x)
    with pytest.raises(KernelFault, match="index 3, but the shared array 'held' has 3 elements"):
        cuda.launch(kernels.turn, 1, 4, 3, x)
    with pytest.raises(KernelFault, match="index 0, but the shared array 'held' has 0 elements"):
        cuda.launch(kernels.turn, 1, 4, 0, x)
    assert x.tolist() == [0.0, 1.0, 2.0, 3.0]


def test_groups_that_are_rows() -> None:
    """Where a kernel relies on `thread_id() // 32` being the same in a group, the block's rows must be groups."""
    x = np.zeros(64)
    with pytest.raises(
        ValueError, match=r"^first_group: the block is 16 x 4 x 1; this kernel needs x to be a multiple"
    ):
        cuda.launch(kernels.first_group, 1, (16, 4), x)
    assert x.tolist() == [0.0] * 64
    cuda.launch(kernels.first_group, 1, 64, x)
    assert x.tolist() == [1.0] * 32 + [0.0] * 32
    cuda.launch(kernels.first_group, 1, (32, 2), x)
    assert x.tolist() == [1.0] * 64


def test_integers_become_f32_with_one_rounding() -> None:
    for number in (2**24 + 1, 2**60 + 2**36 + 1, -(2**60 + 2**36 + 1), 2**53 + 2**29 + 1, 3, 10**30 + 1):
        assert rounding.nearest(number, dtypes.F32) == nearest(Fraction(number), F32)
    assert rounding.nearest(2**60 + 2**36 + 1, dtypes.F32) == 2.0**60 + 2.0**37
    assert rounding.nearest(2**60 + 2**36 - 1, dtypes.F32) == 2.0**60
    assert convert_scalar(2**60 + 2**36 + 1, dtypes.F32, "x") == 2.0**60 + 2.0**37


def test_elements_wrap_and_overflow_as_stores_do() -> None:
    assert convert_element(2**31 + 5, dtypes.I32, "x") == -(2**31) + 5
    assert convert_element(-1, dtypes.I64, "x") == -1
    assert convert_element(1e300, dtypes.F32, "x") == math.inf
    assert convert_element(-1e300, dtypes.F32, "x") == -math.inf
    assert convert_element(10**50, dtypes.F32, "x") == math.inf
    assert convert_element(0.1, dtypes.F32, "x") == float(np.float32(0.1))
    with pytest.raises(OverflowError):
        convert_element(2**63, dtypes.I32, "x")
    with pytest.raises(TypeError):
        convert_element(1.0, dtypes.I32, "x")
    with pytest.raises(OverflowError, match=r"^x is 10000000000\.0, outside of float16"):
        convert_scalar(np.float64(1e10), dtypes.F16, "x")


def test_no_argument_points_further_than_an_int64() -> None:
    x = native.offset(np.zeros(64), 2**63)
    with pytest.raises(OverflowError, match=r"^first_group: argument 'x' points to an index outside of int64$"):
        cuda.launch(kernels.first_group, 1, 64, x)

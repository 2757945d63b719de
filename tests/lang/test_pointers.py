"""`native.load`, `store`, `offset`, `stack_alloc` and `cuda.device_alloc` in ordinary Python."""

from __future__ import annotations

import typing

import numpy as np
import pytest

from transpile import cuda, native


@pytest.mark.parametrize("allocate", [native.stack_alloc, cuda.device_alloc], ids=str)
def test_arrays_start_as_zeros(allocate: typing.Any) -> None:
    assert np.asarray(allocate[float](3)).tolist() == [0.0, 0.0, 0.0]
    assert np.asarray(allocate[int](2)).dtype == np.int64
    assert np.asarray(allocate[bool](2)).tolist() == [False, False]
    assert np.asarray(allocate[native.f32](2)).dtype == np.float32
    assert np.asarray(allocate[native.i32](2)).dtype == np.int32
    assert len(allocate[float](0)) == 0


def test_lengths_and_types_are_checked() -> None:
    with pytest.raises(ValueError, match=r"^native.stack_alloc: the length is -1; it must be 0 or more$"):
        native.stack_alloc[float](-1)
    with pytest.raises(TypeError, match=r"^cuda.device_alloc: the length must be an int, not float$"):
        cuda.device_alloc[float](2.0)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="str is not an element type"):
        native.stack_alloc[str]


def test_loads_and_stores() -> None:
    x = native.stack_alloc[float](4)
    native.store(native.offset(x, 2), 7)
    assert native.load(native.offset(x, 2)) == 7.0
    assert type(native.load(native.offset(x, 2))) is float
    back = native.offset(native.offset(x, 5), -3)
    native.store(back, True)
    assert native.load(back) == 1.0
    assert np.asarray(x).tolist() == [0.0, 0.0, 1.0, 0.0]


@pytest.mark.parametrize("index", [-1, 4, 10**30])
def test_accesses_have_bounds(index: int) -> None:
    place = native.offset(native.stack_alloc[float](4), index)
    with pytest.raises(IndexError, match=rf"^native.load: index {index} is outside of the array's 4 elements$"):
        native.load(place)
    with pytest.raises(IndexError, match=rf"^native.store: index {index} is outside of the array's 4 elements$"):
        native.store(place, 1.0)


def test_elements_are_never_truncated() -> None:
    whole, truth = native.stack_alloc[int](1), native.stack_alloc[bool](1)
    with pytest.raises(TypeError, match=r"^native.store: the value must be an int, not float$"):
        native.store(whole, 1.5)
    with pytest.raises(TypeError, match=r"^native.store: the value must be a bool, not int$"):
        native.store(truth, 1)
    with pytest.raises(OverflowError):
        native.store(whole, 2**63)
    native.store(truth, True)
    assert native.load(truth) is True


def test_narrow_elements_wrap_and_round() -> None:
    short, single = native.stack_alloc[native.i32](1), native.stack_alloc[native.f32](1)
    native.store(short, 2**32 + 5)
    native.store(single, 0.1)
    assert native.load(short) == 5
    assert native.load(single) == float(np.float32(0.1))
    native.store(single, 1e300)
    assert native.load(single) == float("inf")


def test_numpy_arrays_are_pointers() -> None:
    values = np.arange(6, dtype=np.int32).reshape(2, 3)
    assert native.load(values) == 0
    place = native.offset(values, 4)
    native.store(place, -9)
    assert values.tolist() == [[0, 1, 2], [3, -9, 5]]
    values.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        native.store(native.offset(values, 4), 1)


def test_what_is_no_pointer() -> None:
    with pytest.raises(TypeError, match=r"^native.load: the pointer must be a pointer or an array, not int$"):
        native.load(3)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="is an array of complex128"):
        native.load(np.zeros(2, complex))
    with pytest.raises(ValueError, match="not C-contiguous"):
        native.offset(np.zeros(8)[::2], 1)
    with pytest.raises(TypeError, match=r"^native.offset: the index must be an int, not float$"):
        native.offset(np.zeros(8), 1.0)  # type: ignore[arg-type]


def test_a_pointer_is_an_array_from_there_on() -> None:
    x = native.stack_alloc[float](4)
    rest = np.asarray(native.offset(x, 1))
    rest[0] = 3.0
    assert native.load(native.offset(x, 1)) == 3.0
    assert len(native.offset(x, 1)) == 3
    assert len(native.offset(x, 9)) == 0
    assert np.array(x, dtype=np.float32).dtype == np.float32
    assert repr(native.offset(x, 1)) == "<pointer to 4 × float, at 1>"


def test_annotations_are_values() -> None:
    assert native.ptr[float] == native.ptr[float]
    assert len({native.ptr[float], native.ptr[float], native.const_ptr[float], native.ptr[native.f32]}) == 3
    assert str(native.const_ptr[native.f32]).endswith("const_ptr[transpile.lang.native.f32]")
    assert hash(native.static[int]) == hash(native.static[int])
    assert "int" in str(native.static[int])

    def annotated(x: native.ptr[float], n: native.static[int]) -> None: ...

    hints = typing.get_type_hints(annotated, {"native": native})
    assert hints["x"] == native.ptr[float]

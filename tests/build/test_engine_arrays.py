"""Pointer arguments of a built module: what is taken, what is refused, and what the message names."""

from __future__ import annotations

import array
import ctypes
import sys
from typing import Any

import ml_dtypes
import numpy as np
import pytest


class Dlpack:
    """A producer of DLPack with no buffer protocol."""

    def __init__(self, held: Any) -> None:
        self.held = held

    def __dlpack__(self, **options: Any) -> Any:
        return self.held.__dlpack__(**options)

    def __dlpack_device__(self) -> Any:
        return self.held.__dlpack_device__()


class OldDlpack(Dlpack):
    """A producer from before DLPack 1.0."""

    def __dlpack__(self) -> Any:  # type: ignore[override]
        return self.held.__dlpack__()


class OnDevice(Dlpack):
    def __dlpack_device__(self) -> Any:
        return (2, 0)


class Returning:
    """What `__dlpack__` gives, whatever it is."""

    def __init__(self, given: Any) -> None:
        self.given = given

    def __dlpack__(self, **options: Any) -> Any:
        return self.given

    def __dlpack_device__(self) -> Any:
        return (1, 0)


def capsule(name: bytes, held: Any = None) -> Any:
    """A capsule of this name, which points to `held`."""
    kept = (ctypes.create_string_buffer(name), held or ctypes.c_int())
    KEPT.append(kept)
    make = ctypes.pythonapi.PyCapsule_New
    make.restype, make.argtypes = ctypes.py_object, [ctypes.c_void_p, ctypes.c_void_p, ctypes.c_void_p]
    return make(ctypes.addressof(kept[1]), ctypes.addressof(kept[0]), None)


KEPT: list[Any] = []  # what capsules point to


class CudaArray:
    __cuda_array_interface__ = None


class Either(Dlpack):
    """A producer whose arrays on a device have an interface that those of the host have not."""

    @property
    def __cuda_array_interface__(self) -> Any:
        raise AttributeError("not of a device")


class Neither:
    @property
    def __cuda_array_interface__(self) -> Any:
        raise AttributeError("not of a device")


class Pointer:
    def __init__(self, held: Any, offset: Any) -> None:
        self.pair = (held, offset)

    @property
    def __transpile_pointer__(self) -> Any:
        return self.pair


def read_only(values: Any) -> Any:
    values.flags.writeable = False
    return values


def unaligned() -> Any:
    return np.frombuffer(bytearray(65), np.uint8)[1:].view(np.float64)


TAKEN = {
    "numpy": lambda: np.arange(4.0),
    "two-dimensional": lambda: np.arange(4.0).reshape(2, 2),
    "read-only for const": lambda: read_only(np.arange(4.0)),
    "array.array": lambda: array.array("d", [0.0, 1.0, 2.0, 3.0]),
    "memoryview": lambda: memoryview(np.arange(4.0)),
    "a step of one": lambda: np.arange(8.0)[:4],
    "this machine's byte order in words": lambda: np.ctypeslib.as_array((ctypes.c_double * 4)(0.0, 1.0, 2.0, 3.0)),
    "dlpack": lambda: Dlpack(np.arange(4.0)),
    "old dlpack": lambda: OldDlpack(np.arange(4.0)),
    "of the host, of a library with devices": lambda: Either(np.arange(4.0)),
    "dlpack with an offset": lambda: Dlpack(np.arange(-2.0, 4.0)[2:]),
    "pointer": lambda: Pointer(np.arange(-3.0, 4.0), 3),
}


@pytest.mark.parametrize("kind", TAKEN)
def test_taken(hand: Any, kind: str) -> None:
    y = np.ones(4)
    hand.run(4, 2.0, TAKEN[kind](), y)
    assert y.tolist() == [1.0, 3.0, 5.0, 7.0]


REFUSED: dict[str, tuple[Any, type[Exception], str]] = {
    "strided": (lambda: np.arange(8.0)[::2], ValueError, "argument 'x' is not C-contiguous"),
    "reversed": (lambda: np.arange(4.0)[::-1], ValueError, "argument 'x' is not C-contiguous"),
    "fortran": (lambda: np.ones((2, 2), order="F"), ValueError, "argument 'x' is not C-contiguous"),
    "float32": (lambda: np.zeros(4, "f4"), TypeError, "argument 'x' must be an array of float64, not of float32"),
    "int64": (lambda: np.zeros(4, "i8"), TypeError, "argument 'x' must be an array of float64, not of int64"),
    "complex": (lambda: np.zeros(4, "c16"), TypeError, "argument 'x' must be an array of float64, not of complex128"),
    "swapped": (lambda: np.zeros(4, ">f8"), TypeError, "argument 'x' .* byte order"),
    "structured": (lambda: np.zeros(4, [("a", "f8")]), TypeError, "argument 'x' must be an array of float64"),
    "datetime": (lambda: np.zeros(4, "M8[s]"), TypeError, "argument 'x' .*datetime64"),
    "unaligned": (unaligned, ValueError, "argument 'x' is not aligned"),
    "list": (lambda: [1.0], TypeError, "argument 'x' must be an array of float64, not list"),
    "None": (lambda: None, TypeError, "argument 'x' must be an array of float64, not NoneType"),
    "a float": (lambda: 1.0, TypeError, "argument 'x' must be an array of float64, not float"),
    "bytes": (lambda: b"12345678", TypeError, "argument 'x' must be an array of float64, not of uint8"),
    "cuda": (CudaArray, ValueError, "argument 'x' is on a CUDA device"),
    "no array after all": (Neither, TypeError, "argument 'x' must be an array of float64, not Neither"),
    "dlpack on a device": (lambda: OnDevice(np.zeros(4)), ValueError, "argument 'x' is on a CUDA device"),
    "strided dlpack": (lambda: Dlpack(np.zeros(8)[::2]), ValueError, "argument 'x' is not C-contiguous"),
    "narrow dlpack": (lambda: Dlpack(np.zeros(8, "f4")), TypeError, "argument 'x' .* not of float32"),
    "a strided type that NumPy has not": (
        lambda: np.zeros(8, ml_dtypes.bfloat16)[::2],
        TypeError,
        "argument 'x' must be an array of float64, not of bfloat16",
    ),
    "dlpack that was taken": (
        lambda: Returning(capsule(b"used_dltensor")),
        TypeError,
        "argument 'x': its __dlpack__ gives no tensor",
    ),
    "dlpack of another version": (
        lambda: Returning(capsule(b"dltensor_versioned", (ctypes.c_uint32 * 64)(2))),
        TypeError,
        "argument 'x': its __dlpack__ gives no tensor of DLPack 1",
    ),
    "dlpack that is none": (lambda: Returning(None), TypeError, "argument 'x': its __dlpack__ gives no tensor"),
    "a pointer far away": (lambda: Pointer(np.zeros(4), 2**63), TypeError, "argument 'x': the offset .* int64"),
    "a pointer to nothing": (lambda: Pointer(None, 0), TypeError, "argument 'x' must be an array"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_refused_before_anything_runs(hand: Any, kind: str) -> None:
    make, error, message = REFUSED[kind]
    y = np.ones(4)
    with pytest.raises(error, match=message):
        hand.run(4, 2.0, make(), y)
    assert y.tolist() == [1.0] * 4


def test_a_mutable_pointer_wants_a_writable_array(hand: Any) -> None:
    for given in (read_only(np.zeros(4)), Dlpack(read_only(np.zeros(4))), b"1234567812345678"):
        with pytest.raises((ValueError, TypeError), match="argument 'y'"):
            hand.run(2, 2.0, np.ones(4), given)


@pytest.mark.parametrize("start", [0, 3, 7])
def test_overlap_names_both(hand: Any, start: int) -> None:
    held = np.zeros(16)
    with pytest.raises(ValueError, match="arguments 'x' and 'y' overlap"):
        hand.run(4, 2.0, held[:8], held[start:])


@pytest.mark.parametrize(("module", "is_writable"), [("jaxlib._jax", False), ("jax", False), ("jaxworks", True)])
def test_the_arrays_of_jax_never_change(hand: Any, module: str, is_writable: bool) -> None:
    y = type("Array", (Dlpack,), {"__module__": module})(np.ones(4))
    if is_writable:
        hand.run(4, 2.0, np.ones(4), y)
        assert y.held.tolist() == [3.0] * 4
        return
    with pytest.raises(ValueError, match="argument 'y' is read-only"):
        hand.run(4, 2.0, np.ones(4), y)


def test_neighbours_do_not_overlap(hand: Any) -> None:
    held = np.arange(8.0)
    hand.run(4, 1.0, held[:4], held[4:])
    assert held.tolist() == [0.0, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0]
    hand.run(0, 1.0, held[:0], held[:0])


def test_overlap_is_of_whole_arrays(hand: Any) -> None:
    held = np.zeros(16)
    with pytest.raises(ValueError, match="overlap"):
        hand.run(4, 2.0, Pointer(held, 0), Pointer(held, 8))


def test_empty_arrays(hand: Any) -> None:
    y = np.full(3, 5.0)
    hand.run(0, 2.0, np.empty(0), y)
    assert y.tolist() == [5.0] * 3


def test_bools(hand: Any) -> None:
    out = np.zeros(1, np.int64)
    hand.flags[1](np.array([True, True]), out)
    assert out[0] == 2
    with pytest.raises(TypeError, match="argument 'flags' must be an array of bool, not of uint8"):
        hand.flags[1](np.array([1, 1], np.uint8), out)


def test_nothing_is_leaked(hand: Any) -> None:
    x, y = np.arange(4.0), np.ones(4)
    wrong = np.zeros(4, "f4")
    before = [sys.getrefcount(each) for each in (x, y, wrong)]
    for _ in range(50):
        hand.run(4, 2.0, x, y)
        hand.run(4, 2.0, Dlpack(x), Pointer(y, 0))
        hand.saxpy[1](4, 2.0, x=x, y=y)
        with pytest.raises(TypeError):
            hand.run(4, 2.0, x, wrong)
    assert [sys.getrefcount(each) for each in (x, y, wrong)] == before

"""Arrays and numbers of every storage type, passed to a built module and to the reference: the same is taken, the same
is refused, with the same words."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any, Final

import ml_dtypes
import numpy as np
import pytest

from transpile import dtypes, native, pipeline, tile
from transpile.build.jit import load_sources
from transpile.dtypes import DType

KERNEL: Final = """

@tile.kernel
def copy_NAME(n: int, one: native.NAME, x: native.const_ptr[native.NAME], y: native.ptr[native.NAME]) -> None:
    at = tile.arange(16)
    tile.store(y, at, tile.load(x, at, at < n, other=one))
"""
KINDS: Final = tuple(dtype for dtype in dtypes.ALL if dtype.computes_in or dtype.kind == "uint")
FLOATS: Final = tuple(dtype for dtype in KINDS if dtype.is_float)
Launch = Callable[..., None]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("storage") / "copies.py"
    kernels = "".join(KERNEL.replace("NAME", dtype.name) for dtype in KINDS)
    path.write_text(f"from transpile import native, tile\n{kernels}", encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def built(written: Path) -> ModuleType:
    loaded, typed = pipeline.load_and_check(str(written))
    return load_sources(pipeline.emit_extension(loaded, typed, "copies_ext").sources)


@pytest.fixture(scope="module")
def python(written: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location("copies", written)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture(params=["built", "reference"])
def launch(request: pytest.FixtureRequest, built: ModuleType, python: ModuleType) -> Launch:
    """Runs the copying kernel of a type."""

    def on_reference(dtype: DType, *arguments: Any) -> None:
        tile.launch(getattr(python, f"copy_{dtype}"), 1, *arguments)

    def on_module(dtype: DType, *arguments: Any) -> None:
        getattr(built, f"copy_{dtype}")[1](*arguments)

    return on_module if request.param == "built" else on_reference


def numpys(dtype: DType) -> np.dtype[Any]:
    return np.dtype(getattr(ml_dtypes, dtype.numpy, dtype.numpy))


class Producer:
    """An array that is known by DLPack alone, as torch's are: `code` is what that calls its type."""

    def __init__(self, held: np.ndarray, code: int) -> None:
        self.held, self.code = held, code

    def __dlpack__(self, **options: Any) -> Any:
        import ctypes

        capsule = self.held.__dlpack__(**options)
        name = b"dltensor_versioned" if options.get("max_version") else b"dltensor"
        pointer = ctypes.pythonapi.PyCapsule_GetPointer
        pointer.restype, pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
        place = 32 + 8 + 8 + 4 if name == b"dltensor_versioned" else 8 + 8 + 4  # of the code in the tensor
        ctypes.c_uint8.from_address(pointer(capsule, name) + place).value = self.code
        return capsule

    def __dlpack_device__(self) -> Any:
        return self.held.__dlpack_device__()


@pytest.mark.parametrize("dtype", KINDS, ids=str)
def test_every_bit_is_taken(dtype: DType, launch: Launch) -> None:
    bits = np.random.default_rng(3).integers(0, 256, 16 * dtype.bytes, dtype=np.uint8)
    x, y = bits.view(numpys(dtype)), np.zeros(16, numpys(dtype))
    launch(dtype, 16, 3, x, y)
    assert y.tobytes() == x.tobytes()
    launch(dtype, 8, 3, x, y)
    assert y.tobytes()[: 8 * dtype.bytes] == x.tobytes()[: 8 * dtype.bytes]
    assert (y[8:] == np.array(3, numpys(dtype))).all()


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_numbers_round_once(dtype: DType, launch: Launch) -> None:
    y = np.zeros(16, numpys(dtype))
    twice = 1.0 + 2.0 ** -(dtype.mantissa + 1) + 2.0**-40  # above a tie, by less than an f32 shows
    for number, wanted in (
        (twice, 1.0 + 2.0**-dtype.mantissa),
        (np.float32(0.1), np.array(np.float32(0.1)).astype(numpys(dtype))),
        (np.array(1.5, numpys(dtype)), 1.5),
        (numpys(dtype).type(-2), -2.0),
        (np.float16(0.25), 0.25),
        (True, 1.0),
        (7, 7.0),
        (dtype.largest, dtype.largest),
        (float("nan"), float("nan")),
    ):
        launch(dtype, 0, number, y.copy(), y)
        assert np.array_equal(y.astype(np.float64), np.full(16, float(wanted)), equal_nan=True), number


@pytest.mark.parametrize("kind", [int, np.uint64, lambda n: np.array(n, object), lambda n: np.array(n, ">u8")])
def test_the_upper_half_of_uint64(kind: Any, launch: Launch) -> None:
    y = np.zeros(16, np.uint64)
    launch(dtypes.U64, 0, kind(2**63 + 1), y.copy(), y)
    assert (y == 2**63 + 1).all()


@pytest.mark.parametrize(
    ("dtype", "number", "message"),
    [
        (dtypes.F16, 65520, "copy_f16: argument 'one' is 65520, outside of float16"),
        (dtypes.F16, -1e300, "copy_f16: argument 'one' is -1e+300, outside of float16"),
        (dtypes.BF16, 3.4e38, "copy_bf16: argument 'one' is 3.4e+38, outside of bfloat16"),
        (dtypes.BF16, 10**50, "copy_bf16: argument 'one' is outside of bfloat16"),
        (dtypes.F8E4M3, 465, "copy_f8e4m3: argument 'one' is 465, outside of float8_e4m3fn"),
        (dtypes.F8E5M2, float("inf"), "copy_f8e5m2: argument 'one' is inf, outside of float8_e5m2"),
        (dtypes.U8, 256, "copy_u8: argument 'one' is 256, outside of uint8"),
        (dtypes.U64, -1, "copy_u64: argument 'one' is -1, outside of uint64"),
        (dtypes.I16, 40000, "copy_i16: argument 'one' is 40000, outside of int16"),
    ],
    ids=str,
)
def test_numbers_outside_are_refused(dtype: DType, number: Any, message: str, launch: Launch) -> None:
    y = np.zeros(16, numpys(dtype))
    with pytest.raises(OverflowError) as caught:
        launch(dtype, 16, number, y.copy(), y)
    assert str(caught.value) == message


@pytest.mark.parametrize("dtype", FLOATS, ids=str)
def test_bits_stand_for_what_numpy_lacks(dtype: DType, launch: Launch) -> None:
    x, y = np.arange(16, dtype=dtype.held), np.zeros(16, dtype.held)
    if dtype is dtypes.F16:
        with pytest.raises(TypeError, match=r"^copy_f16: argument 'x' must be an array of float16, not of uint16$"):
            launch(dtype, 16, 0, x, y)
        return
    launch(dtype, 16, 0, x, y)
    assert (x == y).all()
    for other in (np.int8, np.int16, np.float16, np.uint32):
        given = np.zeros(16, other)
        with pytest.raises(TypeError) as caught:
            launch(dtype, 16, 0, given, y)
        assert (
            str(caught.value) == f"copy_{dtype}: argument 'x' must be an array of {dtype.numpy}, not of {given.dtype}"
        )


@pytest.mark.parametrize(("dtype", "code"), [(dtypes.BF16, 4), (dtypes.F8E4M3, 10), (dtypes.F8E5M2, 12)], ids=str)
def test_dlpack_names_the_types(dtype: DType, code: int, launch: Launch) -> None:
    x, y = np.arange(16, dtype=dtype.held), np.zeros(16, dtype.held)
    launch(dtype, 16, 0, Producer(x, code), Producer(y, code))
    assert (x == y).all()
    wrong = dtypes.F8E5M2 if dtype is not dtypes.F8E5M2 else dtypes.F8E4M3
    with pytest.raises(TypeError, match=f"must be an array of {wrong.numpy}, not of {dtype.numpy}"):
        launch(wrong, 16, 0, Producer(x, code), Producer(y, code))
    strided = Producer(np.arange(32, dtype=dtype.held)[::2], code)
    with pytest.raises(ValueError, match="is not C-contiguous"):
        launch(dtype, 16, 0, strided, y)


@pytest.mark.parametrize("dtype", KINDS, ids=str)
def test_pointers_of_python(dtype: DType, launch: Launch) -> None:
    allocate = native.stack_alloc[getattr(native, dtype.name)]
    x, y = allocate(17), allocate(16)
    for place in range(17):
        native.store(native.offset(x, place), place)
    launch(dtype, 16, 0, native.offset(x, 1), y)
    expected = [native.load(native.offset(x, place)) for place in range(1, 17)]
    assert [native.load(native.offset(y, place)) for place in range(16)] == expected
    assert np.asarray(y).dtype == numpys(dtype)
    assert np.asarray(y).astype(np.float64).tolist() == [float(each) for each in expected]

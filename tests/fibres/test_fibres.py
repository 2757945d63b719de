"""The fibre headers run hand-written CUDA and HIP as a device would, and report what a device would hang on."""

from __future__ import annotations

import ctypes
from pathlib import Path

import numpy as np
import pytest

from tests.support.bits import same_bits
from tests.support.compiling import compile_on_fibres

TEXT = (Path(__file__).parent / "blocks.cu").read_text()
ORDERS = (0, 1, 12345)


def library(text: str) -> ctypes.CDLL:
    made = ctypes.CDLL(str(compile_on_fibres(text, ("-Werror",))))
    made.fibres_report.restype = ctypes.c_char_p
    made.fibres_configure.argtypes = [ctypes.c_int, ctypes.c_uint64]
    return made


@pytest.fixture(scope="module")
def cuda() -> ctypes.CDLL:
    return library(TEXT.replace(" WIDTH", ""))


@pytest.fixture(scope="module")
def hip() -> ctypes.CDLL:
    text = TEXT.replace("cuda_runtime.h", "hip/hip_runtime.h").replace("cuda", "hip")
    return library(
        text.replace("_sync(0xffffffffu, ", "(")
        .replace(" WIDTH", ", 32")
        .replace("__syncwarp()", "__builtin_amdgcn_wave_barrier()")
    )


def pointer(array: np.ndarray) -> ctypes.c_void_p:
    return ctypes.c_void_p(array.ctypes.data)


def halving(values: np.ndarray) -> np.ndarray:
    while values.shape[-1] > 1:
        half = values.shape[-1] // 2
        values = values[..., :half] + values[..., half:]
    return values[..., 0]


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("machine", ["cuda", "hip32", "hip64"])
def test_block_sums_have_the_bits_of_a_halving_sum(machine: str, order: int, request: pytest.FixtureRequest) -> None:
    made = request.getfixturevalue(machine.rstrip("3264"))
    made.fibres_configure(64 if machine == "hip64" else 32, order)
    x = np.random.default_rng(1).standard_normal((7, 256))
    out = np.zeros(7)
    assert made.block_sums(ctypes.c_int64(7), pointer(x), pointer(out)) == 0
    assert made.fibres_report() == b""
    assert same_bits(out, halving(x))


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("machine", ["cuda", "hip32", "hip64"])
def test_shuffles_of_every_kind(machine: str, order: int, request: pytest.FixtureRequest) -> None:
    made = request.getfixturevalue(machine.rstrip("3264"))
    made.fibres_configure(64 if machine == "hip64" else 32, order)
    x = np.arange(128, dtype=np.int64) * 10
    out = np.zeros(4 * 128, np.int64)
    assert made.shuffles(pointer(x), pointer(out)) == 0
    lane, first = np.arange(128) % 32, np.arange(128) // 32 * 32
    assert same_bits(out[:128], x[first + (lane ^ 5)])
    assert same_bits(out[128:256], x[first + (lane + 7) % 32])
    assert same_bits(out[256:384], x[np.where(lane >= 3, first + lane - 3, first + lane)])
    assert same_bits(out[384:], x[np.where(lane + 9 < 32, first + lane + 9, first + lane)])


def test_indices_of_three_axes(cuda: ctypes.CDLL) -> None:
    cuda.fibres_configure(32, 0)
    out = np.zeros((3 * 2 * 2) * (4 * 2 * 2), np.int64)
    assert cuda.places(pointer(out)) == 0
    assert same_bits(out, np.arange(out.size, dtype=np.int64))


def test_dynamic_shared_memory(cuda: ctypes.CDLL) -> None:
    cuda.fibres_configure(32, 1)
    out = np.zeros(64)
    assert cuda.turned(pointer(out)) == 0
    assert same_bits(out, np.arange(63.0, -1.0, -1.0))


@pytest.mark.parametrize(
    ("kind", "words"), [(0, "32 have left"), (1, "left the kernel"), (2, "63 wait at __syncthreads, 1 at __syncwarp")]
)
def test_a_meeting_that_cannot_happen_is_reported(cuda: ctypes.CDLL, kind: int, words: str) -> None:
    cuda.fibres_configure(32, 0)
    assert cuda.stuck(ctypes.c_int(kind)) != 0
    assert words in cuda.fibres_report().decode()
    cuda.fibres_configure(32, 0)
    assert cuda.stuck(ctypes.c_int(3)) == 0, "a later launch is not affected"


def test_a_missing_barrier_shows_in_some_order(cuda: ctypes.CDLL) -> None:
    results = []
    for order in ORDERS:
        cuda.fibres_configure(32, order)
        out = np.zeros(64)
        cuda.unsafe(pointer(out))
        results.append(out)
    assert not all(same_bits(results[0], other) for other in results[1:])

"""Generic kernels: every instance on every target, and in the texts one template for those of floats."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pytest

from tests.support.everywhere import Step, Target, Text, check_everywhere

SOURCE: Final = """
from transpile import cuda, native, tile

T = native.TypeVar("T", native.f32, float, native.i32)
F = native.TypeVar("F", native.f32, float)
W = native.TypeVar("W", native.f32, float)


P = native.TypeVar("P", native.f16, native.f32)
N = native.TypeVar("N", native.f16, native.bf16, native.f8e5m2, native.f32)


@cuda.device
def third(v: native.f32) -> native.f32:
    return v / 3


@tile.kernel
def centre(cols: native.static[int], a: float, x: native.const_ptr[F], y: native.ptr[F]) -> None:
    at = tile.program_id() * cols + tile.arange(cols)
    xs = tile.load(x, at, at < 1500, 0.25)
    mean = tile.sum(xs) / cols
    tile.store(y, at, (xs - mean) * a + tile.max(xs), at < 1500)


@tile.kernel
def scale(n: int, a: float, x: native.const_ptr[T], y: native.ptr[T]) -> None:
    at = tile.program_id() * 64 + tile.arange(64)
    v = tile.load(x, at, at < n)
    tile.store(y, at, tile.cast(v * a + 1, T), at < n)


@tile.kernel
def widen(n: int, a: F, x: native.const_ptr[F], y: native.ptr[W]) -> None:
    at = tile.program_id() * 64 + tile.arange(64)
    tile.store(y, at, third(tile.cast(tile.load(x, at, at < n), native.f32)) * a, at < n)


@cuda.kernel
def turn(n: int, x: native.const_ptr[T], y: native.ptr[T]) -> None:
    held = cuda.shared[T, 128]()
    k = cuda.thread_id()
    own = native.stack_alloc[T](2)
    native.store(own, native.load(native.offset(x, k)))
    native.store(native.offset(own, 1), native.load(own) + native.load(own))
    native.store(native.offset(held, k), native.load(native.offset(own, k % 2)))
    cuda.syncthreads()
    native.store(native.offset(y, k), native.load(native.offset(held, n - 1 - k)))


@tile.kernel
def norm(cols: native.static[int], eps: float, x: native.const_ptr[N], y: native.ptr[N]) -> None:
    at = tile.program_id() * cols + tile.arange(cols)
    xs = tile.load(x, at, at < 1500, -0.75)
    centred = xs - tile.sum(xs) / cols
    tile.store(y, at, tile.where(xs > 0, centred / tile.sqrt(tile.sum(centred * centred) / cols + eps), xs), at < 1500)


@cuda.kernel
def pair(n: int, x: native.const_ptr[N], y: native.ptr[N]) -> None:
    k = cuda.global_id()
    if k < n:
        v = native.load(native.offset(x, k))
        native.store(native.offset(y, k), third(v) if v > 0 else native.cast(v, native.f32))


@cuda.device
def halved(v: native.f32) -> native.f16:
    return native.cast(v / 2, native.f16)


@cuda.kernel
def through(h: native.ptr[native.f16], x: native.const_ptr[P], y: native.ptr[P]) -> None:
    k = cuda.global_id()
    nearest = native.load(native.offset(h, k))
    t = native.load(native.offset(x, k))
    native.store(native.offset(y, k), halved(t) if t > 0.5 else nearest)
    native.store(native.offset(h, k), t)


auto = native.TypeVar("auto", native.f16, native.f32)


@tile.kernel
def words(x: native.const_ptr[auto], y: native.ptr[auto]) -> None:
    nearest = tile.load(x, tile.arange(64)) * 0.1
    tile.store(y, tile.arange(64), nearest)


def run(n: int, x: native.const_ptr[F], y: native.ptr[F]) -> None:
    tile.launch(centre, (n + 511) // 512, 512, 0.1, x, y)
    tile.launch(centre, (n + 2047) // 2048, 2048, -3, x, y)


def norms(n: int, x: native.const_ptr[N], y: native.ptr[N]) -> None:
    tile.launch(norm, n, 1024, 0.001, x, y)
    tile.launch(norm, n, 64, 0.001, x, y)
"""
NARROW: Final = ("f16", "bf16", "f8e5m2")
TYPES: Final = {"f32": np.float32, "f64": np.float64, "i32": np.int32}


@pytest.fixture(scope="module")
def text() -> Text:
    return Text(SOURCE, "generic")


def test_every_instance_has_the_same_bits_everywhere(text: Text, targets: Sequence[Target]) -> None:
    rng, steps = np.random.default_rng(5), []
    arrays: dict[str, Any] = {}
    for name, dtype in TYPES.items():
        for each in "xy":
            arrays[f"{each}_{name}"] = (rng.standard_normal(2048) * 1e6).astype(dtype)
        x, y = f"x_{name}", f"y_{name}"
        steps += [
            Step(f"scale__{name}", (4,), None, (250, 0.1, x, y)),
            Step(f"turn__{name}", (1,), (128,), (128, x, y)),
        ]
        if name != "i32":
            steps.append(Step(f"centre__{name}_512", (3,), None, (512, 0.1, x, y)))
            steps.append(Step(f"centre__{name}_2048", (1,), None, (2048, -3.0, x, y)))
    arrays |= {"z_f32": np.zeros(64, np.float32), "z_f64": np.zeros(64)}
    for one in ("f32", "f64"):
        for other in ("f32", "f64"):
            steps.append(Step(f"widen__{one}_{other}", (1,), None, (50, 0.1, f"x_{one}", f"z_{other}")))
    normal = rng.standard_normal(2048)
    half = normal.astype(np.float16).view(np.uint16)
    arrays |= {"x_f16": half, "x_f8e5m2": (half >> 8).astype(np.uint8)}
    arrays["x_bf16"] = (normal.astype(np.float32).view(np.uint32) >> 16).astype(np.uint16)
    arrays |= {f"y_{name}": np.zeros_like(arrays[f"x_{name}"]) for name in NARROW}
    for name in (*NARROW, "f32"):
        x, y = f"x_{name}", f"y_{name}"
        steps.append(Step(f"norm__{name}_1024", (2,), None, (1024, 0.001, x, y)))
        steps.append(Step(f"norm__{name}_64", (20,), None, (64, 0.001, x, y)))
        steps.append(Step(f"pair__{name}", (4,), (64,), (250, x, y)))
    arrays |= {f"h_{name}": half[::-1].copy() for name in ("f16", "f32")}
    arrays |= {"p_f16": np.zeros_like(half), "p_f32": np.zeros(2048, np.float32)}
    for name in ("f16", "f32"):
        steps.append(Step(f"through__{name}", (16,), (128,), (f"h_{name}", f"x_{name}", f"p_{name}")))
    steps += [Step(f"words__{name}", (1,), None, (f"x_{name}", f"y_{name}")) for name in ("f16", "f32")]
    found = check_everywhere(text, steps, arrays, targets)
    assert found["y_i32"].any()


@pytest.mark.parametrize("backend", ["cpu", "cuda", "hip"])
def test_instances_of_floats_are_one_template(text: Text, backend: str) -> None:
    written = text.emitted(backend)
    assert re.search(r"template <typename F, (int64_t \w+, )*int64_t cols(, int64_t \w+)*>", written)
    assert "template <typename F, typename W>" in written
    assert written.count("centre(") == 1
    assert re.search(r"centre<float, ([0-9]+, )*512\b", written)
    assert re.search(r"centre<double, ([0-9]+, )*2048\b", written)
    assert "scale<double>" in written
    assert "template <typename N>" in written
    assert "pair<bf16>" in written
    assert "nearest<N>(" in written
    assert "template <typename P>" in written
    assert "template <typename auto_>" in written


WIDE: Final = """
from transpile import native, tile

T = native.TypeVar("T", native.f16, native.f32)


@tile.kernel
def add(n: int, cols: int, x: native.const_ptr[T], bias: native.const_ptr[T], out: native.ptr[T]) -> None:
    at = tile.program_id() * 1024 + tile.arange(1024)
    tile.store(out, at, tile.load(x, at, at < n) + tile.load(bias, at % cols, at < n), at < n)
"""


@pytest.mark.parametrize("backend", ["cuda", "hip"])
def test_a_number_has_the_name_of_its_role_also_where_a_literal_comes_first(backend: str) -> None:
    written = Text(WIDE, "wide").emitted(backend)
    assert "template <typename T, int64_t lanes, int64_t threads>" in written
    assert "threadIdx.x * lanes" in written


SOFTMAX: Final = """
from transpile import native, tile

T = native.TypeVar("T", native.f16, native.bf16, native.f32)


@tile.kernel
def softmax(cols: int, x: native.const_ptr[T], out: native.ptr[T]) -> None:
    lane = tile.arange(1024)
    inside = lane < cols
    at = tile.program_id() * cols + lane
    xs = tile.load(x, at, inside, float("-inf"))
    powers = tile.exp(xs - tile.max(xs))
    tile.store(out, at, powers / tile.sum(powers), inside)
"""


def test_types_that_lie_in_other_groups_are_one_template(targets: Sequence[Target]) -> None:
    """A thread moves eight narrow lanes at once and four of f32, and f32 is not converted: the text is the same."""
    text, cols = Text(SOFTMAX, "softmax"), 1000
    rows = np.random.default_rng(8).standard_normal((3, cols)).astype(np.float32)
    arrays: dict[str, Any] = {
        "x_f32": rows.reshape(-1),
        "x_f16": rows.astype(np.float16).view(np.uint16).reshape(-1),
        "x_bf16": (rows.view(np.uint32) >> 16).astype(np.uint16).reshape(-1),
    }
    arrays |= {f"out{name[1:]}": np.zeros_like(held) for name, held in arrays.items()}
    steps = [
        Step(f"softmax__{name}", (3,), None, (cols, f"x_{name}", f"out_{name}")) for name in ("f16", "bf16", "f32")
    ]
    found = check_everywhere(text, steps, arrays, targets)
    powers = np.exp(rows.astype(float) - rows.max(1, keepdims=True))
    wanted = powers / powers.sum(1, keepdims=True)
    np.testing.assert_allclose(found["out_f32"].reshape(3, cols), wanted, rtol=1e-5)
    written = text.emitted("cuda")
    assert re.search(r"template <typename T, int64_t \w+, int64_t group>\n.*\nsoftmax\(", written)
    assert written.count("\nsoftmax") == 1
    assert "softmax<float, 256, 4>" in written

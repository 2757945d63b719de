"""A kernel under `fast_math` says what it gives up, and only such a kernel gives up anything."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.support.everywhere import TARGETS, Step, Text

KERNEL = """
import math

from transpile import cuda, native, tile


@cuda.kernel(OPTIONS)
def kernel(x: native.const_ptr[native.f32], y: native.ptr[native.f32], z: native.ptr[float]) -> None:
    i = cuda.global_id()
    u = native.load(native.offset(x, i))
    d = native.load(native.offset(z, i))
    total = native.sigmoid(u) + native.silu(u) * native.softplus(u)
LINES
    native.store(native.offset(y, i), total)
    native.store(native.offset(z, i), 1.0 - d * native.exp(d))
"""
CASES = (
    ("total += u * u", "total = std::fma(u, u, total)"),
    ("total -= u * u", "total = std::fma(-u, u, total)"),
    ("total = u * u - total", "total = std::fma(u, u, -total)"),
    ("total = u * total - 0.5", "total = std::fma(u, total, -0.5f)"),
    ("total += 2.0 - u * u", "total += std::fma(-u, u, 2.0f)"),
    ("total /= u", "total = __fdividef(total, u)"),
    ("total += native.exp(u) / native.rsqrt(u)", "total += __fdividef(__expf(u), rsqrtf(u))"),
    ("total += math.log(u) - math.log2(u)", "total += __logf(u) - __log2f(u)"),
    ("total += math.sin(u) - math.cos(u)", "total += __sinf(u) - __cosf(u)"),
    ("total += math.exp2(u)", "total += exp2f(u)"),
    ("total += u**0.5 + u**2", "total += std::fma(u, u, __powf(u, 0.5f))"),
    ("total += native.gelu_tanh(u)", "total += fast_gelu_tanh(u)"),
    ("total += math.sqrt(u)", "total += std::sqrt(u)"),
)


def text_of(options: str) -> Text:
    lines = "".join(f"    {line}\n" for line, _ in CASES)
    return Text(KERNEL.replace("OPTIONS", options).replace("LINES\n", lines), "program")


@pytest.mark.parametrize("backend", ["cuda", "hip"])
def test_what_a_gpu_is_told(backend: str) -> None:
    text = text_of("fast_math=True").emitted(backend)
    for _, spelled in CASES:
        assert f"{spelled};" in text, spelled
    assert "// fast_math: products and sums are fused, and functions and divisions of float are the" in text
    assert "std::fma(-d, exp(d), 1.0)" in text  # f64 has no such forms
    exact = text_of("").emitted(backend)
    assert not re.search(r"__\w+f\(|fast|rsqrtf|exp2f", exact.replace("__fmul_rn(", "").replace("-ffast-math", ""))


def test_it_is_part_of_what_a_kernel_is() -> None:
    codes = []
    for value in (True, False):
        found = re.search(r"code\s+(?:// +)?(\w{8})", text_of(f"fast_math={value}").emitted("cuda"))
        assert found is not None
        codes.append(found[1])
    assert codes[0] != codes[1]


def test_what_it_computes() -> None:
    """The reference and the CPU stay exact; the others come near."""
    text = text_of("fast_math=True")
    x = np.linspace(0.1, 8.0, 256).astype(np.float32)
    arrays = {"x": x, "y": np.zeros(256, np.float32), "z": np.linspace(-3.0, 3.0, 256)}
    step = Step("kernel", (2,), (128,), ("x", "y", "z"))
    fast, exact = (text_of(options).run_reference([step], arrays) for options in ("fast_math=True", ""))
    assert all(fast[name].tobytes() == exact[name].tobytes() for name in arrays)
    for target in TARGETS:
        got = text.run_target(target, [step], arrays)
        if target.backend == "cpu":
            assert all(got[name].tobytes() == exact[name].tobytes() for name in arrays)
        np.testing.assert_allclose(got["y"], exact["y"], rtol=2e-5, atol=2e-5)
        np.testing.assert_allclose(got["z"], exact["z"], rtol=1e-13)

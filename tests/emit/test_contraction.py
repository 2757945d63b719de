"""Products that meet a sum are rounded before it on CUDA, wherever the two stand; others are plain."""

from __future__ import annotations

import pytest

from tests.support.everywhere import Text

HEADER = """
from transpile import cuda, native, tile


@cuda.device
def weigh(a: float, b: float) -> float:
    return a * b


@cuda.device
def shift(a: float, b: float) -> float:
    return a + b


@cuda.kernel
def kernel(n: int, a: float, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    i = cuda.global_id()
    u = native.load(native.offset(x, i))
    v = native.load(native.offset(y, i))
"""


def emitted(*lines: str, options: str = "") -> str:
    """The body of the kernel in CUDA, without the notes."""
    source = HEADER + "".join(f"    {line}\n" for line in lines)
    if options:
        source = source.replace("@cuda.kernel", f"@cuda.kernel({options})")
    text = Text(source, "program").emitted("cuda")
    body = text[text.index("kernel(int64_t") :].split("struct xyz", 1)[0]
    device = text[: text.index("kernel(int64_t")]
    return "\n".join(line.partition("//")[0].rstrip() for line in (device + body).split("\n"))


STORE = "native.store(native.offset(y, i), w)"


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("w = u * v + a",), "mul(u, v) + a"),
        (("w = a - u * v",), "a - mul(u, v)"),
        (("p = u * v", "w = (p if u > 0.0 else a) + v"), "mul(u, v)"),
        (("w = -(u * v) + a",), "-mul(u, v) + a"),
        (("w = 0.0", "for k in range(n):", "    w += u * v"), "w += mul(u, v)"),
        (("w = shift(u * v, a)",), "shift(mul(u, v), a)"),
        (("w = weigh(u, v) + a",), "return mul(a, b)"),
        (("w = max(u * v, 0.0) + a",), "maximum(mul(u, v), 0.0)"),
        (("w = u / 4.0 + a",), "mul(u, 0.25) + a"),
        (("w = 0.0", "for k in range(1, 4):", "    w += u / k"), "div(u, double(k))"),
        (("w = native.fma(u, v, a * v)",), "std::fma(u, v, mul(a, v))"),
        (("w = (u * v) // a",), "floor_div(mul(u, v), a)"),
        (("w = a % (u * v)",), "floor_mod(a, mul(u, v))"),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, tuple) else "",
)
def test_what_meets_a_sum_is_rounded_first(lines: tuple[str, ...], expected: str) -> None:
    assert expected in emitted(*lines, STORE)


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        (("w = u * v",), "u * v"),
        (("w = u * v * a",), "u * v * a"),
        (("w = u / 4.0",), "u / 4.0"),
        (("w = u / v + a",), "u / v + a"),
        (("w = u / 3.0 + a",), "u / 3.0 + a"),
        (("w = weigh(u, v)",), "return a * b"),
        (("w = native.fma(u * v, v, a)",), "std::fma(u * v, v, a)"),
        (("w = a // (u * v)",), "floor_div(a, u * v)"),
        (("w = (u * v) % a",), "floor_mod(u * v, a)"),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, tuple) else "",
)
def test_what_meets_none_is_plain(lines: tuple[str, ...], expected: str) -> None:
    text = emitted(*lines, STORE)
    assert expected in text
    assert "_rn" not in text


def test_a_product_is_followed_through_memory() -> None:
    text = emitted("native.store(native.offset(y, i), u * v)", "w = native.load(native.offset(y, i)) + a", STORE)
    assert "y[i] = mul(u, v)" in text


def test_a_size_of_a_template_may_be_a_power_of_two() -> None:
    source = """
from transpile import native, tile


@tile.kernel
def centred(size: native.static[int], x: native.const_ptr[float], y: native.ptr[float]) -> None:
    v = tile.load(x, tile.arange(size))
    tile.store(y, tile.arange(size), v - tile.mean(v))
"""
    text = Text(source, "program", {"centred": [(1024,), (2048,)]}).emitted("cuda")
    assert "template <int64_t size" in text or "int64_t size>" in text
    assert "div(sum, double(size))" in text

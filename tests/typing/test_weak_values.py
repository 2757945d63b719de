"""Weak and strong values, and the types in which operands meet (language.md, Types)."""

from __future__ import annotations

import pytest

from tests.typing.kernels import expect, faults, printed, type_of, types


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("1", "weak i64"),
        ("1.5", "weak f64"),
        ("True", "bool"),
        ("a", "weak f64"),
        ("a * 2", "weak f64"),
        ("n", "i64"),
        ("n + 1", "i64"),
        ("h", "f32"),
        ("w", "i32"),
        ("b", "bool"),
        ("h * 0.1", "f32"),
        ("h * a", "f32"),
        ("h + n", "f32"),
        ("h + w", "f32"),
        ("h + b", "f32"),
        ("h + native.load(x)", "f64"),
        ("w + n", "i64"),
        ("w + 1", "i32"),
        ("w + b", "i32"),
        ("n * 0.5", "f64"),
        ("w * 0.5", "f64"),
        ("b * 0.1", "weak f64"),
        ("b * 3", "weak i64"),
        ("b + b", "i64"),
        ("b + 1", "weak i64"),
        ("-b", "i64"),
        ("b & b", "bool"),
        ("b | True", "bool"),
        ("~b", "bool"),
        ("~w", "i32"),
        ("w & 3", "i32"),
        ("w << 2", "i32"),
        ("n / 2", "f64"),
        ("w / w", "f64"),
        ("h / 2", "f32"),
        ("h / n", "f32"),
        ("1 / 3", "weak f64"),
        ("b / 2", "weak f64"),
        ("a // 2", "weak f64"),
        ("h % 2", "f32"),
        ("n // 2", "i64"),
        ("n < 2", "bool"),
        ("1.0 if b else 0.0", "weak f64"),
        ("h if b else 0", "f32"),
        ("n if b else 0.5", "f64"),
        ("native.where(b, 1.0, 0.0)", "weak f64"),
        ("native.cast(a, float)", "f64"),
        ("native.cast(1, native.i32)", "i32"),
        ("float(n)", "f64"),
        ("float(h)", "f64"),
        ("float(a)", "weak f64"),
        ("int(a)", "i64"),
        ("int(w)", "i64"),
        ("bool(n)", "bool"),
        ("round(h)", "i64"),
        ("math.floor(a)", "i64"),
        ("math.ceil(w)", "i64"),
        ("math.sqrt(n)", "f64"),
        ("math.sqrt(h)", "f32"),
        ("math.sqrt(a)", "weak f64"),
        ("math.fabs(n)", "f64"),
        ("math.fabs(h)", "f32"),
        ("math.isnan(h)", "bool"),
        ("abs(w)", "i32"),
        ("abs(b)", "i64"),
        ("max(w, n)", "i64"),
        ("min(h, 1, 2.5)", "f32"),
        ("native.fma(h, a, 1)", "f32"),
        ("cuda.thread_id()", "i64"),
        ("cuda.shfl_xor(a, 1)", "f64"),
    ],
)
def test_type_of_expression(expression: str, expected: str) -> None:
    assert type_of(expression) == expected


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("tile.arange(8)", "tile[i64, 8]"),
        ("tile.arange(8) < n", "tile[bool, 8]"),
        ("(tile.arange(8) < n) * 0.1", "weak tile[f64, 8]"),
        ("tile.where(tile.arange(8) < n, 1.0, 0.0)", "weak tile[f64, 8]"),
        ("tile.where(tile.arange(8) < n, h, 0.0)", "tile[f32, 8]"),
        ("tile.load(z, tile.arange(8)) * 0.5", "tile[f32, 8]"),
        ("tile.load(z, tile.arange(8)) * ((tile.arange(8) < n) * 0.1)", "tile[f32, 8]"),
        ("tile.load(z, tile.arange(8)) * tile.arange(8)", "tile[f32, 8]"),
        ("tile.arange(8) * 0.5", "tile[f64, 8]"),
        ("tile.arange(8) / 2", "tile[f64, 8]"),
        ("tile.sum(tile.arange(8) < n)", "i64"),
        ("tile.sum(tile.load(q, tile.arange(8)))", "i64"),
        ("tile.sum(tile.load(z, tile.arange(8)))", "f32"),
        ("tile.max(tile.load(q, tile.arange(8)))", "i32"),
        ("tile.max(tile.arange(8) < n)", "bool"),
        ("tile.nanmin(tile.load(x, tile.arange(8)))", "f64"),
        ("tile.all(tile.arange(8) < n)", "bool"),
        ("tile.floor(tile.arange(8))", "tile[i64, 8]"),
        ("tile.floor(tile.load(z, tile.arange(8)))", "tile[f32, 8]"),
        ("tile.cast(tile.arange(8), native.f32)", "tile[f32, 8]"),
        ("tile.maximum(n, 2)", "i64"),
        ("tile.load(x, 3)", "f64"),
        ("tile.arange(8) if b else n", "tile[i64, 8]"),
        ("round(tile.load(x, tile.arange(8)))", "tile[i64, 8]"),
    ],
)
def test_type_of_tile_expression(expression: str, expected: str) -> None:
    assert type_of(expression, "tile") == expected


def test_weak_float_is_rounded_once_where_it_meets_f32() -> None:
    assert printed("native.store(z, native.load(z) * (a * 0.1))") == expect("""
        %11: f32 = load %8.z[0]
        %12: f64 = const 0.1
        %13: f64 = mul %2.a, %12
        %14: f32 = cast %13
        %15: f32 = mul %11, %14
        store %8.z[0], %15
    """)


def test_constant_is_written_down_in_the_type_that_it_meets() -> None:
    assert printed("native.store(z, native.load(z) * 0.1)") == expect("""
        %11: f32 = load %8.z[0]
        %12: f32 = const 0.10000000149011612
        %13: f32 = mul %11, %12
        store %8.z[0], %13
    """)


def test_integer_constant_is_rounded_to_f32_straight() -> None:
    # By way of f64 it would land on a tie, and go to the even neighbour 2**60.
    above = float(2**60 + 2**37)
    assert f"const {above!r}" in printed(f"native.store(z, h * {2**60 + 2**36 + 1})")


def test_weak_integer_that_nobody_knows_is_never_narrowed() -> None:
    body = """
        big = 1
        for i in range(40):
            big = big * 2
        v = w + big
    """
    assert types(body) == {"big": "i64", "i": "i64", "v": "i64"}


def test_weak_integer_with_known_bounds_takes_the_narrow_type() -> None:
    assert type_of("tile.load(q, tile.arange(8)) + (tile.arange(8) < n) * 3", "tile") == "tile[i32, 8]"
    assert type_of("tile.load(q, tile.arange(8)) + (tile.arange(8) < n) * 3_000_000_000", "tile") == "tile[i64, 8]"


def test_operators_refuse_types() -> None:
    assert faults("v = a & 1\nu = h << 1\nr = ~a\ns = x + 1\nt = -x") == [
        (1, "operand-type"),
        (2, "operand-type"),
        (3, "operand-type"),
        (4, "pointer-arithmetic"),
        (5, "pointer-arithmetic"),
    ]

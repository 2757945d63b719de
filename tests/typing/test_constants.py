"""Arithmetic on literals and constants: exact integers, what must fit, what Python would refuse."""

from __future__ import annotations

import pytest

from tests.typing.kernels import expect, faults, printed, type_of


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2 ** 63 - 1", "9223372036854775807"),
        ("-(2 ** 63)", "-9223372036854775808"),
        ("(1 << 70) >> 68", "4"),
        ("-7 // 2", "-4"),
        ("-7 % 3", "2"),
        ("7 & 3 | 8", "11"),
        ("~5", "-6"),
        ("True + True", "2"),
        ("abs(-3)", "3"),
        ("max(1, 5, 2)", "5"),
        ("int(True)", "1"),
    ],
)
def test_integers_are_exact(expression: str, value: str) -> None:
    assert printed(f"native.store(native.offset(q, {expression}), 0)").splitlines()[0] == f"%11: i64 = const {value}"


@pytest.mark.parametrize(
    ("expression", "value"),
    [("0.1 + 0.2", "0.30000000000000004"), ("1 / 4", "0.25"), ("-0.0", "-0.0"), ("2.0 ** 3", "8.0"), ("3", "3.0")],
)
def test_floats_fold_where_python_is_ieee(expression: str, value: str) -> None:
    assert printed(f"native.store(y, {expression})").splitlines()[0] == f"%11: f64 = const {value}"


def test_division_of_constants_by_zero_is_left_to_the_kernel() -> None:
    assert printed("native.store(y, 1.0 / 0.0)") == expect("""
        %11: f64 = const 1.0
        %12: f64 = const 0.0
        %13: f64 = truediv %11, %12
        store %7.y[0], %13
    """)
    assert "floordiv" in printed("native.store(y, 1.0 // 0.0)")


def test_an_integer_that_is_too_large_to_divide_is_refused() -> None:
    assert faults("v = (1 << 2000) / 3") == [(1, "constant-range")]


def test_what_does_not_fit_is_refused() -> None:
    body = """
        v = 1 << 63
        u = w + 2 ** 31
        r = w + (2 ** 31 - 1)
        s = n * 2 ** 64
        t = a * 10 ** 30
        o = 1 << 100_000
    """
    assert faults(body) == [(line, "constant-range") for line in (1, 2, 4, 5, 6)]


def test_minus_two_to_the_31_fits_i32() -> None:
    assert type_of("w + -2 ** 31") == "i32"


def test_what_python_refuses_is_refused() -> None:
    assert faults("v = n // 0\nu = a % 0\nr = n << -1\ns = n >> (2 - 3)\nt = n // (1 - 1)\no = n / 0") == [
        (1, "constant-zero-division"),
        (2, "constant-zero-division"),
        (3, "constant-shift"),
        (4, "constant-shift"),
        (5, "constant-zero-division"),
    ]


def test_powers_are_squared_and_multiplied_from_the_top_bit() -> None:
    assert printed("native.store(y, native.load(x) ** 6)") == expect("""
        %11: f64 = load %6.x[0]
        %12: f64 = mul %11, %11
        %13: f64 = mul %12, %11
        %14: f64 = mul %13, %13
        store %7.y[0], %14
    """)


def test_power_zero_and_one() -> None:
    assert printed("native.store(y, native.load(x) ** 0)").endswith("%12: f64 = const 1.0\nstore %7.y[0], %12")
    assert printed("native.store(y, a ** 1)") == "store %7.y[0], %2.a"
    assert type_of("w ** 0") == "i32"
    assert type_of("tile.arange(4) ** 0", "tile") == "tile[i64, 4]"


def test_exponents() -> None:
    assert faults("v = a ** 65\nu = a ** -1\nr = a ** 0.5\ns = a ** n\nt = a ** 64\no = a ** True") == [
        (1, "power-exponent"),
        (2, "power-exponent"),
        (3, "power-exponent"),
        (4, "power-exponent"),
        (6, "power-exponent"),
    ]


def test_constant_condition_picks_its_branch() -> None:
    body = """
        if SIZE > 8:
            v = 1.0
        else:
            v = tile.arange(48)
        tile.store(y, 0, v)
    """
    assert printed(body, "tile", before="SIZE = 16\n\n\n") == expect("""
        %11.v: f64 = const 1.0
        %12: i64 = const 0
        store %7.y[%12], %11.v
    """)


def test_of_a_constant_that_does_not_fit_nothing_more_is_said() -> None:
    body = "a = 2 ** 62 * 4\nb = 1 // a\nc = 3 << 5000\nd = 7 % c\nnative.store(y, (1 << 5000) // a + b + d)\na = a * 8"
    assert faults(body) == [(1, "constant-range"), (3, "constant-range"), (5, "constant-range")]

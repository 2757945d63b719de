"""Arithmetic on literals and constants: exact integers, what must fit, what Python would refuse."""

from __future__ import annotations

import pytest

from tests.typing.kernels import expect, faults, printed, type_of, types


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
    """Of floats any; of integers what gives an integer, and what gives a float whatever the values are."""
    assert faults("v = a ** 65\nu = a ** -1\nr = a ** 0.5\ns = a ** n\nt = a ** 64\no = a ** True") == []
    refused = "v = n ** 65\nu = n ** n\nr = n ** w\no = 2 ** n\ns = b ** n\nt = pow(n, w)\np = n ** w ** 2\nw **= n"
    assert faults(refused) == [(line, "power-exponent") for line in range(1, 9)]
    assert faults("v = n ** 64\nu = n ** -1\nr = n ** 0.5\ns = float(n) ** n\nt = 2.0 ** n\no = pow(n, 2)") == []
    assert faults("v = pow(x, 2)\nu = 2.0 ** x") == [(1, "pointer-arithmetic"), (2, "pointer-arithmetic")]
    assert faults("v = pow(a, 2, 3)\nu = pow(a)") == [(1, "call-arguments"), (2, "call-arguments")]


def test_types_of_powers() -> None:
    """Small constant exponents keep the type; any other power is one of floats, and its operands meet as they do."""
    assert [type_of(each) for each in ("n ** 2", "w ** 2", "h ** 2", "pow(w, 3)")] == ["i64", "i32", "f32", "i32"]
    assert [type_of(each) for each in ("n ** -2", "w ** 0.5", "h ** 0.5", "2 ** h")] == ["f64", "f64", "f32", "f32"]
    assert [type_of(each) for each in ("h ** n", "h ** a", "h ** -1", "h ** 65")] == ["f32"] * 4
    assert [type_of(each) for each in ("2 ** -1", "2.0 ** 0.5", "math.pow(n, 2)")] == ["weak f64", "weak f64", "f64"]
    unsigned = "w: native.u32, l: native.u64, s: native.f16"
    found = types("a = w ** -1\nb = l ** -2\nc = s ** 0\nd = w ** 2", parameters=unsigned)
    assert [found[name] for name in "abcd"] == ["f64", "f64", "f32", "u32"]
    much = "v = h ** 10 ** 60\nu = n ** -(10 ** 60)\nr = h ** -(10 ** 60)"
    assert faults(much) == [(line, "constant-range") for line in (1, 2, 3)]
    assert type_of("2.0 ** tile.arange(4)", "tile") == "tile[f64, 4]"
    assert type_of("tile.pow(tile.arange(4), 2)", "tile") == "tile[f64, 4]"
    assert type_of("tile.arange(4) ** -0.5 * h", "tile") == "tile[f64, 4]"


def test_a_power_squared_and_one_of_floats() -> None:
    assert "pow" not in printed("native.store(y, native.load(x) ** 6)")
    assert "pow" in printed("native.store(y, native.load(x) ** 6.0)")
    assert "pow" in printed("native.store(y, math.pow(native.load(x), 6))")


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

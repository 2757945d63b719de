"""Unsigned integers, and the types that are for storage: what they meet in, what converts by itself (language.md,
Types)."""

from __future__ import annotations

from typing import Final

import pytest

from tests.typing.kernels import faults, types
from transpile import dtypes
from transpile.typing.join import converts

PARAMETERS: Final = (
    "n: int, w: native.i32, u: native.u32, v: native.u64, c: native.u8, s: native.i16, e: native.f16, g: native.bf16, "
    "t: native.f8e4m3, h: native.f32, b: bool, y: native.ptr[native.f16], z: native.ptr[native.u8]"
)


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        ("u + u", "u32"),
        ("u + 1", "u32"),
        ("u + w", "i64"),
        ("u + n", "i64"),
        ("u + v", "u64"),
        ("v + 18446744073709551615", "u64"),
        ("u + b", "u32"),
        ("-u", "u32"),
        ("~v", "u64"),
        ("u * 0.5", "f64"),
        ("v / v", "f64"),
        ("v + h", "f32"),
        ("abs(u)", "u32"),
        ("c", "u8"),
        ("c + c", "i32"),
        ("c + 300", "i32"),
        ("-c", "i32"),
        ("+c", "i32"),
        ("c ** 0", "i32"),
        ("c + s", "i32"),
        ("c + u", "i64"),
        ("c + v", "NoJoin"),
        ("c < s", "bool"),
        ("c if b else c", "u8"),
        ("c if b else s", "i32"),
        ("c if b else 1", "i32"),
        ("native.where(b, e, e)", "f16"),
        ("native.where(b, e, g)", "f32"),
        ("native.where(b, e, 0.0)", "f32"),
        ("e + e", "f32"),
        ("e + g", "f32"),
        ("e * 2", "f32"),
        ("t + n", "f32"),
        ("e + native.cast(n, float)", "f64"),
        ("math.sqrt(e)", "f32"),
        ("math.fabs(t)", "f32"),
        ("max(c, s)", "i32"),
        ("float(e)", "f64"),
        ("int(e)", "i64"),
        ("int(v)", "i64"),
        ("native.cast(e + 1, native.f16)", "f16"),
        ("cuda.shfl(e, 0)", "f16"),
    ],
)
def test_the_type_of_an_expression(expression: str, expected: str) -> None:
    if expected == "NoJoin":
        assert faults(f"r = {expression}", parameters=PARAMETERS) == [(1, "operand-type")]
    else:
        assert types(f"r = {expression}", parameters=PARAMETERS)["r"] == expected


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("r = v + n", "operand-type"),
        ("r = v - w", "operand-type"),
        ("r = v + (b * 3 - 1)", "operand-type"),
        ("r = u - (-1)", "constant-range"),
        ("r = u < -1", "constant-range"),
        ("r = v << n", "operand-type"),
        ("r: native.u8 = 256", "constant-range"),
        ("r: native.u8 = s", "annotated-type"),
        ("r: native.f16 = h", "annotated-type"),
        ("r: native.bf16 = e", "annotated-type"),
        ("native.store(z, h)", "store-type"),
        ("native.store(z, 256)", "constant-range"),
    ],
)
def test_what_does_not_meet(body: str, expected: str) -> None:
    assert faults(body, parameters=PARAMETERS) == [(1, expected)]


def test_a_variable_keeps_a_storage_type_until_it_must_grow() -> None:
    body = """
    kept = e
    if b:
        kept = native.load(y)
    grown = c
    if b:
        grown = c + 1
    other = e
    if b:
        other = h
    """
    found = types(body, parameters=PARAMETERS)
    assert (found["kept"], found["grown"], found["other"]) == ("f16", "i32", "f32")


def test_what_converts_by_itself_loses_nothing_but_integers_to_floats() -> None:
    narrow = {
        dtype.name: {to.name for to in dtypes.ALL if converts(dtype, to) and to is not dtype} for dtype in dtypes.ALL
    }
    floats = {"f16", "bf16", "f32", "f64", "f8e4m3", "f8e5m2"}
    assert narrow["u8"] == {"i16", "u16", "i32", "u32", "i64", "u64"} | floats
    assert narrow["i8"] == {"i16", "i32", "i64"} | floats
    assert narrow["u64"] == floats
    assert narrow["f16"] == narrow["bf16"] == {"f32", "f64"}
    assert narrow["f8e5m2"] == narrow["f8e4m3"] == {"f16", "bf16", "f32", "f64"}
    assert narrow["f64"] == set()

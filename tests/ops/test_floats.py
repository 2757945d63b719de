"""The float rows against exact fractions rounded once: every pair and triple of edge values, and random bits."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any, Final

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.ops.exact import F32, F64, Format, floor_mod, nearest
from transpile.ops.table import OPERATIONS

TYPES: Final[dict[str, tuple[type, Format]]] = {"f32": (np.float32, F32), "f64": (np.float64, F64)}
LIMITS: Final[dict[str, list[float]]] = {
    "f32": [
        2.0**-149,
        3 * 2.0**-149,
        2.0**-126,
        2.0**-75,
        1 + 2.0**-23,
        2.0**24,
        2.0**64,
        3e38,
        (2 - 2.0**-23) * 2.0**127,
    ],
    "f64": [
        5e-324,
        1.5e-323,
        2.0**-1022,
        2.0**-540,
        1 + 2.0**-52,
        2.0**53,
        2.0**512,
        1e300,
        (2 - 2.0**-52) * 2.0**1023,
    ],
}
USUAL: Final = [0.0, 0.1, 0.5, 1.0, 1.5, 2.5, 3.0, math.inf]
EDGES: Final[dict[str, list[float]]] = {
    name: [*USUAL, *limits, *(-value for value in (*USUAL, *limits)), math.nan] for name, limits in LIMITS.items()
}


def bits_equal(found: np.ndarray, expected: np.ndarray) -> np.ndarray:
    """Equal bits, all NaNs alike."""
    same = found.view(f"u{found.dtype.itemsize}") == expected.view(f"u{found.dtype.itemsize}")
    return same | (np.isnan(found) & np.isnan(expected))


def check(name: str, dtype: str, operands: list[list[float]], judge: Callable[..., float]) -> None:
    kind = TYPES[dtype][0]
    arrays = [np.array(column, kind) for column in operands]
    with np.errstate(all="ignore"):
        found = OPERATIONS[name].reference(*arrays)
    assert found.dtype == kind
    expected = np.array([judge(*(float(one) for one in row)) for row in zip(*arrays, strict=True)], kind)
    good = bits_equal(np.asarray(found), expected)
    if not good.all():
        place = int(np.flatnonzero(~good)[0])
        row = [array[place] for array in arrays]
        pytest.fail(f"{name}{tuple(row)} at {dtype} gives {found[place]!r}, not {expected[place]!r}")


def arithmetic(name: str, form: Format) -> Callable[[float, float], float]:
    def judge(x: float, y: float) -> float:
        if not (math.isfinite(x) and math.isfinite(y)) or (name == "truediv" and y == 0.0):
            with np.errstate(all="ignore"):
                a, b = np.float64(x), np.float64(y)
                return float({"add": a + b, "sub": a - b, "mul": a * b, "truediv": a / b}[name])
        a, b = Fraction(x), Fraction(y)
        exact = {"add": a + b, "sub": a - b, "mul": a * b, "truediv": a / b if b else Fraction(0)}[name]
        if exact == 0:
            if name in ("mul", "truediv"):
                return math.copysign(0.0, x) * math.copysign(1.0, y)
            other = y if name == "add" else -y
            return -0.0 if math.copysign(1, x) == math.copysign(1, other) == -1 and x == other == 0 else 0.0
        return nearest(exact, form)

    return judge


def fma_of(form: Format) -> Callable[[float, float, float], float]:
    def judge(a: float, b: float, c: float) -> float:
        if not (math.isfinite(a) and math.isfinite(b)):
            return a * b + c
        if not math.isfinite(c):
            return c
        exact = Fraction(a) * Fraction(b) + Fraction(c)
        if exact == 0:
            signs = {math.copysign(1, a) * math.copysign(1, b), math.copysign(1, c)}
            return -0.0 if signs == {-1.0} and a * b == 0 and c == 0 and 0.0 in (a, b) else 0.0
        return nearest(exact, form)

    return judge


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", ["add", "sub", "mul", "truediv"])
def test_arithmetic_is_rounded_once(name: str, dtype: str) -> None:
    pairs = list(itertools.product(EDGES[dtype], repeat=2))
    check(name, dtype, [list(column) for column in zip(*pairs, strict=True)], arithmetic(name, TYPES[dtype][1]))


@pytest.mark.parametrize("dtype", TYPES)
def test_fma_of_every_edge(dtype: str) -> None:
    triples = list(itertools.product(EDGES[dtype], repeat=3))
    check("fma", dtype, [list(column) for column in zip(*triples, strict=True)], fma_of(TYPES[dtype][1]))


@st.composite
def floats_of(draw: st.DrawFn, dtype: str) -> float:
    """Numbers of any exponent, of few exponents (so that they cancel), or the edges."""
    digits, span = (24, 100) if dtype == "f32" else (53, 1000)
    way = draw(st.integers(0, 3))
    if way == 0:
        return draw(st.floats(width=32 if dtype == "f32" else 64))
    if way == 1:
        return draw(st.sampled_from(EDGES[dtype]))
    significand = draw(st.integers(-(1 << digits) + 1, (1 << digits) - 1))
    exponent = draw(st.integers(-8, 8) if way == 2 else st.integers(-span, span))
    with np.errstate(all="ignore"):
        return float(TYPES[dtype][0](math.ldexp(significand, exponent - digits)))


@pytest.mark.parametrize("dtype", TYPES)
def test_fma_of_any_numbers(dtype: str) -> None:
    @given(st.lists(st.tuples(floats_of(dtype), floats_of(dtype), floats_of(dtype)), min_size=1, max_size=40))
    def run(rows: list[tuple[float, float, float]]) -> None:
        check("fma", dtype, [list(column) for column in zip(*rows, strict=True)], fma_of(TYPES[dtype][1]))

    run()


@pytest.mark.parametrize("dtype", TYPES)
def test_fma_where_the_product_almost_cancels(dtype: str) -> None:
    """c is minus the rounded product, its neighbours, or half a unit of it: where rounding twice goes wrong."""
    kind, form = TYPES[dtype]
    random = np.random.default_rng(3)
    a = (
        random.integers(1 << (form.digits - 1), 1 << form.digits, 20000) * 2.0 ** -random.integers(0, 90, 20000)
    ).astype(kind)
    b = (
        random.integers(1 << (form.digits - 1), 1 << form.digits, 20000) * 2.0 ** -random.integers(0, 90, 20000)
    ).astype(kind)
    product = a * b
    factors = np.array([-1, -1 - 2.0 ** (1 - form.digits), -(2.0**-form.digits), 2.0**-form.digits, 0.5, -2.0], kind)
    c = (product * random.choice(factors, 20000)).astype(kind)
    check("fma", dtype, [list(map(float, column)) for column in (a, b, c)], fma_of(form))


def test_fma_of_subnormal_and_huge_f64() -> None:
    """Products whose error underflows or that overflow before the sum brings them back."""
    random = np.random.default_rng(5)
    a = np.ldexp(random.random(3000) + 0.5, random.integers(-1074, 1024, 3000))
    with np.errstate(all="ignore"):
        b = np.ldexp(random.random(3000) + 0.5, random.choice([-1, 1], 3000) * random.integers(900, 1074, 3000))
        c = np.where(
            random.random(3000) < 0.5, -a * b, np.ldexp(random.random(3000), random.integers(-1074, 1024, 3000))
        )
    c = np.where(np.isfinite(c), c, -(2.0**1023))
    check("fma", "f64", [column.tolist() for column in (a, b, c)], fma_of(F64))


def test_python_itself_agrees_on_floor_division() -> None:
    for x, y in itertools.product(EDGES["f64"], repeat=2):
        if y != 0.0:
            quotient, remainder = floor_mod(x, y, F64)
            assert repr(quotient) == repr(x // y), (x, y)
            assert repr(remainder) == repr(x % y), (x, y)


@pytest.mark.parametrize("dtype", TYPES)
def test_floor_division_of_every_edge(dtype: str) -> None:
    form = TYPES[dtype][1]
    columns = [list(column) for column in zip(*itertools.product(EDGES[dtype], repeat=2), strict=True)]
    check("floordiv", dtype, columns, lambda x, y: floor_mod(x, y, form)[0])
    check("mod", dtype, columns, lambda x, y: floor_mod(x, y, form)[1])


@pytest.mark.parametrize("dtype", TYPES)
def test_floor_division_of_any_numbers(dtype: str) -> None:
    form = TYPES[dtype][1]

    @given(st.lists(st.tuples(floats_of(dtype), floats_of(dtype)), min_size=1, max_size=40))
    def run(rows: list[tuple[float, float]]) -> None:
        columns = [list(column) for column in zip(*rows, strict=True)]
        check("floordiv", dtype, columns, lambda x, y: floor_mod(x, y, form)[0])
        check("mod", dtype, columns, lambda x, y: floor_mod(x, y, form)[1])

    run()


@pytest.mark.parametrize("dtype", TYPES)
def test_square_roots_are_the_nearest(dtype: str) -> None:
    kind, form = TYPES[dtype]
    random = np.random.default_rng(1)
    x = np.concatenate(
        [np.array(EDGES[dtype], kind), random.random(500).astype(kind), np.ldexp(random.random(500), -100).astype(kind)]
    )
    for value, root in zip(x.tolist(), OPERATIONS["sqrt"].reference(x).tolist(), strict=True):
        if not value > 0 or math.isinf(value):
            assert repr(root) == repr(value if value == 0 or value > 0 else math.nan)
            continue
        scaled = Fraction(value) * Fraction(4) ** 1200
        whole = math.isqrt(
            scaled.numerator // scaled.denominator * 4 + 1
        )  # twice the root, a last bit for what is cut off
        sticky = whole * whole != 4 * scaled
        assert root == nearest(Fraction(whole * 4 + sticky, 8) / Fraction(2) ** 1200, form), value


@pytest.mark.parametrize("dtype", TYPES)
def test_whole_numbers(dtype: str) -> None:
    def signed(value: float, like: float) -> float:
        return math.copysign(value, like)

    judges: dict[str, Callable[[float], float]] = {
        "floor": lambda x: signed(float(math.floor(x)), x) if x else x,
        "ceil": lambda x: signed(float(math.ceil(x)), x) if x else x,
        "trunc": lambda x: signed(float(math.trunc(x)), x),
        "round": lambda x: signed(float(round(x)), x),
    }
    values = EDGES[dtype] + [0.4999, -0.5, 3.5, -3.5, 4.5, -4.5, 0.75, -0.75]
    for name, judge in judges.items():
        check(name, dtype, [values], lambda x, judge=judge: judge(x) if math.isfinite(x) else x)  # type: ignore[misc]


@pytest.mark.parametrize("dtype", TYPES)
def test_signs_and_tests(dtype: str) -> None:
    kind = TYPES[dtype][0]
    values = np.array(EDGES[dtype], kind)
    for name, judge in {"isnan": math.isnan, "isinf": math.isinf, "isfinite": math.isfinite}.items():
        assert OPERATIONS[name].reference(values).tolist() == [judge(x) for x in values.tolist()]
    pairs = [(x, y) for x, y in itertools.product(EDGES[dtype], repeat=2) if not math.isnan(x)]
    check("copysign", dtype, [list(column) for column in zip(*pairs, strict=True)], math.copysign)
    check("neg", dtype, [EDGES[dtype]], lambda x: math.copysign(x, -math.copysign(1.0, x)))
    check("abs", dtype, [EDGES[dtype]], abs)
    check("pos", dtype, [EDGES[dtype]], lambda x: x)


def order(x: float) -> tuple[float, float]:
    """+0 is above -0."""
    return x, math.copysign(1.0, x)


SELECT: Final[dict[str, Callable[..., Any]]] = {"maximum": max, "minimum": min, "fmax": max, "fmin": min}


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", SELECT)
def test_maximum_and_minimum(name: str, dtype: str) -> None:
    def judge(x: float, y: float) -> float:
        numbers = [value for value in (x, y) if not math.isnan(value)]
        if len(numbers) < 2 and (name[0] == "m" or not numbers):
            return math.nan
        return float(SELECT[name](numbers, key=order))

    pairs = list(itertools.product(EDGES[dtype], repeat=2))
    check(name, dtype, [list(column) for column in zip(*pairs, strict=True)], judge)


@pytest.mark.parametrize("dtype", TYPES)
def test_comparisons_with_nan_are_false(dtype: str) -> None:
    kind = TYPES[dtype][0]
    pairs = list(itertools.product(np.array(EDGES[dtype], kind).tolist(), repeat=2))
    x, y = (np.array(column, kind) for column in zip(*pairs, strict=True))
    expected = {
        "eq": [a == b for a, b in pairs],
        "ne": [a != b for a, b in pairs],
        "lt": [a < b for a, b in pairs],
        "le": [a <= b for a, b in pairs],
        "gt": [a > b for a, b in pairs],
        "ge": [a >= b for a, b in pairs],
    }
    for name, answers in expected.items():
        assert OPERATIONS[name].reference(x, y).tolist() == answers

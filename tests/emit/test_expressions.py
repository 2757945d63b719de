"""Random integer and bool expressions, printed for two targets, compute what they mean: parentheses and casts are
right, and no compiler warns of them."""

from __future__ import annotations

import ctypes
import math
import random
from dataclasses import dataclass
from typing import Final

import pytest

from tests.support.compiling import compile_library, parse_on_fibres
from transpile.backends.backend import Backend
from transpile.backends.cpu import CPU
from transpile.backends.cuda import CUDA
from transpile.dtypes import BF16, BOOL, F8E4M3, F16, F32, F64, I64, U8, U32, U64
from transpile.emit.cxx import Printer
from transpile.emit.doc import flat, lines
from transpile.emit.pieces import keyword_line
from transpile.ir import kir
from transpile.ir.kir_walk import dtype_of
from transpile.typing.types import Pointer, Scalar

COUNT: Final = 400
PLACES: Final = {"thread_id": 5, "block_id": 70_000, "block_dim": 1024}
VARIABLES: Final = {"a": 3, "b": -7, "c": 1 << 40, "k": 2}
BOOLS: Final = {"p": True, "q": False}
NUMBER_OPS: Final = ("add", "sub", "mul", "floordiv", "mod", "and", "or", "xor", "shl", "shr")
RELATIONS: Final = ("lt", "le", "gt", "ge", "eq", "ne")
PRELUDE: Final = """
#include <cmath>
#include <cstdint>
struct xyz { unsigned x, y, z; };
static const xyz threadIdx = {5, 5, 5}, blockIdx = {70000, 70000, 70000}, blockDim = {1024, 1024, 1024};
static const struct { int64_t x, y, z; } block_id = {70000, 70000, 70000}, block_dim = {1024, 1024, 1024};
static const int64_t thread_id_x = 5, a = 3, b = -7, c = int64_t(1) << 40;
static const int k = 2;
static const bool p = true, q = false;
"""


@dataclass(frozen=True, slots=True)
class Made:
    """An expression and its value; the value stays well inside of i64."""

    expr: kir.Expr
    value: int


def number(rng: random.Random, depth: int) -> Made:
    if depth == 0 or rng.random() < 0.15:
        return leaf(rng)
    if rng.random() < 0.12:
        condition, one, other = truth(rng, depth - 1), number(rng, depth - 1), number(rng, depth - 1)
        chosen = one.value if condition.value else other.value
        return Made(kir.Apply("where", (condition.expr, one.expr, other.expr), I64), chosen)
    if rng.random() < 0.12:
        operand = number(rng, depth - 1)
        op = rng.choice(("neg", "invert"))
        return Made(kir.Apply(op, (operand.expr,), I64, exact=True), -operand.value if op == "neg" else ~operand.value)
    if rng.random() < 0.08:
        condition = truth(rng, depth - 1)
        return Made(kir.Cast(condition.expr, I64), int(condition.value))
    return binary(rng, depth)


def binary(rng: random.Random, depth: int) -> Made:
    while True:
        op, one, other = rng.choice(NUMBER_OPS), number(rng, depth - 1), number(rng, depth - 1)
        value = computed(op, one.value, other.value)
        if value is not None and abs(value) < 1 << 60:
            return Made(kir.Apply(op, (one.expr, other.expr), I64, exact=True), value)


def computed(op: str, a: int, b: int) -> int | None:
    """The value where C++'s own operator gives the same."""
    match op:
        case "floordiv" | "mod":
            if a < 0 or b <= 0:
                return None
            return a // b if op == "floordiv" else a % b
        case "shl" | "shr":
            if not 0 <= b < 20 or a < 0:
                return None
            return a << b if op == "shl" else a >> b
    return {"add": a + b, "sub": a - b, "mul": a * b, "and": a & b, "or": a | b, "xor": a ^ b}[op]


def truth(rng: random.Random, depth: int) -> Made:
    if depth == 0:
        name = rng.choice(list(BOOLS))
        return Made(kir.Var(name, Scalar(BOOL)), BOOLS[name])
    kind = rng.random()
    if kind < 0.55:
        op, one, other = rng.choice(RELATIONS), number(rng, depth - 1), number(rng, depth - 1)
        values = {"lt": one.value < other.value, "le": one.value <= other.value, "gt": one.value > other.value}
        values |= {"ge": one.value >= other.value, "eq": one.value == other.value, "ne": one.value != other.value}
        return Made(kir.Apply(op, (one.expr, other.expr), BOOL), values[op])
    if kind < 0.7:
        operand = truth(rng, depth - 1)
        return Made(kir.Apply("not", (operand.expr,), BOOL), not operand.value)
    op, first, second = rng.choice(("and", "or", "xor", "eq")), truth(rng, depth - 1), truth(rng, depth - 1)
    x, y = bool(first.value), bool(second.value)
    return Made(
        kir.Apply(op, (first.expr, second.expr), BOOL), {"and": x and y, "or": x or y, "xor": x != y, "eq": x == y}[op]
    )


def leaf(rng: random.Random) -> Made:
    kind = rng.random()
    if kind < 0.3:
        value = rng.choice((0, 1, 2, 3, 31, 32, 256, -1, -4, 3_000_000_000))
        return Made(kir.Lit(value, I64), value)
    if kind < 0.6:
        name = rng.choice(list(PLACES))
        return Made(kir.Place(name, 0), PLACES[name])  # type: ignore[arg-type]
    name = rng.choice(list(VARIABLES))
    return Made(kir.Var(name, Scalar(I64)), VARIABLES[name])


def printer(backend: Backend) -> Printer:
    return Printer(backend, "f", set(), counters={"k": 2})


@pytest.mark.parametrize("backend", [CPU, CUDA], ids=lambda backend: backend.name)
def test_expressions_mean_what_they_say(backend: Backend) -> None:
    rng = random.Random(20)
    made = [number(rng, 4) for _ in range(COUNT)] + [truth(rng, 4) for _ in range(COUNT)]
    text = [PRELUDE]
    for place, each in enumerate(made):
        written = "\n".join(lines(printer(backend).plain(each.expr), 0))
        text.append(f'extern "C" int64_t e{place}() {{ return\n{written}; }}')
    flags = ("-std=c++17", "-O0", "-fPIC", "-Wall", "-Wextra", "-Wno-unused-variable", *HARMLESS)
    library = ctypes.CDLL(str(compile_library("\n".join(text), "g++", (*flags, "-Werror"))))
    for place, each in enumerate(made):
        function = getattr(library, f"e{place}")
        function.restype = ctypes.c_int64
        assert function() == each.value, lines(printer(backend).plain(each.expr))


# What a random program says in vain (a comparison that is always true) is the program's own, not the printer's.
HARMLESS: Final = ("-Wno-type-limits", "-Wno-tautological-compare", "-Wno-bool-compare", "-Wno-int-in-bool-context")


def printed(expr: kir.Expr, backend: Backend = CUDA) -> str:
    return "".join(lines(printer(backend).plain(expr), 0))


def test_a_cast_stands_where_it_changes_something() -> None:
    block, thread = kir.Place("block_id", 0), kir.Place("thread_id", 0)
    product = kir.Apply("mul", (block, kir.Lit(256, I64)), I64, exact=True)
    assert printed(kir.Apply("add", (product, thread), I64, exact=True)) == "int64_t(blockIdx.x) * 256 + threadIdx.x"
    pid = kir.Var("pid", Scalar(I64))
    product = kir.Apply("mul", (pid, kir.Lit(64, I64)), I64, exact=True)
    assert printed(kir.Apply("add", (product, thread), I64, exact=True)) == "pid * 64 + threadIdx.x"
    assert printed(kir.Apply("mod", (thread, kir.Lit(32, I64)), I64, exact=True)) == "threadIdx.x % 32"


def test_an_integer_operation_that_may_overflow_is_a_helper() -> None:
    i = kir.Var("i", Scalar(I64))
    assert printed(kir.Apply("add", (i, kir.Lit(1, I64)), I64)) == "add(i, 1)"
    assert printed(kir.Apply("add", (kir.Lit(1, I64), i), I64)) == "add(int64_t(1), i)"
    assert printed(kir.Apply("floordiv", (i, i), I64)) == "floor_div(i, i)"


def test_unsigned_integers_wrap_by_themselves() -> None:
    u, v = kir.Var("u", Scalar(U32)), kir.Var("v", Scalar(U64))
    assert printed(kir.Apply("add", (u, kir.Lit(1, U32)), U32)) == "u + 1u"
    assert printed(kir.Apply("sub", (kir.Lit(1, U64), v), U64)) == "1ull - v"
    assert printed(kir.Apply("neg", (u,), U32)) == "-u"
    assert printed(kir.Apply("floordiv", (u, u), U32)) == "divide(u, u)"
    assert printed(kir.Apply("maximum", (kir.Lit(1, U64), v), U64)) == "maximum(uint64_t(1ull), v)"


def test_conversions_of_narrow_floats() -> None:
    half, eight = kir.Var("half", Scalar(F16)), kir.Var("eight", Scalar(F8E4M3))
    assert printed(kir.Cast(half, F64)) == "double(float(half))"
    assert printed(kir.Cast(half, F8E4M3)) == "to_f8e4m3(float(half))"
    assert printed(kir.Cast(eight, I64)) == "saturate<int64_t>(float(eight))"
    assert printed(kir.Cast(half, BOOL)) == "float(half) != 0.0f"
    d, i, u = kir.Var("d", Scalar(F64)), kir.Var("i", Scalar(I64)), kir.Var("u", Scalar(U32))
    assert printed(kir.Cast(d, F16)) == "to_f16(round_to_odd(d))"
    assert printed(kir.Cast(i, F16)) == "to_f16(float(i))"  # what a float rounds is beyond the halves
    assert printed(kir.Cast(i, BF16)) == "to_bf16(round_to_odd(i))"
    assert printed(kir.Cast(u, BF16)) == "to_bf16(round_to_odd(double(u)))"
    shuffle = kir.Shuffle("xor", half, kir.Lit(1, I64), F16)
    assert printed(shuffle) == "f16{uint16_t(__shfl_xor_sync(0xffffffffu, half.bits, 1))}"
    byte = kir.Shuffle("up", kir.Var("b", Scalar(U8)), kir.Lit(1, I64), U8)
    assert printed(byte) == "uint8_t(__shfl_up_sync(0xffffffffu, b, 1))"  # which is an int


def test_the_first_element_is_a_dereference() -> None:
    pointer = kir.Var("p", Pointer(F64))
    assert printed(kir.Element(pointer, kir.Lit(0, I64), F64)) == "*p"
    assert printed(kir.Element(pointer, kir.Place("thread_id", 0), F64)) == "p[threadIdx.x]"
    further = kir.PointerAdd(pointer, kir.Lit(-2, I64), Pointer(F64))
    assert printed(kir.Element(further, kir.Lit(0, I64), F64)) == "*(p - 2)"
    assert dtype_of(further) is F64


@pytest.mark.parametrize("count", [31, 32, 63])
def test_a_shift_is_made_in_a_type_that_is_wide_enough(count: int) -> None:
    """A counter is an `int` in the text and an i64 in the language; C++ defines no shift by the width."""
    counter = kir.Var("k", Scalar(I64))
    shifted = kir.Apply("shr", (counter, kir.Lit(count, I64)), I64, exact=True)
    printer = Printer(CUDA, "f", set(), counters={"k": 5})
    assert lines(printer.piece(shifted).doc) == (f"{'k' if count < 32 else 'int64_t(k)'} >> {count}",)


def test_a_condition_is_no_declaration() -> None:
    """g++ refuses `if (double(f(int64_t(a), int64_t(a))) < b)`: it has read a function's declaration by then."""
    flag, x = kir.Var("p", Scalar(BOOL)), kir.Var("x", Scalar(F64))
    once = kir.Cast(kir.Apply("floordiv", (kir.Cast(flag, I64), kir.Var("i", Scalar(I64))), I64), F64)
    twice = kir.Cast(kir.Apply("floordiv", (kir.Cast(flag, I64), kir.Cast(flag, I64)), I64), F64)
    printed_once, printed_twice = (
        flat(keyword_line("if", printer(CPU).plain(kir.Apply("lt", (each, x), BOOL)))) for each in (once, twice)
    )
    assert printed_once == "if (double(floor_div(int64_t(p), i)) < x)"
    assert printed_twice == "if ((double(floor_div(int64_t(p), int64_t(p))) < x))"
    floor_div = "int64_t floor_div(int64_t, int64_t);"
    parse_on_fibres(
        f"{PRELUDE}\n{floor_div}\nint64_t read(double x) {{ {printed_twice} return a + b + c + k; return q; }}"
    )


def test_a_difference_from_zero_keeps_its_sign_on_the_host() -> None:
    """g++ 12 makes `-double(n)` of `0.0 - double(n)`, in the launchers of CUDA's text too."""
    n = kir.Var("n", Scalar(I64))
    host = Printer(CUDA, "f", set(), is_host=True)
    difference = flat(host.plain(kir.Apply("sub", (kir.Lit(0.0, F64), kir.Cast(n, F64)), F64)))
    text = f'#include <cstdint>\nextern "C" double f(int64_t n) {{ return {difference}; }}'
    function = ctypes.CDLL(str(compile_library(text, "g++", ("-O2",)))).f
    function.argtypes, function.restype = [ctypes.c_int64], ctypes.c_double
    assert [math.copysign(1.0, function(n)) for n in (0, 1, -1)] == [1.0, -1.0, 1.0]
    assert function(-(1 << 63)) == 2.0**63
    for left, right in ((0.0, kir.Cast(kir.Var("x", Scalar(F32)), F64)), (-0.0, kir.Cast(n, F64))):
        assert "int128" not in flat(host.plain(kir.Apply("sub", (kir.Lit(left, F64), right), F64)))

"""Expressions of a wanted kind, as text, within the typing rules.

An expression has `lanes` lanes, 0 for a scalar; where a tile is wanted, operands may be scalars as long as one is a
tile.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from tests.fuzz.draw import Draw
from tests.fuzz.functions import applied, raised
from tests.fuzz.kinds import (
    DIVISORS,
    DTYPE_OF,
    FLOAT_LITERALS,
    FLOATS,
    INTEGERS,
    KIND_OF,
    NARROW_INTEGERS,
    NARROW_LITERALS,
    NUMBERS,
    UNSIGNED_LITERALS,
    WIDE_LITERALS,
    Dialect,
    Kind,
)

COMPARISONS: Final = ("<", "<=", ">", ">=", "==", "!=")


@dataclass(frozen=True, slots=True)
class Variable:
    """A readable name. `fixed` ones are not assigned again; `uniform` ones are one number in the block."""

    name: str
    kind: Kind
    lanes: int = 0
    fixed: bool = False
    uniform: bool = False


@dataclass(frozen=True, slots=True)
class DeviceFunction:
    name: str
    parameters: tuple[str, ...]  # dtypes as written
    result: str


@dataclass(slots=True)
class Scope:
    """What an expression may use here."""

    draw: Draw
    dialect: Dialect
    variables: list[Variable] = field(default_factory=list)
    devices: tuple[DeviceFunction, ...] = ()
    # Makes a load of this kind and lanes, or None where there is nothing to load from.
    load: Callable[[Kind, int, int], str | None] | None = None
    uniform_only: bool = False

    def readable(self, kind: Kind, lanes: int) -> list[Variable]:
        return [
            one
            for one in self.variables
            if one.kind == kind and one.lanes == lanes and (one.uniform or not self.uniform_only)
        ]

    @property
    def prefix(self) -> str:
        return "tile" if self.dialect == "tile" else "native"


def literal(scope: Scope, kind: Kind) -> str:
    """A constant that fits beside any value of the kind."""
    pools: dict[Kind, tuple[str, ...]] = {
        "b": ("True", "False", "FLAG"),
        "n": NARROW_LITERALS,
        "i": WIDE_LITERALS,
        "u": UNSIGNED_LITERALS,
        "w": (*UNSIGNED_LITERALS, "BIG", "18446744073709551615", "(1 << 63)"),
        "f": FLOAT_LITERALS,
    }
    text = scope.draw.pick(pools[kind])
    return f"({text})" if text.startswith("-") else text


def cast(scope: Scope, text: str, dtype: str) -> str:
    return f"{scope.prefix}.cast({text}, {dtype})"


def leaf(scope: Scope, kind: Kind, lanes: int) -> str:
    """A variable, or what is nearest to one; never a bare literal."""
    found = scope.readable(kind, lanes)
    if found and (lanes or scope.draw.chance(97)):
        return scope.draw.pick(found).name
    others = [one for one in scope.variables if one.lanes == lanes and (one.uniform or not scope.uniform_only)]
    if others:
        return cast(scope, scope.draw.pick(others).name, DTYPE_OF[kind])
    if lanes == 0:
        return cast(scope, literal(scope, kind), DTYPE_OF[kind])
    return (
        f"({cast(scope, literal(scope, 'i'), 'int')} + tile.arange({lanes}))"
        if kind == "i"
        else cast(scope, f"tile.arange({lanes})", DTYPE_OF[kind])
    )


def expression(scope: Scope, kind: Kind, lanes: int, depth: int) -> str:
    """An expression that is no literal."""
    draw = scope.draw
    if depth <= 0 or draw.chance(15):
        return leaf(scope, kind, lanes)
    makers = {"b": boolean, "n": integer, "i": integer, "u": integer, "w": integer, "f": floating}
    return makers[kind](scope, kind, lanes, depth - 1)


def operand(scope: Scope, kind: Kind, lanes: int, depth: int) -> str:
    """An expression, a literal, or (beside a tile) a scalar."""
    draw = scope.draw
    if draw.chance(25):
        return literal(scope, kind)
    if lanes and draw.chance(20):
        return expression(scope, kind, 0, depth)
    return expression(scope, kind, lanes, depth)


def pair(scope: Scope, kind: Kind, lanes: int, depth: int) -> tuple[str, str]:
    """Two operands, one of which has the lanes and is no literal, in either order."""
    first, second = expression(scope, kind, lanes, depth), operand(scope, kind, lanes, depth)
    return (first, second) if scope.draw.chance(65) else (second, first)


def boolean(scope: Scope, kind: Kind, lanes: int, depth: int) -> str:
    draw = scope.draw
    choice = draw.integer(0, 11)
    if choice <= 3:
        left, right = pair(scope, draw.pick(NUMBERS), lanes, depth)
        return f"({left} {draw.pick(COMPARISONS)} {right})"
    if choice == 4:
        return (
            f"({expression(scope, 'i', lanes, depth)} {draw.pick(COMPARISONS)} {expression(scope, 'f', lanes, depth)})"
        )
    if choice == 5:
        left, right = pair(scope, "b", lanes, depth)
        return f"({left} {draw.pick(('&', '|', '^'))} {right})"
    if choice == 6:
        return f"(~{expression(scope, 'b', lanes, depth)})"
    if choice == 7:
        name = draw.pick(("isnan", "isinf", "isfinite"))
        prefix = "tile" if lanes or (scope.dialect == "tile" and draw.chance(50)) else "math"
        return f"{prefix}.{name}({expression(scope, 'f', lanes, depth)})"
    if choice == 8:
        return cast(scope, expression(scope, draw.pick(NUMBERS), lanes, depth), "bool")
    if choice == 9:
        return select(scope, "b", lanes, depth)
    if lanes:
        return loaded(scope, "b", lanes, depth)
    return scalar_boolean(scope, depth)


def scalar_boolean(scope: Scope, depth: int) -> str:
    draw = scope.draw
    choice = draw.integer(0, 5)
    if choice == 0:
        return f"(not {expression(scope, 'b', 0, depth)})"
    if choice == 1:
        word = draw.pick(("and", "or"))
        return f"({expression(scope, 'b', 0, depth)} {word} {expression(scope, 'b', 0, depth)})"
    if choice == 2:
        number = draw.pick(NUMBERS)
        parts = [expression(scope, number, 0, depth) for _ in range(3)]
        return f"({parts[0]} {draw.pick(COMPARISONS)} {parts[1]} {draw.pick(COMPARISONS)} {parts[2]})"
    if choice == 3:
        return f"bool({expression(scope, draw.pick(NUMBERS), 0, depth)})"
    if choice == 4:
        return reduced(scope, "b", depth)
    return loaded(scope, "b", 0, depth)


def integer(scope: Scope, kind: Kind, lanes: int, depth: int) -> str:
    draw = scope.draw
    choice = draw.integer(0, 15)
    if choice <= 3:
        left, right = pair(scope, kind, lanes, depth)
        return f"({left} {draw.pick(('+', '-', '*', '&', '|', '^'))} {right})"
    if choice == 4:
        left, right = expression(scope, kind, lanes, depth), expression(scope, kind, lanes, depth)
        if draw.chance(40):
            right = draw.pick(("3", "7", "8", "SEVEN", "1") if kind in "uw" else ("3", "-7", "8", "SEVEN", "(-1)", "1"))
        return f"({left} {draw.pick(('//', '%'))} {right})"
    if choice == 5:
        count = str(draw.pick((1, 0, 3, 31, 32, 63, 64, 70)))
        if draw.chance(40):
            count = expression(scope, kind, lanes, depth)
        return f"({expression(scope, kind, lanes, depth)} {draw.pick(('<<', '>>'))} {count})"
    if choice == 6:
        return f"({draw.pick(('-', '~', '+'))}{expression(scope, kind, lanes, depth)})"
    if choice == 7:
        return chosen(scope, kind, lanes, depth)
    if choice == 8:
        return select(scope, kind, lanes, depth)
    if choice == 9:
        return f"({expression(scope, kind, lanes, depth)} ** {draw.pick((2, 0, 1, 3, 5))})"
    if choice == 10 and scope.dialect == "tile":
        return f"tile.{draw.pick(('floor', 'ceil', 'round', 'trunc'))}({expression(scope, kind, lanes, depth)})"
    if choice == 11 and not lanes:
        return reduced(scope, kind, depth)
    if choice in (12, 13):
        return loaded(scope, kind, lanes, depth)
    if kind == "i":
        return wide_integer(scope, lanes, depth)
    if kind == "n":
        dtype = draw.pick(("native.i32", "native.i32", *NARROW_INTEGERS))
        return cast(scope, expression(scope, draw.pick(("f", "i", "b", "u")), lanes, depth), dtype)
    return cast(scope, expression(scope, draw.pick(("f", "i", "b", "n", "u", "w")), lanes, depth), DTYPE_OF[kind])


def wide_integer(scope: Scope, lanes: int, depth: int) -> str:
    draw = scope.draw
    choice = draw.integer(0, 5)
    if choice == 0:
        return f"({expression(scope, 'b', lanes, depth)} + {expression(scope, 'b', lanes, depth)})"
    if choice == 1:
        narrow, wide = expression(scope, draw.pick(("n", "u")), lanes, depth), expression(scope, "i", lanes, depth)
        return f"({narrow} {draw.pick(('+', '*', '-'))} {wide})"
    if choice == 2:
        return cast(scope, expression(scope, draw.pick(("f", "n", "b", "w")), lanes, depth), "int")
    if choice == 3:
        return f"({expression(scope, 'i', lanes, depth)} - {expression(scope, 'b', lanes, depth)})"
    if lanes and draw.chance(40):
        return f"tile.cumsum({summed(scope, draw.pick(('i', 'n', 'b')), lanes, depth)})"
    if lanes:
        return cast(scope, expression(scope, "f", lanes, depth), "int")
    name = draw.pick(("int", "round", "math.floor", "math.ceil"))
    return f"{name}({expression(scope, 'f', 0, depth)})"


def floating(scope: Scope, kind: Kind, lanes: int, depth: int) -> str:
    draw = scope.draw
    choice = draw.integer(0, 18)
    if choice <= 3:
        left, right = pair(scope, "f", lanes, depth)
        return f"({left} {draw.pick(('+', '-', '*', '/'))} {right})"
    if choice == 4:
        left, right = expression(scope, "f", lanes, depth), expression(scope, "f", lanes, depth)
        return f"({left} {draw.pick(('//', '%'))} {draw.pick(DIVISORS) if draw.chance(40) else right})"
    if choice == 5:
        whole: Kind = draw.pick(INTEGERS)
        return f"({expression(scope, whole, lanes, depth)} / {expression(scope, whole, lanes, depth)})"
    if choice == 6:
        mixed = expression(scope, draw.pick(("i", "n", "b", "u", "w")), lanes, depth)
        return f"({mixed} {draw.pick(('*', '+', '-'))} {operand(scope, 'f', lanes, depth)})"
    if choice == 7:
        parts = [
            expression(scope, "f", lanes, depth),
            operand(scope, "f", lanes, depth),
            operand(scope, "f", lanes, depth),
        ]
        return f"{scope.prefix}.fma({', '.join(parts)})"
    if choice == 8:
        prefix = "tile" if lanes or (scope.dialect == "tile" and draw.chance(50)) else "math"
        name = "fabs" if prefix == "math" and draw.chance(30) else "sqrt"
        return f"{prefix}.{name}({expression(scope, 'f', lanes, depth)})"
    if choice == 9 and scope.dialect == "tile":
        return f"tile.{draw.pick(('floor', 'ceil', 'round', 'trunc'))}({expression(scope, 'f', lanes, depth)})"
    if choice == 10:
        return signed(scope, lanes, depth)
    if choice == 11:
        return chosen(scope, "f", lanes, depth)
    if choice == 12:
        return select(scope, "f", lanes, depth)
    if choice == 13:
        return cast(
            scope, expression(scope, draw.pick(("f", "i", "n", "b", "u", "w")), lanes, depth), draw.pick(FLOATS)
        )
    if choice == 14:
        return call(scope, lanes, depth)
    if choice == 15 and lanes:
        return f"tile.{draw.pick(('cumsum', 'cummax'))}({expression(scope, 'f', lanes, depth)})"
    if choice == 15:
        return (
            reduced(scope, "f", depth)
            if draw.chance(60)
            else f"float({expression(scope, draw.pick(('i', 'b', 'n')), 0, depth)})"
        )
    if choice == 16:
        inner = expression(scope, "f", lanes, depth)
        exponent = expression(scope, draw.pick(NUMBERS), lanes, depth)
        return f"(-{inner})" if draw.chance(50) else raised(draw, scope.prefix, inner, exponent)
    if choice == 17 and draw.chance(40):
        return applied(draw, scope.prefix, expression(scope, "f", lanes, depth))
    return loaded(scope, "f", lanes, depth)


def signed(scope: Scope, lanes: int, depth: int) -> str:
    """`copysign`; a NaN's sign is open, so the sign is never taken from one."""
    prefix = "tile" if lanes or (scope.dialect == "tile" and scope.draw.chance(50)) else "math"
    source = leaf(scope, "f", lanes)
    sign = f"{scope.prefix}.where({source} == {source}, {source}, 1.0)"
    return f"{prefix}.copysign({operand(scope, 'f', lanes, depth)}, {sign})"


def chosen(scope: Scope, kind: Kind, lanes: int, depth: int) -> str:
    """The larger or smaller of two, or a magnitude."""
    draw = scope.draw
    if draw.chance(25):
        name = "tile.abs" if scope.dialect == "tile" and draw.chance(50) else "abs"
        return f"{name}({expression(scope, kind, lanes, depth)})"
    left, right = pair(scope, kind, lanes, depth)
    if not lanes and draw.chance(30):
        return f"{draw.pick(('max', 'min'))}({left}, {right})"
    return f"{scope.prefix}.{draw.pick(('maximum', 'minimum', 'fmax', 'fmin'))}({left}, {right})"


def select(scope: Scope, kind: Kind, lanes: int, depth: int) -> str:
    condition = expression(scope, "b", lanes, depth)
    left, right = pair(scope, kind, lanes, depth)
    if not lanes and scope.draw.chance(40):
        return f"({left} if {condition} else {right})"
    return f"{scope.prefix}.where({condition}, {left}, {right})"


def call(scope: Scope, lanes: int, depth: int) -> str:
    """A device function with a float result; its arguments are cast where they would be too wide."""
    found = [one for one in scope.devices if KIND_OF[one.result] == "f"]
    if not found:
        return leaf(scope, "f", lanes)
    function = scope.draw.pick(found)
    arguments = [argument(scope, dtype, lanes, depth) for dtype in function.parameters]
    if lanes and scope.draw.chance(30):
        return f"tile.map({function.name}, {', '.join(arguments)})"
    return f"{function.name}({', '.join(arguments)})"


def argument(scope: Scope, dtype: str, lanes: int, depth: int) -> str:
    """What a parameter of this dtype takes: the same kind, a bool or (for floats) an int."""
    kind = KIND_OF[dtype]
    text = expression(scope, kind, lanes, depth)
    if dtype.startswith("native."):
        return cast(scope, text, dtype)
    if dtype == "float" and scope.draw.chance(15):
        return expression(scope, scope.draw.pick(("i", "b")), lanes, depth)
    return text


def reduced(scope: Scope, kind: Kind, depth: int) -> str:
    """The fold of some tile in scope, as a scalar of the kind; without tiles, a leaf."""
    draw = scope.draw
    sizes = sorted({one.lanes for one in scope.variables if one.lanes})
    if not sizes or scope.dialect != "tile":
        return leaf(scope, kind, 0)
    lanes = draw.pick(sizes)
    if kind == "b":
        return f"tile.{draw.pick(('any', 'all'))}({expression(scope, 'b', lanes, depth)})"
    name = draw.pick(("sum", "max", "min", "nanmax", "nanmin", "made"))
    if name == "made" and kind not in "nu":
        return made(scope, kind, lanes, depth)
    if name in ("sum", "made") and kind in "nu":
        name = "max"
    if name == "sum" and kind == "i" and draw.chance(50):
        return f"tile.sum({summed(scope, draw.pick(('b', 'n')), lanes, depth)})"
    if name == "sum" and kind == "w":
        return f"tile.sum({expression(scope, draw.pick(('u', 'w')), lanes, depth)})"
    return f"tile.{name}({expression(scope, kind, lanes, depth)})"


def summed(scope: Scope, kind: Kind, lanes: int, depth: int) -> str:
    """Lanes whose sum is an i64: those of u8 and u16 are i32 first."""
    text = expression(scope, kind, lanes, depth)
    return f"({text} + 0)" if kind == "n" else text


def made(scope: Scope, kind: Kind, lanes: int, depth: int) -> str:
    """A product, or a fold that is made of others."""
    draw = scope.draw
    kinds: tuple[Kind, ...] = ("f", "i", "b", "n", "u", "w")
    names = {"i": ("prod", "argmax", "argmin"), "w": ("prod",)}
    name = draw.pick(names.get(kind, ("prod", "mean", "var")))
    of = kind if name == "prod" else draw.pick(kinds)
    return f"tile.{name}({expression(scope, of, lanes, depth)})"


def loaded(scope: Scope, kind: Kind, lanes: int, depth: int) -> str:
    text = scope.load(kind, lanes, depth) if scope.load is not None else None
    return text if text is not None else leaf(scope, kind, lanes)

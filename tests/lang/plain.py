"""What CPython itself says a function means, where the language promises Python's meaning: the text is executed with
integers that wrap and floats that never raise, in the place of Python's."""

from __future__ import annotations

import ast
import math
import operator
from collections.abc import Iterator
from typing import Any, TypeAlias

Real: TypeAlias = "int | float"


def wrapped(value: int) -> I:
    return I((value + (1 << 63)) % (1 << 64) - (1 << 63))


class Compared:
    """Beside a float an integer is one, rounded."""

    def __lt__(self, other: Any) -> bool:
        return operator.lt(*common(self, other))

    def __le__(self, other: Any) -> bool:
        return operator.le(*common(self, other))

    def __gt__(self, other: Any) -> bool:
        return operator.gt(*common(self, other))

    def __ge__(self, other: Any) -> bool:
        return operator.ge(*common(self, other))

    def __eq__(self, other: object) -> bool:
        return operator.eq(*common(self, other))

    def __ne__(self, other: object) -> bool:
        return operator.ne(*common(self, other))

    __hash__ = None  # type: ignore[assignment]


def common(a: Any, b: Any) -> tuple[Any, Any]:
    kind = float if isinstance(a, float) or isinstance(b, float) else int
    return kind(a), kind(b)


class I(Compared, int):  # noqa: E742 - short, since it stands around every literal
    """An i64."""

    def __add__(self, other: Any) -> Any:
        return either(self, other, int.__add__, float.__add__)

    def __sub__(self, other: Any) -> Any:
        return either(self, other, int.__sub__, float.__sub__)

    def __mul__(self, other: Any) -> Any:
        return either(self, other, int.__mul__, float.__mul__)

    def __floordiv__(self, other: Any) -> Any:
        return either(self, other, lambda a, b: a // b if b else 0, floor_divided)

    def __mod__(self, other: Any) -> Any:
        return either(self, other, lambda a, b: a % b if b else 0, remainder)

    def __truediv__(self, other: Any) -> Any:
        return divided(float(self), float(other))

    def __and__(self, other: int) -> Any:
        return wrapped(int(self) & int(other))

    def __or__(self, other: int) -> Any:
        return wrapped(int(self) | int(other))

    def __xor__(self, other: int) -> Any:
        return wrapped(int(self) ^ int(other))

    def __lshift__(self, count: int) -> Any:
        return wrapped(int(self) << int(count)) if 0 <= count < 64 else I(0)

    def __rshift__(self, count: int) -> Any:
        return I(int(self) >> int(count)) if 0 <= count < 64 else I(-1 if self < 0 else 0)

    def __pow__(self, exponent: Any, modulus: Any = None) -> Any:
        return wrapped(int(self) ** int(exponent))

    def __neg__(self) -> Any:
        return wrapped(-int(self))

    def __pos__(self) -> Any:
        return self

    def __invert__(self) -> Any:
        return I(~int(self))

    def __abs__(self) -> Any:
        return wrapped(abs(int(self)))


class F(Compared, float):
    """An f64."""

    def __add__(self, other: Any) -> Any:
        return F(float(self) + float(other))

    def __sub__(self, other: Any) -> Any:
        return F(float(self) - float(other))

    def __mul__(self, other: Any) -> Any:
        return F(float(self) * float(other))

    def __floordiv__(self, other: Any) -> Any:
        return F(floor_divided(float(self), float(other)))

    def __mod__(self, other: Any) -> Any:
        return F(remainder(float(self), float(other)))

    def __truediv__(self, other: Any) -> Any:
        return divided(float(self), float(other))

    def __neg__(self) -> Any:
        return F(-float(self))

    def __pos__(self) -> Any:
        return self

    def __abs__(self) -> Any:
        return F(abs(float(self)))


def either(a: I, b: Real, whole: Any, real: Any) -> Any:
    if isinstance(b, float):
        return F(real(float(a), float(b)))
    return wrapped(whole(int(a), int(b)))


def floor_divided(a: float, b: float) -> float:
    return a // b if b else math.nan


def remainder(a: float, b: float) -> float:
    return a % b if b else math.nan


def divided(a: float, b: float) -> F:
    if b:
        return F(a / b)
    return F(math.nan if a == 0 or math.isnan(a) else math.copysign(math.inf, a) * math.copysign(1.0, b))


def whole(x: Real) -> I:
    """To i64: cut off, saturated, NaN is 0."""
    if isinstance(x, int):
        return I(x)
    if math.isnan(x):
        return I(0)
    return I(
        max(min(math.trunc(x), (1 << 63) - 1), -(1 << 63))
        if math.isfinite(x)
        else (1 << 63) - 1
        if x > 0
        else -(1 << 63)
    )


def to_whole(rounding: Any) -> Any:
    return lambda x: whole(x if isinstance(x, int) or not math.isfinite(x) else float(rounding(float(x))))


def extreme(pick: Any) -> Any:
    """`min` or `max`: NaN wins, +0 is above -0, the type is the wider."""

    def chosen(*values: Real) -> Real:
        if not any(isinstance(value, float) for value in values):
            return I(pick(values))
        if any(math.isnan(value) for value in values):
            return F(math.nan)
        return F(pick((float(value) for value in values), key=lambda v: (v, math.copysign(1.0, v))))

    return chosen


def counted(*bounds: int) -> Iterator[I]:
    return (I(value) for value in range(*(int(bound) for bound in bounds)))


class Maths:
    pi, inf, e = F(math.pi), F(math.inf), F(math.e)
    floor, ceil, trunc = (staticmethod(to_whole(one)) for one in (math.floor, math.ceil, math.trunc))
    isnan, isinf, isfinite = (staticmethod(one) for one in (math.isnan, math.isinf, math.isfinite))

    @staticmethod
    def sqrt(x: Real) -> F:
        return F(math.sqrt(float(x))) if float(x) >= 0 else F(math.nan)

    @staticmethod
    def fabs(x: Real) -> F:
        return F(math.fabs(float(x)))

    @staticmethod
    def copysign(x: Real, y: Real) -> F:
        return F(math.copysign(float(x), float(y)))


def real(x: Real) -> F:
    return F(x)


NAMES: dict[str, Any] = {
    "I": I,
    "F": F,
    "math": Maths,
    "int": whole,
    "float": real,
    "bool": lambda x: x != 0,
    "abs": abs,
    "round": to_whole(round),
    "min": extreme(min),
    "max": extreme(max),
    "divmod": lambda a, b: (a // b, a % b),
    "range": counted,
}


class _Literals(ast.NodeTransformer):
    """Wraps numbers, and takes decorators, annotations and imports away."""

    def visit_Constant(self, node: ast.Constant) -> ast.AST:
        if type(node.value) in (int, float):
            name = "I" if type(node.value) is int else "F"
            return ast.Call(ast.Name(name, ast.Load()), [node], [])
        return node

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        self.generic_visit(node)
        if isinstance(node.op, ast.Add | ast.Mult | ast.Sub) and isinstance(node.left, ast.Compare):
            node.left = ast.Call(ast.Name("I", ast.Load()), [node.left], [])
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.AST:
        node.decorator_list = []
        node.returns = None
        for argument in node.args.args:
            argument.annotation = None
        self.generic_visit(node)
        return node

    def visit_AnnAssign(self, node: ast.AnnAssign) -> ast.AST:
        self.generic_visit(node)
        assert node.value is not None
        return ast.Assign([node.target], node.value)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        return None

    def visit_Import(self, node: ast.Import) -> None:
        return None


def execute(text: str) -> dict[str, Any]:
    """The names that the text defines, as plain Python."""
    tree = ast.fix_missing_locations(_Literals().visit(ast.parse(text)))
    names = dict(NAMES)
    exec(compile(tree, "<plain>", "exec"), names)
    return names

"""The functions that are not exact, one row each. A row's C++ is `runtime_cpp/math/NAME.hpp`, the same algorithm."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from transpile.ops.functions.angle import cos, sin
from transpile.ops.functions.erf import erf
from transpile.ops.functions.exp import exp, exp2
from transpile.ops.functions.expm1 import expm1
from transpile.ops.functions.gelu import gelu, gelu_tanh
from transpile.ops.functions.log import log, log1p, log2
from transpile.ops.functions.logistic import sigmoid, silu, softplus
from transpile.ops.functions.power import pow
from transpile.ops.functions.steps import relu, rsqrt
from transpile.ops.functions.tanh import tanh
from transpile.ops.operation import Near, Operation, Way
from transpile.ops.reference import Reference


def _row(
    name: str, reference: Reference, doc: str, *modules: str, way: Way = "sum", near: Near | None = None
) -> Operation:
    """A function of one float, which users find in `modules` besides `tile` and `native`. `way`: "ends" where nothing
    is added to the operand before it is rounded."""
    return Operation(
        name=name,
        arity=1,
        accepts="float",
        result="same",
        reference=reference,
        symbol=name,
        doc=doc,
        spellings=tuple(f"{module}.{name}" for module in ("tile", "native", *modules)),
        ways=(way,),
        in_runtime=True,
        near=near,
    )


def _near(row: Operation) -> Operation:
    """What `row` is near 0."""
    assert row.near is not None
    return replace(row, name=row.near.name, symbol=row.near.name, spellings=(), near=None, is_internal=True)


_TURNS: Final = (2.0**16, 2.0**30)  # from there on an angle is reduced in integers
_SIN: Final = _row(
    "sin", sin, "The sine of x radians; NaN at the infinities.", "math", way="ends", near=Near("sin_near", _TURNS)
)
_COS: Final = _row(
    "cos", cos, "The cosine of x radians; NaN at the infinities.", "math", way="ends", near=Near("cos_near", _TURNS)
)
_POW: Final = Operation(
    name="pow",
    arity=2,
    accepts="float",
    result="same",
    reference=pow,
    symbol="**",
    doc="a to the power b, of floats; 1 where b is 0 or a is 1, NaN for a negative a and a b that is not whole.",
    spellings=("tile.pow", "native.pow", "math.pow"),
    ways=("ends", "sum"),
    in_runtime=True,
)
MATHEMATICS: Final = (
    _POW,
    _row("exp", exp, "e to the power x.", "math", way="ends"),
    _row("exp2", exp2, "2 to the power x.", "math"),
    _row("expm1", expm1, "e to the power x, less 1: exact digits near 0 too.", "math", way="ends"),
    _row("log", log, "The natural logarithm; -inf at 0, NaN below.", "math", way="ends"),
    _row("log2", log2, "The logarithm to the base 2; -inf at 0, NaN below.", "math", way="ends"),
    _row("log1p", log1p, "log(1 + x): exact digits near 0 too; -inf at -1, NaN below.", "math"),
    _row("sigmoid", sigmoid, "1 / (1 + e^-x)."),
    _row("silu", silu, "x / (1 + e^-x), which some call swish.", way="ends"),
    _row("softplus", softplus, "log(1 + e^x)."),
    _row("relu", relu, "x where it is above 0, NaN where it is NaN, else 0.", way="on"),
    _row("rsqrt", rsqrt, "1 / sqrt(x); inf at 0, NaN below."),
    _SIN,
    _near(_SIN),
    _COS,
    _near(_COS),
    _row("tanh", tanh, "The hyperbolic tangent of x.", "math", way="ends"),
    _row("erf", erf, "The error function of x.", "math", way="ends"),
    _row("gelu", gelu, "x / 2 * (1 + erf(x / sqrt 2)); -0 at -inf.", way="on"),
    _row(
        "gelu_tanh",
        gelu_tanh,
        "x / 2 * (1 + tanh(sqrt(2 / pi) * (x + 0.044715 * x^3))), the constants as exact numbers; -0 at -inf.",
        way="on",
    ),
)

"""What a kernel under `fast_math` says on a GPU: products and sums that are fused, and functions of f32 as the hardware
has them. CUDA and HIP spell these alike."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from transpile.dtypes import F32, DType
from transpile.ir import kir
from transpile.ir.kir_walk import dtype_of

_HARDWARE: Final = {
    "truediv": "__fdividef",
    "exp": "__expf",
    "exp2": "exp2f",
    "log": "__logf",
    "log2": "__log2f",
    "sin": "__sinf",
    "cos": "__cosf",
    "rsqrt": "rsqrtf",
    "pow": "__powf",
}
# What is made of these: helpers of the text.
_HELPERS: Final = {
    "sigmoid": "fast_sigmoid",
    "silu": "fast_silu",
    "softplus": "fast_softplus",
    "gelu_tanh": "fast_gelu_tanh",
}
HELPERS: Final = tuple(_HELPERS.values())


def hardware(op: str, dtype: DType) -> str | None:
    """The vendors' function for `op`."""
    return _HARDWARE.get(op) if dtype is F32 else None


def helper(op: str, dtype: DType) -> str | None:
    """The helper of the text for `op`."""
    return _HELPERS.get(op) if dtype is F32 else None


def fused(expr: kir.Apply) -> tuple[kir.Expr, kir.Expr, kir.Expr] | None:
    """The a, b and c of a sum or difference that is a * b + c; None where there is no product in it."""
    if expr.op not in ("add", "sub") or not dtype_of(expr).is_float:
        return None
    first, second = expr.operands
    if (factors := _factors(second)) is not None:
        a, b = factors
        return (a if expr.op == "add" else _negated(a)), b, first
    if (factors := _factors(first)) is not None:
        return *factors, (second if expr.op == "add" else _negated(second))
    return None


def is_spelled(expr: kir.Apply) -> bool:
    """Whether `expr` as a whole is said otherwise than by C++'s operators."""
    dtype = dtype_of(expr)
    return fused(expr) is not None or (hardware(expr.op, dtype) or helper(expr.op, dtype)) is not None


def _factors(expr: kir.Expr) -> tuple[kir.Expr, kir.Expr] | None:
    if isinstance(expr, kir.Apply) and expr.op == "mul":
        first, second = expr.operands
        return first, second
    return None


def _negated(expr: kir.Expr) -> kir.Expr:
    if isinstance(expr, kir.Lit):
        return replace(expr, value=-expr.value)
    return kir.Apply("neg", (expr,), dtype_of(expr))

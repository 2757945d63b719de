"""Kernels built by hand, and their runs, for the tests of the interpreter."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from transpile.ir import tir
from transpile.ir.builder import Builder
from transpile.ir.tir import Value
from transpile.ir.verify import verify_module
from transpile.reference.interpreter import run_kernel
from transpile.reference.memory import PointerValue
from transpile.typing.types import Pointer

Three = tuple[int, int, int]


def kernel(b: Builder, kind: tir.FunctionKind, parameters: Sequence[Value]) -> tir.Function:
    """What `b` has built, as a kernel called `k`."""
    return tir.Function(
        key="k",
        name="k",
        base="k",
        kind=kind,
        parameters=tuple(tir.Parameter(value=value) for value in parameters),
        result=None,
        body=b.finish(tir.Return()),
    )


def run(
    function: tir.Function, grid: Three, block: Three, arguments: Sequence[object], others: Sequence[tir.Function] = ()
) -> None:
    """Arrays are passed whole, under the names of their parameters; a pair is an array and an offset into it."""
    given: list[object] = []
    for parameter, argument in zip(function.parameters, arguments, strict=True):
        kind = parameter.value.type
        if not isinstance(kind, Pointer):
            given.append(argument)
            continue
        array, offset = argument if isinstance(argument, tuple) else (argument, 0)
        assert isinstance(array, np.ndarray)
        given.append(PointerValue.whole(array, kind.dtype, offset=offset, const=kind.const, name=parameter.name))
    module = tir.Module(stem="m", functions=(*others, function))
    verify_module(module)
    run_kernel(module, "k", grid, block, given)

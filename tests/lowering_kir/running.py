"""Runs a source text's kernels through KIR, evaluated as it stands, and compares with the reference."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from tests.lowering_kir.evaluate import Machine
from tests.support.bits import explain, same_bits
from tests.support.everywhere import Step, Text
from transpile.backends.table import BACKENDS
from transpile.ir import tir
from transpile.ir.verify_kir import verify_kir
from transpile.lowering.fold import fold_module
from transpile.lowering.lower import lower_module
from transpile.ops.convert import hold


def check_kir(text: Text, steps: Sequence[Step], arrays: Mapping[str, Any]) -> None:
    """Asserts that KIR for the GPU and for the CPU gives the reference's bits."""
    expected = text.run_reference(steps, arrays)
    for name in ("cuda", "cpu"):
        backend = BACKENDS[name]
        module = lower_module(fold_module(text.typed), backend)
        verify_kir(module, is_gpu=backend.is_gpu)
        machine = Machine(module, backend.is_gpu)
        held = {key: array.copy() for key, array in arrays.items()}
        for step in steps:
            assert step.grid is not None
            given = _arguments(text.typed.function(step.function), step, held)
            machine.run(step.function, _three(step.grid), _three(step.block or (1,)), given)
        for key, array in expected.items():
            assert same_bits(array, held[key]), explain(key, array, held[key], "the reference", f"{name} as KIR")


def _arguments(function: tir.Function, step: Step, arrays: Mapping[str, Any]) -> list[Any]:
    given: list[Any] = []
    for parameter, value in zip(function.parameters, step.arguments, strict=True):
        dtype = parameter.value.type.dtype
        if isinstance(value, str):
            array = arrays[value]
            given.append(array.view(np.uint8 if array.dtype == np.bool_ else dtype.held))
        elif parameter.static is None:
            given.append(hold(value, dtype)[0] if dtype.is_float else value)
    return given


def _three(sizes: tuple[int, ...]) -> tuple[int, int, int]:
    padded = (*sizes, 1, 1)
    return padded[0], padded[1], padded[2]

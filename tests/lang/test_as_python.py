"""Random functions mean what CPython says they mean: through parsing, checking and the interpreter, on many inputs."""

from __future__ import annotations

import importlib.util
import itertools
from pathlib import Path
from types import ModuleType
from typing import Final

import numpy as np
import pytest

from tests.lang.plain import F, I, execute
from tests.lang.random_source import Source
from transpile import cuda

WHOLE: Final = [0, 1, -1, 2, 7, -13, 100, 2**62, -(2**63)]
REAL: Final = [0.0, -0.0, 1.0, -2.5, 0.1, 1e308, 5e-324, float("inf"), float("nan")]
KERNEL: Final = """

@cuda.kernel
def run(n: native.const_ptr[int], x: native.const_ptr[float], out: native.ptr[float]) -> None:
    i = cuda.global_id()
    native.store(native.offset(out, i), f(native.load(native.offset(n, i)), native.load(native.offset(x, i))))
"""


def load(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def difference(seed: int, folder: Path) -> str:
    """Empty, or on which input the two disagree."""
    text = Source(seed).function()
    path = folder / f"source_{seed}.py"
    path.write_text(text + KERNEL, encoding="utf-8")
    pairs = list(itertools.product(WHOLE, REAL))
    n, x = np.array([pair[0] for pair in pairs]), np.array([pair[1] for pair in pairs])
    found = np.zeros(len(pairs))
    cuda.launch(load(path).run, len(pairs) // 27, 27, n, x, found)
    judge = execute(text)["f"]
    for (whole, real), answer in zip(pairs, found.tolist(), strict=True):
        expected = float(judge(I(whole), F(real)))
        if repr(answer) != repr(expected):
            return f"seed {seed}: f({whole}, {real}) is {answer}, not {expected}\n{text}"
    return ""


@pytest.mark.parametrize("group", range(6))
def test_random_functions(group: int, tmp_path: Path) -> None:
    for seed in range(group * 10, group * 10 + 10):
        problem = difference(seed, tmp_path)
        assert not problem, problem

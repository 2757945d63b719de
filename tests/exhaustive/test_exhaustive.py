"""The judge judges rightly, and a small part of what `python -m tests.exhaustive` runs."""

from __future__ import annotations

import math
from typing import Any, Final

import mpmath
import numpy as np
import pytest

from tests.exhaustive.__main__ import main, rows
from tests.exhaustive.judge import Inputs, Verdict, compare, judge
from transpile import dtypes
from transpile.dtypes import DType
from transpile.ops.operation import Operation

# In arithmetic of any precision, as the judge's own formulas are not.
TRUE: Final[dict[str, Any]] = {
    "rsqrt": lambda x: 1 / mpmath.sqrt(x),
    "sigmoid": lambda x: 1 / (1 + mpmath.exp(-x)),
    "silu": lambda x: x / (1 + mpmath.exp(-x)),
    "softplus": lambda x: mpmath.log(1 + mpmath.exp(x)),
    "relu": lambda x: max(x, mpmath.mpf(0)),
    "gelu": lambda x: x * (1 + mpmath.erf(x / mpmath.sqrt(2))) / 2,
    "gelu_tanh": lambda x: x * (1 + mpmath.tanh(mpmath.sqrt(2 / mpmath.pi) * (x + mpmath.mpf("0.044715") * x**3))) / 2,
    "log2": lambda x: mpmath.log(x, 2),
    "exp2": lambda x: mpmath.power(2, x),
    "pow": mpmath.power,
}
NAMES: Final = (
    *("exp", "exp2", "expm1", "log", "log2", "log1p", "sin", "cos", "tanh", "erf", "sqrt", "rsqrt"),
    *("relu", "sigmoid", "silu", "softplus", "gelu", "gelu_tanh", "pow"),
)
POSITIVE: Final = ("log", "log2", "sqrt", "rsqrt", "pow")


def distance(name: str, dtype: DType, x: list[float], got: list[float], y: list[float] | None = None) -> float:
    operands = [np.array(each, dtype.numpy) for each in (x, y) if each is not None]
    verdict = Verdict()
    judge(name, operands, np.array(got, dtype.numpy), 2, verdict)
    return verdict.worst


@pytest.mark.parametrize("dtype", [dtypes.F32, dtypes.F64], ids=str)
@pytest.mark.parametrize("name", NAMES)
def test_the_judge_has_the_true_values(name: str, dtype: DType) -> None:
    """A value rounded to nearest is at most half a unit off; its neighbour at most two and a half."""
    source = np.random.default_rng(len(name))
    x = np.concatenate([source.uniform(-8, 8, 20), source.standard_normal(20)]).astype(dtype.numpy)
    x = np.maximum(x, x.dtype.type(-0.9)) if name == "log1p" else np.abs(x) if name in POSITIVE else x
    y = source.uniform(-8, 8, 40).astype(dtype.numpy)
    operands = [x, y] if name == "pow" else [x]
    with mpmath.workprec(400):
        true = [TRUE.get(name) or getattr(mpmath, name)][0]
        exact = [true(*map(mpmath.mpf, map(float, lane))) for lane in zip(*operands, strict=True)]
        got = np.array([_nearest(value, dtype) for value in exact], dtype.numpy)
    for value, most, least in ((got, 0.5001, 0.0), (np.nextafter(got, got.dtype.type(99)), 2.5, 0.2499)):
        verdict = Verdict()
        judge(name, operands, value, 2, verdict)
        assert least <= verdict.worst <= most, (verdict.worst, verdict.worst_x)


def _nearest(value: Any, dtype: DType) -> float:
    with mpmath.workprec(dtype.mantissa + 1):
        return float(+value)


def test_the_judge_sees_what_is_wrong() -> None:
    f32, inf, nan = dtypes.F32, math.inf, math.nan
    assert distance("exp", f32, [0.0, inf, -inf, nan], [1.0, inf, 0.0, nan]) == 0
    assert distance("exp", f32, [0.0], [1.0 + 2**-23]) == 1
    assert distance("exp", f32, [0.0], [1.0 - 2**-24]) == 0.5
    assert distance("exp", f32, [nan], [1.0]) == distance("exp", f32, [1.0], [nan]) == inf
    assert distance("sin", f32, [-0.0], [0.0]) == inf  # the sign of a zero
    assert distance("log", f32, [0.0], [inf]) == inf  # of an infinity
    assert distance("exp", f32, [89.0], [inf]) == 0  # overflows as it must
    assert distance("exp", f32, [89.0], [3.4028234663852886e38]) > 0.5
    assert distance("exp", f32, [88.0], [inf]) > 1e6
    assert distance("exp", f32, [-200.0], [0.0]) < 1e-3
    assert distance("exp", f32, [-200.0], [2.0**-149]) == pytest.approx(1)  # subnormals: in units of the smallest
    assert distance("pow", dtypes.F64, [-2.0, 0.0, 1.0], [-8.0, 1.0, 1.0], [3.0, 0.0, nan]) == 0


def test_comparing_counts_bits() -> None:
    one = np.array([0.0, 1.0, math.nan, 2.0], np.float32)
    other = np.array([-0.0, 1.0, -math.nan, 3.0], np.float32)
    verdict = Verdict()
    compare([np.arange(4, dtype=np.float32)], one, other, 2, verdict)
    assert (verdict.different, verdict.different_x) == (2, 0.0)


def test_inputs_are_numbered() -> None:
    """Every f32 once; a chunk of any inputs is the same whoever makes it."""
    every = Inputs(dtypes.F32, 1, 1 << 32, 1)
    assert every.count == 1 << 32
    assert every.chunk((1 << 32) - 2, 2, 1)[0].view(np.uint32).tolist() == [0xFFFFFFFE, 0xFFFFFFFF]
    for dtype in (dtypes.F32, dtypes.F64):
        for arity in (1, 2):
            inputs = Inputs(dtype, arity, 1 << 24, 7)
            whole, part = inputs.chunk(0, 64, 3), inputs.chunk(32, 32, 1)
            assert [array[32:].tobytes() for array in whole] == [array.tobytes() for array in part]


def test_a_function_that_does_not_exist(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--function", "gamma"])
    assert "no function gamma; there are sqrt" in capsys.readouterr().err


@pytest.mark.parametrize("row", rows(), ids=lambda row: row.name)
def test_the_definition_is_near_enough(row: Operation, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--function", row.name, "--target", "reference", "--stride", "1000003", "--count", "4096"]
    assert main(words) == 0, capsys.readouterr().out


def test_the_cpu_gives_the_bits_of_the_definitions(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--target", "cpu", "--stride", "65537", "--count", "16384", "--reference", "1", "--function", "sqrt"]
    assert main(words) == 0, capsys.readouterr().out
    assert "| sqrt | f32 | 65,536 | reference 0 | 0.500 |" in capsys.readouterr().out


@pytest.mark.gpu
def test_the_device_gives_the_bits_of_the_cpu(capsys: pytest.CaptureFixture[str]) -> None:
    words = ["--stride", "65537", "--count", "65536", "--function", "exp", "--function", "pow", "--function", "sin"]
    assert main(words) == 0, capsys.readouterr().out

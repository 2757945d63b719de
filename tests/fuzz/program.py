"""What the generator makes: the text of some functions, arrays for them and the launches to make."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

import ml_dtypes
import numpy as np
from numpy.typing import NDArray

from tests.support.everywhere import Step
from transpile import dtypes

# Each program of a module writes its own number here, so that names never meet.
MARK: Final = "_N_"
HEAD: Final = """import math

from transpile import cuda, native, tile

INF = float("inf")
NAN = math.nan
TENTH = 0.1
SEVEN = 7
BIG = 1 << 40
FLAG = True
"""
DTYPES: Final = {
    "bool": np.dtype(np.bool_),
    "native.i32": np.dtype(np.int32),
    "int": np.dtype(np.int64),
    "native.f32": np.dtype(np.float32),
    "float": np.dtype(np.float64),
    **{
        f"native.{row.name}": np.dtype(getattr(ml_dtypes, row.numpy, row.numpy))
        for row in dtypes.ALL
        if row.computes_in or row.kind == "uint"
    },
}
EDGE_INTS: Final = (0, 1, -1, 2, -2, 3, 7, -8, 31, 32, 33, 63, 64, 65, 100, -100, 255, 1 << 20)
EDGE_FLOATS: Final = (
    0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -2.5, 0.1, 3.0, -7.0, 1e-310, -5e-324, 5e-324, 2.2250738585072014e-308,
    1e308, -1e308, 1.7976931348623157e308, float("inf"), float("-inf"), float("nan"), 2147483647.0, -2147483649.0,
    9.223372036854775e18, -9.3e18, 1e22, 4503599627370497.5, 0.3333333333333333, 1e-45, 3.4e38, 16777217.0,
)  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class ArraySpec:
    """An array: `dtype` as kernels spell it, its size, and the seed of its values. Flavours: 0 small whole numbers,
    1 random, 2 edge values, 3 random bits."""

    dtype: str
    size: int
    seed: int
    flavour: int

    def make(self) -> NDArray[Any]:
        dtype = DTYPES[self.dtype]
        source = np.random.default_rng(self.seed)
        if dtype.kind == "b":
            return source.integers(0, 2, self.size).astype(dtype)
        if self.flavour == 0:
            return source.integers(-9, 10, self.size).astype(dtype)
        if self.flavour == 3:
            return np.array(source.integers(0, 256, self.size * dtype.itemsize, dtype=np.uint8).view(dtype))
        if dtype.kind in "fV":
            if self.flavour == 1:
                return (source.standard_normal(self.size) * 10.0 ** source.integers(-3, 4)).astype(dtype)
            with np.errstate(all="ignore"):
                return source.choice(np.array(EDGE_FLOATS), self.size).astype(dtype)
        if self.flavour == 1:
            return source.integers(-1000, 1000, self.size).astype(dtype)
        low, high = int(np.iinfo(dtype).min), int(np.iinfo(dtype).max)
        ends = np.array([high, low, high - 1, low + 1, high // 2 + 1], dtype)
        return source.choice(np.concatenate([np.array(EDGE_INTS).astype(dtype), ends]), self.size)


@dataclass(frozen=True, slots=True, kw_only=True)
class Program:
    """Functions whose names hold `MARK`, arrays by name, and launches in order."""

    text: str
    arrays: Mapping[str, ArraySpec]
    steps: Sequence[Step]
    instances: Mapping[str, Sequence[tuple[int, ...]]] = field(default_factory=dict)
    dialect: str = "tile"

    def numbered(self, number: int) -> str:
        return self.text.replace(MARK, str(number))

    def numbered_steps(self, number: int) -> list[Step]:
        return [
            Step(step.function.replace(MARK, str(number)), step.grid, step.block, step.arguments) for step in self.steps
        ]

    def make_arrays(self) -> dict[str, NDArray[Any]]:
        return {name: spec.make() for name, spec in self.arrays.items()}


def module_text(programs: Sequence[Program]) -> str:
    """One source text that holds all the programs."""
    return HEAD + "".join(f"\n\n{program.numbered(number)}" for number, program in enumerate(programs))


def module_instances(programs: Sequence[Program]) -> dict[str, Sequence[tuple[int, ...]]]:
    return {
        name.replace(MARK, str(number)): values
        for number, program in enumerate(programs)
        for name, values in program.instances.items()
    }

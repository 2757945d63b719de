"""What a text takes from `runtime_cpp/math/`: what is called, for the types that are used, and nothing else."""

from __future__ import annotations

import re
from typing import Final

import pytest

from tests.support.everywhere import Text
from transpile.dtypes import F32, F64
from transpile.emit.functions import definitions
from transpile.lowering.reserved import FUNCTIONS, is_reserved, is_reserved_function
from transpile.ops.operation import Operation
from transpile.ops.table import OPERATIONS
from transpile.runtime import runtime_folder

ROWS: Final = [row for row in OPERATIONS.values() if row.in_runtime]
FOLDER: Final = runtime_folder() / "math"
KERNELS: Final = """
from transpile import cuda, native, tile


@cuda.device
def two(x: native.f32) -> native.f32:
    return x + x


@tile.kernel
def tiles(x: native.ptr[native.f32]) -> None:
    at = tile.arange(64)
    exp = tile.load(x, at)
    tile.store(x, at, two(tile.silu(exp)))


@cuda.kernel
def threads(x: native.ptr[native.f32], y: native.ptr[float], log: float, log_tail: float) -> None:
    native.store(y, native.log1p(log) + log_tail)
    native.store(x, native.silu(native.load(x)))


@cuda.device
def grown(x: float) -> float:
    return native.exp(x) + max(native.log1p(x), 1.0)


def run(x: native.ptr[native.f32], y: native.ptr[float], n: float) -> None:
    cuda.launch(threads, 1, 1, x, y, grown(n), 1.0)
"""


def written(text: str) -> list[str]:
    """The functions that a text defines, each with the type of its first parameter."""
    heads = re.findall(r"^(?:inline |__host__ __device__ |__device__ )[\w<> ]*?(\w+)\((\w+)\b", text, re.MULTILINE)
    return [f"{name}({kind})" for name, kind in heads]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_a_function_is_taken_for_its_type(row: Operation) -> None:
    for dtype, other in ((F32, "double"), (F64, "float")):
        taken = definitions(row.name, {dtype})
        assert taken[-1].name == row.name
        assert taken[-1].dtype is dtype
        assert other not in taken[-1].words or row.name in ("pow",), row.name
        names = [definition.name for definition in taken]
        for place, definition in enumerate(taken):
            missing = definition.words & {each.name for each in taken} - set(names[:place])
            assert not missing, f"{definition.name} stands before {missing}"
    both = definitions(row.name, {F64, F32})
    assert len(both) == len(set(both))


def test_files_are_read_as_they_are_written() -> None:
    for path in sorted(FOLDER.glob("*.hpp")):
        text = path.read_text(encoding="utf-8")
        assert text.count("#pragma once") == 1, path.name
        code = re.sub(r"//.*", "", text)
        assert not re.search(r"[^:\w](?:fma|fabs|sqrt|copysign)\(", code), f"{path.name}: std:: is missing"


def test_no_user_function_has_the_name_of_a_piece() -> None:
    pieces = {each.name for row in ROWS for each in definitions(row.name, {F32, F64})}
    assert pieces - FUNCTIONS
    assert not [name for name in pieces if not is_reserved_function(name)], "name them in lowering/reserved.py"
    assert all(is_reserved(name) for name in FUNCTIONS)


def test_a_text_holds_what_it_calls() -> None:
    for backend in ("cuda", "hip", "cpu"):
        text = Text(KERNELS, "program").emitted(backend)
        found = written(text)
        assert sorted(each for each in found if each.partition("(")[0] in FUNCTIONS) == [
            "exp(double)",
            "log1p(double)",
            "silu(float)",
        ]
        assert found.count("exp_in_two(float)") == found.count("logistic(float)") == 1
        assert "exp_in_two(double)" not in found
        assert "const float exp_ = " in text or "exp_.at" in text
        assert "double log_tail" in text  # no kernel spells it
    text = Text(KERNELS, "program").emitted("cuda")
    assert "__host__ __device__ double grown(double x)" in text
    assert "__host__ __device__ double exp(double x)" in text
    assert "\n__device__ float silu(float x)" in text

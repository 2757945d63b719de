"""A name of the module that stands for an element type: read in files as Python means it, and part of the identity."""

from __future__ import annotations

from pathlib import Path

import pytest

from transpile import pipeline
from transpile.backends.table import BACKENDS

PROGRAM = """
from transpile import cuda, native, tile

Real = native.f32
Count = int


@cuda.device
def half(x: Real) -> Real:
    return x * 0.5


@tile.kernel
def halve(n: Count, x: native.ptr[Real]) -> None:
    at = tile.arange(8)
    tile.store(x, at, half(tile.load(x, at, at < n)), at < n)


@cuda.kernel
def cast(x: native.ptr[float]) -> None:
    held = cuda.shared[Real, 32]()
    native.store(native.offset(held, Count(1.5)), native.load(x))
    native.store(x, native.cast(native.load(x), Real))
"""


def written(folder: Path, text: str) -> str:
    path = folder / "names.py"
    path.write_text(text)
    return pipeline.emit(str(path), BACKENDS["cuda"])


def test_it_stands_for_the_type(tmp_path: Path) -> None:
    found = written(tmp_path, PROGRAM)
    assert "halve(int64_t n, float *__restrict__ x)" in found
    assert "__shared__ float held[32]" in found


@pytest.mark.parametrize("other", ["native.f64", "native.bf16"])
def test_another_type_is_another_code(tmp_path: Path, other: str) -> None:
    codes = set()
    for text in (PROGRAM, PROGRAM.replace("Real = native.f32", f"Real = {other}")):
        path = tmp_path / "names.py"
        path.write_text(text.replace("return x * 0.5", "return 0.5"))
        codes.add(pipeline.code_hash(pipeline.load(str(path))))
    assert len(codes) == 2


def test_it_may_come_from_a_file_beside(tmp_path: Path) -> None:
    (tmp_path / "kinds.py").write_text("from transpile import native\n\nReal = native.f64\n")
    text = PROGRAM.replace("Real = native.f32", "from kinds import Real")
    assert "halve(int64_t n, double *__restrict__ x)" in written(tmp_path, text)

"""`--verify` looks at LIR in both of its forms, of which KIR shows too little."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from transpile import pipeline
from transpile.backends.cuda import CUDA
from transpile.diagnostics.core import InternalError
from transpile.ir import lir, tir
from transpile.lowering import groups
from transpile.lowering.layout import Layout

TILES: Final = Path(__file__).parents[2] / "examples" / "tiles.py"


def emit() -> None:
    pipeline.emit(str(TILES), CUDA, pipeline.Options(verify=True))


def test_a_layout_that_loses_lanes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(groups, "grouped", lambda shape, *_: Layout(shape=shape))
    with pytest.raises(InternalError, match="a layout holds every lane"):
        emit()


def test_folds_of_other_threads_than_there_are(monkeypatch: pytest.MonkeyPatch) -> None:
    right = lir.Kernel

    def wrong(function: tir.Function, threads: int, held: int) -> lir.Kernel:
        return right(function=function, threads=2 * threads, held=held)

    monkeypatch.setattr(lir, "Kernel", wrong)
    with pytest.raises(InternalError, match="a fold is of all threads"):
        emit()

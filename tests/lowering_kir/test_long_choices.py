"""A conditional that is written as an expression stays one however long its parts are: no statement fits inside."""

from __future__ import annotations

import re

import pytest

from transpile import pipeline
from transpile.backends.backend import Backend
from transpile.backends.table import BACKENDS
from transpile.diagnostics.core import Sink
from transpile.frontend.load import load_text
from transpile.ir.verify_kir import verify_kir
from transpile.source import SourceFile

LONG = """from transpile import cuda, native


@cuda.device
def mixed(first: native.i32, second: native.i32) -> float:
    return native.cast(first, float) + native.cast(second, float)


@cuda.kernel
def choose(number: int, limit: float, out: native.ptr[float]) -> None:
    turn = cuda.thread_id()
    between = native.cast(turn, float) <= limit <= mixed(
        native.cast((native.cast(turn, native.i32) ^ native.cast(number, native.i32)), native.i32),
        native.cast((native.cast(number, native.i32) | native.cast(turn, native.i32)), native.i32),
    )
    native.store(native.offset(out, turn), native.cast(between, float))
"""


@pytest.mark.parametrize("backend", BACKENDS.values(), ids=lambda backend: backend.name)
def test_no_placeholder_is_left(backend: Backend) -> None:
    sink = Sink()
    module = load_text(SourceFile("long.py", LONG), "long", sink, None)
    assert module is not None
    typed = pipeline.check(module)
    verify_kir(pipeline.lower(typed, backend), is_gpu=backend.is_gpu)
    assert re.search(r"%\d", pipeline.emit_typed(module, typed, backend)) is None

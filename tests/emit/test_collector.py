"""The collector of cycles rests while a file is compiled, and goes on afterwards, whatever happens."""

from __future__ import annotations

import gc

import pytest

from transpile import pipeline
from transpile.collector import paused
from transpile.diagnostics.core import CompileError, Sink
from transpile.frontend.load import load_text
from transpile.source import SourceFile

FAULTY = """
from transpile import native, tile


@tile.kernel
def wrong(x: native.ptr[float]) -> None:
    tile.store(x, tile.arange(4), tile.arange(8))
"""


def test_blocks_may_stand_in_blocks() -> None:
    with paused():
        with paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()


def test_who_has_none_gets_none() -> None:
    gc.disable()
    try:
        with paused():
            assert not gc.isenabled()
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_it_goes_on_after_a_fault() -> None:
    module = load_text(SourceFile("wrong.py", FAULTY), "wrong", Sink(), None)
    assert module is not None
    with pytest.raises(CompileError):
        pipeline.check(module)
    assert gc.isenabled()

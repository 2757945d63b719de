"""Kernels compiled at their launch: what makes them compile again, and what a damaged cache does."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import transpile
from tests.cli.program import python
from transpile import cuda, native, tile
from transpile.build import jit
from transpile.build.cache import key_of, open_cache
from transpile.build.extension import Sources, engine_key, extension_key
from transpile.build.jit import load_sources
from transpile.build.targets import recipe_for

SCALE = 2.0


@cuda.device
def scaled(v: float) -> float:
    return v * SCALE


@tile.kernel
def grow(x: native.ptr[float]) -> None:
    i = tile.arange(4)
    tile.store(x, i, scaled(tile.load(x, i)))


@tile.kernel
def first(size: native.static[int], x: native.const_ptr[float], out: native.ptr[float]) -> None:
    """Adds up."""
    tile.store(out, 0, tile.sum(tile.load(x, tile.arange(size))))


@pytest.fixture(autouse=True)
def _on_the_cpu() -> Iterator[None]:
    with transpile.target("cpu"):
        yield


def test_a_captured_value_of_a_callee_compiles_again(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.ones(4)
    tile.launch(grow, 1, x)
    monkeypatch.setitem(globals(), "SCALE", 5.0)
    tile.launch(grow, 1, x)
    monkeypatch.setitem(globals(), "SCALE", 2.0)
    tile.launch(grow, 1, x)
    assert x.tolist() == [20.0] * 4
    assert tile.compiled(grow)
    assert tile.target(grow) == "cpu"


def test_each_static_value_is_an_instance() -> None:
    x, out = np.arange(8.0), np.zeros(1)
    for size, total in ((2, 1.0), (np.int64(8), 28.0), (2, 1.0)):
        tile.launch(first, 1, size, x, out)
        assert out[0] == total
    with pytest.raises(TypeError, match="first: argument 'size' must be an int, not float"):
        tile.launch(first, 1, 2.0, x, out)
    with pytest.raises(transpile.CompileError, match="3"):
        tile.launch(first, 1, 3, x, out)


def test_the_oldest_of_many_states_is_forgotten(monkeypatch: pytest.MonkeyPatch) -> None:
    @tile.kernel
    def one(x: native.ptr[float]) -> None:
        tile.store(x, 0, SCALE)

    ran: list[int] = []
    monkeypatch.setattr(jit, "load_sources", lambda number: SimpleNamespace(one=[lambda: ran.append(number)]))
    monkeypatch.setattr(one, "program", lambda _: SimpleNamespace())
    one.compiled["built"] = None
    for number in range(100):
        jit.launch_compiled(one, lambda _, number=number: number, 0, None, [], None)
    assert ran == list(range(100))
    assert len(one.compiled) == 1 + jit.KEPT_STATES
    assert "built" in one.compiled


def test_closures() -> None:
    def adding(amount: float) -> object:
        @tile.kernel
        def add(x: native.ptr[float]) -> None:
            i = tile.arange(4)
            tile.store(x, i, tile.load(x, i) + amount)

        return add

    x = np.zeros(4)
    one, two = adding(1.5), adding(0.25)
    tile.launch(one, 1, x)
    tile.launch(two, 1, x)
    tile.launch(one, 1, x)
    assert x.tolist() == [3.25] * 4


def test_a_damaged_extension_is_made_again(
    hand_sources: Sources, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    recipe = recipe_for("cpu")
    engine = open_cache().read(engine_key(recipe), ".o")
    monkeypatch.setenv("TRANSPILE_CACHE", str(tmp_path))
    open_cache.cache_clear()
    try:
        if engine is not None:
            open_cache().write(engine_key(recipe), ".o", engine)
        open_cache().write(extension_key(recipe, hand_sources), ".so", b"\x7fELF, and no more")
        assert load_sources(hand_sources).__transpile__["source"] == "hand.py"
        assert open_cache().find(key_of("nothing"), ".so") is None
    finally:
        open_cache.cache_clear()


def test_a_launch_where_nothing_can_be_kept(tmp_path: Path) -> None:
    (tmp_path / "blocked").write_text("")
    code = (
        "import tests.build.test_jit as t, numpy as np, transpile\n"
        "x = np.ones(4)\n"
        "with transpile.target('cpu'): transpile.tile.launch(t.grow, 1, x)\n"
        "print(x)"
    )
    found = python("-c", code, folder=tmp_path, TRANSPILE_CACHE=str(tmp_path / "blocked" / "x"))
    assert found.out == "[2. 2. 2. 2.]\n", found.err

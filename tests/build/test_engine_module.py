"""Which engine a program launches through: the one of the package, if it is of these sources, else one of the cache."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from transpile.build import engine, toolchain
from transpile.build.cache import Cache
from transpile.build.toolchain import ToolchainMissingError


@pytest.fixture
def load(monkeypatch: pytest.MonkeyPatch) -> Any:
    """`load_engine` without a memory."""
    return engine.load_engine.__wrapped__


def test_the_engine_of_the_package_is_taken_if_it_is_of_these_sources(
    load: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = engine.engine_source(toolchain.runtime_folder())
    current, stale = SimpleNamespace(source=source), SimpleNamespace(source="of an earlier checkout")
    monkeypatch.setattr(engine, "_compiled", lambda *_: "compiled")
    for built, taken in ((current, current), (stale, "compiled"), (None, "compiled")):
        monkeypatch.setattr(engine, "_built_with_the_package", lambda built=built: built)
        assert load() is taken
    name, value = engine.macro(toolchain.runtime_folder())
    assert (name, value) == ("TRANSPILE_ENGINE_SOURCE", f'"{source}"')


def test_the_engine_is_compiled_once_and_knows_its_source() -> None:
    loaded = engine.load_engine()
    assert loaded.source == engine.engine_source(toolchain.runtime_folder())
    assert loaded.__name__ in ("transpile._engine", "_engine")
    assert engine.load_engine() is loaded


def test_every_header_names_the_source(tmp_path: Path) -> None:
    for name in ("engine_module.cpp", "engine/a.hpp", "include/transpile/table.h"):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text("")
    seen = {engine.engine_source(tmp_path)}
    for path in engine.source_files(tmp_path):
        path.write_text("// changed\n")
        seen.add(engine.engine_source(tmp_path))
    assert len(seen) == 4


def test_without_an_engine_and_a_compiler(load: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing() -> None:
        raise ToolchainMissingError("no C++ compiler was found: install g++")

    monkeypatch.setattr(engine, "_built_with_the_package", lambda: None)
    monkeypatch.setattr(engine, "open_cache", lambda: Cache(tmp_path))
    monkeypatch.setattr(toolchain, "find_compiler", missing)
    with pytest.raises(ToolchainMissingError, match=r"transpile._engine, .* since no C\+\+ compiler was found"):
        load()

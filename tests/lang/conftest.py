"""These tests are of the reference, whatever the environment asks for."""

from __future__ import annotations

import pytest


@pytest.fixture(autouse=True)
def _on_the_reference(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TRANSPILE", "reference")
    monkeypatch.delenv("TRANSPILE_DEBUG", raising=False)

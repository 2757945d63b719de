"""One extension with the engine in it, built of hand-written kernels and kept in the cache."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from transpile.build.extension import Sources
from transpile.build.jit import load_sources

HAND = Path(__file__).parent / "hand"


@pytest.fixture(scope="session")
def hand_sources() -> Sources:
    return Sources(
        stem="hand",
        name="hand_ext",
        kernels=(HAND / "hand.cpp").read_text(),
        header=(HAND / "hand.h").read_text(),
        table=(HAND / "hand_ext.cpp").read_text(),
    )


@pytest.fixture(scope="session")
def hand(hand_sources: Sources) -> Any:
    """The module `hand_ext`."""
    return load_sources(hand_sources)

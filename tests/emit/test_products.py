"""Products of folds in a text that calls functions of the runtime."""

from __future__ import annotations

import pytest

from tests.support.everywhere import Text

SOURCE = """
from transpile import native, tile


@tile.kernel
def both(x: native.const_ptr[native.f32], y: native.const_ptr[int], out: native.ptr[float]) -> None:
    at = tile.arange(64)
    tile.store(out, 0, tile.prod(tile.load(x, at)))
    tile.store(out, 1, tile.prod(tile.load(y, at)))
    tile.store(out, at, (1.0 * at) ** 0.5)
"""


@pytest.mark.parametrize("backend", ["cpu", "cuda", "hip"])
def test_products_of_folds_beside_those_of_a_function(backend: str) -> None:
    """A function of f64 brings `mul`, which the fold of another type then calls too."""
    text = Text(SOURCE).emitted(backend)
    assert "float mul(float a, float b)" in text
    assert "double mul(double a, double b)" in text
    assert "float pow(" not in text

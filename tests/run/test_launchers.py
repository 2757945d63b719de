"""Launchers: compiled, their arithmetic is checked and every failure is a status; in Python they run as Python."""

from __future__ import annotations

import importlib.util
import math
import sys
from collections.abc import Sequence
from functools import cache
from types import ModuleType
from typing import Any, Final

import numpy as np
import pytest

import transpile
from tests.support.bits import same_bits
from tests.support.everywhere import Step, Target, Text, lent

SOURCE: Final = """
import math

from transpile import cuda, native, tile

STEP = 3


@tile.kernel
def fill(n: int, value: float, out: native.ptr[float]) -> None:
    at = tile.program_id() * 32 + tile.arange(32)
    tile.store(out, at, value + at, at < n)


@cuda.kernel
def bump(n: int, out: native.ptr[float]) -> None:
    i = cuda.global_id()
    if i < n:
        slot = native.offset(out, i)
        native.store(slot, native.load(slot) * 2.0)


def chain(n: int, value: float, out: native.ptr[float]) -> None:
    blocks = (n + 31) // 32
    if n > 100:
        blocks = min(blocks, 4)
    tile.launch(fill, blocks, n, value * 0.5, out)
    for k in range(STEP):
        if k == 1:
            continue
        cuda.launch(bump, blocks, 32, n - k, out)
    tile.launch(fill, 1, min(n, 5), -value, native.offset(out, 2))


def arithmetic(a: int, b: int, out: native.ptr[float]) -> None:
    q = a // b
    r = a % b
    while q > 10:
        q = q - (q >> 1)
    s = abs(r) * 2 - q
    t = s if s >= 0 else -s
    tile.launch(fill, 1, t % 20, float(q * r + s), out)


def grow(n: int, out: native.ptr[float]) -> None:
    size = n * n * n
    tile.launch(fill, 1, 4, 1.0, out)
    tile.launch(fill, size // size, 4, 2.0, out)


def shaped(x: int, y: int, z: int, out: native.ptr[float]) -> None:
    tile.launch(fill, (x, y, z), 16, 7.0, out)


@tile.kernel
def centre(cols: native.static[int], out: native.ptr[float], scale: float) -> None:
    at = tile.program_id() * cols + tile.arange(cols)
    xs = tile.load(out, at)
    tile.store(out, at, (xs - tile.sum(xs) / cols) * scale)


@cuda.kernel
def spread(out: native.ptr[float], period: native.static[int], n: int) -> None:
    i = cuda.global_id()
    if i < n:
        native.store(native.offset(out, i), native.load(native.offset(out, i)) + i % period)


def instances(n: int, scale: float, out: native.ptr[float]) -> None:
    tile.launch(centre, n // 16, 16, out, scale)
    tile.launch(centre, n // 4, 4, native.offset(out, 8), scale + 1)
    for k in range(2):
        cuda.launch(spread, 1, 32, out, -STEP, n + k)
        cuda.launch(spread, (n + 31) // 32, 32, out, STEP * 2, n)


def moving(n: int, unread: float, out: native.ptr[float]) -> None:
    p = out
    while n > 0:
        n -= 1
        p = native.offset(p, 3) if n % 2 else p
        if n == 3:
            continue
        tile.launch(fill, 1, n, 0.25, p)


def threaded(x: int, y: int, z: int, out: native.ptr[float]) -> None:
    cuda.launch(bump, 1, (x, y, z), 16, out)


def whole(f: float, out: native.ptr[float]) -> None:
    tile.launch(fill, 1, int(f) % 9, float(round(f) + math.floor(f * 2.0)), out)


def unsigned(n: native.u64, out: native.ptr[float]) -> None:
    tile.launch(fill, 1, int(n) % 9, n / 3, out)
"""


@cache
def text() -> Text:
    return Text(SOURCE, "launchers")


@pytest.fixture(scope="module")
def module(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    path = tmp_path_factory.mktemp("launchers") / "launchers.py"
    path.write_text(SOURCE, encoding="utf-8")
    spec = importlib.util.spec_from_file_location("launchers", path)
    assert spec is not None
    assert spec.loader is not None
    made = importlib.util.module_from_spec(spec)
    sys.modules["launchers"] = made
    spec.loader.exec_module(made)
    return made


def compiled(target: Target, name: str, *given: Any, grid: tuple[int, int, int] | None = None) -> int:
    """The status of one call, which writes into the arrays."""
    arrays = {f"a{place}": each for place, each in enumerate(given) if isinstance(each, np.ndarray)}
    arguments = tuple(f"a{place}" if f"a{place}" in arrays else each for place, each in enumerate(given))
    with lent(target, arrays) as addresses:
        return text().call(target, Step(name, grid, None, arguments), addresses)


VALUES: Final = [
    ("chain", (40, 3.0)),
    ("chain", (0, 3.0)),
    ("chain", (1, -2.5)),
    ("chain", (128, 0.1)),
    ("arithmetic", (100, 7)),
    ("arithmetic", (-100, 7)),
    ("arithmetic", (12345, -11)),
    ("arithmetic", (-3, -5)),
    ("shaped", (1, 2, 3)),
    ("shaped", (0, 2, 3)),
    ("threaded", (16, 1, 1)),
    ("whole", (7.5,)),
    ("whole", (-2.5,)),
    ("unsigned", (2**63 - 1,)),
]


@pytest.mark.parametrize(("name", "given"), VALUES)
def test_a_launcher_does_what_python_does(
    name: str, given: tuple[Any, ...], module: ModuleType, targets: Sequence[Target]
) -> None:
    expected = np.arange(160.0)
    with transpile.target("reference"):
        getattr(module, name)(*given, expected)
    for target in targets:
        out = np.arange(160.0)
        assert compiled(target, name, *given, out) == 0
        assert same_bits(expected, out), target.name


FAULTS: Final = [
    ("arithmetic", (5, 0), ZeroDivisionError, 2),
    ("grow", (3_000_000,), OverflowError, 1),
    ("grow", (0,), ZeroDivisionError, 2),
    ("shaped", (-1, 1, 1), ValueError, 3),
    ("shaped", (1, 65536, 1), ValueError, 3),
    ("shaped", (1 << 31, 0, 1), ValueError, 3),
    ("threaded", (0, 1, 1), ValueError, 4),
    ("threaded", (1025, 1, 1), ValueError, 4),
    ("threaded", (1, 1, 65), ValueError, 4),
    ("threaded", (-4, 1, 1), ValueError, 4),
    ("whole", (math.nan,), ValueError, 1),
    ("whole", (-math.inf,), OverflowError, 1),
    ("unsigned", (2**63,), OverflowError, 1),
]


@pytest.mark.parametrize(("name", "given", "error", "status"), FAULTS)
def test_a_launcher_fails_with_a_status(
    name: str,
    given: tuple[Any, ...],
    error: type[Exception],
    status: int,
    module: ModuleType,
    targets: Sequence[Target],
) -> None:
    with transpile.target("reference"):
        if (name, given) not in (("grow", (3_000_000,)), ("unsigned", (2**63,))):  # Python's integers grow
            with pytest.raises(error):
                getattr(module, name)(*given, np.zeros(64))
    for target in targets:
        assert compiled(target, name, *given, np.zeros(64)) == status, target.name


@pytest.mark.parametrize("grid", [(-1, 1, 1), (1, -1, 1), (1 << 31, 1, 1), (1, 65536, 1), (1, 1, 65536)])
def test_an_entry_point_refuses_a_grid(grid: tuple[int, int, int], targets: Sequence[Target]) -> None:
    for target in targets:
        out = np.zeros(64)
        assert compiled(target, "fill", 4, 1.0, out, grid=grid) == 3, target.name
        assert not out.any()

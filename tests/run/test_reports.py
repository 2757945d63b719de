"""`print` and `assert` on every target: the same lines from every program and thread, in its own order; the same
assertion told, and nothing touched behind it."""

from __future__ import annotations

import ctypes
import io
from collections import defaultdict
from collections.abc import Mapping, Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Final

import numpy as np
import pytest
from numpy.typing import NDArray

from tests.support.everywhere import Step, Target, Text, lent
from transpile import KernelAssertionError

PROGRAM: Final = Path(__file__).parent / "programs" / "reports.py"
TEXT: Final = Text(PROGRAM.read_text(encoding="utf-8"), "reports")
Lines = dict[str, list[str]]


class Told(ctypes.Structure):
    """`struct reports_assertion` of the header."""

    _fields_ = (
        ("file", ctypes.c_char_p),
        ("line", ctypes.c_int32),
        ("text", ctypes.c_char_p),
        ("message", ctypes.c_char_p),
        ("numbers", ctypes.c_int32),
        ("place", ctypes.c_int64 * 6),
    )


def by_place(text: str) -> Lines:
    """The lines of each program or thread, in its order."""
    found: Lines = defaultdict(list)
    for line in text.splitlines():
        place, _, rest = line.partition("]")
        found[place].append(rest)
    return dict(found)


def on_reference(step: Step, arrays: Mapping[str, NDArray[np.generic]]) -> tuple[Lines, KernelAssertionError | None]:
    out = io.StringIO()
    with redirect_stdout(out):
        try:
            TEXT.run_reference([step], arrays)
        except KernelAssertionError as error:
            return by_place(out.getvalue()), error
    return by_place(out.getvalue()), None


def on_target(
    target: Target, step: Step, arrays: Mapping[str, NDArray[np.generic]], capfd: pytest.CaptureFixture[str]
) -> tuple[Lines, Told | None]:
    """What is printed, and the assertion that failed, which is told once."""
    library = TEXT.library(target)
    copies = {name: array.copy() for name, array in arrays.items()}
    capfd.readouterr()
    with lent(target, copies) as addresses:
        status = TEXT.call(target, step, addresses)
    ctypes.CDLL(None).fflush(None)
    text = capfd.readouterr().out
    told = Told()
    library.reports_failed_assertion.restype = ctypes.c_bool
    has_failed = library.reports_failed_assertion(ctypes.byref(told))
    assert not library.reports_failed_assertion(ctypes.byref(Told()))
    if target.place == "cpu":
        assert status == (6 if has_failed else 0)
    else:
        assert status == 0
    return by_place(text), told if has_failed else None


FORMS: Final = (-7, -(1 << 62), (1 << 32) - 1, (1 << 64) - 1, 0.1, 0.1, True)
CASES: Final = (
    Step("forms", (2,), None, FORMS),
    Step("forms", (1,), None, (0, 0, 0, 0, float("inf"), float("-inf"), False)),
    Step("forms", (1,), None, (1, 1, 1, 1, float("-nan"), -float("nan"), False)),
    Step("rows", (2,), None, (100, "x", "out")),
    Step("meet", (2,), (64,), (128, "order", "i32")),
    Step("turns", (2,), (2, 3), (9, "out")),
    Step("grid", (2, 2), None, ("i32",)),
)


def arrays() -> dict[str, NDArray[np.generic]]:
    return {
        "x": np.linspace(0.0, 5.0, 128),
        "high": np.linspace(0.0, 180.0, 128),
        "low": np.full(128, -1.0),
        "order": np.random.default_rng(3).permutation(128).astype(np.int32),
        "wild": np.where(np.arange(128) == 77, 1 << 30, np.arange(128)).astype(np.int32),
        "out": np.zeros(128),
        "i32": np.zeros(128, np.int32),
    }


@pytest.mark.parametrize("step", CASES, ids=lambda step: step.function)
def test_every_target_prints_the_same(step: Step, targets: Sequence[Target], capfd: pytest.CaptureFixture[str]) -> None:
    expected, error = on_reference(step, arrays())
    assert error is None
    assert expected
    for target in targets:
        assert on_target(target, step, arrays(), capfd) == (expected, None), target.name


# A step and what it fails with: the line's text, and the place, where only one program or thread can fail.
FAILING: Final = (
    (Step("rows", (2,), None, (128, "high", "out")), "tile.all(t <= LIMIT) and largest > -LIMIT", (1,)),
    (Step("rows", (1,), None, (64, "low", "out")), "v >= 0.0", (0,)),
    (Step("meet", (2,), (64,), (128, "wild", "i32")), "v >= 0 and v < n", (1, 13)),
    (Step("grid", (3, 2), None, ("i32",)), "x < 2 or y < 1", (2, 1, 0)),
    (Step("turns", (1,), (1, 1), (0, "out")), "k < n", (0, 0, 0, 0, 0, 0)),
)


@pytest.mark.parametrize(("step", "text", "place"), FAILING, ids=lambda given: getattr(given, "function", ""))
def test_every_target_tells_of_the_same_assertion(
    step: Step,
    text: str,
    place: tuple[int, ...],
    targets: Sequence[Target],
    capfd: pytest.CaptureFixture[str],
) -> None:
    _, error = on_reference(step, arrays())
    assert error is not None
    assert error.text == text
    assert str(error).startswith(f"reports.py:{error.line}: [")
    for target in targets:
        _, told = on_target(target, step, arrays(), capfd)
        assert told is not None, target.name
        found = (told.file, told.line, told.text.decode(), told.message.decode())
        assert found == (b"reports.py", error.line, error.text, error.message), target.name
        assert tuple(told.place[: told.numbers]) == place, target.name

"""Case 059, which speaks of streams and devices: a launch runs where its arrays are, on the stream that is current."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.cases.case import load_cases
from tests.cli.program import python, transpile

CASE: Final = next(case for case in load_cases() if case["id"] == "059")
OTHER: Final = """

@tile.kernel
def add_other(n: int, x: native.ptr[float], y: native.const_ptr[float]) -> None:
    at = tile.program_id() * 256 + tile.arange(256)
    ok = at < n
    tile.store(x, at, tile.load(x, at, ok) + tile.load(y, at, ok), ok)
"""
# Long enough that work on another stream would be done before `fill_` is.
USE: Final = """
import sys

import case_059
import torch
import transpile
from transpile import tile

n = 1048576
target = sys.argv[1]


def use(device):  # while device 0 is current
    x = torch.zeros(n, dtype=torch.float64, device=device)
    with torch.cuda.device(device):
        side = torch.cuda.Stream()
        side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        torch.cuda._sleep(100_000_000)
        x.fill_(41.0)
    with torch.cuda.stream(side), torch.cuda.device(0):
        tile.launch(case_059.add_one, 4096, n, x)
    with torch.cuda.stream(side):
        y = x * 2.0
    side.synchronize()
    print(bool((x == 42.0).all()), bool((y == 84.0).all()), tile.target(case_059.add_one))


with transpile.target(target):
    for number in range(torch.cuda.device_count()):
        use(f"cuda:{number}")
    here, there = torch.zeros(n, dtype=torch.float64), torch.zeros(n, dtype=torch.float64, device="cuda")
    try:
        tile.launch(case_059.add_other, 4096, n, there, here)
    except (TypeError, ValueError) as error:
        print(type(error).__name__, error)
"""


@pytest.mark.gpu
@pytest.mark.parametrize("target", ["cuda", "auto"])
def test_work_is_queued_on_the_side_stream(target: str, tmp_path: Path) -> None:
    """`auto` takes the module that is built beside the file; `cuda` compiles at the launch."""
    pytest.importorskip("torch")
    (tmp_path / "case_059.py").write_text("\n".join(CASE["kernel"]) + "\n" + OTHER, encoding="utf-8")
    if target == "auto":
        built = transpile("build", "case_059.py", "--target", "cuda", folder=tmp_path)
        assert built.code == 0, built.err
    used = python("-c", USE, target, folder=tmp_path)
    assert used.code == 0, used.err
    *each, refusal = used.out.splitlines()
    assert each
    assert set(each) == {"True True cuda"}
    assert refusal.startswith(("ValueError", "TypeError"))
    assert "'y'" in refusal

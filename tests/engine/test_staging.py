"""Host arrays to a device and back (engine/staging.hpp): C++ against a stand-in for the driver whose work waits until
somebody waits for it."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.support.devices import cxx_program, environment

SOURCE: Final = Path(__file__).parent / "staging.cpp"
CASES: Final = (
    "sizes",
    "defaults",
    "small_arrays",
    "nothing_to_stage_with",
    "overlapping_arrays",
    "read_only_arrays",
    "several_threads",
    "two_devices",
    "failures",
    "kernel_fault",
    "out_of_memory",
    "blocks_are_kept",
    "nothing_comes_back",
    "abandoned",
)


def run(*arguments: str, lazy: int) -> str:
    done = subprocess.run(
        [str(cxx_program(SOURCE)), *arguments],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
        env=environment(devices=2, lazy=lazy),
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, f"it ended with {done.returncode}\n{done.stderr}"
    return done.stdout


def test_every_case_is_run() -> None:
    assert run(lazy=0).split() == list(CASES)


@pytest.mark.parametrize("case", CASES)
def test_lazy_device(case: str) -> None:
    run(case, lazy=1)


@pytest.mark.parametrize("case", ["sizes", "several_threads", "failures", "out_of_memory"])
def test_eager_device(case: str) -> None:
    run(case, lazy=0)

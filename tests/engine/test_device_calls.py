"""Modules for devices on the stand-in for the driver: each function of programs/ is a test."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache

import pytest

from tests.engine.inside import checks, run_inside
from tests.support.devices import environment, fake_hip

SETTINGS: dict[str, dict[str, object]] = {
    "arguments": {"devices": 2},
    "cupy_streams": {"devices": 2},
    "failures": {},
    "first_use": {},
    "hip": {"devices": 2},
    "host_arrays": {"lazy": 1},
    "streams": {"devices": 2},
}


@pytest.fixture(scope="session")
def ended(modules: tuple[str, ...]) -> Callable[[str], Mapping[str, str]]:
    """How the functions of a program ended."""

    @cache
    def run(program: str) -> Mapping[str, str]:
        libraries = {"LD_LIBRARY_PATH": f"{fake_hip()}:{environment()['LD_LIBRARY_PATH']}"}
        return run_inside(f"programs.{program}", modules, libraries, **SETTINGS[program])

    return run


@pytest.mark.parametrize(("program", "check"), list(checks("programs")))
def test_on_the_stand_in(ended: Callable[[str], Mapping[str, str]], program: str, check: str) -> None:
    assert ended(program)[check] == ""

"""Modules for devices, on a stand-in for the driver: each function of programs/ is a test."""

from __future__ import annotations

import ast
import json
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.support.devices import environment, fake_hip, run_program

HERE = Path(__file__).parent
SETTINGS: dict[str, dict[str, object]] = {
    "arguments": {"devices": 2},
    "failures": {},
    "hip": {"devices": 2},
    "host_arrays": {"lazy": 1},
    "streams": {"devices": 2},
}


def checks() -> Iterator[tuple[str, str]]:
    for path in sorted(HERE.glob("programs/*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("check_"):
                yield path.stem, node.name


@pytest.fixture(scope="session")
def ended(modules: tuple[str, ...]) -> Callable[[str], dict[str, str]]:
    """How the functions of a program ended: their tracebacks."""

    @cache
    def run(program: str) -> dict[str, str]:
        start = (
            "import runpy, sys; sys.argv[0] = 'inside'; runpy.run_module('tests.engine.inside', run_name='__main__')"
        )
        try:
            paths = f"{fake_hip()}:{environment()['LD_LIBRARY_PATH']}"
            name, settings = f"tests.engine.programs.{program}", SETTINGS[program]
            printed = run_program(start, name, *modules, env={"LD_LIBRARY_PATH": paths}, **settings)
        except AssertionError as error:
            crash = str(error)
            return defaultdict(lambda: crash)
        found: dict[str, str] = json.loads(printed.splitlines()[-1])
        return found

    return run


@pytest.mark.parametrize(("program", "check"), list(checks()))
def test_on_a_device(ended: Callable[[str], dict[str, str]], program: str, check: str) -> None:
    assert ended(program)[check] == ""

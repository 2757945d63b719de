"""The same bytes from every Python, under every hash seed."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
SOURCES: Final = ("tests/toolchains/zoo.py", "examples/tiles.py", "examples/saxpy.py")
CODE: Final = """
import hashlib, sys
from transpile import pipeline
from transpile.backends.table import BACKENDS
for path in sys.argv[1:]:
    for name in sorted(BACKENDS):
        print(hashlib.sha256(pipeline.emit(path, BACKENDS[name]).encode()).hexdigest())
"""


def interpreters() -> list[str]:
    """This Python, and others on the machine that have what the emitter imports."""
    found = [sys.executable]
    chosen = os.environ.get("TRANSPILE_TEST_PYTHONS", "")
    found += [one for one in chosen.split(os.pathsep) if one]
    found += sorted(str(path) for path in ROOT.glob(".venv-3*/bin/python"))
    return found


def emitted_hashes(python: str, seed: str) -> str:
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
    done = subprocess.run(
        [python, "-c", CODE, *SOURCES],
        cwd=ROOT,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-3000:]
    return hashlib.sha256(done.stdout.encode()).hexdigest()


def test_hash_seeds_do_not_matter() -> None:
    assert len({emitted_hashes(sys.executable, seed) for seed in ("0", "1", "4242")}) == 1


def test_the_python_does_not_matter() -> None:
    if len(interpreters()) == 1:
        pytest.skip("no other Python is set up: scripts/other-pythons.sh")
    assert len({emitted_hashes(python, "7") for python in interpreters()}) == 1


def test_an_example_runs_on_every_python() -> None:
    printed = set()
    for python in interpreters():
        environment = {**os.environ, "TRANSPILE": "reference", "PYTHONPATH": str(ROOT), "PYTHONDONTWRITEBYTECODE": "1"}
        done = subprocess.run(
            [python, "examples/tiles.py"],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            timeout=120,
            check=True,
        )
        printed.add(done.stdout)
    assert len(printed) == 1

"""The wheel and the sdist of examples/package, made as a library author makes them."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pybind11
import pytest
import setuptools

from tests.support import device
from transpile.build import toolchain
from transpile.build.cache import open_cache

ROOT: Final = Path(__file__).parents[2]
EXAMPLE: Final = ROOT / "examples" / "package"


def run(*command: str | Path, folder: Path, given: Mapping[str, str], code: int = 0) -> str:
    """What a program prints that has nothing in its environment but what is `given`."""
    held = {name: os.environ[name] for name in ("HOME", "TMPDIR", "LANG", "LD_LIBRARY_PATH") if name in os.environ}
    done = subprocess.run(
        [str(word) for word in command],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=300,
        check=False,
        env={**held, **given},
    )
    assert done.returncode == code, done.stdout
    return done.stdout


def backend(call: str, project: Path, *, path: Path, given: Mapping[str, str]) -> str:
    """Has setuptools carry out `call` of its build backend in a project, with `path` alone to import from."""
    program = f"from setuptools import build_meta as backend; backend.{call}"
    environment = {"PATH": os.environ["PATH"], "PYTHONPATH": str(path), **given}
    return run(sys.executable, "-S", "-c", program, folder=project, given=environment)


@pytest.fixture(scope="session")
def builders(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder to import from that has what the build of an sdist requires, and nothing else."""
    folder = tmp_path_factory.mktemp("builders")
    for package, names in (
        (setuptools, ("setuptools*", "_distutils_hack", "pkg_resources")),
        (pybind11, ("pybind11",)),
    ):
        assert package.__file__ is not None
        site = Path(package.__file__).parents[1]
        for held in (path for name in names for path in site.glob(name)):
            (folder / held.name).symlink_to(held)
    return folder


@pytest.fixture(scope="session")
def cache() -> str:
    """Where the objects lie of the tests of this and earlier runs."""
    folder = open_cache().folder
    assert folder is not None
    return str(folder)


@dataclass(frozen=True, slots=True)
class Built:
    """The author's checkout after the build, and the folder with what was built."""

    project: Path
    dist: Path

    def one(self, pattern: str) -> Path:
        (found,) = self.dist.glob(pattern)
        return found


@pytest.fixture(scope="session")
def built(tmp_path_factory: pytest.TempPathFactory, worker_id: str, cache: str) -> Built:
    """The example's wheel, for the CPU and one GPU, and its sdist: made once, by the first worker that needs them."""
    try:
        toolchain.find_compiler()
        toolchain.find_nvcc()
    except toolchain.ToolchainMissingError as error:
        pytest.skip(str(error))
    base = tmp_path_factory.getbasetemp()
    folder = (base if worker_id == "master" else base.parent) / "author"
    made = Built(folder / "package", folder / "dist")
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            _build(made, cache)
            (folder / "done").touch()
    return made


def _build(wanted: Built, cache: str) -> None:
    files = shutil.ignore_patterns("_transpiled", "build", "*.egg-info", "*_ext.py*", "*.so")
    shutil.copytree(EXAMPLE, wanted.project, ignore=files, dirs_exist_ok=True)
    setup = wanted.project / "setup.py"
    arch = "sm_90" if device.lacking() else device.architecture()
    setup.write_text(setup.read_text().replace('"sm_80", "sm_90"', f'"{arch}"'))
    search = os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", ""))).rstrip(os.pathsep)
    given = {"PATH": os.environ["PATH"], "PYTHONPATH": search, "TRANSPILE_CACHE": cache}
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", "wheel", "--no-build-isolation", "--no-deps")
    run(*pip, "-w", wanted.dist, ".", folder=wanted.project, given=given)
    sdist = f"from setuptools import build_meta as backend; backend.build_sdist({str(wanted.dist)!r})"
    run(sys.executable, "-c", sdist, folder=wanted.project, given=given)

"""The example for CMake: its C++ and C programs print what the reference prints."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from tests.cmake.project import EXAMPLE, CommandError, Project, run


def reference() -> str:
    return run(sys.executable, "waves.py", folder=EXAMPLE)


def test_on_the_cpu(tmp_path: Path) -> None:
    project = Project(EXAMPLE, tmp_path / "build")
    project.configure(
        "-DCMAKE_BUILD_TYPE=Debug", "-DCMAKE_CXX_FLAGS=-Wall -Wextra -Werror", "-DCMAKE_C_FLAGS=-Werror -pedantic"
    )
    project.make()
    assert project.program("waves") == project.program("waves_c") == reference()


def test_for_cuda(tmp_path: Path) -> None:
    """nvcc compiles it; where there is no GPU the program says so."""
    if shutil.which("nvcc") is None:
        pytest.skip("there is no nvcc on the PATH")
    project = Project(EXAMPLE, tmp_path / "build")
    project.configure("-DWAVES_TARGET=cuda", "-DCMAKE_CUDA_ARCHITECTURES=90")
    project.make()
    try:
        assert project.program("waves") == reference()
    except CommandError as error:
        said = str(error)
        assert said.startswith("allocating: CUDA driver version is insufficient")

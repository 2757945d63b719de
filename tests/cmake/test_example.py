"""The example for CMake: its C++ and C programs print what the reference prints."""

from __future__ import annotations

import sys
from pathlib import Path

from tests.cmake.project import EXAMPLE, CommandError, Project, run
from tests.support.tools import tool

USE = """\
import sys, numpy as np, waves_ext
now, other = np.zeros(512), np.zeros(512)
now[100] = 1.0
waves_ext.step[2](512, 0.25, now, other)
assert "transpile" not in sys.modules
print(other[101], waves_ext.__transpile__["target"])
"""


def reference() -> str:
    return run(sys.executable, "waves.py", folder=EXAMPLE)


def test_on_the_cpu(tmp_path: Path) -> None:
    project = Project(EXAMPLE, tmp_path / "build")
    cxx, c = "-Wall -Wextra -Werror", "-Wall -Wextra -Werror -pedantic-errors"
    project.configure(
        "-DCMAKE_BUILD_TYPE=Debug",
        "-DCMAKE_CXX_FLAGS_DEBUG=",
        "-DWAVES_MODULE=ON",
        f"-DCMAKE_CXX_FLAGS={cxx}",
        f"-DCMAKE_C_FLAGS={c}",
    )
    project.make()
    assert project.program("waves") == project.program("waves_c") == reference()
    # The extension, in a Python that does not see the package.
    assert run(sys.executable, "-c", USE, folder=project.build) == "0.25 cpu\n"
    module = next(project.build.glob("waves_ext*.so"))
    shown = run("nm", "-D", "--defined-only", str(module), folder=project.build)
    names = {line.split()[-1] for line in shown.splitlines()}
    assert names == {"PyInit_waves_ext", "waves_step", "waves_block_energy", "waves_swing", "waves_energy"}
    assert (project.build / "waves_ext-sources" / "waves_ext.pyi").is_file()


def test_for_cuda(tmp_path: Path) -> None:
    """nvcc compiles it; where there is no GPU the program says so."""
    nvcc = Path(tool("nvcc"))
    project = Project(EXAMPLE, tmp_path / "build")
    options = ["-DWAVES_TARGET=cuda", "-DCMAKE_CUDA_ARCHITECTURES=90", f"-DCMAKE_CUDA_COMPILER={nvcc}"]
    if (nvcc.parents[1] / "lib" / "libcudart_static.a").is_file():  # as pip installs it
        options.append(f"-DCMAKE_CUDA_FLAGS=-L{nvcc.parents[1] / 'lib'}")
    project.configure(*options)
    project.make()
    try:
        assert project.program("waves") == reference()
    except CommandError as error:
        said = str(error)
        assert said.startswith("allocating: CUDA driver version is insufficient")

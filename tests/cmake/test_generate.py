"""`transpile_generate`: when sources are written again, when they are taken as they are, and what a mistake is told."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.cmake.project import CommandError, Project
from tests.support.tools import tool
from transpile.lowering.names import symbol

KERNELS: Final = """\
from shapes import curve
from transpile import native, tile


@tile.kernel
def bend(n: int, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    i = tile.program_id() * 64 + tile.arange(64)
    tile.store(y, i, curve(tile.load(x, i, i < n)), i < n)
"""
SHAPES: Final = """\
from transpile import cuda


@cuda.device
def curve(v: float) -> float:
    return v * 5.0
"""
# The sources alone: nothing is compiled.
PROJECT: Final = """\
cmake_minimum_required(VERSION 3.20)
project(sources LANGUAGES {languages})
find_package(Transpile 0.1 CONFIG REQUIRED)
transpile_generate(sources {arguments})
add_custom_target(all_sources ALL DEPENDS ${{sources}})
message("sources: ${{sources}} in ${{sources_INCLUDE_DIR}}")
"""
TRUSTED: Final = "-DCMAKE_CXX_COMPILER_FORCED=ON"  # the compiler is known to work: CMake need not try
USUAL: Final = "SOURCES kernels.py TARGET cpu"


def project_of(folder: Path, arguments: str = USUAL, languages: str = "CXX") -> Project:
    source = folder / "a project"
    source.mkdir()
    (source / "kernels.py").write_text(KERNELS)
    (source / "shapes.py").write_text(SHAPES)
    (source / "CMakeLists.txt").write_text(PROJECT.format(arguments=arguments, languages=languages))
    return Project(source, folder / "build")


@pytest.mark.parametrize("generator", ["Unix Makefiles", "Ninja"])
def test_sources_follow_every_file_that_they_are_made_from(tmp_path: Path, generator: str) -> None:
    tool("make" if generator == "Unix Makefiles" else "ninja")
    project = project_of(tmp_path)
    project.configure("-G", generator, TRUSTED)
    made = project.build / "transpile-cpu"
    assert "Transpiling kernels.cpp" in project.make()
    assert "5.0" in (made / "kernels.cpp").read_text()
    assert "int32_t kernels_bend(" in (made / "kernels.h").read_text()
    assert "Transpiling" not in project.make()
    (project.source / "shapes.py").write_text(SHAPES.replace("5.0", "7.0"))
    assert "Transpiling kernels.cpp" in project.make()
    assert "7.0" in (made / "kernels.cpp").read_text()
    if generator == "Ninja":
        (project.source / "shapes.py").write_text(SHAPES.replace("v * 5.0", "w"))
        with pytest.raises(CommandError, match=r"error\[undefined-name\].*\n --> .*shapes\.py:6:12"):
            project.make()


@pytest.mark.parametrize("case", ["off", "no python", "no package"])
def test_checked_in_sources_need_neither_python_nor_the_package(tmp_path: Path, case: str) -> None:
    kept = tmp_path / "a project" / "generated"
    project = project_of(tmp_path, f'SOURCES kernels.py TARGET cpu DESTINATION "{kept}"')
    options = ["-DTRANSPILE_GENERATE=OFF"] if case == "off" else []
    python = tmp_path / "python3"
    if case == "no package":
        python.write_text('#!/bin/sh\nexec /usr/bin/env python3 -I -S "$@"\n')
        python.chmod(0o755)
    said = _refused(project, *options, python=str(python))
    assert "generated/kernels.cpp is not there, and cannot" in said
    assert {"off": "TRANSPILE_GENERATE is OFF", "no python": "there is no Python", "no package": "has no package"}[
        case
    ] in said

    kept.mkdir()
    for name in ("kernels.cpp", "kernels.h"):
        (kept / name).write_text("// checked in\n")
    project.configure(TRUSTED, *options, python=str(python))
    project.make()
    os.utime(project.source / "kernels.py")
    project.make()
    assert (kept / "kernels.cpp").read_text() == "// checked in\n"
    if case != "off":
        assert "TRANSPILE_GENERATE is ON, and " in _refused(project, "-DTRANSPILE_GENERATE=ON", python=str(python))


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ("SOURCES kernels.py TARGET gpu", "TARGET gpu: choose cuda, hip or cpu"),
        ("SOURCES kernels.py", "TARGET is missing"),
        ("TARGET cpu", "SOURCES is missing"),
        (f"{USUAL} EXTRA yes", "arguments are not understood: EXTRA;yes"),
        ("SOURCES kernels.py more/kernels.py TARGET cpu", "would both be written as"),
        ("SOURCES kernels.py TARGET cuda", "add CUDA to the project's languages"),
        ("SOURCES kernels.py TARGET hip", "take hipcc as the C++ compiler"),
    ],
)
def test_mistakes(tmp_path: Path, arguments: str, message: str) -> None:
    assert message in _refused(project_of(tmp_path, arguments))


def test_a_module_exports_what_its_functions_are_called(tmp_path: Path) -> None:
    """As they are when `build` links it; names that look escaped are escaped themselves."""
    stems = ("plain_use", "letters_ue9_x_u1")
    project = project_of(tmp_path)
    lines = [f"transpile_add_module({stem}_ext {stem}.py TARGET cpu)\n" for stem in stems]
    with (project.source / "CMakeLists.txt").open("a") as file:
        file.writelines(lines)
    for stem in stems:
        (project.source / f"{stem}.py").write_text(KERNELS)
    project.configure()
    for stem in stems:
        exports = (project.build / "CMakeFiles" / f"{stem}_ext.exports").read_text()
        assert exports == f"{{ global: PyInit_{stem}_ext; {symbol(stem, '')}*; local: *; }};\n"


def _refused(project: Project, *options: str, python: str = sys.executable) -> str:
    with pytest.raises(CommandError) as caught:
        project.configure(TRUSTED, *options, python=python)
    return " ".join(str(caught.value).split())

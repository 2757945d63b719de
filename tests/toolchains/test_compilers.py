"""Emitted text compiles, without a warning, with the compilers and for the devices that it is meant for."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from tests.support.compiling import HIP_ON_CUDA, run_compiler
from tests.support.tools import tool
from tests.toolchains.texts import NAMES, text_of
from transpile import pipeline
from transpile.build.nvrtc import find_nvrtc, load_nvrtc

# The zoo is compiled for all of them, the others for the first.
SM: Final = ("80", "90", "120")
GFX: Final = ("gfx90a", "gfx1030")
WARNINGS: Final = ("-Wall", "-Wextra")


def written(name: str, backend: str, suffix: str, folder: Path) -> str:
    path = folder / f"{name}{suffix}"
    path.write_text(text_of(name).emitted(backend), encoding="utf-8")
    return str(path)


def chosen(devices: tuple[str, ...], name: str) -> tuple[str, ...]:
    return devices if name == "zoo" else devices[:1]


@pytest.mark.parametrize("name", NAMES)
def test_nvcc(name: str, tmp_path: Path) -> None:
    source = written(name, "cuda", ".cu", tmp_path)
    devices = [f"-gencode=arch=compute_{number},code=sm_{number}" for number in chosen(SM, name)]
    said = run_compiler(
        [
            tool("nvcc"),
            "-std=c++17",
            *devices,
            "-Xcompiler",
            ",".join(WARNINGS),
            "-c",
            source,
            "-o",
            str(tmp_path / "o"),
        ]
    )
    assert not said.strip(), said
    seen = run_compiler([tool("nm"), "-g", "--defined-only", str(tmp_path / "o")]).split()
    assert set(re.findall(r'^extern "C" \w+ (\w+)\(', Path(source).read_text(), re.MULTILINE)) <= set(seen)


@pytest.mark.skipif(find_nvrtc() is None, reason="no NVRTC here: pip install nvidia-cuda-nvrtc")
@pytest.mark.parametrize("name", NAMES)
def test_nvrtc(name: str) -> None:
    image, described = pipeline.emit_image(*text_of(name).loaded, pipeline.Options(lines="directive", verify=True))
    expressions = [kernel.expression for kernel in image.kernels]
    made = load_nvrtc().compile(image.text, image.file, f"sm_{SM[-1]}", expressions)
    assert set(made.symbols) == set(expressions)
    assert len(described) == len(expressions) == len(set(made.symbols.values()))


@pytest.mark.parametrize("name", NAMES)
def test_hipcc(name: str, tmp_path: Path) -> None:
    source = written(name, "hip", ".hip", tmp_path)
    devices = [f"--offload-arch={device}" for device in chosen(GFX, name)]
    said = run_compiler([tool("hipcc"), "-std=c++17", *devices, *WARNINGS, "-c", source, "-o", str(tmp_path / "o")])
    assert not said.strip(), said


def test_nvcc_reads_the_hip_text(tmp_path: Path) -> None:
    """Through the header that the device tests run it with."""
    source = written("zoo", "hip", ".hip", tmp_path)
    flags = ["-std=c++17", "-x", "cu", "-arch=sm_90", "-cubin", "-I", str(HIP_ON_CUDA)]
    said = run_compiler([tool("nvcc"), *flags, source, "-o", str(tmp_path / "o")])
    assert not said.strip(), said


@pytest.mark.parametrize("compiler", ["g++", "clang++"])
@pytest.mark.parametrize("name", NAMES)
def test_cxx(name: str, compiler: str, tmp_path: Path) -> None:
    source = written(name, "cpu", ".cpp", tmp_path)
    said = run_compiler(
        [tool(compiler), "-std=c++17", "-O2", "-fPIC", *WARNINGS, "-c", source, "-o", str(tmp_path / "o")]
    )
    assert not said.strip(), said


@pytest.mark.parametrize("name", ["tiles", "saxpy"])
def test_lines_are_short(name: str) -> None:
    for backend in ("cuda", "hip", "cpu"):
        long = [line for line in text_of(name).emitted(backend).split("\n") if len(line) > 100]
        assert not long, f"{backend}: {long}"


@pytest.mark.parametrize(("name", "most"), [("tiles", 160), ("saxpy", 95)])
def test_the_examples_are_read_quickly(name: str, most: int) -> None:
    assert text_of(name).emitted("cuda").count("\n") <= most

"""What compilers make of accesses that move several lanes: single wide instructions, and nothing in local memory."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.support.compiling import run_compiler
from tests.support.tools import tool
from tests.toolchains.texts import text_of
from transpile import pipeline
from transpile.build.nvrtc import find_nvrtc, load_nvrtc

# A load or store of PTX: its width, then the address.
ACCESS = re.compile(r"\b(ld|st)\.global\.(?:nc\.)?(v[24]\.)?\w+\s")


def entry(listing: str, kernel: str) -> str:
    """The lines of one kernel in a PTX listing."""
    start = re.search(rf"\.entry \w*\d{kernel}E", listing)
    assert start, kernel
    return listing[start.start() : listing.index("\n}", start.start())]


def accesses(lines: str) -> list[tuple[str, str]]:
    return [(found[1], found[2] or "") for found in ACCESS.finditer(lines)]


def ptx(folder: Path) -> str:
    source, made = folder / "activation.cu", folder / "activation.ptx"
    source.write_text(text_of("activation").emitted("cuda"), encoding="utf-8")
    run_compiler([tool("nvcc"), "-std=c++17", "-arch=sm_90", "-ptx", str(source), "-o", str(made)])
    return made.read_text(encoding="utf-8")


def test_an_activation_is_one_load_and_one_store(tmp_path: Path) -> None:
    kernel = entry(ptx(tmp_path), "activation")
    found = accesses(kernel)
    assert found.count(("ld", "v4.")) == 1
    assert found.count(("st", "v4.")) == 1
    # Only arrays that are off their alignment are moved element by element, on paths of their own.
    paths = [accesses(path) for path in re.split(r"\n\$\w+:", kernel)]
    assert all(len(set(path)) <= 1 for path in paths), paths
    assert len(found) == 2 + 4 + 4
    assert not re.search(r"\bcall\b|\.local\b", kernel), "the device function is not inlined"


def test_a_thread_reads_and_writes_the_rows_of_two(tmp_path: Path) -> None:
    kernel = entry(ptx(tmp_path), "shared_affine")
    assert kernel.count("bar.sync") == 2
    assert not re.search(r"\bcall\b|\.local\b", kernel)


@pytest.mark.parametrize("name", ["activation", "norms"])
def test_amd(name: str, tmp_path: Path) -> None:
    source, made = tmp_path / f"{name}.hip", tmp_path / f"{name}.s"
    source.write_text(text_of(name).emitted("hip"), encoding="utf-8")
    command = [tool("hipcc"), "-std=c++17", "--offload-arch=gfx90a", "-O3", "-S", "--cuda-device-only"]
    run_compiler([*command, str(source), "-o", str(made)])
    listing = made.read_text(encoding="utf-8")
    assert "global_load_dwordx4" in listing
    assert not re.search(r"\bflat_load|\bbuffer_store|\bscratch_store", listing), "something is in local memory"


@pytest.mark.skipif(find_nvrtc() is None, reason="no NVRTC here: pip install nvidia-cuda-nvrtc")
@pytest.mark.parametrize("name", ["activation", "norms"])
def test_nvrtc(name: str) -> None:
    image, _ = pipeline.emit_image(*text_of(name).loaded, pipeline.Options(verify=True))
    expressions = [kernel.expression for kernel in image.kernels]
    made = load_nvrtc().compile(image.text, image.file, "sm_90", expressions)
    assert set(made.symbols) == set(expressions)

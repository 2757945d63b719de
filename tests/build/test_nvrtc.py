"""NVRTC, found and asked: it needs no GPU. Texts of every kind go through it in tests/toolchains."""

from __future__ import annotations

from pathlib import Path

import pytest

from transpile.build import nvrtc
from transpile.build.nvrtc import find_nvrtc, load_nvrtc
from transpile.build.toolchain import CompilerError, ToolchainMissingError, UnknownProcessorError

needs_nvrtc = pytest.mark.skipif(find_nvrtc() is None, reason="no NVRTC here: pip install nvidia-cuda-nvrtc")
KERNEL = """\
#include <cmath>
#include <cstdint>
#include <type_traits>

namespace transpiled {

template <int64_t n>
__global__ void fill(double *x) {
    static_assert(std::is_integral_v<bool> && std::is_integral_v<uint64_t> && !std::is_integral_v<float>);
    static_assert(sizeof(std::make_unsigned_t<int8_t>) == 1 && std::is_floating_point_v<double>);
    x[threadIdx.x] = std::isnan(x[n]) || std::signbit(x[n]) ? INFINITY : std::copysign(std::sqrt(x[n]), -1.0);
}

}  // namespace transpiled
"""


@pytest.fixture
def _found_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the machine is found but what a test puts somewhere."""
    monkeypatch.setattr(nvrtc, "SYSTEM_FOLDERS", ())
    monkeypatch.setattr("sys.path", [])
    monkeypatch.setenv("PATH", "")
    for name in ("CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(nvrtc, "find_nvrtc", nvrtc.find_nvrtc.__wrapped__)
    monkeypatch.setattr(nvrtc, "load_nvrtc", nvrtc.load_nvrtc.__wrapped__)


@pytest.mark.usefixtures("_found_anew")
def test_where_it_is_looked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert nvrtc.find_nvrtc() is None
    assert nvrtc.nvrtc_identity() == "none"
    with pytest.raises(ToolchainMissingError, match=r"pip install 'transpile\[nvrtc\]'"):
        nvrtc.load_nvrtc()
    toolkit = tmp_path / "toolkit"
    for name in ("bin/nvcc", "lib64/libnvrtc.so.13.0.88", "lib64/libnvrtc.so.13", "lib64/libnvrtc.alt.so.13"):
        (toolkit / name).parent.mkdir(parents=True, exist_ok=True)
        (toolkit / name).write_bytes(b"")
    monkeypatch.setenv("PATH", str(toolkit / "bin"))
    assert nvrtc.find_nvrtc() == toolkit / "lib64" / "libnvrtc.so.13.0.88"
    with pytest.raises(ToolchainMissingError, match=r"libnvrtc.so.13.0.88 does not load: .*too short"):
        nvrtc.load_nvrtc()
    for major, place in (("12", "cuda_nvrtc/lib"), ("13", "cu13/lib"), ("100", "cu100/lib")):
        library = tmp_path / "site" / "nvidia" / place / f"libnvrtc.so.{major}"
        library.parent.mkdir(parents=True)
        library.write_bytes(b"")
    monkeypatch.setattr("sys.path", ["", str(tmp_path / "site")])
    found = nvrtc.find_nvrtc()
    assert found is not None
    assert found.name == "libnvrtc.so.100"  # newer than 13, as a number
    before = nvrtc.nvrtc_identity()
    found.write_bytes(b"another release")
    assert nvrtc.nvrtc_identity() != before
    monkeypatch.setenv("CUDA_HOME", str(toolkit))
    assert nvrtc.find_nvrtc() == toolkit / "lib64" / "libnvrtc.so.13.0.88"


@needs_nvrtc
def test_it_compiles_without_headers_of_the_system() -> None:
    made = load_nvrtc().compile(KERNEL, "kernel.cu", "sm_90", ["transpiled::fill<3>"])
    assert made.image.startswith(b"\x7fELF")
    assert "fill" in made.symbols["transpiled::fill<3>"]
    text = load_nvrtc().compile(KERNEL, "kernel.cu", "sm_90a", ["transpiled::fill<3>"], "ptx", has_lines=False).image
    assert b".target sm_90a" in text
    assert f".entry {made.symbols['transpiled::fill<3>']}(".encode() in text
    assert b".loc" not in text


@needs_nvrtc
def test_gpus_that_it_does_not_know() -> None:
    compiler = load_nvrtc()
    known = compiler.archs()
    assert compiler.nearest("sm_90") == ("sm_90", "cubin")
    assert compiler.nearest("sm_99") == ("sm_90", "cubin")  # of the same generation
    assert compiler.nearest("sm_999") == (known[-1], "ptx")  # the driver compiles it
    with pytest.raises(ToolchainMissingError, match=r"makes code from sm_\d+ on, and this GPU is sm_50"):
        compiler.nearest("sm_50")
    for arch in ("sm_12", "gfx90a", "sm_90; rm"):
        with pytest.raises(UnknownProcessorError, match=f"knows no {arch}; it knows .*sm_90"):
            compiler.compile(KERNEL, "kernel.cu", arch, [])


@needs_nvrtc
def test_a_text_that_it_refuses_is_kept() -> None:
    with pytest.raises(CompilerError) as raised:
        load_nvrtc().compile("__global__ void wrong() { missing(); }", "wrong.cu", "sm_90", ["wrong"])
    error = raised.value
    assert "wrong.cu(1): error" in error.output
    assert error.folder is not None
    assert "missing()" in (error.folder / "wrong.cu").read_text()
    assert error.command[-1] == "wrong.cu"

"""`doctor` on machines that are made up here: what it finds, what it says is lacking, and how it ends."""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.program import ROOT, Result
from transpile.build import devices, doctor, nvrtc, toolchain
from transpile.build.cache import open_cache
from transpile.build.devices import Device, Driver
from transpile.build.toolchain import CompilerError, GpuCompiler, ToolchainMissingError
from transpile.cli import main
from transpile.commands import doctor as command

H200 = Device("NVIDIA H200", "sm_90", 150_754_820_096)
V100 = Device("Tesla V100", "sm_70", 16_945_512_448)
Doctor = Callable[..., Result]
FOUND = (
    toolchain.find_compiler,
    toolchain.find_nvcc,
    toolchain.find_hipcc,
    nvrtc.find_nvrtc,
    nvrtc.load_nvrtc,
    open_cache,
)


class Library:
    """An NVRTC."""

    version = "13.0"
    path = Path("/cuda/lib64/libnvrtc.so.13")

    def archs(self) -> tuple[str, ...]:
        return "sm_75", "sm_90", "sm_121"


def no_hipcc() -> GpuCompiler:
    raise ToolchainMissingError("no hipcc was found: install it")


def nvcc() -> GpuCompiler:
    return GpuCompiler(program="/cuda/bin/nvcc", version="nvcc 13.0.88", libraries=Path("/cuda/lib64"))


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    def forget() -> None:
        for each in FOUND:
            each.cache_clear()  # type: ignore[attr-defined]

    forget()
    yield
    forget()


@pytest.fixture
def examined(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Doctor:
    """Runs `doctor` where NVIDIA's toolkit and the given driver are."""
    monkeypatch.setenv("TRANSPILE_CACHE", str(tmp_path / "cache"))

    def run(*arguments: str, driver: Driver) -> Result:
        monkeypatch.setattr(devices, "nvidia", lambda: driver)
        monkeypatch.setattr(devices, "amd", lambda: Driver(fault="there is no AMD driver"))
        monkeypatch.setattr(toolchain, "find_nvcc", nvcc)
        monkeypatch.setattr(toolchain, "find_hipcc", no_hipcc)
        monkeypatch.setattr(toolchain, "list_nvcc_archs", lambda _: Library().archs())
        monkeypatch.setattr(toolchain, "nvcc_programs", lambda: iter(["/cuda/bin/nvcc"]))
        monkeypatch.setattr(nvrtc, "load_nvrtc", Library)
        code = main(["doctor", *arguments])
        found = capsys.readouterr()
        return Result(code, found.out, found.err)

    return run


def row(found: Result, target: str) -> list[str]:
    """The lines about one target."""
    lines = found.out.partition("\ntargets\n")[2].splitlines()
    start = next(place for place, line in enumerate(lines) if line.split()[0] == target)
    ends = [place for place, line in enumerate(lines) if place > start and line[2:3] != " "]
    return [" ".join(line.split()) for line in lines[start : ends[0] if ends else None]]


def test_a_machine_that_has_everything(examined: Doctor) -> None:
    found = examined("--target", "cuda", driver=Driver(version="13.0", devices=(H200, H200)))
    assert (found.code, found.err) == (0, "")
    assert row(found, "cuda") == ["cuda build ready", "run ready", "built modules ready"]
    assert "nvcc       13.0.88      /cuda/bin/nvcc  (taken; sm_75 to sm_121)" in found.out
    assert "NVIDIA     sm_90        1: NVIDIA H200, 151 GB  (driver for CUDA 13.0)" in found.out
    assert found.out.startswith(f"transpile 0.1.0 on Python {sys.version.split()[0]} ({sys.executable}), Linux ")


def test_no_driver(examined: Doctor) -> None:
    driver = Driver(fault="there is no NVIDIA driver")
    assert examined(driver=driver).code == 0
    found = examined("--target", "cuda", driver=driver)
    assert found.code == 3
    first, run, mend, modules = row(found, "cuda")
    assert (first, run, modules) == (
        "cuda build ready",
        "run there is no NVIDIA driver",
        "built modules there is no NVIDIA driver",
    )
    assert mend.startswith("install the driver of this machine's GPU; a container must be given its GPUs")


def test_a_gpu_that_is_hidden(examined: Doctor) -> None:
    fault = "there is an NVIDIA driver, but no GPU that this process may use"
    found = examined(driver=Driver(version="13.0", fault=fault))
    assert row(found, "cuda")[1:3] == [
        f"run {fault}",
        "see nvidia-smi; CUDA_VISIBLE_DEVICES may hide it; a container must be given its GPUs",
    ]


def test_a_driver_older_than_the_toolkit(examined: Doctor) -> None:
    found = examined("--target", "cuda", driver=Driver(version="12.8", devices=(H200,)))
    assert found.code == 3
    assert row(found, "cuda") == [
        "cuda build ready",
        "run the driver runs CUDA 12.8 at most, and this is NVRTC 13.0",
        f"update NVIDIA's driver; or {doctor.OLDER_NVRTC}",
        "built modules the driver runs CUDA 12.8 at most, and this is nvcc 13.0.88",
        f"update NVIDIA's driver; or {doctor.OLDER_NVCC}",
    ]


def test_a_gpu_that_the_toolkit_does_not_know(examined: Doctor) -> None:
    found = examined(driver=Driver(version="13.0", devices=(H200, V100)))
    assert row(found, "cuda")[1] == "run NVRTC 13.0 makes no code for Tesla V100 (sm_70): it begins with sm_75"
    newer = Device("later", "sm_140", 1 << 30)  # the driver compiles PTX for it
    assert row(examined(driver=Driver(version="13.0", devices=(newer,))), "cuda")[1] == "run ready"


def test_no_compilers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    for name in ("CXX", "CUDA_HOME", "CUDA_PATH", "ROCM_PATH", "HIP_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(toolchain, "packaged_cuda", tuple)
    monkeypatch.setattr(toolchain, "SYSTEM_CUDA", tmp_path)
    monkeypatch.setattr(toolchain, "SYSTEM_ROCM", tmp_path)
    monkeypatch.setattr(nvrtc, "find_nvrtc", lambda: None)
    assert main(["doctor"]) == 3
    assert "install g++\n" in capsys.readouterr().out
    installer = tmp_path / "apt-get"
    installer.write_text("")
    installer.chmod(0o755)
    assert main(["doctor", "--target", "reference"]) == 0
    found = Result(0, capsys.readouterr().out, "")
    assert row(found, "reference") == ["reference run ready"]
    assert row(found, "cpu")[:2] == [
        "cpu build no C++ compiler was found",
        "apt install g++",
    ]
    assert f"{doctor.PIP} {doctor.NVCC_PACKAGES}" in row(found, "cuda")
    assert f"{doctor.PIP} {doctor.NVRTC_PACKAGES}" in row(found, "cuda")
    assert "apt install hipcc libamdhip64-dev rocm-device-libs" in row(found, "hip")
    installer.rename(tmp_path / "no-such-compiler")
    monkeypatch.setenv("CXX", "not-there")
    toolchain.find_compiler.cache_clear()
    assert main(["doctor"]) == 3
    assert "unset CXX, or set it to a C++17 compiler" in capsys.readouterr().out


def test_packages_that_are_missing(monkeypatch: pytest.MonkeyPatch, examined: Doctor) -> None:
    monkeypatch.setattr(doctor, "NEEDED", ("numpy", "a-package-that-is-nowhere"))
    found = examined("--target", "reference", driver=Driver(fault="none"))
    assert found.code == 3
    assert row(found, "reference") == [
        "reference run the packages a-package-that-is-nowhere",
        "python -m pip install a-package-that-is-nowhere",
    ]


def test_a_cache_that_cannot_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, examined: Doctor) -> None:
    (tmp_path / "file").write_text("")
    blocked = tmp_path / "file" / "cache"
    monkeypatch.setenv("TRANSPILE_CACHE", str(blocked))
    found = examined(driver=Driver(fault="none"))
    assert found.code == 0
    assert f"cache                   {blocked}  (cannot be written)\n" in found.out
    monkeypatch.setattr(doctor, "LITTLE", 1 << 62)
    assert "that is soon full" in examined(driver=Driver(fault="none")).out


def test_no_folder_at_all(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, examined: Doctor) -> None:
    def nowhere() -> str:
        raise FileNotFoundError

    (tmp_path / "file").write_text("")
    monkeypatch.setenv("TRANSPILE_CACHE", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr(tempfile, "gettempdir", nowhere)
    found = examined(driver=Driver(fault="none"))
    assert found.code == 3
    assert (
        "cache      -            no folder can be written: everything is compiled again; set TRANSPILE_CACHE"
        in found.out
    )
    assert row(found, "cpu")[:2] == [
        "cpu build no folder for temporary files can be written",
        "set TMPDIR to one that can",
    ]


def test_an_nvcc_that_does_not_tell_what_it_knows(monkeypatch: pytest.MonkeyPatch, examined: Doctor) -> None:
    def refuse(_: object) -> tuple[str, ...]:
        raise CompilerError(("nvcc", "--list-gpu-code"), "Unknown option")

    monkeypatch.setattr(Library, "archs", lambda _: refuse(None))
    found = examined("--target", "cuda", driver=Driver(version="13.0", devices=(V100,)))
    assert (found.code, found.err) == (0, "")
    assert "/cuda/bin/nvcc  (taken)\n" in found.out


def test_an_amd_gpu_without_its_runtime(monkeypatch: pytest.MonkeyPatch) -> None:
    here = Driver(version="6.3", devices=(Device("aldebaran", "gfx90a", 64 << 30),))
    monkeypatch.setattr(devices, "amd", lambda: here)
    monkeypatch.setattr(toolchain, "find_hipcc", nvcc)
    monkeypatch.setattr(devices, "AMD_LIBRARIES", ("libamdhip64-that-is-nowhere.so",))
    (lack,) = doctor._hip().abilities[1].lacks
    assert lack.what == "there is no libamdhip64.so, which modules call"
    monkeypatch.setattr(devices, "AMD_LIBRARIES", ("libamdhip64-that-is-nowhere.so", "libc.so.6"))
    assert doctor._hip().abilities[1].lacks == ()


def test_what_pip_is_told_is_what_the_extras_are() -> None:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    for extra, packages in (("cuda", doctor.NVCC_PACKAGES), ("nvrtc", doctor.NVRTC_PACKAGES)):
        assert f'\n{extra} = ["{packages[1:-1]}"]\n' in text
    needed = text.partition("\ndependencies = [\n")[2].partition("]")[0]
    assert re.findall(r'"(\w+)>=', needed) == list(doctor.NEEDED)


def test_on_a_terminal(monkeypatch: pytest.MonkeyPatch, examined: Doctor) -> None:
    plain = examined(driver=Driver(version="13.0", devices=(H200,)))
    monkeypatch.setattr(command, "is_rich", lambda _: True)
    assert examined(driver=Driver(version="13.0", devices=(H200,))) == plain  # the same words; there is no terminal


@pytest.mark.parametrize(
    ("said", "release"),
    [
        ("g++ (Debian 12.2.0-14+deb12u1) 12.2.0", "12.2.0"),
        ("g++ (crosstool-NG 1.24.0) 9.4.0", "9.4.0"),
        ("Ubuntu clang version 14.0.0-1ubuntu1.1", "14.0.0"),
        ("nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 13.0, V13.0.88", "13.0.88"),
        ("HIP version: 5.2.21153-0", "5.2.21153"),
        ("a compiler of my own", ""),
    ],
)
def test_releases(said: str, release: str) -> None:
    assert doctor._release(said) == release

"""Kernels compiled by NVRTC at their launch: what a process finds in the cache, what makes it compile again, and what
arrives at the driver, of which a stand-in says how it was called."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final

import pytest

from tests.cli.program import DOUBLE, Result, python, transpile
from tests.support.devices import environment
from tests.support.tools import tool
from transpile.build import devices, image
from transpile.build.cache import open_cache
from transpile.build.devices import Device, Driver
from transpile.build.engine import load_engine
from transpile.build.nvrtc import find_nvrtc
from transpile.build.toolchain import ToolchainMissingError

needs_nvrtc = pytest.mark.skipif(find_nvrtc() is None, reason="no NVRTC here: pip install nvidia-cuda-nvrtc")
PROGRAMS: Final = Path(__file__).parent / "programs"


@pytest.fixture(scope="session")
def engine() -> Path:
    """The engine's file, compiled unless it was."""
    return Path(load_engine().__file__)


class Project:
    """A program with kernels, and a cache that holds the engine alone."""

    def __init__(self, folder: Path, engine: Path) -> None:
        self.folder = folder
        self.cache = folder / "cache"
        kept = open_cache().folder
        if kept is not None and engine.is_relative_to(kept):  # otherwise it came with the package
            copied = self.cache / engine.relative_to(kept)
            copied.parent.mkdir(parents=True)
            shutil.copy(engine, copied)
        for name in ("kernels.py", "factors.py"):
            shutil.copy(PROGRAMS / name, folder)

    def run(self, *arguments: str, program: str = "kernels.py", **settings: str) -> Result:
        held = {**environment(), "TRANSPILE_CACHE": str(self.cache), "TRANSPILE": "cuda", **settings}
        return python(program, *arguments, folder=self.folder, **held)

    def found(self, *arguments: str) -> dict[str, Any]:
        result = self.run(*arguments)
        assert result.code == 0, result.err
        told: dict[str, Any] = json.loads(result.out)
        assert told["ran"] == ["cuda", "cuda"]
        assert told["streams"] == [1, 2]
        return told


@pytest.fixture
def project(tmp_path: Path, engine: Path) -> Project:
    return Project(tmp_path, engine)


@needs_nvrtc
def test_what_compiles_again(project: Project) -> None:
    cold = project.found("1.5", "32", "64")
    assert "libcst" in cold["heavy"]
    assert cold["has_nvrtc"]
    assert [line.split()[1:] for line in cold["launches"]] == [
        ["2", "3", "1", "32", "1", "1", "0"],
        ["2", "3", "1", "64", "1", "1", "0"],
        ["5", "1", "1", "64", "2", "1", "65536"],
    ]
    assert ["sums" in line for line in cold["launches"]] == [True, True, False]
    warm = project.found("1.5", "64", "32")
    assert (warm["heavy"], warm["has_nvrtc"]) == ([], False)  # nothing is parsed, and no compiler is loaded
    assert sorted(warm["launches"]) == sorted(cold["launches"])

    other_value = project.found("2.5", "32", "128")
    assert other_value["has_nvrtc"]
    again = project.found("2.5", "128")
    assert (again["heavy"], again["has_nvrtc"]) == ([], False)

    factors = project.folder / "factors.py"
    factors.write_text(factors.read_text() + "# as before\n")
    same_text = project.found("2.5", "32")
    assert "libcst" in same_text["heavy"]  # it was read again, and came out the same
    assert not same_text["has_nvrtc"]
    factors.write_text(factors.read_text().replace("2.0", "3.0"))
    assert project.found("2.5", "32")["has_nvrtc"]


@needs_nvrtc
def test_a_device_that_is_too_old_does_not_stop_the_others(project: Project) -> None:
    two = {"FAKE_CUDA_DEVICES": "2", "FAKE_CUDA_CAPABILITY_1": "50"}
    cold = json.loads(project.run("1.5", "32", **two).out)
    assert (len(cold["launches"]), cold["has_nvrtc"]) == (2, True)
    warm = json.loads(project.run("1.5", "32", **two).out)
    assert (warm["launches"], warm["heavy"], warm["has_nvrtc"]) == (cold["launches"], [], False)
    none = project.run("1.5", "32", **{**two, "FAKE_CUDA_CAPABILITY": "52"})
    assert none.code == 1
    assert "on, and this GPU is sm_52; an older release does" in none.err


@needs_nvrtc
def test_a_launch_starts_the_device_of_its_arrays_alone(project: Project) -> None:
    shutil.copy(PROGRAMS / "second.py", project.folder)
    for _ in ("compiled", "kept"):
        found = project.run(program="second.py", FAKE_CUDA_DEVICES="2")
        assert (found.out, found.err) == ("[0, 1]\n", "")


@needs_nvrtc
def test_drivers_and_devices_that_do_not_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "namespace transpiled { __global__ void one(double *x) { *x = 1; } }"
    written = image.Written(
        file="one.cu",
        text=text,
        expression="transpiled::one",
        description={},
        instance=(),
        chosen_by=image.ChosenBy(),
        read=(),
    )

    def here(**driver: Any) -> None:
        monkeypatch.setattr(devices, "nvidia", lambda: Driver(**driver))

    here(version="99.0", devices=(Device("New", "sm_90", 1), Device("Newer", "sm_999", 1), Device("Same", "sm_90", 1)))
    assert image.archs_here() == ("sm_90", "sm_999")
    symbol, code = image._compile_for("sm_90", written)
    assert (symbol, code[:4]) == ("_ZN10transpiled3oneEPd", b"\x7fELF")
    assert b".entry _ZN10transpiled3oneEPd" in image._compile_for("sm_999", written)[1]  # PTX: the driver compiles it
    here(version="12.8")
    with pytest.raises(ToolchainMissingError, match=r"driver runs CUDA 12.8 at most, and NVRTC 1.*-cu12"):
        image._compile_for("sm_90", written)
    here(fault="there is no NVIDIA driver")
    with pytest.raises(ToolchainMissingError, match="cannot run on cuda here: there is no NVIDIA driver; --target cpu"):
        image.archs_here()


def test_without_a_driver_run_says_so(tmp_path: Path) -> None:
    Project(tmp_path, Path("none"))
    (tmp_path / "double.py").write_text(DOUBLE)
    if shutil.which("nvidia-smi") is None:
        found = transpile("run", "--target", "cuda", "kernels.py", "1.5", folder=tmp_path)
        assert found.code == 3
        assert found.err.startswith("transpile run: kernels cannot run on cuda here: there is no NVIDIA driver; ")
    found = transpile("run", "kernels.py", "--target", "hip", "1.5", folder=tmp_path)
    assert found.code == 3
    assert found.err.startswith("transpile run: kernels cannot run on hip here: ")
    assert "AMD" in found.err
    assert "Traceback" not in found.err
    found = transpile("run", "double.py", "--target", "hip", folder=tmp_path)
    assert found.code == 3
    assert found.err.startswith("transpile run: double: kernels do not compile for hip while a program runs; ")


# ---------------------------------------------------------------- the engine itself


def test_what_arrives_at_the_driver(tmp_path: Path) -> None:
    library = tmp_path / "witness.so"
    subprocess.run([tool("g++"), "-shared", "-fPIC", str(PROGRAMS / "witness.cpp"), "-o", str(library)], check=True)
    found = python(PROGRAMS / "witness.py", library, folder=tmp_path, **environment())
    assert (found.code, found.out) == (0, "done\n"), found.err


def test_arrays_on_the_device_seen_from_python(tmp_path: Path) -> None:
    found = python(PROGRAMS / "mirror.py", folder=tmp_path, **environment())
    assert (found.code, found.out) == (0, "done\n"), found.err

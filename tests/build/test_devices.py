"""The GPUs that drivers tell of, with drivers that are made up here."""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.tools import tool
from transpile.build import devices
from transpile.build.devices import Device, Driver

FAKE = Path(__file__).parent / "fake_cuda.c"


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    devices.nvidia.cache_clear()
    devices.amd.cache_clear()
    yield
    devices.nvidia.cache_clear()
    devices.amd.cache_clear()


def told(folder: Path, patch: pytest.MonkeyPatch, *, version: int, status: int = 0, count: int = 0) -> Driver:
    """What is found where this is NVIDIA's driver."""
    library = folder / f"{version}-{status}-{count}.so"
    answers = [f"-DVERSION={version}", f"-DSTATUS={status}", f"-DCOUNT={count}"]
    subprocess.run([tool("g++"), "-x", "c", "-shared", "-fPIC", *answers, str(FAKE), "-o", str(library)], check=True)
    patch.setattr(devices, "NVIDIA_LIBRARY", str(library))
    devices.nvidia.cache_clear()
    return devices.nvidia()


def test_nvidia(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    two = (Device("NVIDIA H200", "sm_90", 150000000007), Device("NVIDIA B200", "sm_100", 150000000008))
    assert told(tmp_path, monkeypatch, version=13000, count=2) == Driver(version="13.0", devices=two)
    none = told(tmp_path, monkeypatch, version=12080)
    assert (none.version, none.devices) == ("12.8", ())
    assert none.fault == told(tmp_path, monkeypatch, version=12080, status=100).fault
    assert "no GPU that this process may use" in none.fault
    assert told(tmp_path, monkeypatch, version=13020, status=803) == Driver(
        version="13.2", fault="the NVIDIA driver does not start: CUDA_ERROR_SYSTEM_DRIVER_MISMATCH"
    )
    assert told(tmp_path, monkeypatch, version=13020, status=804).fault.endswith("error 804")
    assert (
        "was forked from one that used a device already" in told(tmp_path, monkeypatch, version=13020, status=3).fault
    )
    assert told(tmp_path, monkeypatch, version=4000).fault.startswith("the NVIDIA driver is too old: ")


def test_no_nvidia(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "NVIDIA_LIBRARY", "libcuda-that-is-nowhere.so.1")
    assert devices.nvidia() == Driver(fault="there is no NVIDIA driver")
    broken = tmp_path / "libcuda.so.1"
    broken.write_text("not a library")
    monkeypatch.setattr(devices, "NVIDIA_LIBRARY", str(broken))
    devices.nvidia.cache_clear()
    assert "does not load" in devices.nvidia().fault


def test_amd(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(devices, "AMD_NODES", tmp_path / "nodes")
    monkeypatch.setattr(devices, "AMD_MODULE", tmp_path / "version")
    assert devices.amd() == Driver(fault="there is no AMD driver")
    nodes = {0: ("", 0), 1: ("aldebaran", 90010), 2: ("", 100306), 10: ("gfx1100", 110000)}
    for place, (name, number) in nodes.items():
        node = tmp_path / "nodes" / str(place)
        (node / "mem_banks" / "0").mkdir(parents=True)
        (node / "name").write_text(f"{name}\n")
        (node / "properties").write_text(f"cpu_cores_count 8\ngfx_target_version {number}\nlocal_mem_size 0\n")
        (node / "mem_banks" / "0" / "properties").write_text(f"heap_type 1\nsize_in_bytes {place << 30}\n")
    (tmp_path / "version").write_text("6.3.6\n")
    devices.amd.cache_clear()
    assert devices.amd() == Driver(
        version="6.3.6",
        devices=(
            Device("aldebaran", "gfx90a", 1 << 30),
            Device("gfx1036", "gfx1036", 2 << 30),
            Device("gfx1100", "gfx1100", 10 << 30),
        ),
    )

"""What GPUs this machine has, as their drivers tell; a machine without any is an answer, never a failure.

NVIDIA's driver is asked through ctypes, AMD's through the files that the kernel shows. No device memory is touched.
"""

from __future__ import annotations

import ctypes
import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from transpile import settings
from transpile.backends.signs import SIGNS

NVIDIA_LIBRARY: Final = SIGNS["cuda"].libraries[0]
AMD_LIBRARIES: Final = SIGNS["hip"].libraries
AMD_NODES: Final = Path("/sys/class/kfd/kfd/topology/nodes")
AMD_MODULE: Final = Path("/sys/module/amdgpu/version")
COMPUTE_CAPABILITY: Final = (75, 76)  # CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, _MINOR
NOT_INITIALIZED: Final = 3  # CUDA_ERROR_NOT_INITIALIZED
NO_DEVICE: Final = 100  # CUDA_ERROR_NO_DEVICE
NAME_BYTES: Final = 256


@dataclass(frozen=True, slots=True)
class Device:
    """One GPU: its name, `arch` as its compiler calls it (sm_90, gfx90a), and its memory in bytes."""

    name: str
    arch: str
    memory: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Driver:
    """A vendor's driver. `version` is empty where there is none; NVIDIA's is the newest CUDA that it runs. `fault` says
    why there is no device, and is empty where there is one."""

    version: str = ""
    devices: tuple[Device, ...] = ()
    fault: str = ""


# ---------------------------------------------------------------- without starting a driver


def fault_of_signs(target: str) -> str:
    """Why no device of the target is to be expected, as modules of packages choose; empty where one is. The driver is
    not started: a process that forks later could not use it any more."""
    signs = SIGNS[target]
    if not any(map(os.path.exists, signs.files)):
        return f"there is no {signs.files[0]}"
    if settings.hides_devices(signs.variable):
        return f"{signs.variable} hides the devices"
    if not _first_that_loads(signs.libraries):
        return f"there is no driver ({signs.libraries[0]})"
    return ""


def _first_that_loads(libraries: Sequence[str]) -> str:
    """Empty where none does."""
    for name in libraries:
        try:
            ctypes.CDLL(name)
        except OSError:
            continue
        return name
    return ""


# ---------------------------------------------------------------- NVIDIA


@cache
def nvidia() -> Driver:
    """NVIDIA's driver and its GPUs, in the order of their numbers, without those that CUDA_VISIBLE_DEVICES hides."""
    try:
        library = ctypes.CDLL(NVIDIA_LIBRARY)
    except OSError as error:
        missing = "no such file" in str(error).lower()
        return Driver(fault="there is no NVIDIA driver" if missing else f"{NVIDIA_LIBRARY} does not load: {error}")
    try:
        return _nvidia(library)
    except AttributeError as error:
        return Driver(fault=f"the NVIDIA driver is too old: {error}")


def _nvidia(library: ctypes.CDLL) -> Driver:
    """Raises AttributeError where the library has not all that is asked for here."""
    number = ctypes.c_int(0)
    if library.cuDriverGetVersion(ctypes.byref(number)) != 0:
        return Driver(fault=f"{NVIDIA_LIBRARY} does not tell its version")
    version = f"{number.value // 1000}.{number.value % 1000 // 10}"
    status = library.cuInit(0)
    if status == 0:
        status = library.cuDeviceGetCount(ctypes.byref(number))
    if status != 0:
        return Driver(version=version, fault=_nvidia_fault(library, status))
    devices = tuple(_nvidia_device(library, place) for place in range(number.value))
    return Driver(version=version, devices=devices, fault="" if devices else _nvidia_fault(library, NO_DEVICE))


def _nvidia_fault(library: ctypes.CDLL, status: int) -> str:
    if status == NO_DEVICE:
        return "there is an NVIDIA driver, but no GPU that this process may use"
    if status == NOT_INITIALIZED:
        return (
            "the NVIDIA driver does not start in this process, which was forked from one that used a device already; "
            "use devices in processes that are spawned"
        )
    text = ctypes.c_char_p()
    library.cuGetErrorName(status, ctypes.byref(text))
    name = text.value.decode("ascii", "replace") if text.value else f"error {status}"
    return f"the NVIDIA driver does not start: {name}"


def _nvidia_device(library: ctypes.CDLL, place: int) -> Device:
    handle, number, memory = ctypes.c_int(), ctypes.c_int(), ctypes.c_size_t()
    name = ctypes.create_string_buffer(NAME_BYTES)
    library.cuDeviceGet(ctypes.byref(handle), place)
    library.cuDeviceGetName(name, NAME_BYTES, handle)
    library.cuDeviceTotalMem_v2(ctypes.byref(memory), handle)
    digits = []
    for attribute in COMPUTE_CAPABILITY:
        library.cuDeviceGetAttribute(ctypes.byref(number), attribute, handle)
        digits.append(str(number.value))
    return Device(name.value.decode("utf-8", "replace"), f"sm_{''.join(digits)}", memory.value)


# ---------------------------------------------------------------- AMD


@cache
def amd() -> Driver:
    """AMD's driver and its GPUs, as the kernel numbers them."""
    version = _text(AMD_MODULE) or ("amdgpu" if AMD_NODES.is_dir() else "")
    if not version:
        return Driver(fault="there is no AMD driver")
    nodes = sorted(AMD_NODES.glob("*/properties"), key=lambda path: (len(path.parent.name), path.parent.name))
    devices = tuple(device for device in map(_amd_device, nodes) if device is not None)
    return Driver(version=version, devices=devices, fault="" if devices else "there is an AMD driver, but no GPU")


def amd_runtime() -> str:
    """The library that modules for AMD's GPUs call, as it is found here; empty where it is not."""
    return _first_that_loads(AMD_LIBRARIES)


def _amd_device(properties: Path) -> Device | None:
    """The GPU of one node; None for a CPU, which is a node too."""
    found = _properties(properties)
    number = int(found.get("gfx_target_version", "0"))
    if number == 0:
        return None
    arch = f"gfx{number // 10000}{number // 100 % 100:x}{number % 100:x}"
    name = _text(properties.with_name("name")) or arch
    return Device(name, arch, _amd_memory(properties.parent))


def _amd_memory(node: Path) -> int:
    banks = (_properties(path) for path in node.glob("mem_banks/*/properties"))
    return sum(int(bank.get("size_in_bytes", "0")) for bank in banks if bank.get("heap_type") in ("1", "2"))


def _properties(path: Path) -> Mapping[str, str]:
    return dict(re.findall(r"^(\w+) (\d+)$", _text(path), re.MULTILINE))


def _text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8", errors="replace").strip()
    except OSError:
        return ""

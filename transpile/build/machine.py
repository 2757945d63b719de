"""Which target fits this machine: where it has a GPU and that GPU's compiler, the GPU."""

from __future__ import annotations

from transpile.build import devices
from transpile.build.toolchain import hipcc_programs, nvcc_programs


def target_here() -> tuple[str, str]:
    """The target for `auto`, and why it is that one."""
    nvidia, amd = devices.nvidia(), devices.amd()
    lacking = []
    if nvidia.devices:
        if next(nvcc_programs(), None) is not None:
            return "cuda", _named(nvidia)
        lacking.append(f"{_named(nvidia)} is here but no nvcc (pip install 'transpile[cuda]')")
    if amd.devices:
        if next(hipcc_programs(), None) is not None:
            return "hip", _named(amd)
        lacking.append(f"{_named(amd)} is here but no hipcc")
    return "cpu", "; ".join(lacking) or f"{nvidia.fault}, {amd.fault}"


def _named(driver: devices.Driver) -> str:
    return ", ".join(dict.fromkeys(device.name for device in driver.devices))

"""By what a machine with a vendor's GPU is known, when its driver must not be started: a process that forks later could
not use it any more.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True, kw_only=True)
class Signs:
    """Files of its devices, names of its driver's library, of each of which one is there, and the variable that hides
    devices."""

    files: tuple[str, ...]
    libraries: tuple[str, ...]
    variable: str


SIGNS: Final[Mapping[str, Signs]] = {
    "cuda": Signs(
        files=("/dev/nvidiactl", "/dev/dxg", "/dev/nvhost-ctrl-gpu"),
        libraries=("libcuda.so.1",),
        variable="CUDA_VISIBLE_DEVICES",
    ),
    "hip": Signs(
        files=("/dev/kfd",),
        libraries=("libamdhip64.so.7", "libamdhip64.so.6", "libamdhip64.so.5", "libamdhip64.so"),
        variable="HIP_VISIBLE_DEVICES",
    ),
}

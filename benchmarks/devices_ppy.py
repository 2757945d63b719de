"""Runs PPy (`ppy-lang` 0.7.1), which wants an older libcst than ours: it is installed in a folder of its own.

PPY_SITE names that folder (`pip install --target`); without it PPy is looked for beside everything else.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from pathlib import Path

from devices_modules import python_path


def command(*words: str | Path) -> list[str]:
    """`ppy WORDS`. Raises RuntimeError where PPy is not installed."""
    site = os.environ.get("PPY_SITE")
    found = (Path(site) / "ppy_compiler").is_dir() if site else importlib.util.find_spec("ppy_compiler") is not None
    if not found:
        raise RuntimeError("PPy is not installed (pip install --target FOLDER ppy-lang==0.7.1; PPY_SITE=FOLDER)")
    return [sys.executable, "-m", "ppy_compiler", *map(str, words)]


def environment() -> dict[str, str]:
    """Its folder first; PTX for sm_80, since what it writes for sm_90 its own LLVM refuses."""
    site = os.environ.get("PPY_SITE")
    return {"PYTHONPATH": python_path(*[site] if site else []), "PPY_CUDA_ARCH": "sm_80"}

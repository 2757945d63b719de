"""Where the compilers of the tests are. A test that needs one which is missing is skipped, and says so."""

from __future__ import annotations

import shutil
import sysconfig
from pathlib import Path
from typing import Final

import pytest

PACKAGED: Final = Path(sysconfig.get_paths()["purelib"]) / "nvidia" / "cu13" / "bin"


def tool(name: str) -> str:
    """The program's path: on PATH, or as NVIDIA's wheels install it. Skips the test where it is nowhere."""
    found = shutil.which(name) or shutil.which(name, path=str(PACKAGED))
    if found is None:
        pytest.skip(f"{name} is not installed: scripts/install-system-packages.sh and `make setup-test` bring it")
    return found

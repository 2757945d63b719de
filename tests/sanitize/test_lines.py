"""compute-sanitizer names the line of the Python file, in a module that was built with `--lines directive`."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

from tests.cli.program import ROOT, transpile
from tests.support.tools import tool

SOURCE: Final = """\
from transpile import native, tile


@tile.kernel
def outside(x: native.ptr[float]) -> None:
    lane = tile.arange(64)
    value = tile.load(x, lane)
    tile.store(x, lane + 64, value + 1.0)
"""
LINE: Final = 8
USE: Final = """
import sys

import numpy as np

sys.path.insert(0, sys.argv[1])
import outside_ext
from tests.support import device


class Held:
    def __init__(self, address):
        self.address = address

    @property
    def __cuda_array_interface__(self):
        return {"shape": (64,), "typestr": "<f8", "data": (self.address, False), "version": 3}


with device.mirrored([np.zeros(64)]) as (address,):
    outside_ext.outside[1](Held(address))
"""


@pytest.mark.gpu
def test_a_store_outside_is_found_at_its_line(tmp_path: Path) -> None:
    (tmp_path / "outside.py").write_text(SOURCE, encoding="utf-8")
    built = transpile("build", "outside.py", "--target", "cuda", "--lines", "directive", folder=tmp_path)
    assert built.code == 0, built.err
    command = [tool("compute-sanitizer"), "--tool", "memcheck", sys.executable, "-c", USE, str(tmp_path)]
    found = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert "Invalid __global__ write" in found.stdout, found.stdout + found.stderr
    assert f"outside.py:{LINE}" in found.stdout, found.stdout

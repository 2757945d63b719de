"""As `test_harm`, with the real compilers and a device: too much work for a machine of few cores."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Final

import pytest

from tests.cli.program import ROOT, python, transpile

pytestmark = pytest.mark.gpu
BUILD: Final = ("build", "tiles.py", "--target", "cuda", "-o", "out")
LAUNCH: Final = ("run", "tiles.py", "--target", "cuda")
TOGETHER: Final = 20
KILLS: Final = 5
LONGEST: Final = 3.0  # seconds until a kill
USE: Final = """\
import numpy as np, tiles_ext
x, out = np.arange(256.0), np.zeros(4)
tiles_ext.block_max[4](x, out)
print(out.tolist(), tiles_ext.__transpile__["target"])
"""
USED: Final = "[63.0, 127.0, 191.0, 255.0] cuda\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Holds the example, and an empty cache."""
    (tmp_path / "tiles.py").write_bytes((ROOT / "examples" / "tiles.py").read_bytes())
    monkeypatch.setenv("TRANSPILE_CACHE", str(tmp_path / "cache"))
    return tmp_path


@pytest.mark.parametrize("command", [BUILD, LAUNCH], ids=["build", "launch"])
def test_many_at_once(command: tuple[str, ...], folder: Path) -> None:
    with ThreadPoolExecutor(TOGETHER) as pool:
        results = list(pool.map(lambda _: transpile(*command, folder=folder), range(TOGETHER)))
    assert not [result.err for result in results if result.code != 0]
    assert not [path for path in folder.rglob(".*") if path.is_file()]
    if command == LAUNCH:
        assert len({result.out for result in results}) == 1
    else:
        assert python("-c", USE, folder=folder / "out").out == USED


@pytest.mark.parametrize("command", [BUILD, LAUNCH], ids=["build", "launch"])
def test_killed_at_any_time(command: tuple[str, ...], folder: Path) -> None:
    chance = random.Random(20)
    path = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    for _ in range(KILLS):
        running = subprocess.Popen(
            [sys.executable, "-m", "transpile", *command],
            cwd=folder,
            env={**os.environ, "PYTHONPATH": path},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        time.sleep(chance.uniform(0.05, LONGEST))
        if running.poll() is None:
            os.killpg(running.pid, signal.SIGKILL)
            running.wait()
        result = transpile(*command, folder=folder)
        assert result.code == 0, result.err
        shutil.rmtree(folder / "cache")
    if command == BUILD:
        assert python("-c", USE, folder=folder / "out").out == USED

"""A module built for CUDA, given the arrays of torch, CuPy, Numba, JAX and NumPy: each function of real/ is a test."""

from __future__ import annotations

import ctypes
import importlib.util
import os
import shutil
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path

import pytest

from tests.cli.program import transpile
from tests.engine.inside import HERE, checks, run_inside

NEEDS = {
    "with_cupy": ("cupy", "torch"),
    "with_jax": ("jax", "cupy"),
    "with_numba": ("numba",),
    "with_torch": ("torch",),
    "with_two_devices": ("torch", "cupy"),
}


def lacking(program: str) -> str:
    """Why a program cannot run here, or an empty text."""
    missing = [name for name in NEEDS.get(program, ()) if importlib.util.find_spec(name) is None]
    if missing:
        return f"{', '.join(missing)} not installed"
    count = ctypes.c_int()
    driver = ctypes.CDLL("libcuda.so.1")
    if program == "with_two_devices" and (
        driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)) or count.value < 2
    ):
        return "one device here"
    return ""


@pytest.fixture(scope="session")
def ended(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Mapping[str, str]]:
    """How the functions of a program ended."""
    folder: Path = tmp_path_factory.mktemp("real")
    shutil.copy(HERE / "real" / "kernels.py", folder)
    done = transpile("build", "--target", "cuda", "kernels.py", folder=folder)
    assert done.code == 0, done.err
    (library,) = folder.glob("kernels_ext*.so")

    @cache
    def run(program: str) -> Mapping[str, str]:
        own = {"LD_LIBRARY_PATH": os.environ.get("LD_LIBRARY_PATH", "")}  # the machine's own driver
        return run_inside(f"real.{program}", [f"kernels_ext={library}"], own)

    return run


@pytest.mark.gpu
@pytest.mark.parametrize(("program", "check"), list(checks("real")))
def test_on_a_gpu(ended: Callable[[str], Mapping[str, str]], program: str, check: str) -> None:
    if reason := lacking(program):
        pytest.skip(reason)
    assert ended(program)[check] == ""

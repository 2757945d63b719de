"""Modules for GPUs, built where there need not be one: what they hold, and what a call without a driver says."""

from __future__ import annotations

import sysconfig
import zipfile
from pathlib import Path

import pytest

from tests.cli.program import ROOT, Result, python, transpile
from tests.conftest import has_device
from tests.support.tools import tool
from transpile.build import toolchain

SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
EXPORTED = ["PyInit_tiles_ext", "tiles_block_max", "tiles_row_stats", "tiles_run", "tiles_saxpy"]
MOST_ZIPPED = 300_000
COMPILERS = {"cuda": ("nvcc", "sm_90"), "hip": ("hipcc", "gfx90a,gfx1030")}
ONLY_CUDA = pytest.mark.parametrize("made", ["cuda"], indirect=True)
NO_DEVICE = (35, 100, 101)  # cudaErrorInsufficientDriver, cudaErrorNoDevice and hipErrorNoDevice, hipErrorInvalidDevice
ABOUT = "import tiles_ext; print(tiles_ext.__transpile__['target'], tiles_ext.__transpile__['options'])"
CALL = """\
import numpy as np, tiles_ext
x = np.arange(512.0)
try:
    tiles_ext.run(512, 2.0, x, x.copy())
except RuntimeError as error:
    print(error)
"""
RIGHT = """\
import ctypes, numpy as np, tiles_ext
x, y, out = np.arange(4096.0), np.ones(4096), np.zeros(64)
tiles_ext.run(4096, 0.1, x, y)
tiles_ext.block_max[64](x, out)
library = ctypes.CDLL(tiles_ext.__file__)
sizes = [ctypes.c_int64(size) for size in (-1, 1, 1)]
refused = library.tiles_block_max(*sizes, None, None, None)
print((y == 0.1 * x + 1.0).all(), (out == x[63::64]).all(), refused)
"""
FROM_C = """\
import ctypes, sys
library = ctypes.CDLL(sys.argv[1])
ints = [ctypes.c_int64(int(size)) for size in sys.argv[2:]]
print(library.tiles_saxpy(*ints, ctypes.c_int64(0), ctypes.c_double(0), None, None, None))
"""


def build(folder: Path, target: str, *arguments: str) -> Result:
    return transpile("build", "tiles.py", "--target", target, *arguments, folder=folder)


@pytest.fixture(scope="module", params=COMPILERS)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str, str]:
    """The folder of a module of the three kernels, its target and its GPUs."""
    target = request.param
    compiler, arch = COMPILERS[target]
    tool(compiler)
    folder = tmp_path_factory.mktemp(target)
    (folder / "tiles.py").write_bytes((ROOT / "examples" / "tiles.py").read_bytes())
    found = build(folder, target, "--arch", arch)
    suffix = {"cuda": ".cu", "hip": ".hip"}[target]
    names = [f"tiles{suffix}", "tiles.h", "tiles_ext.cpp", "tiles_ext.pyi", f"tiles_ext{SUFFIX}"]
    assert (found.code, found.out) == (0, "".join(f"wrote {name}\n" for name in names)), found.err
    return folder, target, arch


def test_what_it_holds(made: tuple[Path, str, str], tmp_path: Path) -> None:
    folder, target, arch = made
    library = folder / f"tiles_ext{SUFFIX}"
    said = toolchain.run([tool("nm"), "-D", "--defined-only", str(library)])
    assert sorted(line.split()[-1] for line in said.splitlines()) == EXPORTED
    if target == "hip":
        assert all(name.encode() in library.read_bytes() for name in arch.split(","))
    with zipfile.ZipFile(tmp_path / "wheel", "w", zipfile.ZIP_DEFLATED) as wheel:
        wheel.write(library)
    assert (tmp_path / "wheel").stat().st_size < MOST_ZIPPED
    found = python("-c", ABOUT, folder=folder)
    assert found.out == f"{target} --target {target} --arch {arch}\n", found.err


@ONLY_CUDA
def test_it_stays_until_something_changes(made: tuple[Path, str, str]) -> None:
    folder, target, arch = made
    assert "is up to date" in build(folder, target, "--arch", arch).out
    table = folder / "tiles_ext.cpp"
    kept = table.read_bytes()
    table.write_bytes(kept + b"\n")
    differs = build(folder, target, "--check", "--arch", arch)
    table.write_bytes(kept)
    assert differs.code == 1
    assert f"run: python -m transpile build tiles.py --target {target} --arch {arch}" in differs.err


@pytest.mark.skipif(has_device(), reason="there is a device, which would do the work")
def test_a_call_without_a_device(made: tuple[Path, str, str]) -> None:
    folder = made[0]
    said = python("-c", CALL, folder=folder).out
    assert said.startswith("run: ")
    assert f"{'NVIDIA' if made[1] == 'cuda' else 'AMD'} driver" in said
    library = folder / f"tiles_ext{SUFFIX}"
    assert python("-c", FROM_C, library, 0, 1, 1, folder=folder).out == "0\n"
    status = int(python("-c", FROM_C, library, 1, 1, 1, folder=folder).out)
    assert status & 255 == 5
    assert status >> 8 in NO_DEVICE


@pytest.mark.gpu
@ONLY_CUDA
def test_a_call_with_a_device(made: tuple[Path, str, str]) -> None:
    assert python("-c", RIGHT, folder=made[0]).out == "True True 3\n"


@ONLY_CUDA
def test_a_stale_module_names_the_whole_command(made: tuple[Path, str, str]) -> None:
    folder, target, arch = made
    source = folder / "tiles.py"
    kept = source.read_text()
    source.write_text(kept.replace("a * xs", "a - xs"))
    found = python("tiles.py", folder=folder)
    source.write_text(kept)
    assert "StaleModule: " in found.err
    assert f"tiles.py --target {target} --arch {arch}\n" in found.err


def test_a_gpu_that_is_not_known(tmp_path: Path) -> None:
    tool("nvcc")
    (tmp_path / "tiles.py").write_bytes((ROOT / "examples" / "tiles.py").read_bytes())
    found = build(tmp_path, "cuda", "--arch", "sm_52")
    assert (found.code, found.out) == (2, "")
    assert "--arch sm_52: nvcc" in found.err
    assert "it knows sm_75, " in found.err


def test_auto_says_what_it_took(tmp_path: Path) -> None:
    (tmp_path / "tiles.py").write_bytes((ROOT / "examples" / "tiles.py").read_bytes())
    found = build(tmp_path, "auto", "--check")
    assert found.out.startswith("--target c" if not Path("/dev/kfd").exists() else "--target ")
    assert "run: python -m transpile build tiles.py" in found.err

"""The example's wheel where neither `transpile` nor a compiler is, and its sdist where `transpile` is not."""

from __future__ import annotations

import re
import shutil
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path
from typing import Final

import pytest

from tests.packaging.conftest import EXAMPLE, ROOT, Built, backend, run

SUFFIX: Final = sysconfig.get_config_var("EXT_SUFFIX")
# What the kernel calls the features of each level.
LEVELS: Final = {
    "x86-64": {"lm"},
    "x86-64-v3": {"avx2", "f16c", "fma", "bmi1", "bmi2", "abm", "movbe", "xsave"},
    "x86-64-v4": {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"},
}
DIGEST: Final = """
from array import array
from hashlib import sha256
from signals import ops
x = array("d", (k * 0.37 % 11 - 5 for k in range(30000)))
y, energy, peak = (array("d", bytes(8 * k)) for k in (30000, 30, 30))
ops.smooth(30000, 0.3, x, y)
ops.measure(30000, y, energy, peak)
print(sha256(bytes(y) + bytes(energy) + bytes(peak)).hexdigest(), ops.__transpile__["options"])
"""


@pytest.fixture(scope="module")
def installed(built: Built, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment in which the wheel was installed, and nothing else."""
    folder = tmp_path_factory.mktemp("user") / "venv"
    venv.create(folder, symlinks=True, with_pip=False)
    python = folder / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--disable-pip-version-check", f"--python={python}", "install", "--no-compile")
    run(*pip, "--no-index", built.one("*.whl"), folder=folder, given={"PATH": "/nowhere"})
    return python


def test_a_wheel(built: Built, installed: Path, tmp_path: Path) -> None:
    with zipfile.ZipFile(built.one("*.whl")) as wheel:
        held = {name for name in wheel.namelist() if name.startswith("signals/")}
    modules = {f"signals/ops_{target}{SUFFIX}" for target in ("cpu", "cuda")}
    assert held == modules | {f"signals/{name}" for name in ("__init__.py", "ops.py", "ops_ext.py", "ops_ext.pyi")}
    tag = f"cp{sys.version_info.major}{sys.version_info.minor}"
    assert re.fullmatch(rf"signals-1\.0-{tag}-{tag}-linux_\w+\.whl", built.one("*.whl").name)

    def python(*arguments: str | Path, code: int = 0, **environment: str) -> str:
        return run(installed, *arguments, folder=tmp_path, code=code, given={"PATH": "/nowhere", **environment})

    python("-c", "import transpile", code=1)
    assert python("-m", "unittest", "discover", EXAMPLE / "tests", TRANSPILE="cpu").endswith("OK\n")
    target = "from signals import ops; print(ops.__transpile__['target'], ops.__all__)"
    everything = "['smooth_block', 'measure_block', 'smooth', 'measure', 'synchronize']\n"
    assert python("-c", target, TRANSPILE="cuda") == f"cuda {everything}"
    assert python("-c", target, CUDA_VISIBLE_DEVICES="") == f"cpu {everything}"
    assert python("-c", target, CUDA_VISIBLE_DEVICES="", TRANSPILE="reference") == f"cpu {everything}"
    for page in (ROOT / "docs" / "packaging.md", EXAMPLE / "README.md"):
        (program,) = re.findall(
            r"^```python\n((?:# use\.py\n)?from array.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE
        )
        said = re.findall(r"print.*  # ([^:\n]*)", program)
        assert python("-c", program, CUDA_VISIBLE_DEVICES="").splitlines() == said
    called = python("-c", DIGEST, code=1, TRANSPILE="cuda", CUDA_VISIBLE_DEVICES="")
    assert re.search(r"^RuntimeError: smooth: .*NVIDIA", called, re.MULTILINE)
    refused = python("-c", target, code=1, TRANSPILE="hip")
    assert "ImportError: TRANSPILE is 'hip', and signals.ops_ext was built for cuda, cpu" in refused


@pytest.mark.gpu
def test_the_gpu_has_the_same_bits(installed: Path, tmp_path: Path) -> None:
    tested = run(installed, "-m", "unittest", "discover", EXAMPLE / "tests", folder=tmp_path, given={})
    assert tested.endswith("OK\n")
    printed = [run(installed, "-c", DIGEST, folder=tmp_path, given={"TRANSPILE": name}) for name in ("", "cuda", "cpu")]
    assert "--target cuda" in printed[0]
    assert len({line.split()[0] for line in printed}) == 1


def test_every_level_has_the_same_bits(installed: Path, tmp_path: Path) -> None:
    with open("/proc/cpuinfo", encoding="utf-8") as file:
        flags = set(file.read().split())
    usable = [level for level, needed in LEVELS.items() if needed <= flags]
    if not usable:
        pytest.skip("no x86-64")
    printed = [
        run(installed, "-c", DIGEST, folder=tmp_path, given={"TRANSPILE": "cpu", "TRANSPILE_MARCH": march})
        for march in ("", *usable)
    ]
    assert len({line.split()[0] for line in printed}) == 1
    assert [line.split()[-1] for line in printed] == [usable[-1], *usable]
    refused = run(
        installed, "-c", DIGEST, folder=tmp_path, code=1, given={"TRANSPILE": "cpu", "TRANSPILE_MARCH": "i486"}
    )
    assert "ImportError: TRANSPILE_MARCH is 'i486', and this module was compiled for x86-64" in refused


def test_a_processor_without_avx(installed: Path, tmp_path: Path) -> None:
    emulator = shutil.which("qemu-x86_64")
    if emulator is None or "x86_64" not in sysconfig.get_platform():
        pytest.skip("no qemu-x86_64, or not on x86-64")
    program = (emulator, "-cpu", "Nehalem", installed.resolve(), "-S", "-c")
    site = installed.parents[1] / "lib" / f"python3.{sys.version_info.minor}" / "site-packages"
    given = {"PYTHONPATH": str(site), "TRANSPILE": "cpu", "TRANSPILE_NUM_THREADS": "3"}
    emulated = run(*program, DIGEST, folder=tmp_path, given=given)
    assert emulated.endswith(" --march x86-64\n")
    assert emulated.split()[0] == run(installed, "-c", DIGEST, folder=tmp_path, given={"TRANSPILE": "cpu"}).split()[0]
    refused = run(*program, DIGEST, folder=tmp_path, code=1, given={**given, "TRANSPILE_MARCH": "x86-64-v3"})
    assert "ImportError: TRANSPILE_MARCH is x86-64-v3, which this processor is not" in refused


@pytest.fixture
def unpacked(built: Built, tmp_path: Path) -> Path:
    with tarfile.open(built.one("*.tar.gz")) as sdist:
        sdist.extractall(tmp_path, filter="data")
    return tmp_path / "signals-1.0"


def test_an_sdist_builds_without_transpile(built: Built, unpacked: Path, builders: Path, cache: str) -> None:
    assert unpacked.joinpath("pyproject.toml").read_text().splitlines()[1] == (
        'requires = ["setuptools>=64", "pybind11>=2.13"]'
    )
    original = built.project.joinpath("setup.py").read_text()
    first, _, rest = unpacked.joinpath("setup.py").read_text().partition("\n")
    assert (first.partition("  #")[0], rest) == ('import sys; sys.path.insert(0, "_transpiled")', original)
    assert built.project.joinpath("pyproject.toml").read_text() == EXAMPLE.joinpath("pyproject.toml").read_text()

    dist = unpacked / "dist"
    given = {"TRANSPILE_TARGETS": "cpu", "TRANSPILE_CACHE": cache}
    backend(f"build_wheel({str(dist)!r})", unpacked, path=builders, given=given)
    (wheel,) = dist.glob("*.whl")
    module = f"signals/ops_cpu{SUFFIX}"
    with zipfile.ZipFile(wheel) as again, zipfile.ZipFile(built.one("*.whl")) as original_wheel:
        assert again.read(module) == original_wheel.read(module)
        assert f"signals/ops_cuda{SUFFIX}" not in again.namelist()

    # An sdist of an sdist is one too.
    backend(f"build_sdist({str(dist)!r})", unpacked, path=builders, given={})
    with tarfile.open(next(dist.glob("*.gz"))) as twice, tarfile.open(built.one("*.gz")) as once:
        assert sorted(twice.getnames()) == sorted(once.getnames())

    kernels = unpacked / "signals" / "ops.py"
    kernels.write_text(kernels.read_text().replace("* 0.5", "* 0.25"))
    stale = run(
        sys.executable, "-S", "setup.py", "--version", folder=unpacked, code=1, given={"PYTHONPATH": str(builders)}
    )
    assert stale.startswith(
        "error: signals/ops.py was changed after _transpiled was made of it. Build from the project's"
    )

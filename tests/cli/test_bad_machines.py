"""Machines that lack something, or fail: no compiler, a broken one, a full disk. What is said, and the exit code."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.cli.program import DOUBLE, FAULTY, Result, python, transpile, without_progress
from tests.support.devices import environment
from transpile.build import nvrtc, toolchain
from transpile.build.cache import write_whole
from transpile.build.toolchain import ToolchainMissingError
from transpile.cli import main

Command = Callable[..., Result]
SEARCHED = ("CXX", "CUDA_HOME", "CUDA_PATH", "ROCM_PATH", "HIP_PATH")
NVCC = """\
#!/bin/sh
case "$*" in
*--version*) echo "Cuda compilation tools, release 13.0, V13.0.88";;
*--list-gpu-code*) echo sm_75 sm_90;;
*--dryrun*) ;;
*) echo '{said}' >&2; exit 1;;
esac
"""
CXX = """\
#!/bin/sh
case "$*" in
*--version*) echo "g++ (Made up) 99.1";;
*) echo '{said}' >&2; exit 1;;
esac
"""


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    def forget() -> None:
        for each in (toolchain.find_compiler, toolchain.find_nvcc, toolchain.find_hipcc):
            each.cache_clear()

    forget()
    yield
    forget()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "double.py").write_text(DOUBLE)
    (tmp_path / "faulty.py").write_text(FAULTY)
    return tmp_path


@pytest.fixture
def bare(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A machine without any compiler; what is put into this folder is on the PATH."""
    programs = folder / "bin"
    programs.mkdir()
    for name in SEARCHED:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PATH", str(programs))
    monkeypatch.setenv("TRANSPILE_CACHE", str(folder / "cache"))
    monkeypatch.setattr(toolchain, "packaged_cuda", tuple)
    monkeypatch.setattr(toolchain, "SYSTEM_CUDA", folder / "nowhere")
    monkeypatch.setattr(toolchain, "SYSTEM_ROCM", folder / "nowhere")
    monkeypatch.chdir(folder)
    return programs


@pytest.fixture
def command(bare: Path, capfd: pytest.CaptureFixture[str]) -> Command:
    def run(*arguments: str) -> Result:
        code = main(arguments)
        found = capfd.readouterr()
        return Result(code, found.out, without_progress(found.err))

    return run


def put(folder: Path, name: str, text: str) -> None:
    path = folder / name
    path.write_text(text)
    path.chmod(0o755)


def kept(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if path.name not in ("bin", "cache"))


# ---------------------------------------------------------------- compilers


@pytest.mark.parametrize(
    ("target", "has", "said"),
    [
        ("cpu", (), "install g++ (Debian, Ubuntu: apt install g++)"),
        ("cuda", (), "install g++ (Debian, Ubuntu: apt install g++)"),
        ("cuda", ("g++",), "pip install 'transpile[cuda]' brings one"),
        ("hip", ("g++",), "apt install hipcc libamdhip64-dev rocm-device-libs"),
    ],
)
def test_no_compiler(bare: Path, command: Command, target: str, has: tuple[str, ...], said: str) -> None:
    for name in has:
        put(bare, name, CXX.format(said="unused"))
    found = command("build", "double.py", "--target", target)
    assert (found.code, found.out) == (3, "")
    assert said in found.err
    assert kept(bare.parent) == ["double.py", "faulty.py"]
    faulty = command("build", "faulty.py", "--target", target)  # what the user can mend comes first
    assert faulty.code == 1
    assert faulty.err.count("error[") == 3
    assert command("emit", target, "double.py").code == 0


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("error: #error -- unsupported GNU version! gcc versions later than 15", "choose an older one with CXX"),
        ("ptxas fatal   : Unsupported .version 9.5; current version is 9.0", "of different releases"),
    ],
)
def test_an_nvcc_that_cannot_work(bare: Path, command: Command, said: str, advice: str) -> None:
    put(bare, "g++", CXX.format(said="").replace("exit 1", "while [ $# -gt 1 ]; do shift; done; : > $1"))
    root = bare.parent / "toolkit"
    (root / "bin").mkdir(parents=True)
    put(root / "bin", "nvcc", NVCC.format(said=said))
    (bare / "nvcc").symlink_to(root / "bin" / "nvcc")
    found = command("build", "double.py", "--target", "cuda")
    assert found.code == 3
    assert "has no libcudart_static.a beside it" in found.err
    (root / "lib64").mkdir()
    (root / "lib64" / "libcudart_static.a").write_text("")
    found = command("build", "double.py", "--target", "cuda", "--arch", "sm_90")
    assert found.code == 3
    assert advice in found.err
    assert said in found.err


@pytest.mark.parametrize(
    ("said", "code", "message"),
    [
        ("/tmp/cc7.s: Fatal error: can not write: No space left on device", 1, f"/: {os.strerror(errno.ENOSPC)}\n"),
        ("g++: fatal error: Killed signal terminated program cc1plus", 3, "g++ was killed: this machine may have too"),
        ("double.cpp:7:1: error: what is this?", 4, "a fault of transpile, not yours"),
    ],
)
def test_a_compiler_that_fails(
    bare: Path, command: Command, monkeypatch: pytest.MonkeyPatch, said: str, code: int, message: str
) -> None:
    put(bare, "g++", CXX.format(said=said))
    monkeypatch.setattr(toolchain.tempfile, "gettempdir", lambda: "/")
    monkeypatch.setenv("TMPDIR", str(bare.parent / "cache"))
    found = command("build", "double.py")
    assert found.code == code
    assert message in found.err
    assert kept(bare.parent) == ["double.py", "faulty.py"]
    if code == 4:
        shutil.rmtree(found.err.split()[-1])


def test_a_compiler_that_is_killed_outright() -> None:
    with pytest.raises(ToolchainMissingError, match="was killed"):
        toolchain.run([sys.executable, "-c", "import os; os.kill(os.getpid(), 9)"])


# ---------------------------------------------------------------- compiling while a program runs


def test_a_launch_without_a_compiler(folder: Path) -> None:
    found = python("double.py", folder=folder, TRANSPILE="cpu", CXX="no-such-compiler")
    assert found.code == 1
    assert found.err.endswith(
        "ToolchainMissingError: CXX is 'no-such-compiler', and there is no program 'no-such-compiler'\n"
    )
    assert "transpile/build" not in found.err  # the traceback is the program's, down to the launch
    assert issubclass(ToolchainMissingError, RuntimeError)


def test_a_launch_without_nvrtc(folder: Path) -> None:
    code = (
        "import sys; from transpile.build import nvrtc; nvrtc.find_nvrtc = lambda: None\n"
        "from transpile.cli import main; sys.exit(main(['run', 'double.py', '--target', 'cuda']))"
    )
    found = python("-c", code, folder=folder, **environment())
    assert found.code == 3
    assert "pip install 'transpile[nvrtc]' brings it" in found.err


def test_a_driver_older_than_nvrtc(folder: Path) -> None:
    if nvrtc.find_nvrtc() is None:
        pytest.skip("there is no NVRTC")
    found = transpile("run", "double.py", "--target", "cuda", folder=folder, **environment(version=12080))
    assert found.code == 3
    assert "the NVIDIA driver runs CUDA 12.8 at most" in found.err
    found = transpile("doctor", "--target", "cuda", folder=folder, **environment(version=12080, devices=2))
    assert found.code == 3
    assert "update NVIDIA's driver" in found.out
    assert "1: " in found.out


# ---------------------------------------------------------------- disks


def mounted(folder: Path, options: str) -> list[str]:
    """What stands before a command so that `folder` is a disk of its own for it. Skips where that cannot be."""
    folder.mkdir()
    words = ["unshare", "-rm", "sh", "-c", f'mount -t tmpfs -o {options} none "{folder}" && exec "$@"', "sh"]
    if shutil.which("unshare") is None or subprocess.run([*words, "true"], capture_output=True, check=False).returncode:
        pytest.skip("no disk can be mounted here")
    return words


def test_a_full_disk(folder: Path) -> None:
    full = mounted(folder / "tiny", "size=4k")
    words = ("-m", "transpile", "build", "double.py", "--sources-only")
    found = python(*words, "-o", "tiny", folder=folder, before=full)
    assert (found.code, found.out) == (1, "")
    assert found.err == "transpile build: tiny/double.cpp: No space left on device\n"
    found = python(*words, folder=folder, before=full, TRANSPILE_CACHE="tiny")
    assert found.code == 0
    assert (folder / "double.cpp").is_file()


def test_a_cache_that_can_only_be_read(folder: Path) -> None:
    code = "from transpile.build.cache import open_cache; print(open_cache().folder)"
    before = mounted(folder / "sealed", "ro")
    found = python("-c", code, folder=folder, before=before, TRANSPILE_CACHE=str(folder / "sealed"))
    assert found == Result(0, f"{Path(tempfile.gettempdir()) / f'transpile-{os.getuid()}'}\n", "")


def test_a_pipe_that_takes_nothing(folder: Path) -> None:
    with open("/dev/full", "w") as full:
        words = [sys.executable, "-m", "transpile", "emit", "cpu", "double.py"]
        held = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])}
        done = subprocess.run(words, cwd=folder, stdout=full, stderr=subprocess.PIPE, text=True, env=held)
    assert done.returncode == 1
    assert without_progress(done.stderr) == "transpile emit: No space left on device\n"


def test_a_file_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "x.cu").mkdir()
    with pytest.raises(OSError, match=r"x\.cu'$"):
        write_whole(tmp_path / "x.cu", b"")
    with pytest.raises(OSError, match=r"no/x\.cu'$"):
        write_whole(tmp_path / "no" / "x.cu", b"")

"""The commands at work, each in a process of its own: output, exit codes, files."""

from __future__ import annotations

import ctypes
import os
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.cli.program import DOUBLE, FAULTY, GENERIC, ROOT, SOFTMAX, Result, python, transpile, without_progress
from tests.support.devices import fake_driver
from transpile.backends.signs import Signs
from transpile.build.disassembler import find_nvdisasm
from transpile.build.nvrtc import find_nvrtc
from transpile.cli import main
from transpile.diagnostics.catalogue.table import CATALOGUE

LINES = "[0. 2. 4.] 198.0"
Command = Callable[..., Result]


@pytest.fixture
def command(folder: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]) -> Command:
    """Runs a command in this process: quicker, where a process of its own proves nothing more."""

    def run(*arguments: str) -> Result:
        code = main(arguments)
        found = capfd.readouterr()
        return Result(code, found.out, without_progress(found.err))

    monkeypatch.chdir(folder)
    return run


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "double.py").write_text(DOUBLE)
    (tmp_path / "faulty.py").write_text(FAULTY)
    (tmp_path / "soft.py").write_text(SOFTMAX)
    return tmp_path


# ---------------------------------------------------------------- check


def test_check_tells_what_each_function_is(command: Command) -> None:
    found = command("check", "double.py")
    assert (found.code, found.err) == (0, "")
    lines = found.out.splitlines()
    assert lines[:3] == ["double.py: no faults", "  double  tile kernel", "  run     launcher"]
    assert lines[3].startswith("  main    Python: ")


def test_check_tells_all_faults_of_all_files(command: Command) -> None:
    found = command("check", "faulty.py", "double.py")
    assert found.code == 1
    assert found.out.count("error[") == 3
    assert "faulty.py: 3 faults" in found.out
    assert "double.py: no faults" in found.out
    assert "\x1b" not in found.out


def test_check_explains_codes(command: Command) -> None:
    code = sorted(CATALOGUE)[0]
    found = command("check", "--explain", code)
    assert found.code == 0
    assert found.out.startswith(f"{code}: ")
    found = command("check", "--explain", f"{code[:-1]}")
    assert found.code == 2
    assert f"did you mean {code}" in found.err
    found = command("check", "--explain", "qqq")
    assert found.code == 2
    assert set(CATALOGUE) <= set(found.err.replace(",", " ").split())
    assert max(map(len, found.err.splitlines())) <= 80


@pytest.mark.parametrize("content", [b"", b"\n", b"x = 1\n", "# é\n".encode()])
def test_check_of_files_without_kernels(folder: Path, command: Command, content: bytes) -> None:
    (folder / "empty.py").write_bytes(content)
    found = command("check", "empty.py")
    assert found.code == 0
    assert "nothing is compiled" in found.out


@pytest.mark.parametrize("content", [b"\xff\xfe", b"def f(:\n", b"x = '\0'\n", b"(" * 5000])
def test_check_of_files_that_are_no_python(folder: Path, command: Command, content: bytes) -> None:
    (folder / "bad.py").write_bytes(content)
    found = command("check", "bad.py")
    assert found.code == 1
    assert "error[" in found.out
    assert found.err == ""


# ---------------------------------------------------------------- emit, inspect


def test_emit_prints_the_same_bytes_from_the_cache(folder: Path) -> None:
    runs = [transpile("emit", "cuda", "double.py", folder=folder, TRANSPILE_CACHE=str(folder / "cache")) for _ in "ab"]
    assert runs[0] == runs[1]
    assert runs[0].code == 0
    assert "__global__" in runs[0].out
    transpile("emit", "cuda", "double.py", "-o", "out.cu", folder=folder)
    assert (folder / "out.cu").read_text() == runs[0].out


def test_emit_from_the_cache_imports_nothing_heavy(folder: Path) -> None:
    cache = str(folder / "cache")
    transpile("emit", "hip", "double.py", folder=folder, TRANSPILE_CACHE=cache)
    code = (
        "import sys; from transpile.cli import main\n"
        "assert main(['emit', 'hip', 'double.py']) == 0\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    found = python("-c", code, folder=folder, TRANSPILE_CACHE=cache)
    assert "__global__" in found.out
    assert not {"libcst", "numpy", "jinja2", "rich"} & {name.partition(".")[0] for name in found.err.split()}


def test_emit_sees_every_change(folder: Path) -> None:
    cache = str(folder / "cache")
    source = folder / "double.py"
    first = transpile("emit", "cpu", "double.py", folder=folder, TRANSPILE_CACHE=cache)
    before = source.stat()
    source.write_text(DOUBLE.replace("* 2.0", "* 3.0"))
    os.utime(source, ns=(before.st_atime_ns, before.st_mtime_ns))
    second = transpile("emit", "cpu", "double.py", folder=folder, TRANSPILE_CACHE=cache)
    assert first.out != second.out
    assert "3.0" in second.out
    none = transpile("emit", "cpu", "double.py", "--lines", "none", folder=folder, TRANSPILE_CACHE=cache)
    assert "// i = tile" in second.out
    assert "// i = tile" not in none.out


def test_emit_sees_a_change_in_another_file(folder: Path) -> None:
    (folder / "shapes.py").write_text(
        "from transpile import cuda\n\n\n@cuda.device\ndef curve(v: float) -> float:\n    return v * 5.0\n"
    )
    text = DOUBLE.replace("import sys\n", "import sys\n\nfrom shapes import curve\n").replace(
        "tile.load(x, i, i < n) * 2.0", "curve(tile.load(x, i, i < n))"
    )
    (folder / "other.py").write_text(text)
    cache = str(folder / "cache")
    assert "5.0" in transpile("emit", "cpu", "other.py", folder=folder, TRANSPILE_CACHE=cache).out
    shapes = folder / "shapes.py"
    shapes.write_text(shapes.read_text().replace("5.0", "7.0"))
    assert "7.0" in transpile("emit", "cpu", "other.py", folder=folder, TRANSPILE_CACHE=cache).out


def test_emit_tells_what_it_read(folder: Path, command: Command) -> None:
    (folder / "shapes.py").write_text(
        "from transpile import cuda\n\n\n@cuda.device\ndef curve(v: float) -> float:\n    return v * 5.0\n"
    )
    text = DOUBLE.replace("import sys\n", "import sys\n\nfrom shapes import curve\n").replace("* 2.0", "* curve(2.0)")
    (folder / "an other.py").write_text(text)
    expected = f"{folder}/out#$.cu {folder}/an.h: {folder}/an other.py {folder}/shapes.py\n"
    expected = expected.replace("#$", "\\#$$").replace("an other", "an\\ other")
    for _ in ("made", "from the cache"):
        found = command("emit", "cuda", "an other.py", "-o", "out#$.cu", "--header", "an.h", "--depfile", "out.d")
        assert (found.code, found.out) == (0, "")
        assert (folder / "out.d").read_text() == expected
        assert (folder / "an.h").read_text() == command("emit", "header", "an other.py").out
    found = command("emit", "cuda", "double.py", "--depfile", "out.d")
    assert (found.code, found.out) == (2, "")
    assert "--depfile tells what -o PATH was made from" in found.err


def test_emit_without_any_cache(folder: Path) -> None:
    (folder / "blocked").write_text("")
    found = transpile("emit", "header", "double.py", folder=folder, TRANSPILE_CACHE=str(folder / "blocked" / "x"))
    assert found.code == 0
    assert "int32_t double_run(" in found.out


def test_emit_of_a_faulty_file(command: Command) -> None:
    found = command("emit", "cuda", "faulty.py")
    assert (found.code, found.out) == (1, "")
    assert found.err.count("error[") == 3


def test_emit_dumps_every_stage(folder: Path, command: Command) -> None:
    found = command("emit", "cpu", "double.py", "--dump", "stages", "--verify")
    assert found.code == 0
    names = sorted(path.stem for path in (folder / "stages").iterdir())
    assert names == ["00-hir", "01-tir", "02-folded", "03-layout", "04-kir", "05-cpu"]


def test_emit_into_a_folder_that_is_not_there(command: Command) -> None:
    found = command("emit", "cpu", "double.py", "-o", "no/where.cpp")
    assert (found.code, found.err) == (2, "transpile emit: -o no/where.cpp: there is no folder no\n")
    found = command("emit", "cpu", "double.py", "-o", ".")
    assert (found.code, found.err) == (2, "transpile emit: -o . is a folder: name the file to write\n")


@pytest.mark.parametrize("stage", ["hir", "tir", "layout", "kir", "cuda"])
def test_inspect(command: Command, stage: str) -> None:
    found = command("inspect", "--stage", stage, "double.py")
    assert (found.code, found.err) == (0, "")
    assert "double" in found.out
    if stage != "cuda":
        assert command("emit", "cuda", "double.py", "--stop-after", stage).out == found.out


def test_what_nvrtc_makes(command: Command, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if find_nvrtc() is None:
        pytest.skip("no NVRTC here: pip install nvidia-cuda-nvrtc")
    found = command("emit", "ptx", "double.py", "--arch", "sm_80")
    assert (found.code, found.err) == (0, "")
    assert ".target sm_80" in found.out
    assert ".entry" in found.out
    assert command("inspect", "--stage", "ptx", "double.py", "--arch", "sm_80").out == found.out
    assert ".loc" in command("emit", "ptx", "double.py", "--lines", "directive").out
    several = command("emit", "ptx", "soft.py", "--instance", "total:cols=64,256").out
    assert several.count(".entry") == 2
    (folder / "generic.py").write_text(GENERIC)
    assert command("emit", "ptx", "generic.py").out.count(".entry") == 3
    found = command("emit", "ptx", "double.py", "--arch", "sm_1")
    assert found.code == 2
    assert found.err.startswith("transpile emit: --arch sm_1: NVRTC ")
    (folder / "none.py").write_text("from transpile import tile\n")
    found = command("inspect", "--stage", "sass", "none.py")
    assert (found.code, found.err) == (2, "transpile inspect: none.py: there is no kernel to compile\n")
    if find_nvdisasm() is not None:
        assert "DADD" in command("inspect", "--stage", "sass", "double.py", "--arch", "sm_90").out
    monkeypatch.setattr("transpile.build.disassembler.find_nvdisasm", lambda: None)
    found = command("inspect", "--stage", "sass", "double.py", "--arch", "sm_90")
    assert found.code == 3
    assert "pip install nvidia-cuda-nvdisasm" in found.err


def test_instances(command: Command) -> None:
    found = command("emit", "cuda", "soft.py", "--instance", "total:cols=64,256")
    assert "soft_total__64" in found.out
    assert "soft_total__256" in found.out
    found = command("emit", "cuda", "soft.py", "--instance", "total:rows=64")
    assert found.code == 2
    assert "give its static parameters (cols)" in found.err
    found = command("emit", "cuda", "soft.py", "--instance", "sum:cols=64")
    assert found.code == 2
    assert "there is no kernel 'sum'" in found.err


# ---------------------------------------------------------------- cache


def test_the_cache_is_shown_and_cleared(folder: Path) -> None:
    home = {"TRANSPILE_CACHE": str(folder / "kept")}
    transpile("emit", "cuda", "double.py", folder=folder, **home)
    found = transpile("cache", folder=folder, TRANSPILE_CACHE_MB="5", **home)
    first, kind, total = found.out.splitlines()
    assert first == str(folder / "kept")
    assert re.fullmatch(r"  texts and what they were made from +2 +\d\.\d KB", kind)
    assert re.fullmatch(r"2 entries, \d\.\d KB of at most 5\.0 MB \(TRANSPILE_CACHE_MB\)", total)
    found = transpile("cache", "--clear", folder=folder, **home)
    assert (found.code, found.out) == (0, f"{folder / 'kept'}: removed 2 entries\n")
    assert transpile("cache", folder=folder, **home).out.startswith(f"{folder / 'kept'}\n0 entries, 0.0 KB")


# ---------------------------------------------------------------- run


@pytest.mark.parametrize(
    "arguments",
    [
        ("--target", "cpu", "double.py"),
        ("double.py", "--target", "cpu"),
        ("double.py", "--target=cpu"),
    ],
)
def test_run_on_the_cpu(folder: Path, arguments: tuple[str, ...]) -> None:
    found = transpile("run", *arguments, folder=folder)
    assert (found.code, found.out) == (0, f"{LINES}\n# ran on: cpu; compiled: True\n")


def test_run_takes_what_the_machine_has(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen: list[str] = []
    monkeypatch.setattr("transpile.settings.set_target", chosen.append)
    monkeypatch.setattr("transpile.commands.run.run_program", lambda *_: 0)
    library = fake_driver() / "libcuda.so.1"
    for sign, nvrtc, said in (
        (library, Path("libnvrtc.so"), "--target cuda: there is an NVIDIA GPU"),
        (library, None, "--target cpu: there is an NVIDIA GPU but no NVRTC (pip install 'transpile[nvrtc]'); "),
        ("/dev/none", None, "--target cpu: there is no /dev/none; "),
    ):
        signs = Signs(files=(str(sign),), libraries=(str(library),), variable="NOT_SET_VISIBLE_DEVICES")
        monkeypatch.setattr("transpile.build.devices.SIGNS", {"cuda": signs})
        monkeypatch.setattr("transpile.build.devices.NVIDIA_LIBRARY", str(library))
        monkeypatch.setattr("transpile.build.nvrtc.find_nvrtc", lambda found=nvrtc: found)
        assert command("run", "--target", "auto", "double.py").err.startswith(said)
    # Children that the program forks could not use a driver that was started before.
    assert ctypes.CDLL(str(library)).fake_calls(b"cuInit") == 0
    assert chosen == ["cuda", "cpu", "cpu"]


def test_run_is_the_reference_by_default(folder: Path) -> None:
    found = transpile("run", "double.py", "a", "--target", "cpu", folder=folder)
    assert (found.code, found.out) == (0, f"{LINES} a --target cpu\n# ran on: reference; compiled: False\n")
    found = transpile("run", "double.py", "--", "--target", folder=folder)
    assert found.out.startswith(f"{LINES} --target\n")


def test_run_shows_what_a_program_raises(folder: Path) -> None:
    (folder / "program.py").write_text("import sys\nprint(1)\nsys.exit(7)\n")
    assert transpile("run", "program.py", folder=folder).code == 7
    (folder / "program.py").write_text("def f():\n    raise ValueError('mine')\n\n\nf()\n")
    found = transpile("run", "program.py", folder=folder)
    assert found.code == 1
    assert found.err.splitlines()[1].strip() == f'File "{folder}/program.py", line 5, in <module>'
    assert found.err.endswith("ValueError: mine\n")
    (folder / "program.py").write_text("f(\n")
    found = transpile("run", "program.py", folder=folder)
    assert found.code == 1
    assert "SyntaxError" in found.err
    (folder / "program.py").write_text(FAULTY + "\n\ntile.launch(wrong, 1, 1, [])\n")
    found = transpile("run", "program.py", "--target", "cpu", folder=folder)
    assert found.code == 1
    assert found.err.startswith("error[tile-shape-mismatch]")
    assert "Traceback" not in found.err


def test_run_on_the_cpu_without_a_compiler(folder: Path) -> None:
    found = transpile("run", "double.py", "--target", "cpu", folder=folder, CXX="no-such-compiler")
    assert found.code == 3
    assert "there is no program 'no-such-compiler'" in found.err
    assert "Traceback" not in found.err


# ---------------------------------------------------------------- the terminal


def test_colours_on_a_terminal_only(folder: Path) -> None:
    command = f"cd {folder} && {sys.executable} -m transpile check faulty.py"
    shown = subprocess.run(
        ["script", "-qec", command, "/dev/null"],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"},
        stdin=subprocess.DEVNULL,
    ).stdout
    assert b"\x1b[" in shown
    plain = subprocess.run(
        ["script", "-qec", command, "/dev/null"],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm", "NO_COLOR": "1"},
        stdin=subprocess.DEVNULL,
    ).stdout
    assert b"\x1b[" not in plain


def test_a_terminal_breaks_no_line(folder: Path) -> None:
    plain = transpile("emit", "cuda", "double.py", folder=folder).out
    command = f"stty cols 40; cd {folder}; {sys.executable} -m transpile emit cuda double.py"
    shown = subprocess.run(
        ["script", "-qec", command, "/dev/null"],
        capture_output=True,
        env={**os.environ, "PYTHONPATH": str(ROOT), "TERM": "xterm"},
        stdin=subprocess.DEVNULL,
        text=True,
    ).stdout
    text = re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", shown)
    assert plain.split("\n") == text.replace("\r", "").split("\n")


def test_a_reader_that_goes_away(folder: Path) -> None:
    command = f"{sys.executable} -m transpile emit cuda double.py | true; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, capture_output=True, text=True, env={**os.environ, "PYTHONPATH": str(ROOT)}
    )
    assert done.stderr == ""


def test_run_of_a_program_that_moves(folder: Path) -> None:
    text = DOUBLE.replace("import sys\n", "import os\nimport sys\n", 1).replace(
        "    x = np", '    os.chdir("/")\n    x = np', 1
    )
    (folder / "double.py").write_text(text)
    for target in ("reference", "cpu"):
        found = transpile("run", "double.py", "--target", target, folder=folder)
        assert (found.code, found.out.splitlines()[0]) == (0, LINES)

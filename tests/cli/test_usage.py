"""What the command line says of itself and of how it is used; needs neither kernels nor a compiler."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.program import ROOT, python, transpile
from transpile import cli
from transpile.commands.arguments import parse_instances


@pytest.mark.parametrize("command", [(), ("check",), ("emit",), ("inspect",), ("build",), ("run",), ("doctor",)])
def test_help_teaches(command: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main([*command, "--help"]) == 0
    found = capsys.readouterr().out
    assert "transpile run" in found if not command else f"transpile {command[0]} " in found
    assert max(map(len, found.splitlines())) <= 120


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((), "give a command: check, emit, inspect, build, run, doctor or cache"),
        (("bogus",), "invalid choice: 'bogus'"),
        (("check",), "give the files to check"),
        (("check", "nope.py"), "nope.py: there is no such file"),
        (("check", "-"), "a file is needed"),
        (("check", "."), ". is a folder"),
        (("check", "/dev/null"), "/dev/null is a pipe or a device"),
        (("emit", "sass", "x.py"), "invalid choice: 'sass'"),
        (("emit", "cuda", __file__, "--arch", "sm_90"), "--arch is for ptx"),
        (("inspect", "--stage", "tir", __file__, "--arch", "sm_90"), "--arch is for --stage ptx and sass"),
        (("emit", "cuda", "nope.py"), "nope.py: there is no such file"),
        (("inspect", "x.py"), "--stage"),
        (("build",), "required: FILE"),
        (("build", "nope.py"), "nope.py: there is no such file"),
        (("run", "nope.py"), "nope.py: there is no such file"),
        (("run",), "the following arguments are required: FILE\n"),
        (("run", __file__, "--target", "opencl"), "--target opencl: choose from reference, cpu, cuda, hip, auto"),
        (("build", __file__, __file__, "--name", "x"), "--name names one module"),
        (("build", __file__, "--name", "1x"), "not a name that a module can have"),
        (("build", __file__, "--name", "class"), "not a name that a module can have"),
        (("build", __file__, "--name", "test_usage"), "the kernels' own files are called so"),
        (("build", __file__, "--arch", "sm_90"), "--arch names GPUs, and the target is cpu"),
        (("build", __file__, "--target", "hip", "--march", "x86-64"), "--target hip takes --arch"),
        (("build", __file__, "--target", "cuda", "--arch", "sm_80,,"), "expected names with commas between them"),
        (("build", __file__, "--depfile", "x.d"), "give --sources-only"),
        (("emit", "cpu", __file__, "--stop-after", "tir", "--header", "x.h"), "nothing else: leave out --header\n"),
        (
            ("emit", "cuda", __file__, "--stop-after", "tir", "--dump", "d", "--verify"),
            "leave out --dump and --verify\n",
        ),
        (("emit", "header", __file__, "--dump", "d"), "--dump and --verify are for the text of a target"),
        (("emit", "cpu", __file__, "-o", "x.h", "--header", "./x.h"), "name a file for each"),
        (("check", __file__, "--instance", "k"), "expected KERNEL:PARAMETER=VALUE"),
        (("check", __file__, "--instance", "k:n=a"), "'n=a' is not PARAMETER=VALUE"),
    ],
)
def test_usage_errors(arguments: tuple[str, ...], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(arguments) == 2
    found = capsys.readouterr()
    assert message in found.err
    assert not found.out


def test_an_unknown_option_shows_the_usage_of_its_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["build", __file__, "--fast", "-q"]) == 2
    found = capsys.readouterr().err
    assert found.startswith("usage: transpile build ")
    assert found.endswith("transpile build: error: unrecognized arguments: --fast -q\n")


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(["--version"]) == 0
    assert re.fullmatch(r"transpile \d+\.\d+\.\d+ on Python 3\.\d+\.\d+\n", capsys.readouterr().out)


def test_names_of_modules_do_not_meet(tmp_path: Path) -> None:
    for folder in ("a", "b"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "k.py").write_text("")
    found = transpile("build", "a/k.py", "b/k.py", "-o", "out", folder=tmp_path)
    assert found.code == 2
    assert "would both be written" in found.err
    (tmp_path / "my kernels.py").write_text("")
    found = transpile("build", "my kernels.py", folder=tmp_path)
    assert found.code == 2
    assert "rename the file" in found.err


def test_instances() -> None:
    given = ["a:n=1,2", "a:n=2,3", "b:k=-1:m=4,8"]
    assert parse_instances(given) == {"a": {"n": (1, 2, 3)}, "b": {"k": (-1,), "m": (4, 8)}}


def test_an_interrupt_is_quiet(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def interrupt(_: object) -> int:
        raise KeyboardInterrupt

    monkeypatch.setattr(cli, "_execute", interrupt)
    assert cli.main(["check", "x.py"]) == 130
    assert capsys.readouterr().err == "interrupted\n"


def test_a_fault_of_ours_is_short(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(_: object) -> int:
        raise ZeroDivisionError("deep inside")

    monkeypatch.delenv("TRANSPILE_DEBUG", raising=False)
    monkeypatch.setattr(cli, "_execute", fail)
    assert cli.main(["check", "x.py"]) == 4
    found = capsys.readouterr().err
    assert "internal error: ZeroDivisionError: deep inside" in found
    assert "TRANSPILE_DEBUG=1" in found
    assert "Traceback" not in found
    monkeypatch.setenv("TRANSPILE_DEBUG", "1")
    with pytest.raises(ZeroDivisionError):
        cli.main(["check", "x.py"])


def test_a_reader_that_goes_away(tmp_path: Path) -> None:
    command = f"{sys.executable} -m transpile --help | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True)
    assert "Traceback" not in done.stderr
    assert done.stdout.startswith("usage: transpile")


def test_nothing_heavy_is_imported(tmp_path: Path) -> None:
    code = "import sys, transpile.cli, transpile.commands.emit; print(*sys.modules)"
    loaded = python("-c", code, folder=tmp_path).out.split()
    assert not {"libcst", "numpy", "jinja2", "rich", "pybind11"} & {name.partition(".")[0] for name in loaded}

"""Does what the README tells a newcomer to do, word for word: its programs, its commands, and the text that it shows.

`UPDATE_DOCS=1 pytest tests/docs` writes the emitted text into the README, to be read before it is committed.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
README: Final = ROOT / "README.md"
SHOWN: Final = ("__dmul_rn", "__global__", 'extern "C"')  # what marks the parts of the emitted text that are shown
FENCES: Final = re.compile(r"^```(?P<kind>\w+)\n(?P<text>.*?)^```", re.DOTALL | re.MULTILINE)
NAMED: Final = re.compile(r"(?:#|//) (?P<name>\w+\.\w+)\n")


def blocks(kind: str) -> list[str]:
    return [found["text"] for found in FENCES.finditer(README.read_text(encoding="utf-8")) if found["kind"] == kind]


def files() -> dict[str, str]:
    """The blocks that are whole files; their first line says their name."""
    found = {}
    for text in (*blocks("python"), *blocks("cpp")):
        name = NAMED.match(text)
        if name is not None:
            found[name["name"]] = text
    return found


def commands(kind: str = "sh") -> list[tuple[str, str]]:
    """Each command of the README behind the setup, and what its comment says; `bash` are those for a GPU."""
    lines = [line for block in blocks(kind) for line in block.splitlines() if not line.startswith(("make ", ". "))]
    return [(command.strip(), said.strip()) for command, _, said in (line.partition(" # ") for line in lines)]


def run(command: str, folder: Path) -> str:
    """What a command prints in a folder, `python` being this Python."""
    held = {name: value for name, value in os.environ.items() if name not in ("TRANSPILE", "CXX")}
    path = os.pathsep.join(filter(None, (str(ROOT), held.get("PYTHONPATH"))))
    command = re.sub(r"\bpython ", f"'{sys.executable}' ", command)
    done = subprocess.run(
        ["bash", "-c", command],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        env={**held, "PYTHONPATH": path},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in files().items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    return tmp_path


def test_every_program_is_a_file() -> None:
    assert list(files()) == ["scale.py", "use.py", "setup.py", "main.cpp"]
    assert len(blocks("python")) == 3


def test_the_text_that_is_shown_is_what_is_emitted(folder: Path) -> None:
    text = run("python -m transpile emit cuda scale.py", folder)
    parts = [part for part in text.split("\n\n") if any(mark in part for mark in SHOWN)]
    seen = "\n\n".join(parts).rstrip("\n") + "\n"
    shown = blocks("cpp")[0]
    if os.environ.get("UPDATE_DOCS"):
        page = README.read_text(encoding="utf-8")
        README.write_text(page.replace(f"```cpp\n{shown}```", f"```cpp\n{seen}```", 1), encoding="utf-8")
        return
    assert shown == seen


def test_the_commands_do_what_is_said(folder: Path) -> None:
    if shutil.which("g++") is None:
        pytest.skip("there is no g++")
    for command, said in commands():
        printed = run(command, folder)
        if re.match(r"[\d.]+( |$)", said):
            assert printed == f"{said}\n", command
        for name in re.findall(r"\w+\.(?:cpp|h|pyi)\b", said):
            assert (folder / name).is_file()
    last = files()["use.py"].splitlines()[-1]
    assert run("python use.py", folder) == f"{last.partition('# ')[2]}\n"
    assert run("python scale.py", folder) == "1.0 1999.0 cpu\n"


@pytest.mark.gpu
def test_the_commands_for_a_gpu(folder: Path) -> None:
    for command, said in commands("bash"):
        printed = run(command, folder)
        assert not said.startswith("1.0") or printed == f"{said.partition(':')[0]}\n", command


def test_an_edited_kernel_is_stale(folder: Path) -> None:
    if shutil.which("g++") is None:
        pytest.skip("there is no g++")
    run("python -m transpile build scale.py && python -m transpile build --check scale.py", folder)
    source = folder / "scale.py"
    source.write_text(source.read_text().replace("+ 1.0", "+ 2.0"))
    with pytest.raises(AssertionError, match="StaleModule"):
        run("python scale.py", folder)
    with pytest.raises(AssertionError, match="not what is checked in"):
        run("python -m transpile build --check scale.py", folder)
    run("python -m transpile build scale.py", folder)
    assert run("python scale.py", folder) == "2.0 2000.0 cpu\n"

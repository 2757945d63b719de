"""`build` from source to import: what it writes, when it does nothing, and what a stale module says."""

from __future__ import annotations

import platform
import sysconfig
from pathlib import Path

import pytest

from tests.cli.program import DOUBLE, FAULTY, SOFTMAX, Result, python, transpile

SUFFIX = sysconfig.get_config_var("EXT_SUFFIX")
FILES = ["double.cpp", "double.h", "double_ext.cpp", "double_ext.pyi", f"double_ext{SUFFIX}"]
USE = """\
import numpy as np, double_ext
x, y = np.arange(100.0), np.zeros(100)
double_ext.run(100, x, y)
print(y[99], double_ext.double.__doc__)
double_ext.double[2](n=50, x=x, y=y)
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "double.py").write_text(DOUBLE)
    return tmp_path


def build(folder: Path, *arguments: str) -> Result:
    return transpile("build", "double.py", *arguments, folder=folder)


def test_a_module(folder: Path) -> None:
    found = build(folder, "-o", "out")
    assert (found.code, found.out) == (0, "".join(f"wrote out/{name}\n" for name in FILES))
    used = python("-c", USE, folder=folder / "out")
    assert used.out.startswith("198.0 double[grid](n: int, x: native.const_ptr[float], y: native.ptr[float], *")
    assert "Twice as much." in used.out
    times = {name: (folder / "out" / name).stat().st_mtime_ns for name in FILES}

    again = build(folder, "-o", "out")
    assert again.out == f"out/double_ext{SUFFIX} is up to date\n"
    (folder / "out" / "double.h").unlink()
    assert f"wrote out/{FILES[1]}" in build(folder, "-o", "out").out
    del times[FILES[1]]
    assert {name: (folder / "out" / name).stat().st_mtime_ns for name in times} == times

    assert build(folder, "-o", "out", "--check") == Result(0, "", "")
    header = folder / "out" / "double.h"
    header.write_text(header.read_text().replace("int64_t n", "int64_t m"))
    (folder / "out" / FILES[2]).unlink()
    differs = build(folder, "-o", "out", "--check")
    assert differs.code == 1
    assert "--- out/double.h\n" in differs.out
    assert "--- /dev/null\n+++ out/double_ext.cpp" in differs.out
    assert "run: python -m transpile build double.py -o out" in differs.err
    assert not (folder / "out" / FILES[2]).exists()


def test_faults_are_told_before_a_compiler_starts(folder: Path) -> None:
    (folder / "double.py").write_text(FAULTY)
    found = transpile("build", "double.py", folder=folder, TRANSPILE_CACHE=str(folder / "empty"), TRANSPILE_DEBUG="1")
    assert found.code == 1
    assert "missing" in found.err
    started = [line for line in found.err.splitlines() if line.startswith("+ ")]  # as debugging shows them
    assert [line for line in started if not line.endswith(" --version")] == []
    assert [path.name for path in folder.glob("double*")] == ["double.py"]


def test_the_unchanged_path_imports_nothing_heavy(folder: Path) -> None:
    build(folder)
    code = (
        "import sys; from transpile.cli import main\n"
        "assert main(['build', 'double.py']) == 0\n"
        "print(*sys.modules, file=sys.stderr)"
    )
    found = python("-c", code, folder=folder)
    assert "up to date" in found.out
    assert not {"libcst", "numpy", "jinja2", "rich", "pybind11"} & {n.partition(".")[0] for n in found.err.split()}


def test_a_module_beside_its_source_is_used_until_it_is_stale(folder: Path) -> None:
    assert "# ran on: reference" in python("double.py", folder=folder).out
    build(folder)
    assert "# ran on: cpu; compiled: True" in python("double.py", folder=folder).out
    assert "# ran on: reference" in python("double.py", folder=folder, TRANSPILE="reference").out

    source = folder / "double.py"
    source.write_text(DOUBLE.replace("import sys\n", "import sys\n\n# a line above the kernels\n"))
    assert "# ran on: cpu" in python("double.py", folder=folder).out

    source.write_text(DOUBLE.replace("* 2.0", "* 2.5"))
    found = python("double.py", folder=folder)
    assert found.code == 1
    assert "StaleModule: " in found.err
    assert "build again: python -m transpile build" in found.err
    assert "# ran on: cpu" in transpile("run", "double.py", "--target", "cpu", folder=folder).out
    build(folder)
    assert "247.5" in python("double.py", folder=folder).out


def test_a_captured_value_that_changes_is_named(folder: Path) -> None:
    text = DOUBLE.replace("\n\n\n@tile", "\n\nSCALE = 2.0\n\n\n@tile", 1).replace("* 2.0", "* SCALE")
    (folder / "double.py").write_text(text)
    build(folder)
    code = "import double; double.main(); double.SCALE = 7.0; double.main()"
    found = python("-c", code, folder=folder)
    assert found.out.startswith("[0. 2. 4.] 198.0")
    assert "StaleModule: double: SCALE is 7.0 now, and was 2.0 when" in found.err
    for target in ("cpu", "reference"):
        assert "[ 0.  7. 14.] 693.0" in python("-c", code, folder=folder, TRANSPILE=target).out


def test_static_parameters(folder: Path) -> None:
    (folder / "soft.py").write_text(SOFTMAX)
    found = transpile("build", "soft.py", folder=folder)
    assert found.code == 2
    assert "total is left out: give --instance total:cols=VALUE" in found.err
    found = transpile("build", "soft.py", "--instance", "total:cols=2,4", "--name", "sums", folder=folder)
    assert found.code == 0
    code = (
        "import numpy as np, sums\nout = np.zeros(2)\n"
        "sums.total[2](4, np.arange(8.0), out); print(out)\n"
        "sums.total[2](8, np.arange(16.0), out)"
    )
    used = python("-c", code, folder=folder)
    assert used.out == "[ 6. 22.]\n"
    assert "ValueError: total: was not built for cols=8 (built: cols=2; cols=4)" in used.err


def test_a_faulty_file_writes_nothing(folder: Path) -> None:
    (folder / "faulty.py").write_text(FAULTY)
    for environment in ({}, {"CXX": "no-such-compiler"}):
        found = transpile("build", "faulty.py", folder=folder, **environment)
        assert found.code == 1
        assert found.err.count("error[") == 3
    assert sorted(path.name for path in folder.iterdir()) == ["double.py", "faulty.py"]


def test_no_compiler(folder: Path) -> None:
    found = transpile("build", "double.py", folder=folder, CXX="no-such-compiler")
    assert found.code == 3
    assert "there is no program 'no-such-compiler'" in found.err
    assert sorted(path.name for path in folder.iterdir()) == ["double.py"]


def test_the_sources_alone_need_no_compiler(folder: Path) -> None:
    options = ("--target", "cuda", "--sources-only", "--name", "twofold", "-o", "out")
    names = ["double.cu", "double.h", "twofold.cpp", "twofold.pyi"]
    found = transpile("build", "double.py", *options, folder=folder, CXX="no-such-compiler")
    assert (found.code, found.out) == (0, "".join(f"wrote out/{name}\n" for name in names))
    assert sorted(path.name for path in (folder / "out").iterdir()) == names
    assert transpile("build", "double.py", "--check", *options, folder=folder) == Result(0, "", "")
    found = transpile("build", "double.py", *options, "--depfile", "out.d", folder=folder)
    assert found == Result(0, "", "")
    made = " ".join(f"{folder}/out/{name}" for name in names)
    assert (folder / "out.d").read_text() == f"{made}: {folder}/double.py\n"
    (folder / "out" / "double.cu").unlink()
    found = transpile("build", "double.py", "--check", *options, folder=folder)
    assert found.code == 1
    command = "python -m transpile build double.py --target cuda --name twofold -o out --sources-only"
    assert found.err.endswith(f"run: {command}\n")


def test_a_docstring_may_hold_what_no_text_can(folder: Path) -> None:
    (folder / "double.py").write_text(DOUBLE.replace("Twice as much.", "Half \\ud83d, null \\0."))
    assert build(folder, "--sources-only").code == 0
    assert '"Half \\\\ud83d, null \\\\x00."' in (folder / "double_ext.cpp").read_text()
    assert '"""Half \\\\ud83d, null \\\\x00."""' in (folder / "double_ext.pyi").read_text()


def test_nothing_to_build(folder: Path) -> None:
    (folder / "empty.py").write_text("x = 1\n")
    found = transpile("build", "empty.py", folder=folder)
    assert found.code == 2
    assert "there is no kernel or launcher to build" in found.err


def test_several_files(folder: Path) -> None:
    (folder / "other.py").write_text(DOUBLE)
    found = transpile("build", "double.py", "other.py", folder=folder)
    assert found.code == 0
    code = "import double_ext, other_ext; print(double_ext.__transpile__['source'], other_ext.__transpile__['source'])"
    assert python("-c", code, folder=folder).out == "double.py other.py\n"


@pytest.mark.skipif(platform.machine() != "x86_64", reason="names processors of x86-64")
def test_a_module_for_older_processors(folder: Path) -> None:
    found = build(folder, "-o", "out", "--march", "x86-64")
    assert found.code == 0
    used = python("-c", f"{USE}print(double_ext.__transpile__['options'])", folder=folder / "out").out
    assert used.startswith("198.0 ")
    assert used.endswith("\n--march x86-64\n")
    own = (folder / "out" / FILES[4]).read_bytes()
    assert "is up to date" in build(folder, "-o", "out", "--march", "x86-64").out
    assert build(folder, "-o", "out", "--check") == Result(0, "", "")  # the sources are the same
    assert "wrote" in build(folder, "-o", "out").out
    assert (folder / "out" / FILES[4]).read_bytes() != own
    found = build(folder, "-o", "out", "--march", "pentium9")
    assert (found.code, found.out) == (2, "")
    assert found.err.startswith("transpile build: --march pentium9: ")

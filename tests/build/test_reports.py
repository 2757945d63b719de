"""What Python sees of `print` and `assert` in compiled kernels: the text in its order, the exception, once."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Final

import pytest

from tests.cli.program import Result, python, transpile
from tests.support.devices import environment
from tests.support.tools import tool

PROGRAMS: Final = Path(__file__).parent / "programs"
KERNELS: Final = """
import sys
import threading

import numpy as np

from transpile import cuda, native, tile


@cuda.device
def root(v: float) -> float:
    assert v >= 0.0, "negative"
    return v


@tile.kernel
def told(n: int, x: native.const_ptr[float], out: native.ptr[float]) -> None:
    lane = tile.arange(32)
    total = tile.sum(tile.load(x, lane, lane < n))
    print(f"total {total:.1f}")
    tile.store(out, tile.program_id(), root(total))


@cuda.kernel
def stepped(n: int, out: native.ptr[int]) -> None:
    i = cuda.global_id()
    assert i + cuda.thread_id(1) < n, "too many threads"
    native.store(native.offset(out, i), i)


def sums(n: int, x: native.const_ptr[float], out: native.ptr[float]) -> None:
    tile.launch(told, 1, n, x, out)
    tile.launch(told, 1, n, x, out)


def shown(launch):
    try:
        launch()
    except AssertionError as error:
        print("failed:", error, error.line, error.program, error.block, error.thread)


def main() -> None:
    x, out = np.arange(32.0), np.zeros(32)
    print("before")
    tile.launch(told, 1, 4, x, out)
    print("between", end=" ")
    shown(lambda: tile.launch(told, 1, 4, -x, out))
    shown(lambda: cuda.launch(stepped, 2, 2, 3, np.zeros(4, np.int64)))
    shown(lambda: sums(2, -x, out))
    tile.launch(told, 1, 5, x, out)
    cuda.synchronize()
    print("after", out[0])


if __name__ == "__main__":
    main()
"""
PRINTED: Final = """\
before
[program 0] total 6.0
between [program 0] total -6.0
failed: kernels.py:12: [program 0] assert v >= 0.0: negative 12 0 None None
failed: kernels.py:27: [block (1, 0, 0), thread (1, 0, 0)] assert i + cuda.thread_id(1) < n: too many threads 27 None \
(1, 0, 0) (1, 0, 0)
[program 0] total -1.0
failed: kernels.py:12: [program 0] assert v >= 0.0: negative 12 0 None None
[program 0] total 10.0
after 10.0
"""
ALONE: Final = """
import sys
import threading
import numpy as np
import kernels_ext as m

out = np.zeros(64)
try:
    m.sums(3, -np.arange(32.0), out)
except AssertionError as error:
    print(type(error).__module__, error, error.program, error.message)
assert m.synchronize() is None and "synchronize" in m.__all__


class Interrupted:
    def flush(self) -> None:
        raise KeyboardInterrupt


out[0], sys.stdout = -1.0, Interrupted()
try:
    m.sums(3, np.ones(32), out)
except KeyboardInterrupt:
    assert out[0] == -1.0
else:
    raise AssertionError("the interrupt is lost")
finally:
    sys.stdout = sys.__stdout__


def fail(sign: int) -> None:
    for k in range(50):
        try:
            m.stepped[1, 4](4 if sign > 0 else k % 4, np.zeros(4, np.int64))
            assert sign > 0, "it must fail"
        except AssertionError as error:
            assert sign < 0 and error.thread[0] >= k % 4, error


threads = [threading.Thread(target=fail, args=(sign,)) for sign in (1, -1, 1, -1)]
for each in threads:
    each.start()
for each in threads:
    each.join()
print("done")
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "kernels.py").write_text(KERNELS)
    return tmp_path


def run(folder: Path, *options: str, **settings: str) -> Result:
    return python(*options, "kernels.py", folder=folder, **settings)


def test_text_and_exceptions_in_their_order(folder: Path) -> None:
    """Into a pipe, which C and Python buffer apart."""
    for target in ("reference", "cpu"):
        found = run(folder, TRANSPILE=target)
        assert (found.code, found.out, found.err) == (0, PRINTED, ""), target
    bare = run(folder, "-O", TRANSPILE="reference")
    assert (bare.code, "failed" in bare.out, "[program 0] total -6.0" in bare.out) == (0, False, True)


def test_a_built_module_alone(folder: Path) -> None:
    built = transpile("build", "kernels.py", folder=folder)
    assert built.code == 0, built.err
    found = python("-c", ALONE, folder=folder, PYTHONPATH=str(folder))
    assert found.code == 0, found.err
    first = "builtins kernels.py:12: [program 0] assert v >= 0.0: negative 0 negative"
    assert found.out.splitlines() == ["[program 0] total -3.0", first, "done"]
    header = (folder / "kernels.h").read_text()
    assert "kernels_assertion_failed = 6," in header
    assert "bool kernels_failed_assertion(struct kernels_assertion *found);" in header
    stub = (folder / "kernels_ext.pyi").read_text()
    assert "def synchronize() -> None:" in stub
    bare = transpile("emit", "cpu", "--no-assert", "kernels.py", folder=folder)
    assert (bare.code, "fail(" in bare.out, "printf" in bare.out) == (0, False, True)
    changed = transpile("build", "--check", "--no-assert", "kernels.py", folder=folder)
    assert changed.code == 1
    assert "--no-assert" in changed.out + changed.err


def test_assertions_on_a_device(tmp_path: Path) -> None:
    library = tmp_path / "asserting.so"
    subprocess.run([tool("g++"), "-shared", "-fPIC", str(PROGRAMS / "asserting.cpp"), "-o", str(library)], check=True)
    found = python(PROGRAMS / "asserting.py", library, folder=tmp_path, **environment())
    assert (found.code, found.out) == (0, "done\n"), found.err

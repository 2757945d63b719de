"""The examples print on every target what they print on the reference, but for the line that says where they ran."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.cli.program import ROOT, python, transpile

EXAMPLES: Final = ("saxpy", "tiles", "activation", "norms")
TARGETS: Final = ("cpu", pytest.param("cuda", marks=pytest.mark.gpu))


def printed(out: str) -> tuple[list[str], str]:
    """The values, and the last line."""
    *values, last = out.splitlines()
    return values, last


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_runs(name: str, target: str, tmp_path: Path) -> None:
    expected = python(ROOT / "examples" / f"{name}.py", folder=tmp_path, TRANSPILE="reference")
    found = transpile("run", ROOT / "examples" / f"{name}.py", "--target", target, folder=tmp_path)
    assert found.code == 0, found.err
    assert printed(found.out) == (printed(expected.out)[0], f"# ran on: {target}; compiled: True")


@pytest.mark.gpu
@pytest.mark.parametrize("name", EXAMPLES)
def test_an_example_is_built_for_the_device(name: str, tmp_path: Path) -> None:
    source = tmp_path / f"{name}.py"
    source.write_bytes((ROOT / "examples" / f"{name}.py").read_bytes())
    built = transpile("build", source.name, "--target", "cuda", folder=tmp_path)
    assert built.code == 0, built.err
    expected = python(source.name, folder=tmp_path, TRANSPILE="reference")
    found = python(source.name, folder=tmp_path, TRANSPILE="auto")
    assert found.code == 0, found.err
    assert printed(found.out) == (printed(expected.out)[0], "# ran on: cuda; compiled: True")


@pytest.mark.gpu
def test_the_terrain_equals_numpy_on_the_device(tmp_path: Path) -> None:
    """The example compares every bit itself."""
    pytest.importorskip("matplotlib")
    (tmp_path / "terrain.py").write_bytes((ROOT / "examples" / "terrain.py").read_bytes())
    built = transpile("build", "terrain.py", "--target", "cuda", folder=tmp_path)
    assert built.code == 0, built.err
    found = python("terrain.py", "relief.png", folder=tmp_path)
    assert found.code == 0, found.out + found.err
    assert printed(found.out)[1] == "# ran on: cuda; drew relief.png"

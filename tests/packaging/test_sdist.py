"""The two edits that make the tree of an sdist build without `transpile`."""

from __future__ import annotations

import ast
import os
import sys
from pathlib import Path

import pytest

from transpile.build.sdist import (
    DEFAULT_PYPROJECT,
    FIND_CARRIED,
    SdistError,
    complete,
    finding_carried,
    without_transpile,
)

REQUIRES = [
    ('["setuptools", "transpile"]', '["setuptools", "pybind11>=2.13"]'),
    ('["transpile>=0.1,<2", "pybind11==3.*"]', '["pybind11==3.*"]'),
    ("[ 'Transpile[cuda] ; python_version>\"3\"', 'a[b]', ]", "['a[b]', \"pybind11>=2.13\"]"),
    (
        '[\n  "setuptools>=64",  # the oldest\n  "transpile @ git+https://x/y#egg=z", # "]"\n]',
        '["setuptools>=64", "pybind11>=2.13"]',
    ),
    ('["transpile-other", "trans.pile"]', '["transpile-other", "trans.pile", "pybind11>=2.13"]'),
    ('["setuptools", "PyBind11"]', '["setuptools", "PyBind11"]'),
    ("[]", '["pybind11>=2.13"]'),
]


@pytest.mark.parametrize(("written", "wanted"), REQUIRES)
@pytest.mark.parametrize("after", ["\n", '\nbuild-backend = "x"\n\n[[tool.y]]\nrequires = ["transpile"]\n'])
def test_requirements(written: str, wanted: str, after: str) -> None:
    before = '[project]\nname = "transpile"\n\n[build-system]\n'
    found = without_transpile(f"{before}requires = {written}{after}")
    assert found == f"{before}requires = {wanted}{after}"
    assert without_transpile(found) == found
    if sys.version_info >= (3, 11):
        import tomllib

        tomllib.loads(found)


def test_a_project_without_a_build_system() -> None:
    assert without_transpile("") == DEFAULT_PYPROJECT
    assert without_transpile('[project]\nname = "x"\n') == f'[project]\nname = "x"\n\n{DEFAULT_PYPROJECT}'
    with pytest.raises(SdistError, match=r"write the requirements as `requires"):
        without_transpile('[build-system]\nbuild-backend = "x"\n\n[tool.z]\nrequires = []\n')
    with pytest.raises(SdistError, match="do not end"):
        without_transpile('[build-system]\nrequires = ["a",\n')


SETUPS = [
    "from setuptools import setup\n",
    '"""Words.\n\nMore of them."""\n\nfrom __future__ import annotations\n\nimport os\n',
    "#!/usr/bin/env python\n# Words\n\n\nfrom __future__ import (\n    annotations,\n)\nimport os\n",
    "'é'\nif True:\n    import os\n",
]


@pytest.mark.parametrize("text", SETUPS)
def test_the_carried_package_is_found_first(text: str) -> None:
    found = finding_carried(text)
    compile(found, "setup.py", "exec")
    assert found.replace(FIND_CARRIED, "") == text
    kinds = [type(node).__name__ for node in ast.parse(found).body]
    at = next(k for k, node in enumerate(ast.parse(found).body) if "path.insert" in ast.unparse(node))
    assert set(kinds[: at - 1]) <= {"Expr", "ImportFrom"}
    assert finding_carried(found) == found


def test_a_statement_that_shares_its_line() -> None:
    with pytest.raises(SdistError, match=r"setup\.py:1: begin this statement on a line of its own"):
        finding_carried('"""Words."""; import os\n')
    assert finding_carried('"""Words."""\n') == '"""Words."""\n'


def test_the_project_keeps_its_files(tmp_path: Path) -> None:
    project, tree = tmp_path / "project", tmp_path / "tree"
    for folder in (project, tree):
        folder.mkdir()
    texts = {"setup.py": "import os\n", "pyproject.toml": '[build-system]\nrequires = ["transpile"]\n'}
    for name, text in texts.items():
        (project / name).write_text(text)
        os.link(project / name, tree / name)  # as setuptools does
    complete(tree)
    assert {name: (project / name).read_text() for name in texts} == texts
    assert (tree / "setup.py").read_text() == f"{FIND_CARRIED}import os\n"
    assert (tree / "pyproject.toml").read_text() == '[build-system]\nrequires = ["pybind11>=2.13"]\n'

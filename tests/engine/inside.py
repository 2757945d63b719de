"""Runs the functions of a module where there are devices, and says how each ended.

    python -m tests.engine.inside tests.engine.programs.streams gpu_ext=FILE hip_ext=FILE tensors=FILE

One process runs them all: starting one costs more than what is in it. One that fails leaves the rest as they are.
"""

from __future__ import annotations

import ast
import importlib
import importlib.util
import json
import sys
import traceback
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from tests.support.devices import run_program

HERE = Path(__file__).parent
START = "import runpy, sys; sys.argv[0] = 'inside'; runpy.run_module('tests.engine.inside', run_name='__main__')"


def checks(folder: str) -> Iterator[tuple[str, str]]:
    """The programs of a folder and their functions that check something, in order."""
    for path in sorted((HERE / folder).glob("*.py")):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("check_"):
                yield path.stem, node.name


def run_inside(
    program: str, modules: Sequence[str], environment: Mapping[str, str], **settings: object
) -> Mapping[str, str]:
    """How the functions of a program ended: their tracebacks, empty where they came to their ends."""
    try:
        printed = run_program(START, f"tests.engine.{program}", *modules, env=environment, **settings)
    except AssertionError as error:
        crash = str(error)
        return defaultdict(lambda: crash)
    ended: dict[str, str] = json.loads(printed.splitlines()[-1])
    return ended


def load(name: str, path: str) -> Any:
    """The extension module in this file."""
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def main() -> None:
    for each in sys.argv[2:]:
        load(*each.split("=", 1))
    program = importlib.import_module(sys.argv[1])
    ended = {}
    for name, function in vars(program).items():
        if not name.startswith("check_"):
            continue
        try:
            function()
        except Exception:
            ended[name] = traceback.format_exc()
        else:
            ended[name] = ""
    print(json.dumps(ended))


if __name__ == "__main__":
    main()

"""Runs the functions of a module where there are devices, and says how each ended.

    python -m tests.engine.inside tests.engine.programs.streams GPU_EXT HIP_EXT TENSORS

One process runs them all: starting one costs more than what is in it. One that fails leaves the rest as they are.
"""

from __future__ import annotations

import importlib
import importlib.util
import json
import sys
import traceback
from typing import Any


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
    for name, path in zip(("gpu_ext", "hip_ext", "tensors"), sys.argv[2:], strict=True):
        load(name, path)
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

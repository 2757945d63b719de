"""Builds the examples for this machine's CPU, imports what was built, and runs it on real data: `make demo`.

The sources, the extensions and the picture are left in `build/demo`, to be looked at.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDER = HERE.parent / "build" / "demo"


def show(*command: str) -> None:
    """Runs a command of the demo and shows it as a person would type it."""
    shown = ("python", *(os.path.relpath(part) if os.path.isabs(part) else part for part in command))
    print(f"\n$ {' '.join(shown)}", flush=True)
    done = subprocess.run((sys.executable, *command), env={**os.environ, "PYTHONPATH": str(FOLDER)}, check=False)
    if done.returncode != 0:
        raise SystemExit(done.returncode)


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in ("tiles.py", "terrain.py"):
        shutil.copy(HERE / name, FOLDER / name)
        show("-m", "transpile", "build", str(FOLDER / name), "--target", "cpu", "-o", str(FOLDER))
    show(str(FOLDER / "tiles.py"))
    show(str(FOLDER / "terrain.py"), str(FOLDER / "relief.png"))
    print(f"\nThe C++ that was built, to read: {os.path.relpath(FOLDER / 'tiles.cpp')}")
    print(f"The same kernels as CUDA: python -m transpile emit cuda {os.path.relpath(FOLDER / 'tiles.py')}")


if __name__ == "__main__":
    main()

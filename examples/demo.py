"""Builds the examples for this machine's CPU, imports what was built, and runs it on real data: `make demo`.

The sources, the extensions and the picture are left in `build/demo`, to be looked at.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).resolve().parent
FOLDER = Path(os.path.relpath(HERE.parent / "build" / "demo"))
PYTHON = os.path.relpath(sys.executable) if Path(sys.executable).is_relative_to(Path.cwd()) else sys.executable


def show(*command: str) -> None:
    """Says a command of the demo and runs it."""
    print(f"\n$ {' '.join((PYTHON, *command))}", flush=True)
    done = subprocess.run((sys.executable, *command), check=False)
    if done.returncode != 0:
        raise SystemExit(done.returncode)


def main() -> None:
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in ("tiles.py", "terrain.py"):
        shutil.copy(HERE / name, FOLDER / name)
        show("-m", "transpile", "build", str(FOLDER / name), "--target", "cpu", "-o", str(FOLDER))
    show(str(FOLDER / "tiles.py"))
    show(str(FOLDER / "terrain.py"), str(FOLDER / "relief.png"))
    print(f"\nThe picture: {FOLDER / 'relief.png'}. The C++ that was built: {FOLDER / 'tiles.cpp'}.")
    print(f"The same kernels as CUDA: {PYTHON} -m transpile emit cuda {FOLDER / 'tiles.py'}")
    print("To go on: . .venv/bin/activate")


if __name__ == "__main__":
    main()

"""What an installed `transpile` holds: everything that it needs beside its Python modules."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path
from typing import Final

from tests.packaging.conftest import ROOT, run

DATA: Final = ("transpile", "runtime_cpp", "cmake")


def tracked(*folders: str) -> set[Path]:
    command = ["git", "ls-files", "-co", "--exclude-standard", *folders]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=60, check=True)
    return {Path(name) for name in listed.stdout.splitlines() if (ROOT / name).is_file()}


def test_an_installed_transpile_is_whole(tmp_path: Path) -> None:
    files = tracked(*DATA, "setup.py", "pyproject.toml", "README.md", "LICENSE")
    for name in files:
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(ROOT / name, tmp_path / name)
    site = tmp_path / "site"
    run(sys.executable, "setup.py", "-q", "build_py", "-d", site, folder=tmp_path, given={})
    inside = Path("transpile")
    wanted = {name if name.parts[0] == "transpile" else inside / name for name in files if name.parts[0] in DATA}
    held = {path.relative_to(site) for path in site.rglob("*") if path.is_file()}
    assert held == wanted

    # With these files alone it writes text and all that a package's sdist carries.
    user = tmp_path / "user"
    user.mkdir()
    program = "import transpile.__main__ as m, sys; assert m.__file__.startswith(sys.argv[1]); "
    program += "from transpile.build.generate import carry_package; carry_package()"
    run(sys.executable, "-c", program, site, folder=user, given={"PYTHONPATH": str(site)})
    carried = user / "_transpiled" / "transpile"
    assert (carried / "runtime_cpp" / "levels.cpp").read_bytes() == (ROOT / "runtime_cpp" / "levels.cpp").read_bytes()
    text = run(
        sys.executable,
        *("-m", "transpile", "emit", "cuda", ROOT / "examples" / "tiles.py"),
        folder=user,
        given={"PYTHONPATH": str(site)},
    )
    assert "__global__" in text

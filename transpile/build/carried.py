"""What an sdist carries so that it builds where `transpile` is not installed, and where that lies.

`_transpiled/` stands beside setup.py and mirrors the paths of the files of kernels: for `pkg/ops.py`,
`_transpiled/pkg/` holds `ops.cpp`, `ops.cu`, `ops.h`, the tables `ops_cpu.cpp` and `ops_cuda.cpp`, and `ops.json`,
which says what they were made from. In `_transpiled/transpile/` lies the part of this package that compiles them, and
the engine. Beside `pkg/ops.py` itself are written `ops_ext.py`, which takes one of the modules as it is imported, and
`ops_ext.pyi`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path, PurePosixPath
from typing import Final

FOLDER: Final = "_transpiled"
FORMAT: Final = 1
# The modules of this package that compile what lies there; they import one another and nothing else of it.
PACKAGE: Final = (
    "__init__.py",
    "runtime.py",
    "settings.py",
    "backends/__init__.py",
    "backends/backend.py",
    "backends/cpu.py",
    "backends/cuda.py",
    "backends/hip.py",
    "backends/signs.py",
    "backends/table.py",
    "build/__init__.py",
    "build/cache.py",
    "build/carried.py",
    "build/devices.py",
    "build/extension.py",
    "build/faults.py",
    "build/inputs.py",
    "build/linking.py",
    "build/packages.py",
    "build/processes.py",
    "build/sdist.py",
    "build/setuptools.py",
    "build/shipped.py",
    "build/targets.py",
    "build/toolchain.py",
)


def carried_files() -> tuple[str, ...]:
    """The carried part of this package, as paths from setup.py."""
    inside = Path(FOLDER, "transpile").rglob("*")
    found = (path for path in (Path(FOLDER, "README"), *inside) if path.is_file() and path.suffix != ".pyc")
    return tuple(sorted(path.as_posix() for path in found))


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a setup.py asks for one file of kernels. `source` is relative to setup.py, with slashes; `targets` come best
    first; `instances` are as on the command line of `build`, `archs` the GPUs by target, where it names them."""

    source: str
    targets: tuple[str, ...]
    instances: tuple[str, ...] = ()
    archs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @property
    def stem(self) -> str:
        return PurePosixPath(self.source).stem

    @property
    def folder(self) -> Path:
        """Where its generated sources lie."""
        return Path(FOLDER, self.source).parent

    @property
    def manifest(self) -> Path:
        return self.folder / f"{self.stem}.json"

    @property
    def chooser(self) -> Path:
        return Path(self.source).with_name(f"{self.stem}_ext.py")


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """What was generated for a wish. `emitter` names the code of this package that did it; `read` and `written` map
    paths to digests. `symbols` are the functions of the C ABI, which start with `prefix`."""

    wish: Wish
    emitter: str
    prefix: str
    symbols: tuple[str, ...]
    read: Mapping[str, str]
    written: Mapping[str, str]

    def to_json(self) -> str:
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1) + "\n"


def load_manifest(path: Path) -> Manifest | None:
    """The manifest in a file; None where there is none, or none of this format."""
    try:
        held = json.loads(path.read_bytes())
        wish = held["wish"]
        if held["format"] != FORMAT:
            return None
        return Manifest(
            wish=Wish(
                source=str(wish["source"]),
                targets=tuple(wish["targets"]),
                instances=tuple(wish["instances"]),
                archs={str(target): tuple(names) for target, names in wish["archs"].items()},
            ),
            emitter=str(held["emitter"]),
            prefix=str(held["prefix"]),
            symbols=tuple(held["symbols"]),
            read=dict(held["read"]),
            written=dict(held["written"]),
        )
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        return None

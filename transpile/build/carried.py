"""What an sdist carries so that it builds where `transpile` is not installed, and where that lies.

`_transpiled/` stands beside setup.py. It mirrors the paths of the files of kernels: beside the place of `pkg/ops.py` lie
`ops.cpp`, `ops.cu`, `ops.h`, the tables `ops_cpu.cpp` and `ops_cuda.cpp`, and `ops.json`, which says what they were made
from. In `_transpiled/transpile/` lies the part of this package that compiles them, and the engine. Beside `pkg/ops.py`
itself are written `ops_ext.py`, which takes one of the modules when it is imported, and `ops_ext.pyi`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import Final

FOLDER: Final = "_transpiled"
FORMAT: Final = 1
# The modules of this package that compile what lies there; they import one another and nothing else of it.
PACKAGE: Final = (
    "__init__.py",
    "settings.py",
    "backends/__init__.py",
    "backends/backend.py",
    "backends/cpu.py",
    "backends/cuda.py",
    "backends/hip.py",
    "backends/table.py",
    "build/__init__.py",
    "build/cache.py",
    "build/carried.py",
    "build/devices.py",
    "build/engine.py",
    "build/sdist.py",
    "build/setuptools.py",
    "build/shipped.py",
    "build/targets.py",
    "build/toolchain.py",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Wish:
    """What a setup.py asks for one file of kernels. `source` is relative to setup.py, with slashes; `targets` come best
    first; `instances` are as on the command line of `build`."""

    source: str
    targets: tuple[str, ...]
    instances: tuple[str, ...]

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
        if held.pop("format") != FORMAT:
            return None
        wish = {name: _frozen(value) for name, value in held.pop("wish").items()}
        return Manifest(wish=Wish(**wish), **{name: _frozen(value) for name, value in held.items()})
    except (OSError, ValueError, AttributeError, KeyError, TypeError):
        return None


def _frozen(value: object) -> object:
    return tuple(value) if isinstance(value, Sequence) and not isinstance(value, str) else value

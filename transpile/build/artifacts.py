"""What `build` writes for a file of kernels, and whether that must be made again.

Beside the file, or in a folder of choice: `STEM.cpp`, `.cu` or `.hip` and `STEM.h` (kernels and their C ABI),
`NAME.cpp` (the module's table), `NAME.pyi` (for editors and type checkers) and the extension itself.
"""

from __future__ import annotations

import difflib
import json
import os
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from transpile.backends.table import BACKENDS
from transpile.build import toolchain
from transpile.build.cache import Cache, key_of, own_code, write_whole
from transpile.build.inputs import Record, are_unchanged, digests, recall, remember
from transpile.build.targets import Recipe

if TYPE_CHECKING:
    from transpile.build.extension import Sources

PRINTED_DIFFERENCES: Final = 400  # lines of one file's diff


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """One file to build. `options` are the command line's, as text: they are part of what names the result."""

    source: str
    target: str
    name: str
    folder: Path
    options: tuple[str, ...]

    @property
    def stem(self) -> str:
        return Path(self.source).stem

    @property
    def extension(self) -> Path:
        return self.folder / f"{self.name}{toolchain.extension_suffix()}"


@dataclass(frozen=True, slots=True)
class Emitted:
    """The texts of one module, and the files that were read."""

    sources: Sources
    stub: str
    read: tuple[str, ...]

    def files(self, request: Request) -> dict[Path, bytes]:
        """By path, in the order in which a person wants to see them."""
        texts = {
            f"{request.stem}{BACKENDS[request.target].suffix}": self.sources.kernels,
            f"{request.stem}.h": self.sources.header,
            f"{request.name}.cpp": self.sources.table,
            f"{request.name}.pyi": self.stub,
        }
        return {request.folder / name: text.encode() for name, text in texts.items()}


Emitter: TypeAlias = Callable[[], Emitted]


def _key(request: Request, recipe: Recipe) -> str:
    return key_of(
        "build",
        own_code(),
        *recipe.identity,
        toolchain.python_identity(),
        os.path.abspath(request.source),
        os.path.abspath(request.folder),
        request.name,
        repr(request.options),
    )


def is_up_to_date(request: Request, recipe: Recipe, cache: Cache) -> bool:
    """Whether what this build would write is there already. Reads and hashes files, nothing more."""
    outputs = recall(cache, _key(request, recipe))
    return outputs is not None and are_unchanged(json.loads(outputs))


def make(request: Request, recipe: Recipe, cache: Cache, emit: Emitter) -> list[Path]:
    """Builds the request and writes its files. Raises CompileError, CompilerError, ToolchainMissingError, OSError."""
    from transpile.build.extension import build_extension

    before = digests([request.source])
    emitted = emit()  # before a compiler starts: the program's faults do not wait for one
    library = build_extension(recipe, emitted.sources, cache)
    request.folder.mkdir(parents=True, exist_ok=True)
    files = {**emitted.files(request), request.extension: library}
    for path, content in files.items():
        if not path.is_file() or path.read_bytes() != content:  # an equal file keeps its time
            write_whole(path, content)
    read = digests(emitted.read)
    if before.items() <= read.items():
        remember(cache, _key(request, recipe), Record(read, json.dumps(digests(files))))
    return list(files)


def write_sources(request: Request, emitted: Emitted) -> list[Path]:
    """Writes the sources of a request, all of them, so that a build system sees that it was done. Raises OSError."""
    request.folder.mkdir(parents=True, exist_ok=True)
    files = emitted.files(request)
    for path, content in files.items():
        write_whole(path, content)
    return list(files)


def differences(request: Request, emitted: Emitted) -> str:
    """A unified diff from the files that are there to those that the source gives; empty where they agree."""
    return "".join(_difference(path, content) for path, content in emitted.files(request).items())


def _difference(path: Path, content: bytes) -> str:
    try:
        found = path.read_bytes()
    except FileNotFoundError:
        found = b""
    if found == content:
        return ""
    shown = str(path)
    lines = difflib.unified_diff(
        found.decode("utf-8", "replace").splitlines(keepends=True),
        content.decode().splitlines(keepends=True),
        shown if found else "/dev/null",
        f"{shown} (as the source gives it)",
    )
    text = [line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines]
    if len(text) > PRINTED_DIFFERENCES:
        text = [*text[:PRINTED_DIFFERENCES], f"... {len(text) - PRINTED_DIFFERENCES} more lines\n"]
    return "".join(text)


def requests(
    files: list[str], target: str, name: str | None, folder: str | None, options: Mapping[str, object]
) -> list[Request]:
    """One request a file."""
    return [
        Request(
            source=file,
            target=target,
            name=name or f"{Path(file).stem}_ext",
            folder=Path(folder) if folder is not None else Path(file).parent,
            options=tuple(f"{key}={value!r}" for key, value in sorted(options.items())),
        )
        for file in files
    ]

"""Loads extensions: those of the cache, and those built beside a source, if they still are of that source."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import cache
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader
from importlib.util import module_from_spec, spec_from_loader
from pathlib import Path
from types import ModuleType

from transpile.build.cache import Cache, key_of, open_cache, own_code
from transpile.build.inputs import Record, digests, recall, remember


class StaleModule(RuntimeError):  # noqa: N818  (the name is the language's)
    """A module that was built from other kernels than its source holds now; the message has the command that helps."""


def load_extension(name: str, path: Path) -> ModuleType:
    """The extension module in a file. Raises ImportError."""
    loader = ExtensionFileLoader(name, str(path))
    spec = spec_from_loader(name, loader)
    assert spec is not None
    module = module_from_spec(spec)
    loader.exec_module(module)
    return module


def load_bytes(name: str, library: bytes, kept: Path | None) -> ModuleType:
    """The extension module in `library`: from the cache's file where it was kept, else from one that lives on without a
    name. Raises ImportError."""
    if kept is not None:
        return load_extension(name, kept)
    from tempfile import TemporaryDirectory

    with TemporaryDirectory(prefix="transpile-") as folder:
        path = Path(folder) / f"{name}{EXTENSION_SUFFIXES[0]}"
        path.write_bytes(library)
        return load_extension(name, path)


def built_path(source: Path) -> Path:
    """Where `build` puts the module of a source unless told otherwise."""
    return source.parent / f"{source.stem}_ext{EXTENSION_SUFFIXES[0]}"


# The hash of the kernels' code that a file holds now, and the files that were read to tell.
CodeOf = Callable[[str], tuple[str, tuple[str, ...]]]


@cache
def found_modules() -> dict[str, ModuleType]:
    """The modules that were found beside their sources, by path: as `sys.modules` has those that were imported."""
    return {}


def find_built(source: str, code_of: CodeOf) -> ModuleType | None:
    """The module built beside `source` and from it; None where there is none. Raises StaleModule, ImportError."""
    path = built_path(Path(source))
    if not path.is_file():
        return None
    name = f"{Path(source).stem}_ext"
    module = sys.modules.get(name)
    if module is None or getattr(module, "__file__", None) != str(path):
        module = load_extension(name, path)
    found_modules()[str(path)] = module
    about = getattr(module, "__transpile__", None)
    if not isinstance(about, dict) or about.get("source") != Path(source).name:
        return None  # an extension of that name, but not ours
    current = _current_code(source, code_of, open_cache())
    if about["code"] != current:
        from shlex import quote

        command = f"python -m transpile build {quote(source)}"
        options = f" {about['options']}" if about["options"] else ""
        raise StaleModule(f"{path} was built from other kernels than {source} has now; build again: {command}{options}")
    return module


def _current_code(source: str, code_of: CodeOf, cache: Cache) -> str:
    """As `code_of`, answered from the cache while the files stay as they are: reading kernels takes half a second."""
    key = key_of("code", own_code(), str(Path(source).absolute()))
    kept = recall(cache, key)
    if kept is not None:
        return kept
    before = digests([source])
    code, read = code_of(source)
    files = digests(read)
    if before.items() <= files.items():
        remember(cache, key, Record(files, code))
    return code

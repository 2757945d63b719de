"""Writes what the modules of a file of kernels are compiled from: `_transpiled/` (see carried.py) and the module that
chooses among them. Checks the kernels on the way. An sdist does without this module, and without all that it imports.
"""

from __future__ import annotations

import importlib.metadata
import os
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Final

from transpile import __version__, pipeline
from transpile.backends.table import BACKENDS
from transpile.build import toolchain
from transpile.build.cache import own_code, write_whole
from transpile.build.carried import FOLDER, PACKAGE, Manifest, Wish, load_manifest
from transpile.build.extension import ENGINE_SOURCES
from transpile.build.inputs import digest
from transpile.cli import UsageError
from transpile.commands.source import check_content, load_source
from transpile.emit.chooser import MARK, render_chooser
from transpile.emit.reports import reported, taker_of
from transpile.ir import hir, tir
from transpile.lowering.names import symbol

README: Final = f"""\
What stands here was written by transpile {__version__}: from it `setup.py` builds the extension modules of this package
where transpile is not installed. Beside the sources that were made of this project's kernels, `transpile/` holds the
part of transpile that compiles them, and the engine that they are linked with (Apache-2.0, see the LICENSE there).
"""


def generate(wish: Wish) -> Manifest:
    """Makes the files of `wish` current in the working folder, which is setup.py's.

    Raises CompileError, UsageError, OSError.
    """
    kept = load_manifest(wish.manifest)
    carry_package()
    if kept is not None and _is_current(kept, wish):
        return kept
    module, typed = load_source(wish.source, wish.instances)
    check_content(module, typed)
    texts = _texts(wish, module, typed)
    manifest = Manifest(
        wish=wish,
        emitter=own_code(),
        prefix=symbol(wish.stem, ""),
        symbols=_symbols(wish.stem, typed),
        read=_digests(_relative(file.name) for file in module.files),
        written={},
    )
    for path in (wish.chooser, wish.chooser.with_suffix(".pyi")):
        _refuse_to_overwrite(path, wish)
    for path, text in texts.items():
        write_if_new(path, text.encode())
    for old in kept.written if kept is not None else ():
        if Path(old) not in texts:
            Path(old).unlink(missing_ok=True)
    manifest = replace(manifest, written=_digests(path.as_posix() for path in texts))
    write_if_new(wish.manifest, manifest.to_json().encode())
    return manifest


def _is_current(kept: Manifest, wish: Wish) -> bool:
    files = {**kept.read, **kept.written}
    return (
        kept.wish == wish and kept.emitter == own_code() and all(digest(path) == held for path, held in files.items())
    )


def _texts(wish: Wish, module: hir.Module, typed: tir.Module) -> dict[Path, str]:
    """Every file to write, by its path."""
    texts = {}
    for target in wish.targets:
        backend, name = BACKENDS[target], f"{wish.stem}_{target}"
        words = ["--target", target] if target != "cpu" else []
        words += [word for each in wish.instances for word in ("--instance", each)]
        options = pipeline.Options(archs=wish.archs.get(target, ()), is_packaged=True)
        emitted = pipeline.emit_extension(module, typed, name, options, backend=backend, command=" ".join(words))
        sources = emitted.sources
        texts[wish.folder / f"{wish.stem}{backend.suffix}"] = sources.kernels
        texts[wish.folder / f"{wish.stem}.h"] = sources.header
        texts[wish.folder / f"{name}.cpp"] = sources.table
    source = Path(wish.source).name
    texts[wish.chooser] = render_chooser(source, wish.targets)
    doc = f"{wish.chooser.stem}: the kernels of {source}, compiled. {MARK} change {source} instead."
    texts[wish.chooser.with_suffix(".pyi")] = pipeline.emit_stub(
        module, typed, wish.chooser.stem, doc, backend=BACKENDS[wish.targets[0]]
    )
    return texts


_STUB: Final = "\n__transpile__: Final[dict[str, Any]]\n"  # no stub of anyone else has this line


def _refuse_to_overwrite(path: Path, wish: Wish) -> None:
    """Raises UsageError where a file is not one of ours. The stub that `build` wrote is, and says the same."""
    if path.exists() and not any(mark in path.read_text(encoding="utf-8", errors="replace") for mark in (MARK, _STUB)):
        raise UsageError(
            f"{path} is there and was not written by transpile, which writes the modules of {wish.source} under this "
            "name: rename one of the two"
        )


def _symbols(stem: str, typed: tir.Module) -> tuple[str, ...]:
    """Every function of the C ABI."""
    keys = [each.key for each in typed.functions if each.kind != "device"]
    taker = (taker_of(stem, keys),) if "asserts" in reported(typed) else ()
    return (*(symbol(stem, key) for key in keys), *taker)


def _relative(path: str) -> str:
    return Path(os.path.relpath(path)).as_posix()


def _digests(paths: Iterable[str]) -> dict[str, str]:
    found = {path: digest(path) for path in paths}
    return {path: held for path, held in sorted(found.items()) if held is not None}


def write_if_new(path: Path, content: bytes) -> None:
    """An equal file keeps its time."""
    if not path.is_file() or path.read_bytes() != content:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, content)


# ---------------------------------------------------------------- the part of this package that an sdist carries


def carry_package() -> None:
    """Makes `_transpiled/transpile` a copy of what compiles the sources, and nothing more."""
    wanted = {Path(FOLDER, "README"): README.encode()}
    inside = Path(FOLDER, "transpile")
    package = Path(__file__).resolve().parents[1]
    wanted |= {inside / name: (package / name).read_bytes() for name in PACKAGE}
    runtime = toolchain.runtime_folder()
    for part in (*ENGINE_SOURCES, "levels.cpp"):
        for path in sorted((runtime / part).rglob("*")) or [runtime / part]:
            if path.is_file():
                wanted[inside / "runtime_cpp" / path.relative_to(runtime)] = path.read_bytes()
    licence = _licence(package)
    if licence is not None:
        wanted[inside / "LICENSE"] = licence
    for path, content in wanted.items():
        write_if_new(path, content)
    for path in inside.rglob("*"):
        if path.is_file() and path not in wanted and "__pycache__" not in path.parts:
            path.unlink()


def _licence(package: Path) -> bytes | None:
    """Of a checkout, or of the installed distribution."""
    if not toolchain.runtime_folder().is_relative_to(package):
        return (package.parent / "LICENSE").read_bytes()
    try:
        held = importlib.metadata.distribution("transpile")
    except importlib.metadata.PackageNotFoundError:
        return None
    text = held.read_text("licenses/LICENSE") or held.read_text("LICENSE")
    return text.encode() if text is not None else None

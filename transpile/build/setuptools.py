"""Extension modules for setuptools: the kernels of a file, compiled for each target, and the module that takes one.

    from setuptools import setup
    from transpile.build.setuptools import kernels

    setup(ext_modules=kernels(["pkg/ops.py"], targets=["cuda", "cpu"], arch=["sm_90"]))

`pkg.ops_cuda` and `pkg.ops_cpu` are the modules; `pkg.ops_ext` is the one to import. See carried.py for what is written
where, and why an sdist builds without `transpile`.
"""

from __future__ import annotations

import functools
import importlib.util
import re
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path, PurePosixPath
from typing import Any, Final, NoReturn

from setuptools import Distribution, Extension
from setuptools.errors import CompileError as BuildError

from transpile import settings
from transpile.backends.table import BACKENDS
from transpile.build import sdist, shipped
from transpile.build.cache import Cache, open_cache
from transpile.build.carried import FOLDER, Manifest, Wish, carried_files, load_manifest
from transpile.build.inputs import digest
from transpile.build.toolchain import CompilerError, ToolchainMissingError, UnknownProcessorError

GENERATOR: Final = "transpile.build.generate"  # an sdist does not carry it
ELSEWHERE: Final = "Build from the project's checkout where transpile is installed: it is what writes these sources"
GPU_NAME: Final = {"cuda": re.compile(r"sm_\d+[a-z]?"), "hip": re.compile(r"gfx[\w:+-]+")}
OWN_ENDINGS: Final = tuple(f"_{name}" for name in (*BACKENDS, "ext"))


def kernels(
    sources: Iterable[str | Path],
    *,
    targets: Iterable[str] = ("cpu",),
    arch: Iterable[str] | None = None,
    instances: Iterable[str] = (),
) -> list[KernelExtension]:
    """The extension modules of files of kernels, for `ext_modules`: for `pkg/ops.py` and each target `pkg.ops_TARGET`.

    `sources` are relative to setup.py. `targets` (cuda, hip, cpu) come best first; the CPU, if named, is always last.
    `arch` names the GPUs to compile for, sm_90 or gfx90a; by default one of each generation that the compiler knows.
    `instances` gives values of static parameters, as `--instance` does: "softmax:cols=1024,4096". TRANSPILE_TARGETS in
    the environment builds some of the targets alone.

    Writes the sources that the modules are compiled from; where `transpile` is not installed they are there already.
    Ends the program with a message where something is not right with a file or an argument.
    """
    ordered = _ordered(_listed("targets", targets))
    words, archs = _listed("instances", instances), _archs(arch, ordered)
    manifests = [
        _manifest(Wish(source=_source(each), targets=ordered, instances=words, archs=archs))
        for each in _listed("sources", sources)
    ]
    _teach_setuptools()
    return [KernelExtension(each, target) for each in manifests for target in _selected(each.wish)]


class KernelExtension(Extension):
    """One module. What `sources` lists is what an sdist needs to build it."""

    def __init__(self, manifest: Manifest, target: str) -> None:
        wish = manifest.wish
        package = _package_of(wish.source)
        name = f"{wish.stem}_{target}"
        files = (wish.source, *manifest.read, *manifest.written, wish.manifest.as_posix(), *carried_files())
        inside = sorted({path for path in files if not path.startswith("../")})
        super().__init__(".".join((*package, name)), sources=inside, language="c++")
        self.part = shipped.Part(
            target=target,
            name=name,
            stem=wish.stem,
            folder=wish.folder,
            prefix=manifest.prefix,
            symbols=manifest.symbols,
            archs=wish.archs.get(target),
        )


# ---------------------------------------------------------------- arguments


def _fail(message: str) -> NoReturn:
    raise SystemExit(f"error: {message}")


def _listed(name: str, values: Iterable[Any]) -> tuple[Any, ...]:
    if isinstance(values, str | bytes):
        _fail(f"kernels: {name} is a list, as in {name}=[{values!r}]")
    found = tuple(values)
    if not found and name != "instances":
        _fail(f"kernels: {name} is empty")
    return found


def _source(source: str | Path) -> str:
    path = PurePosixPath(Path(source).as_posix())
    if path.is_absolute() or ".." in path.parts:
        _fail(f"kernels: {source} must be below the folder of setup.py, and written relative to it")
    if path.suffix != ".py" or not (path.stem.isidentifier() and path.stem.isascii()):
        _fail(f"kernels: {source}: a Python file is needed whose name is an identifier in ASCII")
    if path.stem.endswith(OWN_ENDINGS):
        _fail(
            f"kernels: {source}: rename it, since names that end in {', '.join(OWN_ENDINGS)} are those of its modules"
        )
    return str(path)


def _ordered(targets: tuple[str, ...]) -> tuple[str, ...]:
    for target in targets:
        if target not in BACKENDS or targets.count(target) > 1:
            _fail(f"kernels: targets={list(targets)}: name each once, of {', '.join(BACKENDS)}")
    return tuple(sorted(targets, key=lambda target: not BACKENDS[target].is_gpu))


def _archs(arch: Iterable[str] | None, targets: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """The GPUs of each target."""
    found: dict[str, tuple[str, ...]] = {}
    for name in _listed("arch", arch) if arch is not None else ():
        target = next((target for target, shape in GPU_NAME.items() if shape.fullmatch(name)), None)
        if target not in targets:
            _fail(f"kernels: arch has '{name}', which is no GPU of the targets {', '.join(targets)}")
        found[target] = (*found.get(target, ()), name)
    return found


def _selected(wish: Wish) -> tuple[str, ...]:
    """The targets to build."""
    wanted = settings.packaged_targets()
    if wanted is None:
        return wish.targets
    for target in wanted:
        if target not in BACKENDS:
            _fail(f"TRANSPILE_TARGETS has '{target}', and the targets are {', '.join(BACKENDS)}")
    chosen = tuple(target for target in wish.targets if target in wanted)
    if not chosen:
        names = ", ".join(wish.targets)
        print(f"{wish.source} is left out: TRANSPILE_TARGETS has none of its targets, {names}", file=sys.stderr)
    return chosen


def _package_of(source: str) -> tuple[str, ...]:
    """The package that holds a file: the folders below `src`, else those with an `__init__.py`, else all."""
    folders = PurePosixPath(source).parent.parts
    if folders[:1] == ("src",):
        return folders[1:]
    top = len(folders)
    while top and Path(*folders[:top], "__init__.py").is_file():
        top -= 1
    return folders[top:] or folders


# ---------------------------------------------------------------- the sources


def _manifest(wish: Wish) -> Manifest:
    """The sources of the wish: generated now, or those carried."""
    if not Path(wish.source).is_file() and _can_generate():
        _fail(f"kernels: there is no file {wish.source} in {Path.cwd()}")
    if not _can_generate():
        return _carried(wish)
    from transpile.build.generate import generate
    from transpile.cli import UsageError
    from transpile.diagnostics.core import CompileError

    try:
        return generate(wish)
    except CompileError as error:
        print(error, file=sys.stderr)
        raise SystemExit(1) from None
    except (UsageError, OSError) as error:
        _fail(str(error))


def _can_generate() -> bool:
    return importlib.util.find_spec(GENERATOR) is not None


def _carried(wish: Wish) -> Manifest:
    """What lies in `_transpiled`, if it is what is asked for and was made of the kernels that are here."""
    manifest = load_manifest(wish.manifest)
    if manifest is None:
        _fail(f"{wish.manifest} is missing. {ELSEWHERE}")
    for name in ("targets", "instances"):
        asked, held = list(getattr(wish, name)), list(getattr(manifest.wish, name))
        if asked != held:
            _fail(f"setup.py has {name}={asked} for {wish.source}, and {FOLDER} was made for {held}. {ELSEWHERE}")
    for path, kept in manifest.read.items():
        if not path.startswith("../") and Path(path).is_file() and digest(path) != kept:
            _fail(f"{path} was changed after {FOLDER} was made of it. {ELSEWHERE}")
    return replace(manifest, wish=wish)


# ---------------------------------------------------------------- the commands


def _teach_setuptools() -> None:
    """Has a distribution with such extensions build them and complete its sdist, whatever command classes the project
    or another package brings: ours go on top. A `cmdclass` in setup.py could not be left out otherwise."""
    found = Distribution.get_command_class
    if hasattr(found, "knows_kernels"):
        return

    @functools.wraps(found)
    def get_command_class(self: Any, command: str, *others: Any, **named: Any) -> Any:
        known = found(self, command, *others, **named)
        ours = {"build_ext": BuildKernels, "sdist": CompleteSdist}.get(command)
        has_kernels = any(isinstance(each, KernelExtension) for each in self.ext_modules or ())
        if ours is None or not has_kernels or issubclass(known, ours):
            return known
        self.cmdclass[command] = type(known.__name__, (ours, known), {})
        return self.cmdclass[command]

    get_command_class.knows_kernels = True  # type: ignore[attr-defined]
    Distribution.get_command_class = get_command_class


class BuildKernels:
    """Goes before a class of `build_ext`."""

    def build_extensions(self: Any) -> None:
        for name in _left_out(self.extensions):
            Path(self.get_ext_fullpath(name)).unlink(missing_ok=True)
        super().build_extensions()  # type: ignore[misc]

    def copy_extensions_to_source(self: Any) -> None:
        super().copy_extensions_to_source()  # type: ignore[misc]
        finder = self.get_finalized_command("build_py")
        for name in _left_out(self.extensions):
            folder = Path(finder.get_package_dir(name.rpartition(".")[0]))
            (folder / Path(self.get_ext_fullpath(name)).name).unlink(missing_ok=True)

    def build_extension(self: Any, extension: Any) -> None:
        if not isinstance(extension, KernelExtension):
            super().build_extension(extension)  # type: ignore[misc]
            return
        made = Path(self.get_ext_fullpath(extension.name))
        scratch = Path(self.build_temp, extension.name)
        for folder in (made.parent, scratch):
            folder.mkdir(parents=True, exist_ok=True)
        try:
            shipped.build(extension.part, made, shipped.Workshop(scratch, _cache(Path(self.build_temp))))
        except (CompilerError, ToolchainMissingError, UnknownProcessorError) as error:
            raise BuildError(_explained(extension, error)) from None


def _cache(build_temp: Path) -> Cache:
    """Where objects are kept: whoever installs an sdist has no use for them later, unless he says where they go."""
    kept = open_cache() if _can_generate() or settings.has_own_cache() else Cache(None)
    return kept if kept.folder is not None else Cache(build_temp / "objects")


def _left_out(extensions: Iterable[Any]) -> set[str]:
    """The modules of other targets: an earlier build may have left them, of kernels that were edited since."""
    ours = [each for each in extensions if isinstance(each, KernelExtension)]
    names = {f"{each.name.removesuffix(each.part.target)}{target}" for each in ours for target in BACKENDS}
    return names - {each.name for each in ours}


def _explained(extension: KernelExtension, error: Exception) -> str:
    target = extension.part.target
    if isinstance(error, UnknownProcessorError):
        return f"{extension.name}: arch={list(extension.part.archs or ())}: {error}"
    if isinstance(error, ToolchainMissingError):
        others = "" if target == "cpu" else f"\n(to build without {target}, set TRANSPILE_TARGETS to the other targets)"
        return f"{extension.name}: {error}{others}"
    return f"{extension.name}: a compiler refused what transpile wrote: a fault of transpile, not yours.\n{error}"


class CompleteSdist:
    """Goes before a class of `sdist`."""

    def make_release_tree(self: Any, base_dir: str, files: Any) -> None:
        super().make_release_tree(base_dir, files)  # type: ignore[misc]
        try:
            sdist.complete(Path(base_dir))
        except sdist.SdistError as error:
            raise BuildError(str(error)) from None

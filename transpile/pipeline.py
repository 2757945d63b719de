"""The pass list: Python text in, C++ text out. Read this file first.

    load       libcst -> HIR      names resolved, constants captured             frontend/
    check      HIR -> TIR         types, weak values, uniformity; all faults     typing/
    fold       TIR -> TIR         constants                                      lowering/fold
    lower      TIR -> LIR -> KIR  layouts, folds, barriers, lane loops, names    lowering/
    emit       KIR -> Unit -> text                                               emit/

Nothing here executes the user's file. Every function raises `CompileError` with all the faults of a file.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Final, Literal

from transpile.backends.backend import Backend
from transpile.backends.cpu import CPU
from transpile.backends.cuda import NVRTC
from transpile.collector import paused
from transpile.diagnostics.core import Sink
from transpile.emit.extension import build_extension_unit, docstrings, render_stub, render_table
from transpile.emit.header import render_header
from transpile.emit.image import Description, ImageText, describe, write_image
from transpile.emit.render import render_unit
from transpile.emit.unit import Provenance, build_unit
from transpile.frontend.load import load_file, load_function
from transpile.ir import hir, kir, tir
from transpile.ir.print_hir import print_hir
from transpile.ir.print_kir import print_kir
from transpile.ir.printer import print_function, print_module
from transpile.ir.verify import verify_module
from transpile.ir.verify_kir import verify_kir
from transpile.ir.verify_lir import verify_laid_out, verify_lowered
from transpile.lowering.assign import assign_layouts
from transpile.lowering.fold import fold_module
from transpile.lowering.lower import lower_module
from transpile.lowering.room import check_room
from transpile.typing.check import check_module
from transpile.typing.program import Instance

if TYPE_CHECKING:
    from transpile.build import artifacts

Instances = Mapping[str, Sequence[Instance]]
Lines = Literal["comment", "directive", "none"]
Recorder = Callable[[str, Callable[[], str]], None]
CODE_DIGITS: Final = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Options:
    """`instances` gives the values of static parameters by kernel; `archs` are the GPUs that the text must run on;
    `dump` is a folder that gets every stage. `is_packaged`: setup.py makes the text."""

    instances: Instances = field(default_factory=dict)
    archs: tuple[str, ...] = ()
    lines: Lines = "comment"
    verify: bool = False
    dump: Path | None = None
    is_packaged: bool = False


DEFAULT: Final = Options()


@paused()
def load(path: str) -> hir.Module:
    """HIR of the file. Raises CompileError."""
    sink = Sink()
    module = load_file(path, sink)
    sink.raise_if_any()
    assert module is not None
    return module


@paused()
def check(module: hir.Module, instances: Instances | None = None, *, asserts: bool = True) -> tir.Module:
    """Typed, uniform TIR; `asserts`: with those of the kernels. Raises CompileError."""
    sink = Sink()
    typed = check_module(module, sink, instances or {}, asserts=asserts)
    sink.raise_if_any()
    return typed


@paused()
def load_and_check(path: str, instances: Instances | None = None) -> tuple[hir.Module, tir.Module]:
    """As `load` then `check`, but the faults of both come in one report."""
    sink = Sink()
    module = load_file(path, sink)
    typed = check_module(module, sink, instances or {}) if module is not None else None
    sink.raise_if_any()
    assert module is not None
    assert typed is not None
    return module, typed


@paused()
def load_live(function: FunctionType) -> hir.Module:
    """HIR of a function of the running program and of the device functions that it reaches; it is the last.

    Raises CompileError; where the function could still be read, with the faults that checking it finds too.
    """
    sink = Sink()
    module = load_function(function, sink)
    if sink.has_errors and module is not None:
        check_module(module, sink, {})
    sink.raise_if_any()
    assert module is not None
    return module


@paused()
def lower(module: tir.Module, backend: Backend) -> kir.Module:
    """What one thread of `backend` does."""
    return lower_module(fold_module(module), backend)


def code_hash(module: hir.Module) -> str:
    """Names the kernels' code: the text of every function that is compiled and the values that it captures."""
    digest = hashlib.sha256()
    for function in module.functions:
        captured = ";".join(f"{name}={value!r}" for name, value in function.captured)
        flags = f"{function.alias} {function.fast_math}"
        flags += "".join(f" {each}={','.join(map(str, each.choices))}" for each in function.variables)
        flags += "".join(f" {name}={dtype}" for name, dtype in function.types)
        digest.update(f"{function.key}\0{function.span.text()}\0{captured}\0{flags}\0".encode())
    return digest.hexdigest()[:CODE_DIGITS]


def provenance(module: hir.Module, options: Options = DEFAULT) -> Provenance:
    source, stem = Path(module.source.name).name, module.stem
    return Provenance(source=source, stem=stem, code=code_hash(module), is_packaged=options.is_packaged)


@paused()
def emit(path: str, backend: Backend, options: Options = DEFAULT) -> str:
    """The text of `backend` for the kernels and launchers of the file."""
    module, typed = load_and_check(path, options.instances)
    return emit_typed(module, typed, backend, options)


@paused()
def emit_typed(module: hir.Module, typed: tir.Module, backend: Backend, options: Options = DEFAULT) -> str:
    """As `emit`, from what `load_and_check` gave."""
    record = _recorder(options)
    _, lowered = _lower_in_sight(module, typed, backend, options, record)
    text = render_unit(build_unit(lowered, backend, provenance(module, options), options.lines))
    record(backend.name, lambda: text)
    return text


def _lower_in_sight(
    module: hir.Module, typed: tir.Module, backend: Backend, options: Options, record: Recorder
) -> tuple[tir.Module, kir.Module]:
    """The folded module and what it becomes, each stage recorded and, if asked for, verified."""
    record("hir", lambda: print_hir(module))
    record("tir", lambda: print_module(typed))
    if options.verify:
        verify_module(typed)
    folded = fold_module(typed)
    record("folded", lambda: print_module(folded))
    sink = Sink()
    check_room(folded, backend, options.archs, sink)
    sink.raise_if_any()
    if options.verify:
        verify_module(folded)
    record("layout", lambda: print_layouts(folded, backend))
    if options.verify:
        _verify_tiles(folded, backend)
    lowered = lower_module(folded, backend)
    record("kir", lambda: print_kir(lowered))
    if options.verify:
        verify_kir(lowered, is_gpu=backend.is_gpu)
    return folded, lowered


def _verify_tiles(folded: tir.Module, backend: Backend) -> None:
    """LIR in both of its forms. A lowering of its own makes it: what one thread does is all that is left of it."""
    from transpile.lowering.tiles import lower_tiles  # what launches thread kernels does without

    for each in folded.functions:
        if each.kind == "tile":
            verify_laid_out(assign_layouts(each, backend), folded.functions)
            verify_lowered(lower_tiles(each, backend))


def print_layouts(folded: tir.Module, backend: Backend) -> str:
    """TIR with a layout in the type of each tile."""
    functions = (assign_layouts(each, backend) if each.kind == "tile" else each for each in folded.functions)
    return "\n\n".join(print_function(function).rstrip("\n") for function in functions)


def emit_header(module: hir.Module, typed: tir.Module, backend: Backend) -> str:
    """`STEM.h`: the C ABI of the file, the same for every backend."""
    return render_header(lower(typed, backend), provenance(module))


@paused()
def emit_extension(
    module: hir.Module,
    typed: tir.Module,
    name: str,
    options: Options = DEFAULT,
    *,
    backend: Backend = CPU,
    command: str = "",
) -> artifacts.Emitted:
    """Everything that an extension module is made of. `command` is what the command line said of it."""
    from transpile.build import artifacts  # what builds is not for those who only want a text
    from transpile.build.extension import Sources

    origin = provenance(module, options)
    folded = fold_module(typed)
    unit = build_extension_unit(folded, origin, name, backend, command, docstrings(module))
    sources = Sources(
        stem=module.stem,
        name=name,
        kernels=emit_typed(module, typed, backend, options),
        header=render_header(lower_module(folded, CPU), origin),
        table=render_table(unit),
    )
    return artifacts.Emitted(sources, render_stub(unit), tuple(file.name for file in module.files))


def emit_stub(module: hir.Module, typed: tir.Module, name: str, doc: str, *, backend: Backend) -> str:
    """The stub of a Python module that offers what the compiled ones do."""
    unit = build_extension_unit(fold_module(typed), provenance(module), name, backend, "", docstrings(module))
    return render_stub(replace(unit, doc=doc))


@paused()
def emit_image(
    module: hir.Module, typed: tir.Module, options: Options = DEFAULT
) -> tuple[ImageText, list[Description]]:
    """The kernels alone, as text for NVRTC, and what the engine must know of each."""
    record = _recorder(options)
    folded, lowered = _lower_in_sight(module, typed, NVRTC, options, record)
    image = write_image(lowered, NVRTC, provenance(module), options.lines)
    record(NVRTC.name, lambda: image.text)
    words = docstrings(module)
    functions = {each.key: each for each in folded.functions}
    described = [
        describe(folded, functions[each.key], image, each, words.get(functions[each.key].base, ""))
        for each in image.kernels
    ]
    return image, described


def _recorder(options: Options) -> Recorder:
    """Writes stage after stage into `options.dump`, or does nothing."""
    count = 0

    def record(stage: str, text: Callable[[], str]) -> None:
        nonlocal count
        if options.dump is None:
            return
        options.dump.mkdir(parents=True, exist_ok=True)
        (options.dump / f"{count:02d}-{stage}.txt").write_text(text().rstrip("\n") + "\n", encoding="utf-8")
        count += 1

    return record

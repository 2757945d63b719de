"""KIR -> `STEM.h`: the stable C ABI of a file, for C and C++, the same for every target."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from transpile.emit.comments import comment
from transpile.emit.host import signature
from transpile.emit.reach import asserts
from transpile.emit.render import environment, finished
from transpile.emit.reports import taker_of
from transpile.emit.statements import abi_name
from transpile.emit.statuses import STATUSES
from transpile.emit.unit import BLOCK, FORMAT, GRID, Provenance, again
from transpile.ir import kir
from transpile.ir.kir_walk import shared_arrays
from transpile.lowering.names import symbol

_KINDS: Final = {
    "tile": "A tile kernel: one program at each place of the grid.",
    "thread": "A thread kernel: grid times block threads.",
}
_WHOLE_GROUPS: Final = "Its block must be a multiple of 32 threads."
_GROUP_ROWS: Final = "Its block must be a multiple of 32 in x, or 1 in y and z."


@dataclass(frozen=True, slots=True)
class Code:
    """A status as the header declares it: the lines of its comment above it."""

    summary: tuple[str, ...]
    name: str
    number: int


@dataclass(frozen=True, slots=True)
class Declaration:
    """A function of the C ABI: the comment above it and its lines."""

    summary: tuple[str, ...]
    lines: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class HeaderUnit:
    """The text of a header, decided."""

    file: str
    opening: tuple[str, ...]
    guard: str
    status: str
    codes: tuple[Code, ...]
    declarations: tuple[Declaration, ...]
    asserts: bool
    assertion: str
    failed: str
    taker: str


def render_header(module: kir.Module, provenance: Provenance) -> str:
    """The header of `module`'s kernels and launchers."""
    unit = build_header(module, provenance)
    return finished(environment().get_template("header.h.j2").render(unit=unit), unit.file)


def build_header(module: kir.Module, provenance: Provenance) -> HeaderUnit:
    stem = symbol(module.stem, "")
    kernels = [function for function in module.functions if function.kind != "device"]
    source, file = provenance.source, f"{module.stem}.h"
    written = f"Written by transpile (format {FORMAT}, code {provenance.code})."
    return HeaderUnit(
        file=file,
        opening=(
            *comment(f"{file}: the C ABI of the kernels of {source}. {written}", 0),
            *comment(provenance.advice(again("header", source, file)), 0),
        ),
        guard=f"TRANSPILE_{stem.upper()}H",
        status=f"{stem}status",
        codes=tuple(Code(tuple(comment(each.meaning, 4)), f"{stem}{each.name}", each.code) for each in STATUSES),
        declarations=(
            *(_kernel(function, symbol(module.stem, function.key)) for function in kernels),
            *(_launcher(launcher, symbol(module.stem, launcher.key)) for launcher in module.launchers),
        ),
        asserts=asserts(module),
        assertion=f"{stem}assertion",
        failed=f"{stem}assertion_failed",
        taker=taker_of(module.stem, [*(each.key for each in kernels), *(each.key for each in module.launchers)]),
    )


def _kernel(function: kir.Function, name: str) -> Declaration:
    words = [_KINDS[function.kind]]
    words += [_WHOLE_GROUPS] if function.kind == "thread" and function.uses_shuffles else []
    words += [_GROUP_ROWS] if function.needs_group_rows else []
    sized = [array.count.name for array in shared_arrays(function.body) if isinstance(array.count, kir.Var)]
    words += [f"{name} is the size of a shared array of each block." for name in sized]
    places = [f"int64_t {each}" for each in (*GRID, *(BLOCK if function.kind == "thread" else ()))]
    return _declaration(" ".join(words), name, places, function.parameters)


def _launcher(launcher: kir.Launcher, name: str) -> Declaration:
    return _declaration("A launcher: works out grids and launches kernels, in order.", name, [], launcher.parameters)


def _declaration(words: str, name: str, places: list[str], parameters: tuple[kir.Parameter, ...]) -> Declaration:
    kept = [each.var for each in parameters if each.static is None]
    own = [f"{abi_name(var.type)}{var.name}" for var in kept]
    bits = [f"{var.name} ({var.type.dtype})" for var in kept if var.type.dtype.is_narrow_float]
    words += f" As bits: {', '.join(bits)}." if bits else ""
    return Declaration(tuple(comment(words, 0)), signature(f"int32_t {name}(", [*places, *own, "void *stream"], ");"))

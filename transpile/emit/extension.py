"""The texts that make a Python module of the kernels: its table for the engine, and its stub for editors."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from transpile.backends.backend import Backend
from transpile.emit.binding import Binding, bindings
from transpile.emit.comments import comment
from transpile.emit.doc import Doc, group, joined, lines
from transpile.emit.literals import quoted
from transpile.emit.render import environment, finished
from transpile.emit.reports import reported, taker_of
from transpile.emit.unit import FORMAT, Provenance
from transpile.ir import hir, tir
from transpile.lowering.names import symbol

# What a module has where its kernels print or assert, unless one of them is called so.
SYNCHRONIZE: Final = "synchronize"


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtensionUnit:
    """The table or stub of one module, decided."""

    name: str
    doc: str
    header: str
    is_gpu: bool
    opening: tuple[str, ...]
    bindings: tuple[Binding, ...]
    functions: tuple[str, ...]
    table: tuple[str, ...]
    synchronizes: bool
    taker: tuple[str, ...]


def build_extension_unit(
    module: tir.Module, provenance: Provenance, name: str, backend: Backend, options: str, docstrings: Mapping[str, str]
) -> ExtensionUnit:
    """`options` are those of the command line that made the module; `docstrings` go by the function's key."""
    held = bindings(module, docstrings)
    reports = reported(module)
    doc = f"The kernels of {provenance.source}, built for {backend.title}."
    functions: tuple[str, ...] = ("constexpr list<function> functions;",)
    if held:
        functions = ("constexpr function functions[] = {", *(line for each in held for line in each.row), "};")
    texts = (name, doc, provenance.source, provenance.code, str(FORMAT), backend.name)
    built = f"{quoted(options)} TRANSPILE_MACHINES"
    fields: list[Doc] = ["table_format", *map(quoted, texts), built, "functions"]
    taker: tuple[str, ...] = ()
    if reports:
        keys = [each.key for each in module.functions if each.kind != "device"]
        name_taken = taker_of(module.stem, keys)
        taker = _taker(name_taken, symbol(module.stem, "assertion")) if "asserts" in reports else ()
        fields.append(f"{{{'true' if 'prints' in reports else 'false'}, {'take' if taker else 'nullptr'}}}")
    return ExtensionUnit(
        name=name,
        doc=f"{name}: {doc[0].lower()}{doc[1:]}",
        header=f"{module.stem}.h",
        opening=_opening(f"{name}.cpp", provenance, options),
        is_gpu=backend.is_gpu,
        bindings=held,
        functions=functions,
        taker=taker,
        synchronizes=bool(reports) and all(each.name != SYNCHRONIZE for each in held),
        table=lines(group("constexpr module_table table = {", group(*joined(fields)), "};"), 0, 4),
    )


def _taker(name: str, told: str) -> tuple[str, ...]:
    """`take`: asks the C ABI for the assertion that failed, which it tells in a type of its own."""
    return (
        f'static_assert(sizeof(struct ::{told}) == sizeof(assertion), "one layout");',
        "bool take(assertion *found) {",
        f"    return ::{name}(reinterpret_cast<struct ::{told} *>(found));",
        "}",
    )


def docstrings(module: hir.Module) -> dict[str, str]:
    """By key, the docstring of each function of the module that has one."""
    found = {}
    for function in module.functions:
        try:
            tree = ast.parse(textwrap.dedent(function.span.text())).body
        except SyntaxError:
            continue  # of a function inside another, whose lines may hold a string that is not indented
        text = ast.get_docstring(tree[0]) if tree and isinstance(tree[0], ast.FunctionDef) else None
        if text:  # what no text of C++ or Python can hold is spelled as Python shows it
            found[function.key] = text.encode("utf-8", "backslashreplace").decode().replace("\0", "\\x00")
    return found


def _opening(file: str, provenance: Provenance, options: str) -> tuple[str, ...]:
    source = provenance.source
    command = f"python -m transpile build {source} {options}".rstrip()
    return (
        f"// {file}: what Python sees of the kernels of {source}.",
        f"// Written by transpile (format {FORMAT}, code {provenance.code}).",
        *comment(provenance.advice(command), 0),
    )


def render_table(unit: ExtensionUnit) -> str:
    """`NAME.cpp`."""
    return finished(environment().get_template("table.cpp.j2").render(unit=unit), f"{unit.name}.cpp")


def render_stub(unit: ExtensionUnit) -> str:
    """`NAME.pyi`."""
    return finished(environment().get_template("stub.pyi.j2").render(unit=unit), f"{unit.name}.pyi")

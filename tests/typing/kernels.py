"""Small kernels for the tests of the checker: a body in, what was made of it out."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence

from transpile.diagnostics.core import Sink
from transpile.diagnostics.render import render_all
from transpile.frontend.load import load_text
from transpile.ir import hir, tir
from transpile.ir.printer import print_function
from transpile.ir.verify import verify_module
from transpile.source import SourceFile
from transpile.typing.check import check_module, settle
from transpile.typing.program import Program

PARAMETERS = (
    "n: int, a: float, h: native.f32, w: native.i32, b: bool, x: native.const_ptr[float], y: native.ptr[float], "
    "z: native.ptr[native.f32], q: native.ptr[native.i32], m: native.ptr[bool]"
)
HEAD = "import math\n\nfrom transpile import cuda, native, tile\n\n"
DECORATORS = {"tile": "@tile.kernel\n", "thread": "@cuda.kernel\n", "device": "@cuda.device\n", "launcher": ""}


def program(
    body: str, kind: str = "thread", parameters: str = PARAMETERS, before: str = "", returns: str = "None"
) -> str:
    """A file whose last function is `k`."""
    indented = textwrap.indent(textwrap.dedent(body).strip("\n"), "    ")
    return f"{HEAD}{before}{DECORATORS[kind]}def k({parameters}) -> {returns}:\n{indented}\n"


def load(text: str, sink: Sink) -> hir.Module:
    module = load_text(SourceFile("kernels.py", text), "kernels", sink, None)
    assert module is not None
    return module


def check(text: str, instances: Mapping[str, Sequence[tuple[int, ...]]] | None = None) -> tir.Module:
    """The verified module of a file without faults."""
    sink = Sink()
    module = check_module(load(text, sink), sink, instances or {})
    assert not sink.has_errors, render_all(sink)
    verify_module(module)
    return module


def faults(body: str, kind: str = "thread", **options: str) -> list[tuple[int, str]]:
    """The line of each fault, counted from the first of the body, and its code."""
    text = program(body, kind, **options)
    first = text[: text.index("def k(")].count("\n") + 1
    sink = Sink()
    check_module(load(text, sink), sink, {})
    return [(found.primary.span.line - first, found.code) for found in sink]


def types(body: str, kind: str = "thread", **options: str) -> dict[str, str]:
    """The type of each local that the body makes, `weak` before a weak one."""
    sink = Sink()
    module = load(program(body, kind, **options), sink)
    checked = check_module(module, sink, {})
    assert not sink.has_errors, render_all(sink)
    verify_module(checked)
    function = module.function("k")
    context, _ = settle(Program.of(module, {}), function)
    given = {parameter.name for parameter in function.parameters}
    return {
        name: f"{'weak ' if variable.weak else ''}{variable.type}"
        for name, variable in context.variables.types.items()
        if name not in given
    }


def type_of(expression: str, kind: str = "thread", **options: str) -> str:
    """The type that a variable takes from one expression."""
    return types(f"v = {expression}", kind, **options)["v"]


def printed(body: str, kind: str = "thread", **options: str) -> str:
    """The TIR of `k`, without its head, its notes and its last `return`."""
    function = check(program(body, kind, **options)).function("k")
    lines = print_function(function).splitlines()[1:-2]
    return textwrap.dedent("\n".join(line for line in lines if not line.strip().startswith("#")))


def expect(text: str) -> str:
    return textwrap.dedent(text).strip("\n")

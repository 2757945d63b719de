"""Faults of names: what they do not mean, or cannot mean in compiled code."""

from __future__ import annotations

from typing import Final

from transpile.diagnostics.core import Diagnostic, Label
from transpile.source import Span

DEVICE_HELP: Final = "mark it `@cuda.device` and annotate its parameters and result with scalar types"


def undefined_name(span: Span, name: str, near: tuple[str, ...], instead: str = "") -> Diagnostic:
    return Diagnostic(
        code="undefined-name",
        message=f"nothing here is called '{name}'",
        primary=Label(span, "used here"),
        help=(*_did_you_mean(near), *((instead,) if instead else ())),
    )


def undefined_member(span: Span, module: str, name: str, near: tuple[str, ...], instead: str = "") -> Diagnostic:
    """`module` is a dialect or `math`."""
    return Diagnostic(
        code="undefined-member",
        message=f"'{module}' has no '{name}' that compiled code can use",
        primary=Label(span),
        help=(instead,) if instead else _did_you_mean(tuple(f"{module}.{each}" for each in near)),
    )


def _did_you_mean(near: tuple[str, ...]) -> tuple[str, ...]:
    return (f"did you mean {' or '.join(f'`{each}`' for each in near)}?",) if near else ()


def host_call(span: Span, name: str, where: str, defined: Span | None, instead: str = "") -> Diagnostic:
    """A call of Python's own function; `where` is the kind of function that calls."""
    help_text = instead or (DEVICE_HELP if defined is not None else "compute it outside and pass the result")
    return Diagnostic(
        code="host-call",
        message=f"{where} cannot call '{name}', which is not a device function",
        primary=Label(span, "called here"),
        secondary=(Label(defined, "a function of Python's own"),) if defined is not None else (),
        help=(help_text,),
    )


def host_import(span: Span, name: str, module: str, where: str, instead: str) -> Diagnostic:
    """A call of a function from a module whose text is not read."""
    return Diagnostic(
        code="host-call",
        message=f"{where} cannot call '{name}' of '{module}', which is not found beside this file",
        primary=Label(span, "called here"),
        help=(instead or "device functions come from this file or from files beside it",),
    )


def not_a_value(span: Span, name: str, what: str, instead: str = "") -> Diagnostic:
    """`what` with its article: `a function`, `a module`."""
    return Diagnostic(
        code="not-a-value",
        message=f"'{name}' is {what}, not a value",
        primary=Label(span),
        help=(instead,) if instead else (),
    )


def not_callable(span: Span, name: str, what: str, *, instead: str = "") -> Diagnostic:
    return Diagnostic(
        code="not-callable",
        message=f"'{name}' is {what}: it cannot be called",
        primary=Label(span),
        help=(instead,) if instead else (),
    )


def captured_type(span: Span, name: str, what: str, defined: Span | None) -> Diagnostic:
    return Diagnostic(
        code="captured-type",
        message=f"'{name}' is {what}; compiled code can capture only an int, a float or a bool",
        primary=Label(span, "captured here"),
        secondary=(Label(defined, "its value"),) if defined is not None else (),
        help=("pass it as an argument",),
    )


def not_static(span: Span, name: str, why: str, defined: Span | None) -> Diagnostic:
    """`why`: half a sentence, such as `is assigned more than once`."""
    return Diagnostic(
        code="not-static",
        message=f"the value of '{name}' is not known from the text: it {why}",
        primary=Label(span, "captured here"),
        secondary=(Label(defined, "here"),) if defined is not None else (),
        help=("assign it once, at the top level, from literals and other constants, or pass it as an argument",),
    )


def assign_captured(span: Span, name: str, assigned: Span) -> Diagnostic:
    same = span == assigned
    return Diagnostic(
        code="assign-captured",
        message=f"'{name}' is read before this function assigns it: it is not the '{name}' of the module",
        primary=Label(span, "read and assigned here" if same else "read here"),
        secondary=() if same else (Label(assigned, "assigned here, which makes it a local of the function"),),
        help=("give the local a name of its own",),
    )


def constant_arithmetic(span: Span, what: str) -> Diagnostic:
    return Diagnostic(code="constant-arithmetic", message=f"Python refuses this constant: {what}", primary=Label(span))


def constant_exponent(span: Span, exponent: bool | int | float) -> Diagnostic:
    return Diagnostic(
        code="power-exponent",
        message="in a constant '**' takes an int exponent from 0 to 64",
        primary=Label(span, f"this is {exponent}"),
        notes=("Python's power of floats has other bits on other machines",),
        help=("write `**` in the kernel, `math.sqrt(x)` for `x ** 0.5`, or the number itself",),
    )


def recursion(span: Span, name: str, path: tuple[str, ...]) -> Diagnostic:
    """`path` is the chain of calls from `name` back to itself."""
    through = " calls ".join(path)
    return Diagnostic(
        code="recursion",
        message=f"'{name}' calls itself",
        primary=Label(span, "called again here"),
        notes=(through,) if len(path) > 2 else (),
        help=("write it as a loop: compiled code has no stack to recurse on",),
    )


def nested_kernel(span: Span, name: str, inside: str) -> Diagnostic:
    return Diagnostic(
        code="nested-kernel",
        message=f"'{name}' stands inside {inside}, so that it exists only while the program runs",
        primary=Label(span),
        help=("move it to the top level; as it is, Python and `python -m transpile run` can still run it",),
    )


def duplicate_function(span: Span, name: str, first: Span) -> Diagnostic:
    return Diagnostic(
        code="duplicate-function",
        message=f"'{name}' is bound more than once in this file",
        primary=Label(span, "compiled from here"),
        secondary=(Label(first, "also bound here"),),
        help=("give one of them another name",),
    )


def kernel_elsewhere(span: Span, name: str, file: str) -> Diagnostic:
    return Diagnostic(
        code="kernel-elsewhere",
        message=f"'{name}' is a kernel of {file}: a launcher launches the kernels of its own file",
        primary=Label(span),
        help=("write the launcher beside the kernel, and call it from Python",),
    )


def no_source(span: Span, name: str) -> Diagnostic:
    return Diagnostic(
        code="no-source",
        message=f"the source of '{name}' cannot be read: it is compiled from its text",
        primary=Label(span),
        help=("write the function in a file (a prompt, `python -c` and `exec` keep no text)",),
    )


def source_changed(span: Span, name: str) -> Diagnostic:
    return Diagnostic(
        code="source-changed",
        message=f"the file has changed since Python loaded '{name}'",
        primary=Label(span, "this text is not what was loaded"),
        help=("start the program again, or reload the module",),
    )


def undecorated(span: Span, name: str) -> Diagnostic:
    return Diagnostic(
        code="undecorated",
        message=f"'{name}' is compiled, but nothing in its text says as what",
        primary=Label(span),
        help=("write the decorator above its `def`: `@tile.kernel`, `@cuda.kernel` or `@cuda.device`",),
    )

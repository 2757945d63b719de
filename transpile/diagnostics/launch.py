"""What the interpreter finds while a kernel runs, as diagnostics, and the exception that carries one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypeAlias

from transpile.diagnostics.core import Diagnostic, Label
from transpile.source import Span

Access: TypeAlias = Literal["load", "store", "atomic"]


class KernelFault(RuntimeError):  # noqa: N818 - the name that the language's page uses
    """A kernel did what the language forbids while it ran; `str()` is the rendered diagnostic, without colour.

    What the launch had written until then stays written.
    """

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic)
        self.diagnostic = diagnostic

    def __str__(self) -> str:
        from transpile.diagnostics.render import render_all  # rendering is only paid for when the text is wanted

        return render_all((self.diagnostic,))


class KernelAssertionError(AssertionError):
    """An `assert` of a kernel failed. `file` is the name of the Python file, `line` where the statement begins, `text`
    the condition as it is written; `program` or `block` and `thread` are numbers, or x, y and z where the kernel asks
    for more than one axis; None where they do not apply."""

    file: str
    line: int
    text: str
    message: str
    program: int | tuple[int, ...] | None
    block: int | tuple[int, ...] | None
    thread: int | tuple[int, ...] | None

    @classmethod
    def of(cls, span: Span, text: str, message: str, place: Sequence[int]) -> KernelAssertionError:
        """`place`: the program (1 number, or 3), the block and the thread (2, or 6), or nothing."""
        file = span.file.name.replace("\\", "/").rpartition("/")[2]
        where = _told(place)
        failed = cls(f"{file}:{span.line}: {where}assert {text}" + (f": {message}" if message else ""))
        failed.file, failed.line, failed.text, failed.message = file, span.line, text, message
        failed.program = _numbers(place) if len(place) in (1, 3) else None
        failed.block = _numbers(place[: len(place) // 2]) if len(place) in (2, 6) else None
        failed.thread = _numbers(place[len(place) // 2 :]) if len(place) in (2, 6) else None
        return failed


def place_words(count: int) -> tuple[str, ...]:
    """What stands around the `count` numbers of a place: `[program 3] `, `[block 2, thread 17] `, or x, y and z."""
    match count:
        case 1:
            return ("[program ", "] ")
        case 2:
            return ("[block ", ", thread ", "] ")
        case 3:
            return ("[program (", ", ", ", ", ")] ")
        case 6:
            return ("[block (", ", ", ", ", "), thread (", ", ", ", ", ")] ")
        case _:
            return ("",)


def _told(place: Sequence[int]) -> str:
    words = place_words(len(place))
    return "".join(f"{word}{number}" for word, number in zip(words, place, strict=False)) + words[-1]


def _numbers(place: Sequence[int]) -> int | tuple[int, ...]:
    return place[0] if len(place) == 1 else tuple(place)


def out_of_bounds(span: Span, access: Access, array: str, size: int, index: int, place: str) -> Diagnostic:
    """`index` is counted from the start of the whole array, after all offsets; `place` says which program and lane."""
    held = f"{array} has {_count(size, 'element')}"
    return Diagnostic(
        code="out-of-bounds",
        message=f"{access} outside of {array}",
        primary=Label(span, f"index {index}, but {held}"),
        notes=(f"in {place}",),
        help=(f"mask the {access}, or guard it, so that only 0 <= index < {size} touches memory",),
    )


def misaligned(span: Span, what: str, array: str, index: int, past: int, size: int, place: str) -> Diagnostic:
    """`what` at `index` begins `past` bytes after an address that is a multiple of its `size`."""
    return Diagnostic(
        code="misaligned",
        message=f"{what} of {array} from an address that is no multiple of {size}",
        primary=Label(span, f"index {index} is {_count(past, 'byte')} past one"),
        notes=(f"in {place}",),
        help=("several elements are one access only where the address is a multiple of their size together",),
    )


def partial_barrier(span: Span, block: str, arrived: int, threads: int, missing: str) -> Diagnostic:
    """A barrier that, as the kernel ran, only some threads of a block came to."""
    return Diagnostic(
        code="divergent-barrier",
        message="not every thread of the block reaches this syncthreads",
        primary=Label(span, f"{arrived} of {threads} threads are here"),
        notes=(f"in {block}; {missing} is not here",),
        help=("every thread of the block must take the same way to a barrier",),
    )


def partial_group(span: Span, what: str, place: str, arrived: int, threads: int, missing: str) -> Diagnostic:
    """A shuffle or `syncwarp` that, as the kernel ran, only some threads of a group came to."""
    return Diagnostic(
        code="divergent-shuffle",
        message=f"not every thread of the group of 32 reaches this {what}",
        primary=Label(span, f"{arrived} of {threads} threads are here"),
        notes=(f"in {place}; {missing} is not here",),
        help=("every thread of a group of 32 must take the same way to it",),
    )


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"

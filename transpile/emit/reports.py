"""`print` and `assert` as C++: a call of printf, and a call that ends the thread with a number that stands for the
assertion. The texts of the assertions are kept for the host.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from transpile.dtypes import BOOL, I64
from transpile.emit.doc import SPACE, Doc, group, joined, lines
from transpile.emit.literals import quoted
from transpile.emit.pieces import CONDITION, Piece, keyword_line, wrapped
from transpile.ir import kir, tir
from transpile.ir.kir_walk import all_stmts, dtype_of, nodes, read_by
from transpile.ir.walk import all_ops
from transpile.lowering.names import symbol
from transpile.lowering.structure import negated

if TYPE_CHECKING:
    from transpile.emit.cxx import Printer

# What a kernel that may fail is given, and hands on: where it says so.
RECORD: Final = "failed"
_INT_BITS: Final = 32
_LITERAL: Final = 64  # characters, about, of a literal in a line


@dataclass(frozen=True, slots=True)
class Assertion:
    """One `assert` of a text: the Python file's name and line, its condition and message as written, and of how many
    numbers its place is."""

    file: str
    line: int
    text: str
    message: str
    numbers: int

    @property
    def row(self) -> tuple[str, ...]:
        """An element of the text's table, as lines."""
        fields = [quoted(self.file), f"{self.line}", _literal(self.text), _literal(self.message), f"{self.numbers}"]
        return lines(group("{", group(*joined(fields)), "},"), 4, 5)


@dataclass(frozen=True, slots=True)
class Reports:
    """What the functions of one text report. `failing` are those, by name, that assert or call one that does;
    `assertions` is filled as they are printed: a number is an assertion's place in it, from 1."""

    prints: bool
    failing: frozenset[str]
    assertions: list[Assertion]

    @classmethod
    def of(cls, functions: Sequence[kir.Function]) -> Reports:
        """`functions` are in order: callees before callers."""
        failing: set[str] = set()
        for function in functions:
            if any(isinstance(stmt, kir.Assert) or _calls(stmt, failing) for stmt in all_stmts(function.body)):
                failing.add(function.name)
        prints = any(isinstance(stmt, kir.Print) for each in functions for stmt in all_stmts(each.body))
        return cls(prints, frozenset(failing), [])

    def number(self, stmt: kir.Assert) -> int:
        span = stmt.span
        name = span.file.name.replace("\\", "/").rpartition("/")[2]
        assertion = Assertion(name, span.line, stmt.text, stmt.message, len(stmt.place))
        if assertion not in self.assertions:
            self.assertions.append(assertion)
        return self.assertions.index(assertion) + 1


def reported(module: tir.Module) -> frozenset[str]:
    """What the kernels of a module do: `prints`, `asserts`."""
    waiting = [each for each in module.functions if each.kind != "device"]
    seen = {each.key for each in waiting}
    found: set[str] = set()
    while waiting:
        for op in all_ops(waiting.pop().body):
            match op:
                case tir.Print():
                    found.add("prints")
                case tir.Assert():
                    found.add("asserts")
                case tir.Call() if op.function not in seen:
                    seen.add(op.function)
                    waiting.append(module.function(op.function))
                case _:
                    pass
    return frozenset(found)


def _calls(stmt: kir.Stmt, names: Iterable[str]) -> bool:
    exprs = (node for expr in read_by(stmt) for node in nodes(expr))
    return any(isinstance(node, kir.Call) and node.function in names for node in exprs)


def taker_of(stem: str, keys: Iterable[str]) -> str:
    """The function of the C ABI that tells of the assertion that failed; `keys` are those of the file's own."""
    taken = {symbol(stem, key) for key in keys}
    name = symbol(stem, "failed_assertion")
    while name in taken:
        name += "_"
    return name


def print_line(printer: Printer, stmt: kir.Print) -> Doc:
    """The call of printf."""
    texts = [text.replace("%", "%%") for text in stmt.texts]
    shown = [_shown(printer, expr, form) for expr, form in zip(stmt.operands, stmt.forms, strict=True)]
    forms = [*(form for form, _ in shown), ""]
    written = _literal("".join(text + form for text, form in zip(texts, forms, strict=True)))
    printer.use("printed", I64)
    name = "printf" if printer.backend.is_gpu else "std::printf"
    return group(f"{name}(", group(*joined([written, *(value for _, value in shown)])), ");")


def _literal(text: str) -> Doc:
    """A literal, or several in a row where it is long."""
    parts = re.findall(rf"(?s).{{1,{_LITERAL}}}(?:(?<= )|$)|\S+ ?", text) or [""]
    return group(quoted(parts[0]), *(each for part in parts[1:] for each in (SPACE, quoted(part))))


def _shown(printer: Printer, expr: kir.Expr, form: str) -> tuple[str, Doc]:
    """The form with the length of the argument, and the argument."""
    piece, dtype = printer.piece(expr), dtype_of(expr)
    flags, kind = form[:-1], form[-1]
    if isinstance(expr, kir.Lit) and dtype is BOOL:
        return form, '"True"' if expr.value else '"False"'
    if dtype is BOOL:
        return form, group(wrapped(piece, piece.strength <= CONDITION), ' ? "True" : "False"')
    if dtype.is_float:
        return form, piece.doc if piece.is_literal else _call_of_shown(printer, expr, piece)
    unsigned = {"d": "u"}.get(kind, kind)
    if isinstance(expr, kir.Place) and printer.backend.spelling.has_typed_places:
        return flags + unsigned, group("unsigned(", piece.doc, ")")
    if piece.narrow is not None:
        return flags + (unsigned if piece.is_unsigned else kind), piece.doc
    kind = unsigned if dtype.kind == "uint" else kind
    if dtype.bits <= _INT_BITS:
        return flags + kind, piece.doc
    return f"{flags}ll{kind}", _call_of_shown(printer, expr, piece)


def _call_of_shown(printer: Printer, expr: kir.Expr, piece: Piece) -> Doc:
    printer.use("shown", dtype_of(expr))
    return group("shown(", piece.doc, ")")


def assert_line(printer: Printer, reports: Reports, stmt: kir.Assert) -> Doc:
    """What ends the thread where the condition is false."""
    operands = [printer.plain(each) for each in stmt.place]
    record = [RECORD] if printer.backend.is_gpu else []
    number = str(reports.number(stmt))
    call = group("fail(", group(*joined([*record, number, *operands])), ");")
    return group(keyword_line("if", printer.plain(negated(stmt.cond))), " ", call)

"""KIR statements as lines of C++: one statement a line, the Python statement that it comes from above it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

from transpile.diagnostics.core import InternalError
from transpile.dtypes import I64
from transpile.emit import doc
from transpile.emit.comments import comment, directive
from transpile.emit.cxx import Printer
from transpile.emit.doc import INDENT, SPACE, Doc, group, joined
from transpile.emit.groups import store_groups
from transpile.emit.literals import INT_MAX
from transpile.emit.pieces import is_bool_of_memory, keyword_line
from transpile.emit.reports import Reports, assert_line, print_line
from transpile.emit.walk import reads
from transpile.ir import kir
from transpile.ir.kir_walk import blocks_of, dtype_of
from transpile.typing.types import Pointer, Scalar, Vec, largest

Lines: TypeAlias = Literal["comment", "directive", "none"]

# What the tiles, and the copies of variables, of one function may take of the CPU's stack; others are allocated.
STACK_BYTES: Final = 256 * 1024

ACCESS_BYTES: Final = 16  # of several elements at once

_UPDATES: Final = {"add": "+=", "sub": "-=", "mul": "*=", "truediv": "/="}
_ENDS: Final = (kir.Break, kir.Continue, kir.Return)


def type_name(type_: kir.VarType) -> str:
    """The C++ type, ready for a name behind it."""
    match type_:
        case Scalar():
            return f"{type_.dtype.cxx} "
        case Vec():
            return f"vec<{type_.dtype.cxx}, {type_.count}> "
        case Pointer():
            return f"{'const ' if type_.const else ''}{type_.dtype.cxx} *"
    raise InternalError("the type of a variable", type_)


def abi_name(type_: kir.VarType) -> str:
    """The same in the C ABI, where narrow floats are their bits."""
    own = type_.dtype.abi
    return type_name(replace(type_, dtype=replace(type_.dtype, cxx=own)) if own else type_)


def from_abi(parameter: kir.Var) -> str:
    """The parameter of an entry point as its function takes it."""
    type_, name = parameter.type, parameter.name
    if not type_.dtype.is_narrow_float:
        return name
    return (
        f"reinterpret_cast<{type_name(type_)}>({name})"
        if isinstance(type_, Pointer)
        else f"{type_.dtype.cxx}{{{name}}}"
    )


@dataclass(frozen=True)
class Writer:
    """Writes the statements of one function."""

    printer: Printer
    lines: Lines
    unread: frozenset[str] = frozenset()
    stack: list[int] = field(default_factory=lambda: [STACK_BYTES])
    reports: Reports = field(default_factory=lambda: Reports.of(()))

    def block(self, stmts: Sequence[kir.Stmt], indent: int) -> list[str]:
        written: list[str] = []
        note: kir.Comment | None = None
        for place, stmt in enumerate(stmts):
            if isinstance(stmt, kir.Comment):
                written += self._noted(note, [], indent)
                note = stmt
                continue
            is_only = not stmts[place + 1 :] or isinstance(stmts[place + 1], kir.Comment)
            made = self.stmt(stmt, indent)
            written += self._noted(note, made, indent, beside=is_only or bool(blocks_of(stmt)))
            note = None
            if isinstance(stmt, _ENDS):
                return written
        return written + self._noted(note, [], indent)

    def _noted(self, note: kir.Comment | None, made: list[str], indent: int, *, beside: bool = False) -> list[str]:
        """The lines of a statement under its note, or behind it where it is short and says all that the note covers."""
        if note is None:
            return made
        if self.lines != "comment":
            return [*([directive(note.span)] if self.lines == "directive" else []), *made]
        if beside and [line.strip() for line in made] == [f"{note.text};"]:
            return made  # the same words twice
        text = comment(note.text, 0)
        is_one_line = len(made) == 1 or (made and made[0].endswith("{"))
        if beside and is_one_line and len(text) == 1 and len(made[0]) + 2 + len(text[0]) <= doc.WIDTH:
            return [f"{made[0]}  {text[0]}", *made[1:]]
        return [*comment(note.text, indent), *made]

    def stmt(self, stmt: kir.Stmt, indent: int) -> list[str]:
        match stmt:
            case kir.Assign(target=kir.Var() as target, value=kir.Apply(op="where") as value) if (
                value.operands[2] == target
            ):
                # A select in a loop that carries it is a longer chain of dependent instructions than a branch.
                kept = kir.Assign(target, value.operands[1])
                return self._compound(keyword_line("if", self.printer.plain(value.operands[0])), (kept,), indent)
            case kir.Declare(var=kir.Var(type=Vec() as held)) if not self._fits_stack(
                largest(held.count) * held.dtype.bytes
            ):
                return self._allocated(stmt, indent)
            case kir.DeclareArray(count=kir.Var() as count):
                return self._sized_array(stmt, count, indent)
            case kir.Declare() | kir.DeclareArray() | kir.Assign() | kir.Evaluate() | kir.Return() | kir.Barrier():
                return self._line(indent, self._simple(stmt))
            case kir.Print(is_of_program=True) if self.printer.backend.is_gpu and self.printer.threads != 1:
                first = f"if ({self.printer.backend.spelling.place('lane_thread')}.x == 0)"
                return self._compound(first, (replace(stmt, is_of_program=False),), indent)
            case kir.Print():
                return self._line(indent, print_line(self.printer, stmt))
            case kir.Assert():
                return self._line(indent, assert_line(self.printer, self.reports, stmt))
            case kir.Break():
                return self._line(indent, "break;")
            case kir.Continue():
                return self._line(indent, "continue;")
            case kir.If():
                return self._if(stmt, indent)
            case kir.For():
                return self._for(stmt, indent)
            case kir.While():
                return self._compound(keyword_line("while", self.printer.plain(stmt.test)), stmt.body, indent)
            case kir.LaneLoop():
                return self._lane_loop(stmt, indent)
        raise InternalError("a statement that C++ has no spelling for on this target", stmt)

    # ------------------------------------------------------------ simple statements

    def _simple(self, stmt: kir.Stmt) -> Doc:
        match stmt:
            case kir.Declare():
                return self._declare(stmt)
            case kir.DeclareArray():
                return self._declare_array(stmt)
            case kir.Assign():
                return self._assign(stmt)
            case kir.Evaluate():
                return group(self.printer.plain(stmt.value), ";")
            case kir.Return():
                return "return;" if stmt.value is None else group("return ", self.printer.value(stmt.value), ";")
            case kir.Barrier():
                return f"{'__syncthreads()' if stmt.scope == 'block' else self._sync_group()};"
        raise InternalError("a statement of one line", stmt)

    def _declare_array(self, stmt: kir.DeclareArray) -> str:
        word = f"alignas({ACCESS_BYTES}) " if stmt.is_aligned else ""
        if stmt.space == "shared" and self.printer.backend.is_gpu:
            word += "__shared__ "
        elif stmt.space == "shared":
            self.printer.use("undefined", I64)
        zero = " = {}" if stmt.zeroed else ""
        return f"{self._unread(stmt.var)}{word}{dtype_of(stmt.var).cxx} {stmt.var.name}[{stmt.count}]{zero};"

    def _sized_array(self, stmt: kir.DeclareArray, count: kir.Var, indent: int) -> list[str]:
        """An array that the launch sizes; on a GPU the plan of the shared memory has it."""
        self.printer.use("memory", dtype_of(stmt.var))
        name, type_ = stmt.var.name, dtype_of(stmt.var).cxx
        made = f"const std::unique_ptr<{type_}[]> {name}_memory(new {type_}[{count.name}]);"
        return [
            *self._line(indent, made),
            *self._line(indent, f"{self._unread(stmt.var)}{type_} *const {name} = {name}_memory.get();"),
        ]

    def _sync_group(self) -> str:
        call = self.printer.backend.spelling.sync_group
        if call == "sync_group()":
            self.printer.use("sync_group", I64)
        return call

    def _declare(self, stmt: kir.Declare) -> Doc:
        type_ = self._type_name(stmt.var.type)
        if stmt.value is None:
            return f"{self._unread(stmt.var)}{type_}{stmt.var.name};"
        if not stmt.mutable:
            type_ = f"{type_}const " if isinstance(stmt.var.type, Pointer) else f"const {type_}"
        value = self.printer.value(stmt.value, stmt.var)
        return group(f"{self._unread(stmt.var)}{type_}{stmt.var.name} =", SPACE, value, ";")

    def _type_name(self, type_: kir.VarType) -> str:
        return type_name(type_)

    def _fits_stack(self, size: int) -> bool:
        """Takes `size` bytes of what is left of the function's stack, if they are; a GPU has its own ways."""
        if self.printer.backend.is_gpu:
            return True
        if size > self.stack[0]:
            return False
        self.stack[0] -= size
        return True

    def _allocated(self, stmt: kir.Declare, indent: int) -> list[str]:
        """A tile off the stack: as before, but by reference."""
        self.printer.use("memory", dtype_of(stmt.var))
        name, type_ = stmt.var.name, type_name(stmt.var.type).rstrip()
        lines = self._line(indent, f"const std::unique_ptr<{type_}> {name}_memory(new {type_});")
        lines += self._line(indent, f"{self._unread(stmt.var)}{type_} &{name} = *{name}_memory;")
        return (
            lines if stmt.value is None else lines + self._line(indent, self._assign(kir.Assign(stmt.var, stmt.value)))
        )

    def _unread(self, var: kir.Var) -> str:
        """Compilers warn of what is only written, unless they are told that it may be so."""
        return "[[maybe_unused]] " if var.name in self.unread else ""

    def _assign(self, stmt: kir.Assign) -> Doc:
        if isinstance(stmt.target, kir.Groups):
            return group(store_groups(self.printer, stmt.target, stmt.value), ";")
        target = self._target(stmt.target)
        value = stmt.value
        operand = self._update(value, stmt.target)
        if operand is not None and isinstance(value, kir.Apply):
            return group(target, f" {_UPDATES[value.op]}", SPACE, operand, ";")
        return group(target, " =", SPACE, self.printer.value(value, stmt.target), ";")

    def _update(self, value: kir.Expr, target: kir.Expr) -> Doc | None:
        """What stands behind `op=`, where the assignment is one that C++ has an operator for."""
        if not isinstance(value, kir.Apply) or value.op not in _UPDATES or value.operands[0] != target:
            return None
        if is_bool_of_memory(target):
            return None
        return self.printer.update(value, target) if value.dtype.is_float or value.exact else None

    def _target(self, target: kir.Target) -> Doc:
        return self.printer.element(target) if isinstance(target, kir.Element) else self.printer.piece(target).doc

    # ------------------------------------------------------------ control

    def _if(self, stmt: kir.If, indent: int) -> list[str]:
        header = keyword_line("if", self.printer.plain(stmt.cond))
        if not stmt.orelse:
            return self._compound(header, stmt.then, indent)
        written = self._open(header, indent) + self.block(stmt.then, indent + INDENT)
        if isinstance(stmt.orelse[-1], kir.If) and all(_is_elif(each) for each in stmt.orelse[:-1]):
            chained = self.block(stmt.orelse, indent)
            if chained[0].lstrip().startswith("if ") and chained[0].partition("//")[0].rstrip().endswith("{"):
                return [*written, f"{' ' * indent}}} else {chained[0].lstrip()}", *chained[1:]]
        return [*written, f"{' ' * indent}}} else {{", *self.block(stmt.orelse, indent + INDENT), f"{' ' * indent}}}"]

    def _for(self, stmt: kir.For, indent: int) -> list[str]:
        name, counters = stmt.var.name, self.printer.counters
        most = self._most(stmt)
        if most is None:
            counters.pop(name, None)  # of a lane loop before
            return self._compound(self._for_header(stmt, "int64_t"), stmt.body, indent)
        counters[name] = most
        try:
            return self._compound(self._for_header(stmt, "int"), stmt.body, indent)
        finally:
            del counters[name]  # another loop may have a counter of this name

    def _most(self, stmt: kir.For) -> int | None:
        """The largest value of a counter that `int` can count, from 0 up; None for any other. On a GPU that is fewer
        instructions a turn; the CPU's vectoriser would rather have all integers of one width."""
        if not self.printer.backend.is_gpu or stmt.counted or stmt.down or not isinstance(stmt.step, kir.Lit):
            return None
        start, stop = self.printer.piece(stmt.start).narrow, self.printer.piece(stmt.stop).narrow
        if start is None or start[0] < 0 or stop is None or stop[1] + stmt.step.value > INT_MAX:
            return None
        return max(stop[1] - 1, 0)

    def _for_header(self, stmt: kir.For, type_: str) -> Doc:
        name, printer = stmt.var.name, self.printer
        if stmt.counted:
            printer.use("range", I64)
            bounds = group(*joined(printer.plain(bound) for bound in (stmt.start, stmt.stop, stmt.step)))
            # Another loop may have a counter of this name, so the body itself is asked.
            mark = "[[maybe_unused]] " if name not in reads(stmt.body) else ""
            return group(f"for ({mark}const int64_t {name} : range(", bounds, "))")
        start, stop = printer.plain(stmt.start), printer.right_of_comparison(stmt.stop)
        if type_ == "int" and printer.piece(stmt.stop).is_unsigned:
            stop = group("int(", printer.plain(stmt.stop), ")")
        return group(
            f"for ({type_} {name} =",
            SPACE,
            start,
            ";",
            SPACE,
            f"{name} {'>' if stmt.down else '<'} ",
            stop,
            ";",
            SPACE,
            *self._advance(stmt),
            ")",
        )

    def _advance(self, stmt: kir.For) -> tuple[Doc, ...]:
        name, step = stmt.var.name, stmt.step
        if isinstance(step, kir.Lit) and abs(step.value) == 1:
            return (f"++{name}" if step.value > 0 else f"--{name}",)
        if isinstance(step, kir.Lit) and I64.min < step.value < 0:
            return (f"{name} -= {-step.value}",)
        return (f"{name} += ", self.printer.plain(step))

    def _lane_loop(self, stmt: kir.LaneLoop, indent: int) -> list[str]:
        name = stmt.var.name
        self.printer.counters[name] = largest(stmt.count) - 1
        loop = f"for (int {name} = 0; {name} < {stmt.count}; ++{name})"
        if stmt.owners is None:
            return self._compound(loop, stmt.body, indent)
        place = self.printer.backend.spelling.place("lane_thread")
        inner = self._compound(loop, stmt.body, indent + INDENT)
        pad = " " * indent
        return [f"{pad}if ({place}.x < {stmt.owners}) {{", *inner, f"{pad}}}"]

    def _compound(self, header: Doc, body: Sequence[kir.Stmt], indent: int) -> list[str]:
        """`header` and its body: on one line where that is a single statement and fits, else in braces."""
        one_line = kir.Assign | kir.Evaluate | kir.Print | kir.Return | kir.Break | kir.Continue
        if len(body) == 1 and isinstance(body[0], one_line):
            only = self.stmt(body[0], indent)
            one = f"{' ' * indent}{doc.flat(header)} {only[0].lstrip()}"
            if len(only) == 1 and len(one) <= doc.WIDTH:
                return [one]
        return [*self._open(header, indent), *self.block(body, indent + INDENT), f"{' ' * indent}}}"]

    def _open(self, header: Doc, indent: int) -> list[str]:
        return list(doc.lines(group(header, " {"), indent, indent + 2 * INDENT))

    def _line(self, indent: int, text: Doc) -> list[str]:
        return list(doc.lines(text, indent))


def _is_elif(stmt: kir.Stmt) -> bool:
    return isinstance(stmt, kir.Comment) and stmt.text.startswith("elif ")


def _bytes(held: Vec) -> int:
    return largest(held.count) * held.dtype.bytes

"""Launchers and entry points: host code, where arithmetic is checked and every failure is a status."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from transpile.diagnostics.core import InternalError
from transpile.dtypes import BOOL, I32, I64
from transpile.emit import doc
from transpile.emit.doc import INDENT, SPACE, Doc, group, joined
from transpile.emit.pieces import PRIMARY, is_positive, wrapped
from transpile.emit.statements import Writer, abi_name, type_name
from transpile.ir import kir
from transpile.ir.kir_walk import dtype_of
from transpile.typing.types import Pointer

_OVERFLOWING: Final = ("add", "sub", "mul")
_DIVIDING: Final = ("truediv", "floordiv", "mod")
_HELPED: Final = ("int", "neg", "abs", "floordiv", "mod", "shl", "shr")


@dataclass(frozen=True)
class HostWriter(Writer):
    """Writes the body of a launcher. `symbols` gives the entry point of each kernel, by key."""

    symbols: Mapping[str, str] = field(default_factory=dict)

    def body(self, stmts: Sequence[kir.Stmt]) -> list[str]:
        """The whole body: a launch that ends it returns its status at once."""
        if stmts and isinstance(stmts[-1], kir.Return) and stmts[-1].value is None:
            stmts = stmts[:-1]
        if stmts and isinstance(stmts[-1], kir.Launch):
            call = self._call(stmts[-1])
            return [*self.block(stmts[:-1], INDENT), *self._line(INDENT, group("return ", call, ";"))]
        return [*self.block(stmts, INDENT), f"{' ' * INDENT}return status::ok;"]

    def stmt(self, stmt: kir.Stmt, indent: int) -> list[str]:
        match stmt:
            case kir.Launch():
                header = group("if (const int32_t failed = ", self._call(stmt), ") return failed;")
                return self._line(indent, header)
            case kir.Checked():
                return self._checked(stmt, indent)
            case kir.Return():
                return [f"{' ' * indent}return status::ok;"]
            case _:
                return super().stmt(stmt, indent)

    def _call(self, stmt: kir.Launch) -> Doc:
        operands = [*map(self.printer.plain, (*stmt.grid, *stmt.block)), *map(self._passed, stmt.arguments)]
        return group(f"{self.symbols[stmt.kernel]}(", group(*joined([*operands, "stream"])), ")")

    def _passed(self, argument: kir.Expr) -> Doc:
        """An argument with the type that it has in the C ABI."""
        is_pointer = isinstance(argument, kir.PointerAdd) or (
            isinstance(argument, kir.Var) and isinstance(argument.type, Pointer)
        )
        if is_pointer or not dtype_of(argument).is_narrow_float:
            return self.printer.plain(argument)
        if isinstance(argument, kir.Var) and argument.name in self.printer.held_as_bits:
            return argument.name
        piece = self.printer.piece(argument)
        return group(wrapped(piece, piece.strength < PRIMARY), ".bits")

    def _type_name(self, type_: kir.VarType) -> str:
        """Pointers are those of the C ABI."""
        return abi_name(type_) if isinstance(type_, Pointer) else type_name(type_)

    def _checked(self, stmt: kir.Checked, indent: int) -> list[str]:
        dtype = dtype_of(stmt.var)
        if dtype.is_float or (dtype.kind == "uint" and stmt.op in _DIVIDING):
            return self._checked_division(stmt, indent)
        if dtype.kind == "uint" and stmt.op == "shr":
            return self._give(stmt, self.printer.value(kir.Apply(stmt.op, stmt.operands, dtype)), indent)
        if stmt.op in ("floordiv", "mod") and is_positive(stmt.operands[1]):
            return self._give(stmt, self.printer.value(kir.Apply(stmt.op, stmt.operands, dtype)), indent)
        typed = [self._typed(operand) for operand in stmt.operands]
        declare = [f"{' ' * indent}{type_name(stmt.var.type)}{stmt.var.name};"] if stmt.declares else []
        if stmt.op == "int" and not dtype_of(stmt.operands[0]).is_float:
            typed.append("0")  # a sum is made without limits, then checked as it is kept
        if stmt.op in _OVERFLOWING or len(typed) > len(stmt.operands):
            name = stmt.op if stmt.op in _OVERFLOWING else "add"
            call = group(f"__builtin_{name}_overflow(", group(*joined([*typed, f"&{stmt.var.name}"])), ")")
            return [*declare, *self._line(indent, group("if (", call, ") return status::overflow;"))]
        if stmt.op in _HELPED:
            name = self.printer.use(f"checked_{stmt.op}", dtype)
        else:
            raise InternalError("host arithmetic that is not checked", stmt)
        call = group(f"{name}(", group(*joined([*typed, f"&{stmt.var.name}"])), ")")
        return [*declare, *self._line(indent, group("if (const int32_t failed = ", call, ") return failed;"))]

    def _checked_division(self, stmt: kir.Checked, indent: int) -> list[str]:
        """A division of floats or of unsigned integers: Python refuses a zero divisor."""
        divisor = stmt.operands[1]
        test: list[str] = []
        if not (isinstance(divisor, kir.Lit) and divisor.value != 0):
            compared = self.printer.piece(kir.Apply("eq", (divisor, kir.Lit(0, dtype_of(divisor))), BOOL)).doc
            test = self._line(indent, group("if (", compared, ") return status::zero_division;"))
        plain = kir.Apply(stmt.op, stmt.operands, dtype_of(stmt.var))
        return [*test, *self._give(stmt, self.printer.value(plain), indent)]

    def _give(self, stmt: kir.Checked, value: Doc, indent: int) -> list[str]:
        declare = f"const {type_name(stmt.var.type)}" if stmt.declares else ""
        return self._line(indent, group(f"{declare}{stmt.var.name} =", SPACE, value, ";"))

    def _typed(self, operand: kir.Expr) -> Doc:
        """The operand with its own C++ type: the checks are made in the width of their operands."""
        piece = self.printer.piece(operand)
        dtype = dtype_of(operand)
        if piece.narrow is not None and dtype is I64:
            return group("int64_t(", piece.doc, ")")
        is_typed = dtype in (I32, I64) or dtype.is_float or not piece.is_literal
        return piece.doc if is_typed else group(f"{dtype.cxx}(", piece.doc, ")")


def signature(opening: str, parameters: Sequence[str], ending: str) -> tuple[str, ...]:
    """A function's head, its parameters aligned under the first where there is room."""
    column = len(opening)
    return doc.lines(group(opening, group(*joined(parameters)), ending), 0, column if column <= 56 else 2 * INDENT)

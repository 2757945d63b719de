"""The loops over a block's threads in which thread kernels run on the CPU, and the copies of variables that they keep.

The innermost loop over a whole block is over x, so that a compiler can vectorise it. Copies that would crowd the stack
are allocated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from transpile.dtypes import I64
from transpile.emit import doc
from transpile.emit.doc import INDENT, SPACE, Doc, group
from transpile.emit.statements import Writer, type_name
from transpile.emit.walk import without_unread
from transpile.ir import kir
from transpile.ir.kir_walk import all_stmts, dtype_of, map_block, nodes, read_by
from transpile.typing.types import Pointer, Scalar, Size, Vec, largest

GROUP: Final = 32
POWERS: Final = (1, 2, 4, 8, 16)
MAX_THREADS: Final = 1024
POINTER_BYTES: Final = 8


@dataclass(frozen=True)
class BlockWriter(Writer):
    """Writes a thread kernel as a function of one block. `whole_groups`: the block is a multiple of 32 threads."""

    whole_groups: bool = False

    def stmt(self, stmt: kir.Stmt, indent: int) -> list[str]:
        match stmt:
            case kir.ThreadLoop():
                stmt = replace(stmt, body=without_unread(stmt.body))
                return self._first(stmt, indent) if stmt.first else self._threads(stmt, indent)
            case kir.GroupLoop():
                name = stmt.var.name
                self.printer.use("block_groups", I64)
                header = f"for (int64_t {name} = 0; {name} < groups(block_dim); ++{name})"
                return self._compound(header, stmt.body, indent)
            case kir.DeclareSlots():
                return self._slots(stmt, indent)
            case _:
                return super().stmt(stmt, indent)

    def _declare(self, stmt: kir.Declare) -> Doc:
        """A variable may be assigned in a loop over threads and read after it: g++ does not see that the loop runs."""
        if stmt.value is None:
            return f"{self._unread(stmt.var)}{type_name(stmt.var.type)}{stmt.var.name} = {{}};"
        return super()._declare(stmt)

    # ------------------------------------------------------------ loops

    def _threads(self, stmt: kir.ThreadLoop, indent: int) -> list[str]:
        return self._whole_block(stmt, indent) if stmt.group is None else self._one_group(stmt, indent)

    def _whole_block(self, stmt: kir.ThreadLoop, indent: int) -> list[str]:
        loops = ("thread_id_z", "thread_id_y", "thread_id_x") if stmt.x is None else ("thread_id_z", "thread_id_y")
        inner = indent + len(loops) * INDENT
        body: list[str] = []
        if stmt.x is not None and (stmt.thread is not None or 0 in _axes_read(stmt.body)):
            body.append(f"{' ' * inner}const int64_t thread_id_x = {stmt.x};")
        if stmt.thread is not None:
            number = group("thread_id_x +", SPACE, "block_dim.x * (thread_id_y + block_dim.y * thread_id_z)")
            body += doc.lines(group(f"const int64_t {stmt.thread.name} =", SPACE, number, ";"), inner)
        body += self.block(stmt.body, inner)
        headers = [
            f"{' ' * (indent + depth * INDENT)}for (int64_t {name} = 0; {name} < block_dim.{name[-1]}; ++{name})"
            for depth, name in enumerate(loops)
        ]
        return [*headers[:-1], f"{headers[-1]} {{", *body, f"{' ' * (inner - INDENT)}}}"]

    def _one_group(self, stmt: kir.ThreadLoop, indent: int) -> list[str]:
        assert stmt.group is not None
        lane = stmt.lane.name if stmt.lane is not None else "lane_in_group"
        count = f"{GROUP}"
        if not self.whole_groups:
            self.printer.use("block_group_size", I64)
            count = f"group_size(block_dim, {stmt.group.name})"
        inside, before = self._exchanged(stmt, indent)
        body = self._place_in_block(stmt, lane, " " * (indent + INDENT))
        body += self.block(inside, indent + INDENT)
        header = f"{' ' * indent}for (int64_t {lane} = 0; {lane} < {count}; ++{lane}) {{"
        return [*before, header, *body, f"{' ' * indent}}}"]

    def _exchanged(self, stmt: kir.ThreadLoop, indent: int) -> tuple[tuple[kir.Stmt, ...], list[str]]:
        """The body and what stands before the loop: values of the lanes across a power of two are brought over as a
        whole, since one by one they would be a gather, the slowest of a vectorised loop's loads."""
        targets = (each.target for each in all_stmts(stmt.body) if isinstance(each, kir.Assign))
        written = {target.var.name for target in targets if isinstance(target, kir.Slot)}
        before: dict[str, str] = {}

        def bring(expr: kir.Expr) -> kir.Expr:
            match expr:
                case kir.Slot(kir.Var(name, Scalar(dtype)), kir.Apply("xor", (index, kir.Lit(mask)))) if (
                    index == stmt.lane and name not in written and mask in POWERS
                ):
                    other = kir.Var(f"{name}_across_{mask}", Vec(dtype, GROUP))
                    self.printer.use("across", dtype)
                    call = f"across<{mask}>({name})"
                    before[other.name] = f"{' ' * indent}const {type_name(other.type)}{other.name} = {call};"
                    return kir.Element(other, index, dtype)
            return expr

        return map_block(stmt.body, bring), list(before.values())

    def _place_in_block(self, stmt: kir.ThreadLoop, lane: str, pad: str) -> list[str]:
        """The thread's number and those of its coordinates that the body reads."""
        assert stmt.group is not None
        axes = _axes_read(stmt.body)
        written: list[str] = []
        number = stmt.thread.name if stmt.thread is not None else "thread_in_block"
        if stmt.thread is not None or axes:
            written.append(f"{pad}const int64_t {number} = {stmt.group.name} * {GROUP} + {lane};")
        for axis in axes:
            self.printer.use(f"block_{'xyz'[axis]}", I64)
            written.append(f"{pad}const int64_t thread_id_{'xyz'[axis]} = {'xyz'[axis]}_of({number}, block_dim);")
        return written

    def _first(self, stmt: kir.ThreadLoop, indent: int) -> list[str]:
        """What is the same in all threads, once; in a block of its own, that a `continue` of the body leaves."""
        pad, inner = " " * indent, " " * (indent + INDENT)
        body: list[str] = []
        self.printer.use("undefined", I64)
        if stmt.group is None:
            if stmt.thread is not None:
                body.append(f"{inner}const int64_t {stmt.thread.name} = 0;")
            body += [f"{inner}const int64_t thread_id_{'xyz'[axis]} = 0;" for axis in _axes_read(stmt.body)]
        else:
            lane = stmt.lane.name if stmt.lane is not None else "0"
            if stmt.lane is not None:
                body.append(f"{inner}const int64_t {lane} = 0;")
            body += self._place_in_block(stmt, lane, inner)
        body += self.block(stmt.body, indent + INDENT)
        if any(isinstance(each, kir.Continue) for each in _at_this_level(stmt.body)):
            return [f"{pad}do {{", *body, f"{pad}}} while (false);"]
        return [f"{pad}{{", *body, f"{pad}}}"]

    # ------------------------------------------------------------ copies

    def _slots(self, stmt: kir.DeclareSlots, indent: int) -> list[str]:
        pad, name, type_ = " " * indent, stmt.var.name, type_name(stmt.var.type)
        if stmt.count != 1:
            type_ = f"{dtype_of(stmt.var).cxx} "
        is_pointer = isinstance(stmt.var.type, Pointer) and stmt.count == 1
        owners = GROUP if stmt.group else MAX_THREADS
        count = f"{stmt.count} * {owners}" if isinstance(stmt.count, Size) else f"{stmt.count * owners}"
        size = largest(stmt.count) * owners * (POINTER_BYTES if is_pointer else dtype_of(stmt.var).bytes)
        zero = " = {}" if stmt.zeroed else ""
        if self._fits_stack(size):
            return [f"{pad}{self._unread(stmt.var)}{type_}{name}[{count}]{zero};"]
        self.printer.use("memory", I64)
        plain = type_.rstrip()
        pointer = f"{plain}{'' if plain.endswith('*') else ' '}*const {name} = {name}_memory.get();"
        return [
            f"{pad}const std::unique_ptr<{plain}[]> {name}_memory(new {plain}[{count}]{'()' if stmt.zeroed else ''});",
            f"{pad}{self._unread(stmt.var)}{pointer}",
        ]


def _axes_read(body: Sequence[kir.Stmt]) -> list[int]:
    found = {
        node.axis
        for stmt in all_stmts(body)
        for expr in read_by(stmt)
        for node in nodes(expr)
        if isinstance(node, kir.Place) and node.kind == "thread_id"
    }
    return sorted(found)


def _at_this_level(body: Sequence[kir.Stmt]) -> list[kir.Stmt]:
    """The statements that a `continue` of this loop may be among: not those of the loops inside."""
    found: list[kir.Stmt] = []
    for stmt in body:
        found.append(stmt)
        if isinstance(stmt, kir.If):
            found += _at_this_level((*stmt.then, *stmt.orelse))
    return found

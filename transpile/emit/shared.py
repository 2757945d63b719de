"""The shared memory of a GPU kernel: arrays of fixed size as they are, or slices of one dynamic buffer where they are
more than a block gets without asking."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from transpile.backends.backend import Backend
from transpile.emit.pieces import dtype_of
from transpile.emit.statements import ACCESS_BYTES
from transpile.ir import kir
from transpile.ir.kir_walk import all_stmts, is_shared_array
from transpile.typing.types import largest


@dataclass(frozen=True, slots=True)
class SharedPlan:
    """`lines` declare the slices and `bytes` is the size of the dynamic buffer (0: the arrays stay as they are)."""

    lines: tuple[str, ...] = ()
    bytes: int = 0

    def rest(self, body: Sequence[kir.Stmt]) -> tuple[kir.Stmt, ...]:
        """The body without the declarations that the plan has taken over."""
        return tuple(stmt for stmt in body if not (self.bytes and is_shared_array(stmt)))


def plan_shared(function: kir.Function, backend: Backend) -> SharedPlan:
    """How `function` declares its shared arrays."""
    arrays = [stmt for stmt in all_stmts(function.body) if is_shared_array(stmt)]
    if not backend.is_gpu or sum(_bytes(array) for array in arrays) <= backend.shared_plain:
        return SharedPlan()
    lines = ["    extern __shared__ double dynamic_shared[];"]
    offset = 0
    # The widest first: then every slice is aligned.
    for array in sorted(arrays, key=lambda array: -dtype_of(array.var).bytes):
        cxx = dtype_of(array.var).cxx
        start = f"dynamic_shared + {offset // 8}" if offset % 8 == 0 else ""
        if not start:
            start = f"reinterpret_cast<char *>(dynamic_shared) + {offset}"
        if offset == 0:
            start = "dynamic_shared"
        value = start if cxx == "double" else f"reinterpret_cast<{cxx} *>({start})"
        lines.append(f"    {cxx} *const {array.var.name} = {value};")
        offset += _bytes(array)
        if any(each.is_aligned for each in arrays):
            offset = -(-offset // ACCESS_BYTES) * ACCESS_BYTES
    return SharedPlan(tuple(lines), offset)


def _bytes(array: kir.DeclareArray) -> int:
    return largest(array.count) * dtype_of(array.var).bytes

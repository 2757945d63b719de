"""The shared memory of a kernel: on a GPU arrays of fixed size as they are, or slices of one dynamic buffer where they
are more than a block gets without asking, or where the launch says the size of one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from transpile.backends.backend import Backend
from transpile.emit.statements import ACCESS_BYTES
from transpile.ir import kir
from transpile.ir.kir_walk import dtype_of, is_shared_array, shared_arrays
from transpile.typing.memory import buffer_bytes
from transpile.typing.types import largest


@dataclass(frozen=True, slots=True)
class Sized:
    """The array that the launch sizes: `count` elements of `bytes` each, at most `most`."""

    count: str
    bytes: int
    most: int


@dataclass(frozen=True, slots=True)
class SharedPlan:
    """`lines` declare the slices of the dynamic buffer, if there is one (without, the arrays stay as they are), `bytes`
    is the size of its slices of fixed size, and `sized` the slice after them."""

    lines: tuple[str, ...] = ()
    bytes: int = 0
    sized: Sized | None = None

    @property
    def is_dynamic(self) -> bool:
        return bool(self.lines)

    @property
    def size(self) -> str:
        """The size of the dynamic buffer, in C++."""
        if self.sized is None:
            return str(self.bytes)
        fixed = f"{self.bytes} + " if self.bytes else ""
        return f"int({fixed}{self.sized.count}{f' * {self.sized.bytes}' if self.sized.bytes > 1 else ''})"

    def rest(self, body: Sequence[kir.Stmt]) -> tuple[kir.Stmt, ...]:
        """The body without the declarations that the plan has taken over."""
        return tuple(stmt for stmt in body if not (self.is_dynamic and is_shared_array(stmt)))


def plan_shared(function: kir.Function, backend: Backend) -> SharedPlan:
    """How `function` declares its shared arrays."""
    arrays = shared_arrays(function.body)
    sized = next((array for array in arrays if isinstance(array.count, kir.Var)), None)
    if not backend.is_gpu:
        return SharedPlan(sized=_sized(sized, buffer_bytes([*map(_bytes, arrays), 0]), backend))
    if sized is None and sum(_bytes(array) for array in arrays) <= backend.shared_plain:
        return SharedPlan()
    lines = ["    extern __shared__ double dynamic_shared[];"]
    offset = 0
    # The widest first: then every slice is aligned. What the launch sizes is the last, and begins as arrays do.
    for array in sorted(arrays, key=lambda array: (array is sized, -dtype_of(array.var).bytes)):
        if array is sized:
            offset = -(-offset // ACCESS_BYTES) * ACCESS_BYTES
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
    return SharedPlan(tuple(lines), offset, _sized(sized, offset, backend))


def _sized(array: kir.DeclareArray | None, fixed: int, backend: Backend) -> Sized | None:
    if array is None or not isinstance(array.count, kir.Var):
        return None
    width = dtype_of(array.var).bytes
    return Sized(array.count.name, width, (backend.shared_limit - fixed) // width)


def _bytes(array: kir.DeclareArray) -> int:
    """Of an array of fixed size."""
    return 0 if isinstance(array.count, kir.Var) else largest(array.count) * dtype_of(array.var).bytes

"""What the checking of one function needs and changes: its builder, its variables, what is bound now, where faults go.

The rest of this package is functions that are given a `Context`. Every fault is reported and its expression becomes
`None` (poison), of which nothing more is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field

from transpile import dtypes
from transpile.diagnostics import typing as faults
from transpile.diagnostics.core import Diagnostic, InternalError, Sink
from transpile.dtypes import DType
from transpile.ir import hir, tir
from transpile.ir.builder import Builder
from transpile.ir.tir import Value
from transpile.typing.constants import round_to
from transpile.typing.operand import Operand
from transpile.typing.program import Program
from transpile.typing.scopes import Memo, assigned_names
from transpile.typing.types import Space, Tile, Type
from transpile.typing.variables import Environment, Variables

Evaluate = Callable[["Context", hir.Expression], "Operand | None"]


@dataclass
class Loop:
    """A loop being checked: what it carries, the state before it, and the names bound wherever a turn ends."""

    node: hir.For | hir.While
    names: tuple[str, ...]
    carried: tuple[Value, ...]
    before: Environment
    ends: list[tuple[str, frozenset[str]]] = field(default_factory=list)


@dataclass
class Context:
    """`env` is what names are bound to, None where the code cannot be reached: then `end` is how its block ended.
    `buffers`: the bytes of each allocation, by id() of its node; `sized` is the one that the launch sizes.
    `assumed`: see `join.Joined`."""

    function: hir.Function
    program: Program
    sink: Sink
    variables: Variables
    builder: Builder
    evaluate_expression: Evaluate
    evaluate_block: Callable[[Context, Sequence[hir.Statement]], None]
    env: Environment | None = field(default_factory=dict)
    end: tir.Terminator | None = None
    loops: list[Loop] = field(default_factory=list)
    memo: Memo = field(default_factory=dict)
    buffers: dict[Space, dict[int, int]] = field(default_factory=dict)
    parameters: tuple[Value, ...] = ()
    sized: hir.Call | None = None
    strict: bool = False
    assumed: bool = False

    def report(self, diagnostic: Diagnostic) -> None:
        self.sink.report(diagnostic)

    @property
    def bound(self) -> Environment:
        if self.env is None:
            raise InternalError("unreachable code is not checked", self.function.key)
        return self.env

    def evaluate(self, node: hir.Expression) -> Operand | None:
        return self.evaluate_expression(self, node)

    def leave(self, end: tir.Terminator) -> None:
        """The current block ends here; what follows in it cannot be reached."""
        self.env, self.end = None, end

    def unreachable(self) -> tir.Terminator:
        """An end for a block whose end is never reached."""
        returns = self.function.returns
        if self.function.kind != "device" or returns is None:
            return tir.Return()
        return tir.Return(self.builder.const(round_to(0, returns.dtype), returns.dtype))

    def assigned(self, statements: Sequence[hir.Statement]) -> tuple[str, ...]:
        """The names that `statements` may assign."""
        return assigned_names(statements, self.memo)

    # ------------------------------------------------------------ operands as TIR values

    def value(self, operand: Operand, dtype: DType | None = None) -> Value:
        """The TIR value of a scalar or tile, cast to `dtype`; a constant that does not fit is reported."""
        target = operand.dtype if dtype is None else dtype
        if operand.constant is None:
            if operand.value is None:
                raise InternalError("an operand without a value", operand)
            return self.builder.cast(operand.value, target)
        if operand.value is not None and operand.value.type.dtype is target:
            return operand.value
        if not self.fits(operand, target):
            return self.builder.const(round_to(0, target), target)
        return self.builder.const(round_to(operand.constant, target), target)

    def fits(self, operand: Operand, dtype: DType) -> bool:
        """Whether a constant fits: an integer in `dtype`, or in i64 beside floats. Reports one that does not."""
        number = operand.constant
        if isinstance(number, bool) or not isinstance(number, int) or dtype is dtypes.BOOL:
            return True
        limit = dtype if dtype.is_integer else dtypes.I64
        if limit.min <= number <= limit.max:
            return True
        self.report(faults.constant_does_not_fit(operand.span, number, limit))
        return False

    def index(self, operand: Operand) -> Value:
        """An integer or bool as i64."""
        return self.value(operand, dtypes.I64)

    def shaped(self, value: Value, shape: tuple[int, ...] | None) -> Value:
        """A scalar stretched to a tile of `shape`; None leaves it."""
        return value if shape is None else self.builder.broadcast(value, shape)

    def as_variable(self, operand: Operand, kind: Type) -> Value:
        """A binding as a value of its variable's type, which it has but while that type still grows."""
        if operand.is_pointer:
            if operand.value is None:
                raise InternalError("a pointer without a value", operand)
            return operand.value
        value = self.value(operand, kind.dtype)
        return self.shaped(value, kind.shape) if isinstance(kind, Tile) else value

    # ------------------------------------------------------------ blocks

    @contextmanager
    def collected(self) -> Iterator[list[tir.Op]]:
        """The ops built inside go to the list that this yields, and nowhere else."""
        ops: list[tir.Op] = []
        self.builder.open_block()
        try:
            yield ops
        finally:
            ops.extend(self.builder.close_block())

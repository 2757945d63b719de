"""What KIR promises, checked: run after the lowering in the tests, and by `--verify`. A violation is our fault."""

from __future__ import annotations

import re
from collections.abc import Sequence

from transpile import dtypes
from transpile.diagnostics.core import InternalError
from transpile.ir import kir
from transpile.ir.kir_walk import assigned_by, blocks_of, declared_by, dtype_of, nodes, read_by
from transpile.ops.table import OPERATIONS
from transpile.typing.types import Pointer, Scalar, Vec, largest

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


def verify_kir(module: kir.Module, *, is_gpu: bool) -> None:
    """Raises InternalError at the first broken invariant."""
    owners: list[kir.Function | kir.Launcher] = [*module.functions, *module.launchers]
    names = [owner.name for owner in owners]
    if len(set(names)) != len(names):
        raise InternalError("two functions have one name", names)
    functions = {function.name: function for function in module.functions}
    for function in module.functions:
        for each in (function, function.template):
            if each is not None:
                _Verifier(each, functions, frozenset(names), is_gpu).run(each.parameters, each.body)
    for launcher in module.launchers:
        _Verifier(launcher, functions, frozenset(names), is_gpu).run(launcher.parameters, launcher.body)


class _Verifier:
    """Of one function. A scope maps the names that are visible to their types."""

    def __init__(
        self,
        owner: kir.Function | kir.Launcher,
        functions: dict[str, kir.Function],
        taken: frozenset[str],
        is_gpu: bool,
    ) -> None:
        self.owner = owner
        self.functions = functions
        self.taken = taken
        self.is_gpu = is_gpu

    def _require(self, holds: bool, message: str, node: object) -> None:
        if not holds:
            raise InternalError(f"{self.owner.key}: {message}", node)

    def run(self, parameters: Sequence[kir.Parameter], body: Sequence[kir.Stmt]) -> None:
        scope: dict[str, kir.VarType] = {}
        for parameter in parameters:
            self._declare(parameter.var, scope)
        if isinstance(self.owner, kir.Function):
            for size in self.owner.sizes:
                scope[size.name] = Scalar(dtypes.I64)  # a static parameter may have that name already
        self._block(body, scope, frozenset(scope), in_threads=self.is_gpu or isinstance(self.owner, kir.Launcher))

    def _declare(self, var: kir.Var, scope: dict[str, kir.VarType]) -> None:
        self._require(_IDENTIFIER.fullmatch(var.name) is not None, "a name that is no identifier", var)
        self._require(var.name not in scope, "a name that hides another", var)
        self._require(var.name not in self.taken, "a name that hides a function", var)
        scope[var.name] = var.type

    def _block(
        self, block: Sequence[kir.Stmt], scope: dict[str, kir.VarType], fixed: frozenset[str], *, in_threads: bool
    ) -> None:
        """`fixed` are the names that cannot be assigned."""
        for stmt in block:
            for expr in read_by(stmt):
                self._expr(expr, scope, in_threads)
            inner_scope = dict(scope) if blocks_of(stmt) else scope
            for var in declared_by(stmt):
                self._declare(var, inner_scope)
            if isinstance(stmt, kir.Declare) and not stmt.mutable:
                self._require(stmt.value is not None, "a constant without a value", stmt)
                fixed = fixed | {stmt.var.name}
            elif (var_ := assigned_by(stmt)) is not None and not isinstance(stmt, kir.Declare):
                self._require(var_.name in scope, "an assignment to what is not declared", stmt)
                self._require(var_.name not in fixed, "an assignment to a constant", stmt)
            self._types(stmt)
            counters = {var.name for var in declared_by(stmt)}
            inside = in_threads or isinstance(stmt, kir.ThreadLoop)
            for body in blocks_of(stmt):
                self._block(body, dict(inner_scope), fixed | counters, in_threads=inside)

    def _types(self, stmt: kir.Stmt) -> None:
        match stmt:
            case kir.Declare() if stmt.value is not None and not isinstance(stmt.var.type, Vec):
                self._require(dtype_of(stmt.value) is stmt.var.type.dtype, "a value of another type", stmt)
            case kir.Assign():
                self._require(dtype_of(stmt.value) is dtype_of(stmt.target), "a value of another type", stmt)
                if isinstance(stmt.target, kir.Element) and isinstance(stmt.target.base, kir.Var):
                    kind = stmt.target.base.type
                    self._require(not (isinstance(kind, Pointer) and kind.const), "a store to a const pointer", stmt)
            case kir.If():
                self._require(dtype_of(stmt.cond) is dtypes.BOOL, "a condition is a bool", stmt)
            case kir.While():
                self._require(dtype_of(stmt.test) is dtypes.BOOL, "a condition is a bool", stmt)
            case kir.Assert():
                self._require(dtype_of(stmt.cond) is dtypes.BOOL, "a condition is a bool", stmt)
            case kir.Barrier():
                self._require(self.is_gpu, "a barrier where one thread walks the others", stmt)
            case kir.ThreadLoop() | kir.GroupLoop() | kir.DeclareSlots():
                self._require(not self.is_gpu, "a loop over threads on a GPU", stmt)
            case kir.LaneLoop():
                self._require(largest(stmt.count) >= 2, "a loop over one lane", stmt)
            case _:
                pass

    def _expr(self, expr: kir.Expr, scope: dict[str, kir.VarType], in_threads: bool) -> None:
        for node in nodes(expr):
            match node:
                case kir.Var():
                    self._require(node.name in scope, "a name that is not declared", node)
                    self._require(scope[node.name] == node.type, "a variable of two types", node)
                case kir.Apply():
                    self._apply(node)
                case kir.Call():
                    callee = self.functions.get(node.function)
                    self._require(callee is not None, "a call of an unknown function", node)
                    assert callee is not None
                    given = [dtype_of(operand) for operand in node.operands]
                    wanted = [parameter.var.type.dtype for parameter in callee.parameters]
                    self._require(given == wanted, "operands of the parameters' types", node)
                case kir.Place() if node.kind == "thread_id":
                    self._require(in_threads, "a thread's id outside the loops over threads", node)
                case kir.Atomic():
                    self._require(
                        dtype_of(node.value) is node.dtype, "an atomic with a value of the element's type", node
                    )
                case kir.Shuffle():
                    self._require(self.is_gpu, "a shuffle where one thread walks the others", node)
                case _:
                    pass

    def _apply(self, node: kir.Apply) -> None:
        row = OPERATIONS[node.op]
        self._require(len(node.operands) == row.arity, "as many operands as the row has", node)
        joined = node.operands[1:] if node.op == "where" else node.operands
        kinds = {dtype_of(operand).name for operand in joined}
        self._require(len(kinds) == 1, "operands of one type", node)
        expected = "bool" if row.result == "bool" else next(iter(kinds))
        self._require(node.dtype.name == expected, "the row's type", node)

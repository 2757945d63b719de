"""What TIR promises, checked after every pass in the tests, and by `--verify`. A violation is ours: InternalError."""

from __future__ import annotations

from collections.abc import Iterable

from transpile import dtypes
from transpile.diagnostics.core import InternalError
from transpile.ir import tir
from transpile.ir.tir import Value
from transpile.ir.walk import operands_of, result_of
from transpile.ops.atomic import ATOMICS
from transpile.ops.table import OPERATIONS, REDUCTIONS, SCANS, accumulator
from transpile.typing.types import Pointer, Scalar, Tile, Type, Vec, largest

MAX_LANES = 65_536


def verify_module(module: tir.Module) -> None:
    """Raises InternalError at the first broken invariant of any function."""
    seen: dict[str, tir.Function] = {}
    for function in module.functions:
        if function.key in seen:
            raise InternalError("two functions have one key", function.key)
        _Verifier(function, seen).run()
        seen[function.key] = function


def verify_function(function: tir.Function, callees: Iterable[tir.Function] = ()) -> None:
    """As `verify_module`, for one function that calls `callees`."""
    _Verifier(function, {callee.key: callee for callee in callees}).run()


def _same_type(left: Type, right: Type) -> bool:
    """Equal but for the const of pointers: a writable pointer may be carried where a const one is read."""
    if isinstance(left, Pointer) and isinstance(right, Pointer):
        return left.dtype is right.dtype and left.space == right.space
    return left == right


class _Verifier:
    def __init__(self, function: tir.Function, callees: dict[str, tir.Function]) -> None:
        self.function = function
        self.callees = callees
        self.defined: set[int] = set()

    def run(self) -> None:
        for parameter in self.function.parameters:
            self._define(parameter.value, parameter)
        self._block(self.function.body, set(self.defined), loop=None, results=None, nested=False)

    def _require(self, holds: bool, message: str, node: object) -> None:
        if not holds:
            raise InternalError(f"{self.function.key}: {message}", node)

    def _define(self, value: Value, node: object) -> None:
        self._require(value.id not in self.defined, f"%{value.id} is defined twice", node)
        self.defined.add(value.id)
        if isinstance(value.type, Tile):
            powers = all(size > 0 and size & (size - 1) == 0 for size in value.type.shape)
            self._require(powers and 1 <= value.type.lanes <= MAX_LANES, "a tile's sizes are powers of two", node)

    def _use(self, value: Value | None, scope: set[int], node: object) -> None:
        self._require(value is None or value.id in scope, f"{value} is used where it is not defined", node)

    def _block(
        self,
        block: tir.Block,
        scope: set[int],
        *,
        loop: tuple[Value, ...] | None,
        results: tuple[Value, ...] | None,
        nested: bool,
    ) -> None:
        """`loop`: what the innermost loop carries; `results`: what a Yield must match."""
        for op in block.ops:
            self._op(op, scope, loop)
        end = block.end
        match end:
            case tir.Return():
                self._use(end.value, scope, end)
                kind = end.value.type if end.value is not None else None
                self._require(kind == self.function.result, "a return's type is the function's", end)
            case tir.Condition():
                self._require(nested and results is None, "a condition ends only the test of a while", end)
                self._use(end.value, scope, end)
                self._require(end.value.type == Scalar(dtypes.BOOL), "a condition is a bool", end)
            case tir.Yield():
                self._require(results is not None, "nothing to yield to", end)
                self._match(end.values, results or (), scope, end)
            case tir.Break() | tir.Continue():
                self._require(loop is not None, "no loop to leave", end)
                self._match(end.values, loop or (), scope, end)

    def _match(self, values: tuple[Value, ...], into: tuple[Value, ...], scope: set[int], node: object) -> None:
        self._require(len(values) == len(into), "as many values as are carried", node)
        for value, target in zip(values, into, strict=True):
            self._use(value, scope, node)
            self._require(_same_type(value.type, target.type), f"{value} does not have {target}'s type", node)

    def _op(self, op: tir.Op, scope: set[int], loop: tuple[Value, ...] | None) -> None:
        match op:
            case tir.If():
                self._use(op.cond, scope, op)
                self._require(op.cond.type == Scalar(dtypes.BOOL), "an if's condition is a scalar bool", op)
                for block in (op.then, op.orelse):
                    self._block(block, set(scope), loop=loop, results=op.results, nested=True)
                self._results(op.results, scope, op)
            case tir.For():
                for bound in (op.start, op.stop, op.step):
                    self._use(bound, scope, op)
                    self._require(bound.type == Scalar(dtypes.I64), "bounds are i64", op)
                inner = self._carry(op.inits, op.carried, scope, op)
                self._define(op.index, op)
                inner.add(op.index.id)
                self._block(op.body, inner, loop=op.carried, results=op.carried, nested=True)
                self._match_types(op.results, op.carried, op)
                self._results(op.results, scope, op)
            case tir.While():
                inner = self._carry(op.inits, op.carried, scope, op)
                self._block(op.test, set(inner), loop=None, results=None, nested=True)
                self._block(op.body, inner, loop=op.carried, results=op.carried, nested=True)
                self._match_types(op.results, op.carried, op)
                self._results(op.results, scope, op)
            case _:
                for operand in operands_of(op):
                    self._use(operand, scope, op)
                self._types(op)
                if (result := result_of(op)) is not None:
                    self._results((result,), scope, op)

    def _carry(self, inits: tuple[Value, ...], carried: tuple[Value, ...], scope: set[int], node: object) -> set[int]:
        self._match(inits, carried, scope, node)
        inner = set(scope)
        for value in carried:
            self._define(value, node)
            inner.add(value.id)
        return inner

    def _match_types(self, left: tuple[Value, ...], right: tuple[Value, ...], node: object) -> None:
        same = len(left) == len(right) and all(_same_type(a.type, b.type) for a, b in zip(left, right, strict=True))
        self._require(same, "a loop's results are of what it carries", node)

    def _results(self, results: tuple[Value, ...], scope: set[int], node: object) -> None:
        for value in results:
            self._define(value, node)
            scope.add(value.id)

    def _types(self, op: tir.Op) -> None:
        match op:
            case tir.Apply():
                self._apply(op)
            case tir.Reduce():
                self._require(isinstance(op.operand.type, Tile), "only a tile is folded", op)
                dtype = op.operand.type.dtype
                self._require(accumulator(REDUCTIONS[op.op], dtype) is dtype, "a fold's operand is widened first", op)
            case tir.Scan():
                held = op.operand.type
                is_row = isinstance(held, Tile) and len(held.shape) == 1 and _same_type(held, op.result.type)
                self._require(is_row, "a scan of a 1-D tile gives one like it", op)
                self._require(accumulator(SCANS[op.op], held.dtype) is held.dtype, "a scan's operand is widened", op)
            case tir.Store():
                pointer = op.pointer.type
                self._require(isinstance(pointer, Pointer) and not pointer.const, "a store through a const pointer", op)
                self._require(pointer.dtype is op.value.type.dtype, "a store of the pointer's dtype", op)
            case tir.Assert():
                self._require(op.cond.type == Scalar(dtypes.BOOL), "an assert's condition is a scalar bool", op)
                self._require(len(op.place) in (0, 1, 2, 3, 6), "a place is of programs or of threads", op)
            case tir.Print():
                fits = len(op.texts) == len(op.forms) + 1 == len(op.operands) + 1
                self._require(fits, "a form for each value, and a text on each side", op)
                self._require(all(isinstance(value.type, Scalar) for value in op.operands), "scalars are printed", op)
            case tir.Pack():
                kinds = {value.type for value in op.operands}
                dtype = op.result.type.dtype
                self._require(op.result.type == Vec(dtype, len(op.operands)), "a pack holds its operands", op)
                self._require(kinds == {Scalar(dtype)}, "a pack of scalars of its dtype", op)
            case tir.Part():
                kind = op.operand.type
                self._require(isinstance(kind, Vec) and 0 <= op.place < largest(kind.count), "a part of a pack", op)
            case tir.Atomic():
                self._atomic(op)
            case tir.Load():
                self._require(op.pointer.type.dtype is op.result.type.dtype, "a load of the pointer's dtype", op)
                self._require((op.mask is None) == (op.other is None), "mask and other come together", op)
            case tir.Call():
                callee = self.callees.get(op.function)
                self._require(callee is not None and callee.kind == "device", "a call of a device function", op)
            case _:
                pass

    def _atomic(self, op: tir.Atomic) -> None:
        row, pointer = ATOMICS[op.op], op.pointer.type
        self._require(isinstance(pointer, Pointer) and not pointer.const, "an atomic through a const pointer", op)
        self._require(row.takes(pointer.dtype), "an element type of the row", op)
        self._require((op.compare is not None) == row.compares, "as many operands as the row has", op)
        given = [value.type.dtype for value in (op.result, op.value, op.compare) if value is not None]
        self._require(all(dtype is pointer.dtype for dtype in given), "operands of the pointer's dtype", op)

    def _apply(self, op: tir.Apply) -> None:
        row = OPERATIONS[op.op]
        self._require(len(op.operands) == row.arity, "as many operands as the row has", op)
        shapes = {value.type.shape if isinstance(value.type, Tile) else None for value in op.operands}
        self._require(len(shapes) == 1, "operands of one shape", op)
        joined = op.operands[1:] if op.op == "where" else op.operands
        self._require(len({value.type.dtype for value in joined}) == 1, "operands of one dtype", op)
        expected = dtypes.BOOL if row.result == "bool" else joined[0].type.dtype
        self._require(op.result.type.dtype is expected, "the row's result dtype", op)

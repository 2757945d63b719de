"""What LIR promises, checked, in both of its forms. A violation is our fault: InternalError."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import cast

from transpile.diagnostics.core import InternalError
from transpile.dtypes import BOOL
from transpile.ir import lir, tir
from transpile.ir.tir import Value
from transpile.ir.verify import verify_function
from transpile.ir.walk import all_ops, end_values, operands_of, results_of
from transpile.ops.scan import BLOCK
from transpile.ops.table import REDUCTIONS
from transpile.typing.types import Pointer, Scalar, Tile, Vec, largest


def verify_laid_out(function: tir.Function, callees: Iterable[tir.Function] = ()) -> None:
    """TIR's promises; every tile has a layout that holds each of its lanes; ops meet lanes that lie alike."""
    verify_function(function, callees)
    for op in cast("Iterator[lir.Op]", all_ops(function.body)):
        for value in results_of(op):
            if isinstance(value.type, Tile):
                layout = value.type.layout
                _require(layout is not None and layout.shape == value.type.shape, "a tile has its layout", op)
                _require(layout is not None and layout.is_onto, "a layout holds every lane", op)
        _agree(op)


def verify_lowered(kernel: lir.Kernel) -> None:
    """No tile is left; lane loops hold scalars alone; threads meet in uniform flow only."""
    scope = {parameter.value.id for parameter in kernel.function.parameters}
    _Lowered(kernel).block(kernel.function.body, scope)


def _require(holds: bool, message: str, node: object) -> None:
    if not holds:
        raise InternalError(message, node)


def _agree(op: lir.Op) -> None:
    match op:
        case tir.Apply() | tir.Call() | tir.Cast() | tir.Load() | tir.Store() | tir.Atomic():
            values = (*operands_of(op), *results_of(op))
            layouts = {value.type.layout for value in values if isinstance(value.type, Tile)}
            _require(len(layouts) <= 1, "an elementwise op meets lanes that lie alike", op)
        case lir.Convert():
            source, target = op.operand.type, op.result.type
            moved = isinstance(source, Tile) and isinstance(target, Tile) and source.layout != target.layout
            _require(moved and source.dtype is target.dtype, "a conversion changes the layout alone", op)
        case _:
            pass


class _Lowered:
    def __init__(self, kernel: lir.Kernel) -> None:
        self.kernel = kernel
        self.defined: set[int] = set()
        self.threads: set[int] = set()  # values that are not the same in every thread of a program

    def block(self, block: tir.Block, scope: set[int], *, in_lanes: bool = False, diverged: bool = False) -> None:
        for op in lir.ops_of(block):
            for value in operands_of(op):
                _require(value.id in scope, "a value is defined before it is used", op)
            _require(not in_lanes or not isinstance(op, _CONTROL), "a lane loop holds neither control nor exchange", op)
            _require(not diverged or isinstance(op, tir.Store | tir.Note), "a diverged branch holds one store", op)
            self._op(op, scope)
            for value in results_of(op):
                self._define(value, op)
                scope.add(value.id)
        for value in end_values(block.end):
            _require(value.id in scope, "a value is defined before it is used", block.end)

    def _define(self, value: Value, node: object) -> None:
        _require(value.id not in self.defined, "a value is defined once", node)
        _require(not isinstance(value.type, Tile), "no tile is left", node)
        self.defined.add(value.id)

    def _inner(self, block: tir.Block, scope: set[int], new: Iterable[Value], node: object, **flags: bool) -> None:
        inside = set(scope)
        for value in new:
            self._define(value, node)
            inside.add(value.id)
        self.block(block, inside, **flags)

    def _op(self, op: lir.Op, scope: set[int]) -> None:
        match op:
            case lir.Thread():
                self.threads.add(op.result.id)
            case tir.Apply() if any(value.id in self.threads for value in op.operands):
                self.threads.add(op.result.id)
            case tir.If():
                diverged = op.cond.id in self.threads
                for inner in (op.then, op.orelse):
                    self._inner(inner, scope, (), op, diverged=diverged)
            case tir.For():
                self._inner(op.body, scope, (op.index, *op.carried), op)
            case tir.While():
                self._inner(op.test, scope, op.carried, op)
                self._inner(op.body, scope | {value.id for value in op.carried}, (), op)
            case lir.LaneLoop():
                self._lane_loop(op, scope)
            case lir.LaneGet():
                _require(isinstance(op.operand.type, Vec), "a lane is read from a vec", op)
            case lir.Fold():
                self._fold(op)
            case lir.Scan():
                self._scan(op)
            case lir.LoadGroups() | lir.StoreGroups():
                self._groups(op)
            case lir.Convert() | tir.Reduce() | tir.Scan() | tir.Broadcast() | tir.Arange():
                raise InternalError("left over from the laid-out form", op)
            case _:
                pass

    def _lane_loop(self, op: lir.LaneLoop, scope: set[int]) -> None:
        _require(op.count >= 2, "a single lane needs no loop", op)
        self._inner(op.body, scope, (op.counter,), op, in_lanes=True)
        yielded = end_values(op.body.end)
        _require(isinstance(op.body.end, tir.Yield) and len(yielded) == len(op.results), "one value a result", op)
        for value, result in zip(yielded, op.results, strict=True):
            _require(result.type == Vec(value.type.dtype, op.count), "a result holds the lanes of its value", op)
        for fold in op.folds:
            any_order = fold.result.type.dtype.kind in REDUCTIONS[fold.op].any_order_on
            _require(any_order and fold.result.type == Scalar(fold.source.type.dtype), "folded in any order", op)

    def _groups(self, op: lir.LoadGroups | lir.StoreGroups) -> None:
        held = op.result.type if isinstance(op, lir.LoadGroups) else op.value.type
        _require(op.threads == self.kernel.threads and op.group > 1, "groups are of all threads", op)
        count = largest(held.count) if isinstance(held, Vec) else 0
        _require(count > 0 and count % op.group == 0, "whole groups are moved", op)
        _require(op.mask is None or op.mask.type == Vec(BOOL, count), "a mask of as many lanes", op)

    def _fold(self, op: lir.Fold) -> None:
        threads = self.kernel.threads
        meet = min(op.lanes, threads) > 32
        _require(op.group == 1 or op.lanes >= threads * op.group, "every thread holds whole groups", op)
        _require(op.threads == threads, "a fold is of all threads", op)
        _require((meet or op.group > 1) == (op.stage is not None), "threads of several warps meet in a stage", op)
        held = op.operand.type.count if isinstance(op.operand.type, Vec) else 1
        _require(held in (1, max(1, op.lanes // threads)), "a fold takes what a thread holds", op)
        _require(op.replicas == max(1, threads // op.lanes), "how many threads hold a lane", op)
        if op.stage is not None:
            _require(op.stage.type == Pointer(op.result.type.dtype, False, "shared"), "a stage of the dtype", op)

    def _scan(self, op: lir.Scan) -> None:
        threads = self.kernel.threads
        held = op.operand.type.count if isinstance(op.operand.type, Vec) else 1
        _require(op.threads == threads, "a scan is of all threads", op)
        _require(held == max(1, op.lanes // threads), "a scan takes what a thread holds", op)
        _require(op.operand.type == op.result.type, "a scan gives what a thread holds", op)
        meet = op.lanes > BLOCK and threads > 1
        _require(meet == (op.stage is not None), "blocks of lanes meet in a stage", op)
        if op.stage is not None:
            _require(op.stage.type == Pointer(op.result.type.dtype, False, "shared"), "a stage of the dtype", op)


_CONTROL = (tir.If, tir.For, tir.While, tir.Barrier, lir.LaneLoop, lir.Fold, lir.Scan, lir.ShareFirst)

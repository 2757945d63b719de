"""Gives every tile its layout (TIR -> laid-out LIR). A `Convert` stands only where an op meets a tile in another
layout than it takes; kernels of 1-D tiles have none. No op is moved."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from transpile.ir import lir, tir
from transpile.ir.rename import Ids, renamed, renamed_end
from transpile.ir.tir import Value
from transpile.ir.walk import all_ops, operands_of, result_of, results_of
from transpile.lowering.groups import Spread, group_of
from transpile.lowering.layout import WARP, Layout, layout_of
from transpile.lowering.target import TileTarget
from transpile.typing.types import Tile

MIN_THREADS: Final = WARP
# Of a tile that is folded a thread holds up to so many lanes, or groups of lanes, where two warps at least are left: it
# folds them alone, and each warp less is one less to exchange with through shared memory.
FOLDED_LANES: Final = 8
FOLDED_GROUPS: Final = 4
FOLDED_IN_GROUPS: Final = 32  # lanes, each of which takes a register
FOLDING_THREADS: Final = 2 * WARP


def spread_of(function: tir.Function, target: TileTarget) -> Spread:
    """How many threads run one program of a tile kernel: as many as its largest tile has lanes, or groups of lanes,
    within bounds, and fewer where tiles are folded. And how its tiles lie over them."""
    if not target.is_gpu:
        return Spread(1)
    group, most = group_of(function)
    lanes = max(_sizes(function), default=1)
    wanted = lanes // group
    if any(isinstance(op, tir.Reduce | tir.Scan) for op in all_ops(function.body)):
        held = max(FOLDED_LANES, min(FOLDED_IN_GROUPS, FOLDED_GROUPS * group))
        wanted = max(lanes // held, min(lanes, FOLDING_THREADS))
    return Spread(max(MIN_THREADS, min(target.max_threads_per_tile, wanted)), group, most)


def assign_layouts(function: tir.Function, target: TileTarget) -> tir.Function:
    """The same tile kernel with a layout in every `Tile` type."""
    return _Assigner(function, spread_of(function, target)).run()


def _sizes(function: tir.Function) -> Iterator[int]:
    for op in all_ops(function.body):
        yield from (value.type.lanes for value in results_of(op) if isinstance(value.type, Tile))


class _Assigner:
    def __init__(self, function: tir.Function, spread: Spread) -> None:
        self.function = function
        self.spread = spread
        self.ids = Ids.after(function)
        self.now: dict[int, Value] = {}

    def run(self) -> tir.Function:
        return replace(self.function, body=self._block(self.function.body, (), ()))

    def _block(self, block: tir.Block, results: Sequence[Value], carried: Sequence[Value]) -> tir.Block:
        """`results`: what a Yield gives its values to; `carried`: what Break and Continue do."""
        ops: list[lir.Op] = []
        for op in block.ops:
            self._op(op, ops, carried)
        end = renamed_end(block.end, self.now)
        match end:
            case tir.Yield():
                end = tir.Yield(self._as(end.values, results, ops))
            case tir.Break():
                end = tir.Break(self._as(end.values, carried, ops))
            case tir.Continue():
                end = tir.Continue(self._as(end.values, carried, ops))
        return lir.block(ops, end)

    def _op(self, op: tir.Op, ops: list[lir.Op], carried: Sequence[Value]) -> None:
        op = renamed(op, self.now)
        match op:
            case tir.If():
                results = tuple(self._lay(value) for value in op.results)
                then, orelse = (self._block(inner, results, carried) for inner in (op.then, op.orelse))
                ops.append(replace(op, then=then, orelse=orelse, results=results))
            case tir.For():
                inside, results = self._loop(op)
                ops.append(replace(op, carried=inside, results=results, body=self._block(op.body, inside, inside)))
            case tir.While():
                inside, results = self._loop(op)
                test = self._block(op.test, (), ())
                body = self._block(op.body, inside, inside)
                ops.append(replace(op, carried=inside, results=results, test=test, body=body))
            case _:
                self._simple(op, ops)

    def _loop(self, op: tir.For | tir.While) -> tuple[tuple[Value, ...], tuple[Value, ...]]:
        """A loop carries its tiles as they come in."""
        layouts = [layout_of(value) if isinstance(value.type, Tile) else None for value in op.inits]
        inside = tuple(self._lay(value, layout) for value, layout in zip(op.carried, layouts, strict=True))
        return inside, tuple(self._lay(value, layout) for value, layout in zip(op.results, layouts, strict=True))

    def _simple(self, op: tir.Op, ops: list[lir.Op]) -> None:
        result = result_of(op)
        layout: Layout | None = None
        match op:
            case tir.Reduce() if op.axis is not None:
                layout = layout_of(op.operand).slice(op.axis)
            case tir.Broadcast() if isinstance(op.operand.type, Tile) and isinstance(op.result.type, Tile):
                layout = self.spread.layout(op.result.type.shape)
                for axis, (old, new) in enumerate(zip(op.operand.type.shape, op.result.type.shape, strict=True)):
                    if old != new:
                        layout = layout.slice(axis)
                op = replace(op, operand=self._convert(op.operand, layout, ops))
                layout = None
            case tir.Reduce() | tir.Broadcast() | tir.Const() | tir.Note():
                pass
            case _:
                op, layout = self._elementwise(op, ops)
        if result is not None and isinstance(result.type, Tile):
            op = renamed(op, {result.id: self._lay(result, layout)}, results=True)
        ops.append(op)

    def _elementwise(self, op: tir.Op, ops: list[lir.Op]) -> tuple[tir.Op, Layout | None]:
        """An op of lanes that lie alike takes them as they lie; of others, in the default layout of their shape."""
        tiles = [value for value in operands_of(op) if isinstance(value.type, Tile)]
        layouts = {layout_of(value) for value in tiles}
        if len(layouts) <= 1:
            return op, next(iter(layouts), None)
        shared = self.spread.layout(next(iter(layouts)).shape)
        moved = {value.id: self._convert(value, shared, ops) for value in tiles}
        return renamed(op, moved), shared

    def _lay(self, value: Value, layout: Layout | None = None) -> Value:
        """`value` with a layout in its type, if it is a tile; from now on it stands for it."""
        if not isinstance(value.type, Tile):
            return value
        chosen = layout if layout is not None else self.spread.layout(value.type.shape)
        laid = replace(value, type=replace(value.type, layout=chosen))
        self.now[value.id] = laid
        return laid

    def _convert(self, value: Value, layout: Layout, ops: list[lir.Op]) -> Value:
        if not isinstance(value.type, Tile) or value.type.layout == layout:
            return value
        result = self.ids.fresh(replace(value.type, layout=layout), value.name)
        ops.append(lir.Convert(result, value, value.span))
        return result

    def _as(self, values: Sequence[Value], targets: Sequence[Value], ops: list[lir.Op]) -> tuple[Value, ...]:
        """`values` in the layouts of what they are handed to."""
        pairs = zip(values, targets, strict=True)
        return tuple(
            self._convert(value, layout_of(target), ops) if isinstance(target.type, Tile) else value
            for value, target in pairs
        )

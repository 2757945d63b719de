"""Questions about ops that many passes ask: what an op reads, what it defines, which blocks it holds."""

from __future__ import annotations

from collections.abc import Iterator

from transpile.ir import lir, tir
from transpile.ir.tir import Value


def operands_of(op: lir.Op) -> tuple[Value, ...]:
    """The values that an op without blocks reads (a control op: its condition, bounds and inits)."""
    match op:
        case tir.Apply() | tir.Call() | tir.Pack() | tir.Print():
            return op.operands
        case tir.Assert():
            return (op.cond, *op.place)
        case tir.Alloc():
            return () if isinstance(op.count, int) else (op.count,)
        case tir.Cast() | tir.Broadcast() | tir.Reduce() | tir.Scan() | tir.Part():
            return (op.operand,)
        case tir.Offset():
            return (op.pointer, op.index)
        case tir.Load():
            return tuple(v for v in (op.pointer, op.offsets, op.mask, op.other) if v is not None)
        case tir.Store():
            return tuple(v for v in (op.pointer, op.offsets, op.value, op.mask) if v is not None)
        case tir.Atomic():
            return tuple(v for v in (op.pointer, op.offsets, op.compare, op.value, op.mask) if v is not None)
        case tir.Shuffle():
            return (op.operand, op.lane)
        case tir.Launch():
            return (*op.grid, *op.block, *op.arguments)
        case tir.If():
            return (op.cond,)
        case tir.For():
            return (op.start, op.stop, op.step, *op.inits)
        case tir.While():
            return op.inits
        case lir.Convert():
            return (op.operand,)
        case lir.LoadGroups():
            return tuple(v for v in (op.pointer, op.first, op.mask, op.other) if v is not None)
        case lir.StoreGroups():
            return tuple(v for v in (op.pointer, op.first, op.value, op.mask) if v is not None)
        case lir.LaneGet():
            return (op.operand, op.lane)
        case lir.Fold() | lir.Scan() | lir.ShareFirst():
            return (op.operand,) if op.stage is None else (op.operand, op.stage)
        case _:
            return ()


def result_of(op: lir.Op) -> Value | None:
    """The single value that an op without blocks defines."""
    match op:
        case tir.Store() | tir.Barrier() | tir.Note() | tir.Launch() | tir.If() | tir.For() | tir.While():
            return None
        case tir.Print() | tir.Assert() | lir.LaneLoop() | lir.StoreGroups():
            return None
        case _:
            return op.result


def results_of(op: lir.Op) -> tuple[Value, ...]:
    """Every value that an op defines in the block where it stands."""
    match op:
        case tir.If() | tir.For() | tir.While():
            return op.results
        case lir.LaneLoop():
            return (*op.results, *(fold.result for fold in op.folds))
        case _:
            result = result_of(op)
            return () if result is None else (result,)


def blocks_of(op: lir.Op) -> tuple[tir.Block, ...]:
    """The blocks that an op holds, in the order in which they run."""
    match op:
        case tir.If():
            return (op.then, op.orelse)
        case tir.For():
            return (op.body,)
        case tir.While():
            return (op.test, op.body)
        case lir.LaneLoop():
            return (op.body,)
        case _:
            return ()


def all_ops(block: tir.Block) -> Iterator[tir.Op]:
    """Every op of a block and of the blocks inside it, outer before inner."""
    for op in block.ops:
        yield op
        for inner in blocks_of(op):
            yield from all_ops(inner)


def end_values(end: tir.Terminator) -> tuple[Value, ...]:
    """The values that a terminator reads."""
    match end:
        case tir.Return():
            return () if end.value is None else (end.value,)
        case tir.Condition():
            return (end.value,)
        case tir.Yield() | tir.Break() | tir.Continue():
            return end.values


def chosen(values: tuple[Value, ...], wanted: list[bool]) -> tuple[Value, ...]:
    """Those of `values` that are wanted."""
    return tuple(value for value, is_wanted in zip(values, wanted, strict=True) if is_wanted)


def shared_arrays(function: tir.Function) -> list[tir.Alloc]:
    """The shared arrays of a kernel."""
    return [op for op in all_ops(function.body) if isinstance(op, tir.Alloc) and op.space == "shared"]

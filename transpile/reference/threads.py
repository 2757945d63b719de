"""Barriers and shuffles. All threads of a frame move together, so a barrier has nothing to wait for: what is left to do
is to see that the threads it speaks of are all here."""

from __future__ import annotations

from typing import Final

import numpy as np

from transpile.diagnostics.core import InternalError
from transpile.diagnostics.launch import KernelFault, partial_barrier, partial_group
from transpile.ir import tir
from transpile.reference.frame import Batch, Frame
from transpile.reference.memory import Array
from transpile.source import Span

GROUP: Final = 32


def barrier(frame: Frame, op: tir.Barrier) -> None:
    """Raises KernelFault unless every block (or group) that is here at all is here whole."""
    batch = _batch(frame)
    if op.scope == "warp":
        _whole_groups(frame, batch, "syncwarp", op.span)
        return
    if frame.size == batch.count * batch.threads:
        return
    positions = frame.positions
    blocks, arrived = np.unique(positions // batch.threads, return_counts=True)
    short = np.flatnonzero(arrived != batch.threads)
    if short.size:
        first = int(blocks[short[0]]) * batch.threads
        missing = _first_missing(positions, first, batch.threads)
        raise KernelFault(
            partial_barrier(
                op.span, batch.block_name(first), int(arrived[short[0]]), batch.threads, batch.thread_name(missing)
            )
        )


def shuffle(frame: Frame, op: tir.Shuffle) -> Array:
    """Each thread's value of another thread of its group. Raises KernelFault unless the groups are whole."""
    batch = _batch(frame)
    _whole_groups(frame, batch, "shuffle", op.span)
    operand = frame.array(op.operand)
    if operand.shape[0] == 1:
        return operand
    own = np.arange(frame.size)
    lane = frame.positions % batch.threads % GROUP
    count = frame.array(op.lane) & (GROUP - 1)
    match op.kind:
        case "xor":
            source = lane ^ count
        case "idx":
            source = np.broadcast_to(count, lane.shape)
        case "up":
            source = np.where(count <= lane, lane - count, lane)
        case "down":
            source = np.where(lane + count < GROUP, lane + count, lane)
    found: Array = operand[own - lane + source]
    return found


def _whole_groups(frame: Frame, batch: Batch, what: str, span: Span) -> None:
    if frame.size == batch.count * batch.threads:
        return
    positions = frame.positions
    per_block = -(-batch.threads // GROUP)
    numbers = positions // batch.threads * per_block + positions % batch.threads // GROUP
    groups, arrived = np.unique(numbers, return_counts=True)
    wanted = np.minimum(GROUP, batch.threads - groups % per_block * GROUP)
    short = np.flatnonzero(arrived != wanted)
    if short.size:
        group = int(groups[short[0]])
        first = group // per_block * batch.threads + group % per_block * GROUP
        threads = int(wanted[short[0]])
        missing = _first_missing(positions, first, threads)
        place = f"{batch.block_name(first)}, group {group % per_block}"
        raise KernelFault(partial_group(span, what, place, int(arrived[short[0]]), threads, batch.thread_name(missing)))


def _first_missing(positions: Array, first: int, count: int) -> int:
    expected = np.arange(first, first + count)
    return int(expected[~np.isin(expected, positions)][0])


def _batch(frame: Frame) -> Batch:
    if frame.call.batch is None:
        raise InternalError("threads meet only in a launch")
    return frame.call.batch

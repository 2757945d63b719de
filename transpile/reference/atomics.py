"""Atomics of a frame's instances: one after another, by instance, then by lane. The language leaves the order open;
this one is the reference's."""

from __future__ import annotations

import numpy as np

from transpile.ir import tir
from transpile.ops.atomic import ATOMICS, AtomicOperation
from transpile.ops.table import OPERATIONS
from transpile.reference.access import change
from transpile.reference.frame import Frame
from transpile.reference.memory import Array
from transpile.typing.types import Tile


def atomic(frame: Frame, op: tir.Atomic) -> Array:
    """What stood in each element before; 0 where the mask is off."""
    row = ATOMICS[op.op]
    lanes = op.value.type.shape if isinstance(op.value.type, Tile) else ()
    shape = (frame.size, *lanes)
    names = (op.value,) if op.compare is None else (op.compare, op.value)
    operands = [np.broadcast_to(frame.array(name), shape).reshape(-1) for name in names]
    mask = None if op.mask is None else np.broadcast_to(frame.array(op.mask), shape).reshape(-1)
    old = np.zeros(operands[0].shape, operands[0].dtype)

    def update(cells: Array, places: Array, active: Array | None) -> None:
        """`places` are in the flat `cells`, one for each lane of each instance."""
        chosen = np.arange(places.size) if active is None else np.flatnonzero(active)
        old[chosen] = _in_turn(row, cells, places[chosen], [operand[chosen] for operand in operands])

    change(frame, op, shape, mask, update)
    return old.reshape(shape)


def _in_turn(row: AtomicOperation, cells: Array, places: Array, operands: list[Array]) -> Array:
    """Makes the accesses in order; what each found."""
    if places.size == 0:
        return operands[0]
    order = np.argsort(places, kind="stable")
    sorted_places = places[order]
    starts = np.flatnonzero(np.r_[True, sorted_places[1:] != sorted_places[:-1]])
    counts = np.diff(np.r_[starts, places.size])
    rank = np.arange(places.size) - np.repeat(starts, counts)  # which access to its element each is
    given = [operand[order] for operand in operands]
    before = cells[sorted_places[starts]]
    if row.compares:
        found, after = _compared(before, starts, counts, given)
    elif not row.combine:
        found, after = _shifted(before, starts, given[0]), given[0][starts + counts - 1]
    else:
        found, after = _combined(row, before, starts, counts, rank, given[0])
    cells[sorted_places[starts]] = after
    old = np.empty_like(found)
    old[order] = found
    return old


def _shifted(before: Array, starts: Array, left: Array) -> Array:
    """What each access found, from what each left."""
    found = np.roll(left, 1)
    found[starts] = before
    return found


def _combined(
    row: AtomicOperation, before: Array, starts: Array, counts: Array, rank: Array, values: Array
) -> tuple[Array, Array]:
    combine = OPERATIONS[row.combine].reference
    left = values.copy()
    left[starts] = combine(before, values[starts])
    if before.dtype.kind in "iu" or "float" in row.any_order:
        step = 1
        while step < int(counts.max()):  # a prefix of prefixes: the same in any order
            later = np.flatnonzero(rank >= step)
            left[later] = combine(left[later - step], left[later])
            step *= 2
    elif counts.size < int(counts.max()):
        for start, count in zip(starts.tolist(), counts.tolist(), strict=True):
            np.add.accumulate(left[start : start + count], out=left[start : start + count])
    else:
        for turn in range(1, int(counts.max())):
            here = starts[counts > turn] + turn
            left[here] = combine(left[here - 1], values[here])
    return _shifted(before, starts, left), left[starts + counts - 1]


def _compared(before: Array, starts: Array, counts: Array, given: list[Array]) -> tuple[Array, Array]:
    """Compare-and-swap, each element's accesses one after another."""
    compare, value = given
    word = np.dtype(f"u{value.dtype.itemsize}")
    now, found = before.copy(), np.empty_like(value)
    for turn in range(int(counts.max())):
        here = np.flatnonzero(counts > turn)
        at = starts[here] + turn
        found[at] = now[here]
        hit = now[here].view(word) == compare[at].view(word)
        now[here[hit]] = value[at[hit]]
    return found, now

"""Loads and stores of a frame's instances, each access checked after all offsets are added."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from transpile.diagnostics.launch import Access, KernelFault, misaligned, out_of_bounds
from transpile.ir import tir
from transpile.reference.frame import Frame
from transpile.reference.memory import Array, Buffer, Pointers
from transpile.source import Span
from transpile.typing.types import Vec, largest

Update: TypeAlias = Callable[[Array, Array, "Array | None"], None]


def load(frame: Frame, op: tir.Load) -> Array:
    pointers = frame.pointers(op.pointer)
    mask = None if op.mask is None else frame.array(op.mask)
    places = _places(pointers, None if op.offsets is None else frame.array(op.offsets))
    if isinstance(op.result.type, Vec):
        places = _neighbours(frame, pointers, places, largest(op.result.type.count), "load", op.span)
    if pointers.which is None:
        found = _read(frame, pointers.buffers[0], places, mask, op.span)
    else:
        found = _read_several(frame, pointers, places, mask, op.span)
    if mask is None or op.other is None:
        return found
    return np.where(mask, found, frame.array(op.other))


def store(frame: Frame, op: tir.Store) -> None:
    pointers = frame.pointers(op.pointer)
    value = frame.array(op.value)
    mask = None if op.mask is None else frame.array(op.mask)
    places = _places(pointers, None if op.offsets is None else frame.array(op.offsets))
    if isinstance(op.value.type, Vec):
        places = _neighbours(frame, pointers, places, largest(op.value.type.count), "store", op.span)
    if pointers.which is None:
        _write(frame, pointers.buffers[0], places, value, mask, op.span)
        return
    for number, buffer in enumerate(pointers.buffers):
        theirs = _along(pointers.which == number, places.ndim)
        _write(frame, buffer, places, value, theirs if mask is None else theirs & mask, op.span)


def change(frame: Frame, op: tir.Atomic, shape: tuple[int, ...], mask: Array | None, update: Update) -> None:
    """Calls `update` with the flat cells of each buffer that `op` reaches, where in them each lane of each instance
    (`shape`, flat) goes, and which lanes go there at all (None: all). `mask` is flat too."""
    pointers = frame.pointers(op.pointer)
    everywhere = np.array(
        np.broadcast_to(_places(pointers, None if op.offsets is None else frame.array(op.offsets)), shape)
    )
    for number, buffer in enumerate(pointers.buffers):
        active = mask
        if pointers.which is not None:
            theirs = np.broadcast_to(_along(pointers.which == number, len(shape)), shape).reshape(-1)
            active = theirs if mask is None else theirs & mask
        places = everywhere
        if active is not None:
            if not active.any():
                continue
            places = np.where(active.reshape(shape), places, np.int64(0))
        _check(frame, buffer, places, None if active is None else active.reshape(shape), "atomic", op.span)
        update(buffer.cells, _in_cells(frame, buffer, places).reshape(-1), active)


def _places(pointers: Pointers, offsets: Array | None) -> Array:
    """Element indices from the start of the buffer."""
    if offsets is None:
        return np.zeros(1, np.int64) if pointers.offset is None else pointers.offset
    if offsets.dtype != np.int64:
        offsets = offsets.astype(np.int64)
    return offsets if pointers.offset is None else _along(pointers.offset, offsets.ndim) + offsets


def _neighbours(frame: Frame, pointers: Pointers, places: Array, count: int, access: Access, span: Span) -> Array:
    """The places from each on. Raises KernelFault where an address is no multiple of what is accessed there."""
    for number, buffer in enumerate(pointers.buffers):
        size = buffer.dtype.bytes
        start = int(buffer.cells.ctypes.data) if buffer.per == "launch" else 0
        bad = (start + places * size) % (count * size) != 0
        if pointers.which is not None:
            bad = bad & (pointers.which == number)
        if bad.any():
            first = int(np.argmax(np.broadcast_to(bad, bad.shape)))
            index = int(np.broadcast_to(places, bad.shape)[first])
            past = (start + index * size) % (count * size)
            what = f"{access} of {count} {buffer.dtype}"
            raise KernelFault(misaligned(span, what, buffer.name, index, past, count * size, _place(frame, first, ())))
    return _along(places, 2) + np.arange(count)


def _along(array: Array, ndim: int) -> Array:
    """One number per instance, beside tiles of `ndim - 1` axes."""
    return array.reshape(array.shape[0], *(1,) * (ndim - 1))


def _read(frame: Frame, buffer: Buffer, places: Array, mask: Array | None, span: Span) -> Array:
    if mask is not None:
        if buffer.size == 0 and not mask.any():
            return np.zeros(1, np.dtype(buffer.dtype.held))
        places = np.where(mask, places, np.int64(0))
    _check(frame, buffer, places, mask, "load", span)
    return buffer.read(_in_cells(frame, buffer, places))


def _read_several(frame: Frame, pointers: Pointers, places: Array, mask: Array | None, span: Span) -> Array:
    """As `_read`, where the instances point into different buffers."""
    assert pointers.which is not None
    found: Array | None = None
    for number, buffer in enumerate(pointers.buffers):
        theirs = _along(pointers.which == number, places.ndim)
        part = _read(frame, buffer, places, theirs if mask is None else theirs & mask, span)
        found = part if found is None else np.where(theirs, part, found)
    assert found is not None
    return found


def _write(frame: Frame, buffer: Buffer, places: Array, value: Array, mask: Array | None, span: Span) -> None:
    if mask is None:
        _check(frame, buffer, places, None, "store", span)
        cells = _in_cells(frame, buffer, places)
        if cells.shape != value.shape:
            cells, value = np.broadcast_arrays(cells, value)
        buffer.write(cells, value)
        return
    safe = np.where(mask, places, np.int64(0))
    if buffer.size == 0 and not mask.any():
        return
    _check(frame, buffer, safe, mask, "store", span)
    cells, value, mask = np.broadcast_arrays(_in_cells(frame, buffer, safe), value, mask)
    buffer.write(cells[mask], value[mask])


def _in_cells(frame: Frame, buffer: Buffer, places: Array) -> Array:
    """Where the places of each block or thread are in the flat `cells`."""
    if buffer.per == "launch":
        return places
    owners = frame.slots
    if buffer.per == "block":
        batch = frame.call.batch
        assert batch is not None
        owners = frame.positions // batch.threads
    return _along(owners * buffer.size, places.ndim) + places


def _check(frame: Frame, buffer: Buffer, places: Array, mask: Array | None, access: Access, span: Span) -> None:
    """Raises KernelFault at the first active lane that is out of bounds. Masked-off lanes already hold place 0."""
    if places.size == 0 or int(places.view(np.uint64).max()) < buffer.size:  # below 0 is large as unsigned
        return
    bad = (places < 0) | (places >= buffer.size)
    if mask is not None:
        bad = bad & mask
    first = np.unravel_index(int(np.argmax(bad)), bad.shape)
    index = int(np.broadcast_to(places, bad.shape)[first])
    place = _place(frame, int(first[0]), tuple(int(axis) for axis in first[1:]))
    raise KernelFault(out_of_bounds(span, access, buffer.name, buffer.size, index, place))


def _place(frame: Frame, instance: int, lane: tuple[int, ...]) -> str:
    batch, call = frame.call.batch, frame.call
    if batch is None:
        return "a call from Python"
    name = batch.name(int(frame.positions[instance]))
    if call.lanes > 1:
        lane = (int(frame.slots[instance]) % call.lanes,)
    if not lane:
        return name
    return f"{name}, lane {lane[0] if len(lane) == 1 else lane}"

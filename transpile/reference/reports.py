"""`print` and `assert` of a frame's instances, one after the other: to Python's standard output; as an exception."""

from __future__ import annotations

import numpy as np

from transpile.diagnostics.launch import KernelAssertionError
from transpile.ir import tir
from transpile.reference.frame import Frame
from transpile.reference.memory import Array


def write(frame: Frame, op: tir.Print) -> None:
    """Writes what each instance prints."""
    format_ = "".join(text.replace("%", "%%") + form for text, form in zip(op.texts, (*op.forms, ""), strict=True))
    columns = [np.broadcast_to(frame.array(value), (frame.size,)).tolist() for value in op.operands]
    rows = zip(*columns, strict=True) if columns else [()] * frame.size
    print("".join(format_ % row for row in rows), end="")


def check(frame: Frame, op: tir.Assert) -> None:
    """Raises KernelAssertionError for the first instance whose condition is false."""
    held = frame.array(op.cond)
    if held.all():
        return
    first = int(np.argmin(held))
    place = [int(_of(frame.array(value), first)) for value in op.place]
    raise KernelAssertionError.of(op.span, op.text, op.message, place)


def _of(array: Array, instance: int) -> Array:
    found: Array = array[0 if array.shape[0] == 1 else instance]
    return found

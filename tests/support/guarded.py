"""Arrays between margins, so that a store outside of them is seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

MARGIN: Final = 64  # elements before and after
POISON: Final = 0xA5


@dataclass(frozen=True, slots=True)
class Guarded:
    """A copy of an array in the middle of a larger one. `shift` elements keep it off the alignment of vectors."""

    memory: NDArray[np.uint8]
    array: NDArray[np.generic]
    start: int

    @property
    def is_intact(self) -> bool:
        """Does every byte outside still hold what was put there?"""
        end = self.start + self.array.nbytes
        return bool((self.memory[: self.start] == POISON).all() and (self.memory[end:] == POISON).all())


def guarded(array: NDArray[np.generic], shift: int = 0) -> Guarded:
    """A guarded copy of a one-dimensional array; its first element is 64-byte aligned, plus `shift` elements."""
    width = array.dtype.itemsize
    size = array.size
    memory = np.full((size + 2 * MARGIN) * width + 64, POISON, np.uint8)
    address = memory.ctypes.data + MARGIN * width
    start = MARGIN * width + (-address) % 64 + shift * width
    view = memory[start : start + size * width].view(array.dtype)
    view[:] = array
    return Guarded(memory, view, start)

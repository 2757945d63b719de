"""What the lowering of tiles asks of a backend; `transpile.backends` has the values."""

from __future__ import annotations

from typing import Protocol


class TileTarget(Protocol):
    """`is_gpu`: a program is a block of threads, `max_threads_per_tile` at most; otherwise one thread holds every
    lane."""

    @property
    def is_gpu(self) -> bool: ...

    @property
    def max_threads_per_tile(self) -> int: ...

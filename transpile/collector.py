"""Python's collector of cycles, kept away from where it finds nothing."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def paused() -> Iterator[None]:
    """For a block or, as a decorator, for a function: trees hold no cycles, and to look for some among so many nodes is
    a fifth of a compilation."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()

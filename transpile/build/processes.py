"""Ends a process with everything that it has started: a compiler is several programs, and the first one only waits."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path


def end_tree(root: int) -> None:
    """Kills a child of this process and what descends from it. Where the system has no /proc, the child alone."""
    # What stands still starts nothing more: once nobody new is found, they are all.
    found: list[int] = []
    newer = {root}
    while newer:
        for each in newer:
            _signal(each, signal.SIGSTOP)
        found += newer
        newer = {process for process, parent in _parents() if parent in found and process not in found}
    for each in found:
        _signal(each, signal.SIGKILL)


def _parents() -> Iterator[tuple[int, int]]:
    """The processes that there are, each with its parent."""
    for status in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):  # it has ended
            text = status.read_bytes()
            _state, parent, *_ = text[text.rindex(b")") + 1 :].split()  # what stands after its name
            yield int(status.parent.name), int(parent)


def _signal(process: int, number: signal.Signals) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.kill(process, number)

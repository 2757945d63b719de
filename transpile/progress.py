"""A sign of life on stderr from work that lasts longer than a second."""

from __future__ import annotations

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import Final, TextIO

from transpile import settings

PATIENCE: Final = 1.0  # seconds


def is_rich(stream: TextIO) -> bool:
    """Whether to write colours there: `doctor` runs where `rich` is missing, too."""
    return stream.isatty() and not settings.is_plain() and find_spec("rich") is not None


@contextmanager
def working(what: str) -> Iterator[None]:
    """Says what is being done if it takes long: a line, or a spinner on a terminal."""
    ended = threading.Event()
    watcher = threading.Thread(target=_watch, args=(what, ended), daemon=True)
    watcher.start()
    try:
        yield
    finally:
        ended.set()
        watcher.join()


def _watch(what: str, ended: threading.Event) -> None:
    if ended.wait(PATIENCE):
        return
    if not is_rich(sys.stderr):
        print(f"{what} ...", file=sys.stderr)
        return
    from rich.console import Console

    with Console(stderr=True).status(what):
        ended.wait()

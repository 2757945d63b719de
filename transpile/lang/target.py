"""Which target a launch runs on: `with transpile.target(…)`, else the environment, else `auto`."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Final

from transpile import settings

TARGETS: Final = ("reference", "cpu", "cuda", "hip", "auto")
_asked: ContextVar[str | None] = ContextVar("transpile_target", default=None)


@contextmanager
def target(name: str) -> Iterator[None]:
    """Runs the launches inside `with transpile.target(name):` on that target. Raises ValueError for an unknown name.

    `reference` interprets the kernels, `cpu` compiles them; `auto` takes a module that is built beside the file, and
    the reference where there is none.
    """
    token = _asked.set(_known(name, "transpile.target"))
    try:
        yield
    finally:
        _asked.reset(token)


def asked() -> str:
    """The target that was asked for. Raises ValueError if TRANSPILE names none."""
    chosen = _asked.get()
    if chosen is not None:
        return chosen
    named = settings.target()
    return "auto" if named is None else _known(named, "TRANSPILE")


def _known(name: str, where: str) -> str:
    if name not in TARGETS:
        raise ValueError(f"{where}: {name!r} is not a target; take {', '.join(TARGETS[:-1])} or {TARGETS[-1]}")
    return name

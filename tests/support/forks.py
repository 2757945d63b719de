"""Processes that begin where a server stands which has imported the compiler: as fresh as new ones, a second sooner."""

from __future__ import annotations

import multiprocessing
from multiprocessing.context import ForkServerContext


def forks() -> ForkServerContext:
    """The context that starts them."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["tests.support.everywhere"])
    return context

"""Names that mean something only inside a kernel. They have signatures and documentation, and no semantics."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any, NoReturn, TypeVar, cast

_F = TypeVar("_F", bound=Callable[..., Any])


def intrinsic(function: _F) -> _F:
    """A function of the language: outside of kernels a call raises RuntimeError."""
    name = spelled(function)

    @functools.wraps(function)
    def outside(*_: object, **__: object) -> NoReturn:
        raise outside_of_kernels(name)

    return cast("_F", outside)


def spelled(function: Callable[..., Any]) -> str:
    """As a user writes it: `tile.arange`."""
    return f"{function.__module__.rpartition('.')[2]}.{function.__name__}"


def outside_of_kernels(name: str) -> RuntimeError:
    return RuntimeError(f"{name} only means something inside a kernel, whose body Python itself never runs")

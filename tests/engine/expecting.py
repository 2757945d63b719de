"""What programs that run in a process of their own expect of a call."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any


def refused(error: type[Exception], text: str, call: Callable[..., object], *arguments: Any, **more: Any) -> None:
    """The call raises this error with this text in it."""
    said = None
    try:
        call(*arguments, **more)
    except error as raised:
        said = str(raised)
    assert said is not None, f"nothing was raised; {text!r} was expected"
    assert text in said, f"{said!r} has no {text!r}"


def in_child(call: Callable[[], object]) -> str:
    """What the call raises in a forked child."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        said = "nothing"
        try:
            call()
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        finally:
            os.write(writing, said.encode())
            os._exit(0)
    os.close(writing)
    os.waitpid(child, 0)
    with os.fdopen(reading) as pipe:
        return pipe.read()

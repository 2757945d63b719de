"""A launch from Python: everything is checked, then the kernel runs on the target that was asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Literal

from transpile import settings
from transpile.diagnostics.raised import CompileError
from transpile.lang import target as targets
from transpile.lang.geometry import Three, check_groups, read_block, read_grid
from transpile.lang.kernel import Kernel

Kind = Literal["tile", "thread"]


def launch(
    kernel: object, kind: Kind, grid: object, block: object, arguments: Sequence[object], stream: object
) -> None:
    """Runs `kernel` over `grid`, on `stream` unless that is None. What is wrong is raised from here, without our own
    frames.

    Raises CompileError, KernelAssertionError, KernelFault, StaleModule, TypeError, ValueError or OverflowError.
    """
    try:
        _launch(kernel_of(kernel, kind, "launch"), grid, block, arguments, stream)
    except (CompileError, AssertionError, RuntimeError, TypeError, ValueError, OverflowError) as error:
        if settings.is_debug():
            raise
        raise error.with_traceback(None) from None


def ran(kernel: object, kind: Kind) -> str:
    """The target that the last launch ran on, or that one would run on now."""
    found = kernel_of(kernel, kind, "target")
    return found.ran if found.ran is not None else _target(found)[0]


def kernel_of(kernel: object, kind: Kind, word: str) -> Kernel:
    """`kernel`, if it is one of that kind. Raises TypeError."""
    dialect = "tile" if kind == "tile" else "cuda"
    if not isinstance(kernel, Kernel):
        shown = getattr(kernel, "__name__", None) or repr(kernel)
        raise TypeError(f"{dialect}.{word}: {shown} is not a kernel; decorate a function with @{dialect}.kernel")
    if kernel.kind != kind:
        other = "cuda" if kind == "tile" else "tile"
        raise TypeError(f"{dialect}.{word}: {kernel.name} is a {kernel.kind} kernel; use {other}.{word}")
    return kernel


def _launch(kernel: Kernel, grid: object, block: object, arguments: Sequence[object], stream: object) -> None:
    blocks = read_grid(kernel.name, grid)
    threads = (1, 1, 1) if kernel.kind == "tile" else read_block(kernel.name, block)
    target, compiled = _target(kernel)
    if compiled is None:
        _check_no_stream(kernel.name, stream)
        _interpret(kernel, blocks, threads, arguments)
    else:
        compiled(blocks, threads, arguments, stream)
    kernel.ran = target


def _check_no_stream(name: str, stream: object) -> None:
    """The reference has no streams, as the CPU has none: an int may stand for one. Raises TypeError."""
    if stream is not None and not isinstance(stream, int):
        said = f"stream must be None or an int, not {type(stream).__name__} (the reference has no streams)"
        raise TypeError(f"{name}: {said}")


def _interpret(kernel: Kernel, grid: Three, block: Three, arguments: Sequence[object]) -> None:
    from transpile.lang.arguments import check_arguments, check_shared

    typed = kernel.program(arguments)
    check_groups(typed.function, block)
    values = check_arguments(typed.function, arguments)
    check_shared(typed.function, values)
    from transpile.reference.interpreter import run_kernel  # NumPy is only paid for by what runs

    run_kernel(typed.module, typed.function.key, grid, block, values)


def _target(kernel: Kernel) -> tuple[str, Callable[..., None] | None]:
    """The target that a launch runs on now, and what launches it there: None for the reference.

    Raises ValueError or RuntimeError where there is none.
    """
    asked = targets.asked()
    if asked == "reference":
        return asked, None
    launch = kernel.launches.get(asked)
    if launch is not None:
        return asked, launch
    from transpile import live

    if asked in ("cpu", "cuda"):
        launch = kernel.launches[asked] = live.compiled_kernel(kernel, asked)
        return asked, launch
    built = live.built_kernel(kernel)
    if built is not None and asked in ("auto", built.target):
        return built.target, built.launch
    return ("reference", None) if asked == "auto" else (asked, live.compiled_kernel(kernel, asked))

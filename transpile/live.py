"""What a launch from Python needs of the compiler. The passes themselves are imported by what compiles, and only then:
a launch that finds its kernel in the cache, or in a module that was built, starts without them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from types import FunctionType
from typing import TYPE_CHECKING, Final, TypeAlias

from transpile import settings

if TYPE_CHECKING:
    from transpile.build import jit
    from transpile.build.extension import Sources
    from transpile.build.image import Written
    from transpile.ir import hir, tir
    from transpile.lang.mirror import DeviceArray
    from transpile.typing.program import Instance

    Instances: TypeAlias = Mapping[str, Sequence[Instance]]

JIT_MODULE: Final = "kernels_ext"  # what a module is called that nobody imports by name


def load(function: FunctionType) -> hir.Module:
    """HIR of a function of the running program, the last of the module. Raises CompileError."""
    from transpile import pipeline

    return pipeline.load_live(function)


def check(module: hir.Module, instances: Instances) -> tir.Module:
    """Typed TIR. Raises CompileError."""
    from transpile import pipeline

    return pipeline.check(module, instances, asserts=settings.keeps_asserts())


def allocate(target: str, dtype: str, count: int) -> DeviceArray:
    """An array of zeros on the current device. Raises ToolchainMissingError, RuntimeError."""
    if target == "cuda":
        _start_driver()
    from transpile.build import image
    from transpile.build.engine import load_engine

    if target == image.TARGET:
        image.check_device()
    else:
        _check_started(target)
    name = "boolean" if dtype == "bool" else dtype  # the engine's word for it
    array: DeviceArray = load_engine().allocate(target, -1, name, count)
    return array


def _check_started(target: str) -> None:
    """Raises ToolchainMissingError where the target's driver has no device here."""
    from transpile.build.engine import load_engine
    from transpile.build.faults import ToolchainMissingError

    try:
        load_engine().start(target)
    except ToolchainMissingError:
        raise
    except RuntimeError as error:
        raise ToolchainMissingError(
            f"kernels cannot run on {target} here: {error}; --target cpu, or TRANSPILE=cpu, takes the CPU"
        ) from None


def compiled_kernel(kernel: jit.Kernel, target: str) -> jit.Launch:
    """A launch of the kernel, compiled for the target when it is called."""
    if target == "cpu":
        return _launch_on_cpu(kernel)
    if target == "cuda":
        return _launch_on_device(kernel)
    from transpile.build.faults import ToolchainMissingError

    raise ToolchainMissingError(
        f"{kernel.name}: kernels do not compile for {target} while a program runs; `python -m transpile build --target "
        f"{target}` makes a module of them, which TRANSPILE={target} then takes"
    )


def _launch_on_cpu(kernel: jit.Kernel) -> jit.Launch:
    from transpile.build import jit

    def sources(program: jit.Program) -> Sources:
        from transpile import pipeline

        return pipeline.emit_extension(program.loaded, program.module, JIT_MODULE).sources

    def launch(grid: object, block: object, arguments: Sequence[object], stream: object) -> None:
        jit.launch_compiled(kernel, sources, grid, block, arguments, stream)

    return launch


def _launch_on_device(kernel: jit.Kernel) -> jit.Launch:
    _start_driver()
    from transpile.build import image

    def write(program: jit.Program) -> Written:
        from transpile import pipeline
        from transpile.emit.binding import statics_of

        options = pipeline.Options(lines="directive")  # debuggers and profilers speak of the Python file
        text, (description,) = pipeline.emit_image(program.loaded, program.module, options)
        function, generic = program.module.functions[-1], program.loaded.functions[-1]
        statics = [place for place, each in enumerate(function.parameters) if each.static is not None]
        first = [[each.variable for each in function.parameters].index(which) for which in range(len(function.types))]
        choices = (tuple(choice.name for choice in variable.choices) for variable in generic.variables)
        return image.Written(
            file=text.file,
            text=text.text,
            expression=text.kernels[0].expression,
            description=description,
            instance=(*(each.name for each in function.types), *statics_of(function)),
            chosen_by=image.ChosenBy(tuple(statics), tuple(zip(first, choices, strict=True))),
            read=tuple(file.name for file in program.loaded.files),
        )

    def launch(grid: object, block: object, arguments: Sequence[object], stream: object) -> None:
        image.launch_on_device(kernel, write, grid, block, arguments, stream)

    return launch


def built_kernel(kernel: jit.Kernel) -> jit.Built | None:
    """The kernel in the module built beside its file; None where there is none. Raises StaleModule."""

    def code_of(path: str) -> tuple[str, tuple[str, ...]]:
        from transpile import pipeline

        module = pipeline.load(path)
        return pipeline.code_hash(module), tuple(file.name for file in module.files)

    from transpile.build import jit

    return jit.built_launch(kernel, code_of)


def synchronize() -> None:
    """Waits for the current device of each target that kernels were launched on. Raises what they did wrong:
    KernelAssertionError for an assertion that failed, RuntimeError."""
    import sys

    from transpile.build.engine import load_engine
    from transpile.build.load import found_modules

    for module in (*sys.modules.values(), *found_modules().values()):
        about = getattr(module, "__dict__", {}).get("__transpile__")
        if isinstance(about, dict) and "synchronize" not in about["functions"] and hasattr(module, "synchronize"):
            module.synchronize()
    if load_engine.cache_info().currsize > 0:
        load_engine().synchronize("cuda")


@cache
def _start_driver() -> None:
    """Has NVIDIA's driver and an only device of it start, which takes a quarter of a second, while Python imports what
    a launch needs. Whether they did is asked later, by whoever needs to know."""
    import ctypes
    import threading

    def start() -> None:
        count, device, context = ctypes.c_int(0), ctypes.c_int(0), ctypes.c_void_p()
        try:
            driver = ctypes.CDLL("libcuda.so.1")
            if driver.cuInit(0) != 0 or driver.cuDeviceGetCount(ctypes.byref(count)) != 0 or count.value != 1:
                return
            if driver.cuDeviceGet(ctypes.byref(device), 0) == 0:
                driver.cuDevicePrimaryCtxRetain(ctypes.byref(context), device)
        except (OSError, AttributeError):
            return

    threading.Thread(target=start).start()

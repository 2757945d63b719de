"""A compiler of annotated Python kernels to CUDA, HIP and C++.

Kernels start with `from transpile import cuda, native, tile`. What a name needs is imported when it is first used.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from transpile.build.load import StaleModule as StaleModule
    from transpile.diagnostics.launch import KernelAssertionError as KernelAssertionError
    from transpile.diagnostics.launch import KernelFault as KernelFault
    from transpile.diagnostics.raised import CompileError as CompileError
    from transpile.lang import cuda as cuda
    from transpile.lang import native as native
    from transpile.lang import tile as tile
    from transpile.lang.target import target as target

_HOMES: Final = {
    "CompileError": "transpile.diagnostics.raised",
    "KernelAssertionError": "transpile.diagnostics.launch",
    "KernelFault": "transpile.diagnostics.launch",
    "StaleModule": "transpile.build.load",
    "cuda": "transpile.lang.cuda",
    "native": "transpile.lang.native",
    "target": "transpile.lang.target",
    "tile": "transpile.lang.tile",
}
__version__ = "0.1.0"
__all__ = ["CompileError", "KernelAssertionError", "KernelFault", "StaleModule", "cuda", "native", "target", "tile"]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'transpile' has no attribute {name!r}")
    import importlib

    module = importlib.import_module(_HOMES[name])
    return module if name in ("cuda", "native", "tile") else getattr(module, name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])

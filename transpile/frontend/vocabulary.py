"""The names of the language: what `transpile`'s modules, `math` and Python's builtins mean to a kernel."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from transpile import dtypes
from transpile.ir import hir
from transpile.ops.table import OPERATIONS, REDUCTIONS

DIALECTS: Final = ("cuda", "native", "tile")
KERNEL_DECORATORS: Final[Mapping[str, hir.FunctionKind]] = {
    "tile.kernel": "tile",
    "cuda.kernel": "thread",
    "cuda.device": "device",
}
LAUNCHES: Final = frozenset({"tile.launch", "cuda.launch"})
ALLOCATIONS: Final = frozenset({"cuda.shared", "native.stack_alloc", "cuda.device_alloc"})
ANNOTATIONS: Final = frozenset({"native.ptr", "native.const_ptr", "native.static"})
MATH_CONSTANTS: Final = {
    "math.inf": math.inf,
    "math.nan": math.nan,
    "math.pi": math.pi,
    "math.e": math.e,
    "math.tau": math.tau,
}
TYPE_NAMES: Final = {
    **{f"native.{dtype.name}": dtype for dtype in dtypes.SUPPORTED if dtype is not dtypes.BOOL},
    **{f"builtin.{name}": dtype for name, dtype in dtypes.PYTHON.items()},
}
_STRUCTURE: Final = (
    "tile.kernel tile.program_id tile.num_programs tile.arange tile.load tile.store tile.cast tile.map tile.launch "
    "tile.compiled tile.target cuda.kernel cuda.device cuda.thread_id cuda.block_id cuda.block_dim cuda.grid_dim "
    "cuda.global_id cuda.shared cuda.syncthreads cuda.syncwarp cuda.shfl_xor cuda.shfl cuda.shfl_up cuda.shfl_down "
    "cuda.launch cuda.device_alloc cuda.compiled cuda.target native.ptr native.const_ptr native.static native.load "
    "native.store native.offset native.stack_alloc native.cast math.sqrt math.floor math.ceil math.fabs math.copysign "
    "math.isnan math.isinf math.isfinite builtin.abs builtin.min builtin.max builtin.round builtin.divmod builtin.int "
    "builtin.float builtin.bool builtin.range builtin.len"
)
NAMES: Final[frozenset[str]] = frozenset(_STRUCTURE.split()).union(
    *(row.spellings for row in OPERATIONS.values()),
    *(row.spellings for row in REDUCTIONS.values()),
    MATH_CONSTANTS,
    TYPE_NAMES,
)


def members(module: str) -> tuple[str, ...]:
    """The names after `module.`, sorted."""
    lead = module + "."
    return tuple(sorted(name.removeprefix(lead) for name in NAMES if name.startswith(lead)))


SAME_IDEA: Final[Mapping[str, str]] = {
    "tile.syncthreads": "the compiler places the barriers of a tile kernel",
    "tile.zeros": "tile.arange(n) * 0 gives zeros",
    "tile.device": "device functions are marked @cuda.device, for both kinds of kernel",
    "cuda.threadIdx": "cuda.thread_id()",
    "cuda.blockIdx": "cuda.block_id()",
    "cuda.grid": "cuda.global_id()",
}
"""What somebody who comes from another system means by a name that is not here."""

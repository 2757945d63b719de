"""The names of the language: what `transpile`'s modules, `math` and Python's builtins mean to a kernel."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Final

from transpile import dtypes
from transpile.ir import hir
from transpile.ops.atomic import ATOMIC_ROWS
from transpile.ops.table import COMPOSITES, OPERATIONS, REDUCTIONS, SCANS

DIALECTS: Final = ("cuda", "native", "tile")
KERNEL_DECORATORS: Final[Mapping[str, hir.FunctionKind]] = {
    "tile.kernel": "tile",
    "cuda.kernel": "thread",
    "cuda.device": "device",
}
LAUNCHES: Final = frozenset({"tile.launch", "cuda.launch"})
ALLOCATIONS: Final = frozenset({"cuda.shared", "native.stack_alloc", "cuda.device_alloc"})
ANNOTATIONS: Final = frozenset({"native.ptr", "native.const_ptr", "native.static"})
TYPE_VARIABLE: Final = "native.TypeVar"
MATH_CONSTANTS: Final = {
    "math.inf": math.inf,
    "math.nan": math.nan,
    "math.pi": math.pi,
    "math.e": math.e,
    "math.tau": math.tau,
}
TYPE_NAMES: Final = {
    **{f"native.{dtype.name}": dtype for dtype in dtypes.ALL if dtype is not dtypes.BOOL},
    **{f"builtin.{name}": dtype for name, dtype in dtypes.PYTHON.items()},
}
_STRUCTURE: Final = (
    "tile.kernel tile.program_id tile.num_programs tile.arange tile.load tile.store tile.cast tile.map tile.launch "
    "tile.compiled tile.target cuda.kernel cuda.device cuda.thread_id cuda.block_id cuda.block_dim cuda.grid_dim "
    "cuda.global_id cuda.shared cuda.syncthreads cuda.syncwarp cuda.shfl_xor cuda.shfl cuda.shfl_up cuda.shfl_down "
    "cuda.launch cuda.device_alloc cuda.compiled cuda.target cuda.synchronize native.ptr native.const_ptr "
    "native.static native.load native.TypeVar native.store native.offset native.stack_alloc native.cast math.sqrt "
    "math.floor math.ceil math.fabs math.copysign math.isnan math.isinf math.isfinite builtin.abs builtin.min "
    "builtin.max builtin.round builtin.divmod builtin.pow builtin.int builtin.float builtin.bool builtin.range "
    "builtin.len"
)
NAMES: Final[frozenset[str]] = frozenset(_STRUCTURE.split()).union(
    *(row.spellings for row in OPERATIONS.values()),
    *(row.spellings for row in REDUCTIONS.values()),
    *(row.spellings for row in SCANS.values()),
    *(row.spellings for row in COMPOSITES.values()),
    *(row.spellings for row in ATOMIC_ROWS),
    MATH_CONSTANTS,
    TYPE_NAMES,
)


def members(module: str) -> tuple[str, ...]:
    """The names after `module.`, sorted."""
    lead = module + "."
    return tuple(sorted(name.removeprefix(lead) for name in NAMES if name.startswith(lead)))


_SCALARS_BROADCAST: Final = "a scalar beside a tile counts for every lane; `tile.arange(n) * 0.0` is a tile of zeros"
# For each of these names, in whichever module it is looked for.
_ANYWHERE: Final[Mapping[str, str]] = {
    "tan": "`sin(x) / cos(x)`",
    "log10": "`log2(x) * 0.3010299956639812`",
    "asin acos atan atan2 sinh cosh cbrt erfc": "docs/ops.md lists the functions that there are",
    "dot matmul reshape transpose trans": "tiles of two dimensions are not here yet",
    "sort argsort flip cumprod associative_scan reduce": "docs/ops.md lists the reductions and scans that there are",
    "softmax logsumexp": "`tile.exp(x - tile.max(x))` and `tile.sum` of it are the parts",
    "print printf device_print": '`print("n:", n)` and f-strings, as in Python',
    "static_assert device_assert": '`assert condition, "text"`, as in Python',
    "broadcast broadcast_to": "a scalar beside a tile counts for every lane",
    "debug_barrier": "the compiler places the barriers of a tile kernel; a thread kernel has `cuda.syncthreads()`",
    "math": "write `import math` at the top of the file",
    "cuda native tile": "write `from transpile import cuda, native, tile` at the top of the file",
    "atomic_inc": "an `atomic_add` of 1",
    "atomic_dec atomic_sub": "an `atomic_add` of the value with the other sign",
    "float16 half": "`native.f16`",
    "bfloat16": "`native.bf16`",
    "float32": "`native.f32`",
    "float64 double": "`native.f64`",
    "f8": "`native.f8e4m3` or `native.f8e5m2`",
    **{f"int{bits}": f"`native.i{bits}`" for bits in (8, 16, 32, 64)},
    **{f"uint{bits}": f"`native.u{bits}`" for bits in (8, 16, 32, 64)},
    "threadfence threadfence_block": "`cuda.syncthreads()` orders the accesses of a block",
    "ballot vote vote_any vote_all any_sync all_sync": "five steps of `cuda.shfl_xor` join what the 32 threads hold",
    "shfl_sync shfl_xor_sync shfl_up_sync shfl_down_sync": "the names without `_sync`: all 32 threads take part",
}
SAME_IDEA: Final[Mapping[str, str]] = {
    "tile.syncthreads": "the compiler places the barriers of a tile kernel",
    "tile.zeros": _SCALARS_BROADCAST,
    "tile.full": _SCALARS_BROADCAST,
    "tile.cdiv": "`(n + 255) // 256` rounds up",
    "tile.std": "`tile.sqrt(tile.var(x))`",
    "tile.average": "`tile.mean(x)`",
    "tile.cummin": "`-tile.cummax(-x)`, where `x` has a sign",
    "tile.device": "device functions are marked `@cuda.device`, for both kinds of kernel",
    "tile.block_id": "`tile.program_id(axis)`",
    "tile.thread_id": "a tile kernel has no threads: `tile.arange(n)` numbers the lanes of a tile",
    "tile.jit": "`@tile.kernel`",
    "cuda.jit": "`@cuda.kernel`, or `@cuda.device` for a function that kernels call",
    "cuda.threadIdx": "`cuda.thread_id(axis)`, where 0 is x, 1 is y and 2 is z",
    "cuda.blockIdx": "`cuda.block_id(axis)`, where 0 is x, 1 is y and 2 is z",
    "cuda.blockDim": "`cuda.block_dim(axis)`, where 0 is x, 1 is y and 2 is z",
    "cuda.gridDim": "`cuda.grid_dim(axis)`, where 0 is x, 1 is y and 2 is z",
    "cuda.grid": "`cuda.global_id(axis)`",
    "cuda.gridsize": "`cuda.grid_dim(axis) * cuda.block_dim(axis)`",
    "cuda.laneid": "`cuda.thread_id() % 32`",
    "cuda.shared_array": "`cuda.shared[T, N]()`, or `cuda.shared[T, ROWS, COLS]()`",
    "cuda.shared_dynamic": "`cuda.shared[T, n]()` with an `int` parameter n of the kernel, which the launch says",
    "cuda.dynamic_shared": "`cuda.shared[T, n]()` with an `int` parameter n of the kernel, which the launch says",
    "cuda.local": "`native.stack_alloc[T](n)`",
    "cuda.atomic": "`cuda.atomic_add(pointer, value)`, `cuda.atomic_max`, …",
    "cuda.atomic_compare_and_swap": "`cuda.atomic_cas(pointer, compare, value)`",
    "cuda.compare_and_swap": "`cuda.atomic_cas(pointer, compare, value)`",
    "tile.atomic": "`tile.atomic_add(pointer, offsets, value, mask)`, `tile.atomic_max`, …",
    "tile.atomic_xchg": "`tile.atomic_exch(pointer, offsets, value, mask)`",
}
"""What somebody who comes from another system means by a name that is not here."""

_CONVERT: Final = "`native.cast(x, native.f32)` converts a number or a tile"
_METHODS: Final[Mapping[str, str]] = {
    "astype": _CONVERT,
    "to": _CONVERT,
    "format": '`print` takes values between its texts, `print("n:", n)`, and f-strings',
}


def instead_of(dotted: str) -> str:
    """What to write for a name of the language that does not exist; empty where nothing is known."""
    name = dotted.rpartition(".")[2]
    anywhere = next((instead for names, instead in _ANYWHERE.items() if name in names.split()), "")
    return SAME_IDEA.get(dotted) or elsewhere(name) or anywhere


def instead_of_method(name: str) -> str:
    """What to write for a call of the method `name` of a value; empty where nothing is known."""
    return _METHODS.get(name) or elsewhere(name)


def elsewhere(name: str) -> str:
    """Where the language has a function of this name."""
    found = [f"{module}.{name}" for module in ("tile", "native", "math", "cuda") if f"{module}.{name}" in NAMES]
    return f"compiled code has {' and '.join(f'`{each}`' for each in found)}" if found else ""

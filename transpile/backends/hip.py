"""HIP for AMD: hipcc. On a 64-wide wavefront a group of 32 threads is a half, so every shuffle names its width."""

from __future__ import annotations

from typing import Final

from transpile.backends.backend import Backend, Compiling, Hardware, Spelling
from transpile.backends.cuda import GPU_ATOMICS, GPU_PLACES

_ON_DEVICE: Final = "defined(__HIP_DEVICE_COMPILE__)"
_HARDWARE: Final = (
    Hardware("f16", _ON_DEVICE, ("_Float16 half;", "memcpy(&half, &bits, sizeof half);", "return half;")),
    Hardware(
        "to_f16",
        _ON_DEVICE,
        (
            "const _Float16 half = _Float16(value);",
            "f16 result;",
            "memcpy(&result.bits, &half, sizeof half);",
            "return result;",
        ),
    ),
)

HIP: Final = Backend(
    name="hip",
    title="AMD GPUs",
    is_gpu=True,
    suffix=".hip",
    template="gpu.j2",
    shared_plain=64 * 1024,
    shared_limit=64 * 1024,
    max_total_threads=(1 << 32) - 1,
    compiling=Compiling(
        flags=("-std=c++17", "-O3", "-ffp-contract=off", "-fPIC"),
        line_flags=("-gline-tables-only",),
        libraries=("-lamdhip64",),
    ),
    spelling=Spelling(
        language="HIP C++",
        includes=("cmath", "cstdint", "hip/hip_runtime.h"),
        device="__device__ ",
        places=GPU_PLACES,
        shuffles=(
            ("xor", "__shfl_xor(", ", 32)"),
            ("idx", "__shfl(", ", 32)"),
            ("up", "__shfl_up(", ", 32)"),
            ("down", "__shfl_down(", ", 32)"),
        ),
        atomics=GPU_ATOMICS,
        sync_group="sync_group()",
        has_typed_places=True,
        runtime="hip",
        end_of_thread="__builtin_amdgcn_endpgm();",  # of the wavefront: what else its threads do is open then
        host_memory="hipHostMalloc(&made, sizeof(failure), hipHostMallocPortable | hipHostMallocMapped)",
        record_includes=("mutex", "new"),
        lock_includes=("mutex",),
        hardware=_HARDWARE,
    ),
)

"""CUDA: nvcc, and NVRTC for kernels alone; sm_75 and later."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from transpile.backends.backend import Backend, Compiling, Hardware, Spelling

GPU_PLACES: Final = (
    ("program_id", "blockIdx"),
    ("num_programs", "gridDim"),
    ("thread_id", "threadIdx"),
    ("block_id", "blockIdx"),
    ("block_dim", "blockDim"),
    ("grid_dim", "gridDim"),
    ("lane_thread", "threadIdx"),
)

# The functions of both vendors' headers.
GPU_ATOMICS: Final = (
    ("i32 u32", "", "add max min exch cas and or xor"),
    ("i64 u64", "unsigned long long", "add exch cas and or xor"),
    ("u64", "unsigned long long", "max min"),
    ("f32", "", "add exch"),
    ("f64", "", "add"),
)

# NVIDIA's CUDA C++ Programming Guide, "Technical Specifications per Compute Capability"; the others have 227 KiB.
_KIBIBYTES: Final = (
    ("sm_75", 64),
    ("sm_80", 163),
    ("sm_86", 99),
    ("sm_87", 163),
    ("sm_89", 99),
    ("sm_120", 99),
    ("sm_121", 99),
)

# NVIDIA's PTX ISA, "Data Movement and Conversion Instructions: cvt", "Floating Point Instructions: max", "min".
_ANY: Final = "defined(__CUDA_ARCH__)"
_AMPERE: Final = "__CUDA_ARCH__ >= 800"
_ADA: Final = "__CUDA_ARCH__ >= 890"


def _from_f8(kind: str) -> tuple[str, ...]:
    """The lower of a pair of eights as a half, and that as a float."""
    return (
        "uint32_t halves;",
        "float value;",
        f'asm("cvt.rn.f16x2.{kind}x2 %0, %1;" : "=r"(halves) : "h"(uint16_t(bits)));',
        'asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(uint16_t(halves)));',
        "return value;",
    )


def _to_f8(kind: str) -> tuple[str, ...]:
    """As the lower of a pair."""
    return (
        "uint16_t pair;",
        f'asm("cvt.rn.satfinite.{kind}x2.f32 %0, %1, %2;" : "=h"(pair) : "f"(0.0f), "f"(value));',
        "return {uint8_t(pair)};",
    )


def _to_16(kind: str) -> tuple[str, ...]:
    return (
        f"{kind} result;",
        f'asm("cvt.rn.{kind}.f32 %0, %1;" : "=h"(result.bits) : "f"(value));',
        "return result;",
    )


def _of_two(instruction: str) -> tuple[str, ...]:
    return ("float result;", f'asm("{instruction}.f32 %0, %1, %2;" : "=f"(result) : "f"(a), "f"(b));', "return result;")


_FROM_F16: Final = ("float value;", 'asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(bits));', "return value;")
_HARDWARE: Final = (
    Hardware("f16", _ANY, _FROM_F16),
    Hardware("to_f16", _ANY, _to_16("f16")),
    Hardware("to_bf16", _AMPERE, _to_16("bf16")),
    Hardware("f8e4m3", _ADA, _from_f8("e4m3")),
    Hardware("to_f8e4m3", _ADA, _to_f8("e4m3")),
    Hardware("to_f8e5m2", _ADA, _to_f8("e5m2")),
    Hardware("maximum", _AMPERE, _of_two("max.NaN"), of="float"),
    Hardware("minimum", _AMPERE, _of_two("min.NaN"), of="float"),
    Hardware("maximum_number", _ANY, _of_two("max"), of="float"),
    Hardware("minimum_number", _ANY, _of_two("min"), of="float"),
)

CUDA: Final = Backend(
    name="cuda",
    title="NVIDIA GPUs",
    is_gpu=True,
    suffix=".cu",
    template="gpu.j2",
    shared_plain=48 * 1024,
    shared_limit=227 * 1024,
    shared_limits=tuple((arch, size * 1024) for arch, size in _KIBIBYTES),
    fuses_products=True,
    drops_negations=True,
    compiling=Compiling(
        flags=("-std=c++17", "-O3", "-fmad=false", "-Xcompiler", "-fPIC"),
        line_flags=("-lineinfo",),
        libraries=("-lcudart_static", "-lrt", "-lpthread"),
    ),
    spelling=Spelling(
        language="CUDA C++",
        includes=("cmath", "cstdint", "cuda_runtime.h"),
        device="__device__ ",
        places=GPU_PLACES,
        shuffles=(
            ("xor", "__shfl_xor_sync(0xffffffffu, ", ")"),
            ("idx", "__shfl_sync(0xffffffffu, ", ")"),
            ("up", "__shfl_up_sync(0xffffffffu, ", ")"),
            ("down", "__shfl_down_sync(0xffffffffu, ", ")"),
        ),
        atomics=(*GPU_ATOMICS, ("i64", "long long", "max min")),
        sync_group="__syncwarp()",
        runtime="cuda",
        end_of_thread='asm volatile("exit;");',
        host_memory="cudaHostAlloc(&made, sizeof(failure), cudaHostAllocPortable | cudaHostAllocMapped)",
        record_includes=("mutex", "new"),
        lock_includes=("mutex",),
        hardware=_HARDWARE,
    ),
)

# Kernels without a host part: NVRTC has no headers of its own, and is given what runtime_cpp/nvrtc holds.
NVRTC: Final = replace(
    CUDA,
    template="nvrtc.j2",
    spelling=replace(CUDA.spelling, includes=("cmath", "cstdint"), record_includes=(), lock_includes=()),
)

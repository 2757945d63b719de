"""The CPU: g++ or clang++. One thread holds every lane of a tile, or walks the threads of a block."""

from __future__ import annotations

from typing import Final

from transpile.backends.backend import Backend, Compiling, Spelling

CPU: Final = Backend(
    name="cpu",
    title="the CPU",
    is_gpu=False,
    suffix=".cpp",
    template="cpu.j2",
    max_threads_per_tile=1,
    shared_plain=227 * 1024,
    shared_limit=227 * 1024,
    compiling=Compiling(
        # Contraction is off, and neither traps nor errno are looked at by anyone.
        flags=(
            "-std=c++17",
            "-O3",
            "-ffp-contract=off",
            "-fno-trapping-math",
            "-fno-math-errno",
            "-fPIC",
            "-pthread",
        ),
        line_flags=("-g1",),
    ),
    spelling=Spelling(
        language="C++",
        includes=(
            "algorithm",
            "atomic",
            "cmath",
            "condition_variable",
            "cstdint",
            "cstdlib",
            "mutex",
            "sched.h",
            "system_error",
            "thread",
            "unistd.h",
            "utility",
            "vector",
        ),
        device="",
        record_includes=("tuple",),
        places=(
            ("program_id", "program_id"),
            ("num_programs", "num_programs"),
            ("thread_id", "thread_id"),
            ("block_id", "block_id"),
            ("block_dim", "block_dim"),
            ("grid_dim", "grid_dim"),
        ),
    ),
)

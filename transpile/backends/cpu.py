"""The CPU: g++ or clang++. One thread holds every lane of a tile, or walks the threads of a block."""

from __future__ import annotations

from typing import Final

from transpile.backends.backend import Backend, Spelling

CPU: Final = Backend(
    name="cpu",
    is_gpu=False,
    suffix=".cpp",
    template="cpu.j2",
    max_threads_per_tile=1,
    shared_plain=227 * 1024,
    shared_limit=227 * 1024,
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

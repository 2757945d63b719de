"""Whether the shared memory that a kernel asks for is there on the GPUs that it is compiled for."""

from __future__ import annotations

from collections.abc import Sequence

from transpile.backends.backend import Backend
from transpile.diagnostics import memory as faults
from transpile.diagnostics.core import Sink
from transpile.ir import tir
from transpile.ir.walk import all_ops
from transpile.typing.memory import buffer_bytes


def check_room(module: tir.Module, backend: Backend, archs: Sequence[str], sink: Sink) -> None:
    """Reports the first buffer of each kernel that goes beyond what a block has: on every GPU of the backend, or on the
    smallest of `archs`."""
    if not backend.is_gpu:
        return
    limit, smallest = min(((backend.shared_limit_of(arch), arch) for arch in archs), default=(backend.shared_limit, ""))
    for function in module.functions:
        sizes: list[int] = []
        for op in all_ops(function.body):
            if not isinstance(op, tir.Alloc) or op.space != "shared" or not isinstance(op.count, int):
                continue  # what the launch sizes, the launch checks
            sizes.append(op.count * op.result.type.dtype.bytes)
            total = buffer_bytes(sizes)
            if total > limit:
                sink.report(faults.shared_limit(op.span, total, limit, smallest or backend.title))
                break

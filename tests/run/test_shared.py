"""More shared memory than a CUDA kernel has without asking for it: the launch asks, each time."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from tests.support.everywhere import Step, Target, Text, check_everywhere

SOURCE: Final = """
from transpile import cuda, native


@cuda.kernel
def turn(n: int, x: native.const_ptr[float], y: native.const_ptr[native.i32], out: native.ptr[float]) -> None:
    wide = cuda.shared[float, 10000]()
    small = cuda.shared[native.i32, 10000]()
    i = cuda.thread_id()
    step = cuda.block_dim()
    for k in range(i, n, step):
        native.store(native.offset(wide, k), native.load(native.offset(x, k)))
        native.store(native.offset(small, n - 1 - k), native.load(native.offset(y, k)))
    cuda.syncthreads()
    for k in range(i, n, step):
        slot = cuda.block_id() * n + k
        value = native.load(native.offset(wide, n - 1 - k)) * native.load(native.offset(small, k))
        native.store(native.offset(out, slot), value)
"""


def test_more_than_the_plain_limit(targets: Sequence[Target]) -> None:
    """120,000 bytes, which HIP's devices do not have."""
    n = 10_000
    arrays = {
        "x": np.random.default_rng(1).standard_normal(n),
        "y": np.arange(n, dtype=np.int32),
        "out": np.zeros(3 * n),
    }
    steps = [Step("turn", (3,), (96,), (n, "x", "y", "out")), Step("turn", (3,), (64,), (777, "x", "y", "out"))]
    able = [target for target in targets if target.backend != "hip"]
    check_everywhere(Text(SOURCE, "shared"), steps, arrays, able)

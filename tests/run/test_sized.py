"""A shared array that the launch sizes: one of the kernel's arguments says how many elements it has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from tests.support.everywhere import Step, Target, check_everywhere, lent
from tests.toolchains.texts import text_of

BAD_SHARED: Final = 7
BYTES: Final = {"cpu": 227 * 1024, "cuda": 227 * 1024, "hip": 64 * 1024}  # of a block


def test_everywhere(targets: Sequence[Target]) -> None:
    """Less than a block has without asking, more than that where a block can have it, and nothing."""
    x = np.random.default_rng(3).standard_normal(20_000).astype(np.float32)
    arrays = {
        "x": x,
        "out": np.zeros(60_000, np.float32),
        "y": np.arange(-50, 50, dtype=np.int16),
        "sums": np.zeros(3),
        "halves": np.arange(40, dtype=np.float16),
        "half": np.zeros(40, np.float16),
        "bytes": np.arange(100, dtype=np.uint8),
        "other": np.zeros(100, np.uint8),
    }
    steps = [
        Step("turn", (3,), (96,), (15_000, "x", "out")),
        Step("turn", (2,), (64,), (7, "x", "out")),
        Step("turn", (2,), (64,), (0, "x", "out")),
        Step("beside", (1,), (32,), ("y", 100, 100, "sums")),
        Step("beside", (1,), (32,), ("y", 0, 0, "sums")),
        Step("sums__f16_5", (1,), (64,), (5, 37, "halves", "half")),
        Step("sums__f32_9", (1,), (64,), (9, 60, "x", "out")),
        Step("turned__2", (1,), (32,), (2, 100, "bytes", "other")),
        Step("turned__3", (1,), (32,), (3, 99, "other", "bytes")),
    ]
    text = text_of("sized")
    # AMD's devices have 64 KB without asking, and NVIDIA's give the HIP text no more than 48.
    able = [target for target in targets if (target.backend, target.place) != ("hip", "device")]
    check_everywhere(text, steps, arrays, able)
    for target in targets:
        most = BYTES[target.backend] // 4
        for size in (-1, most + 1, 1 << 62):
            refused = Step("turn", (3,), (96,), (size, "x", "out"))
            with lent(target, arrays) as addresses:
                assert text.call(target, refused, addresses) == BAD_SHARED
        # 24 bytes and 5 of others, in whole multiples of 16 on a GPU
        refused = Step("beside", (1,), (32,), ("y", 0, (BYTES[target.backend] - 24) // 2, "sums"))
        with lent(target, arrays) as addresses:
            assert text.call(target, refused, addresses) == BAD_SHARED

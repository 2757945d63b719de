"""Counters of loops on a GPU: `int` where that can count as far, and arithmetic on them in the width that it has."""

from __future__ import annotations

from tests.support.everywhere import Text

TEXT = Text("""
from transpile import cuda, native


@cuda.kernel
def count(n: int, out: native.ptr[int]) -> None:
    total = 0
    for a in range(2, cuda.block_dim(), 3):
        total += a * n
    for b in range(n):
        total += b
    for c in range(10):
        total += c * 3_000_000_000
    for d in range(10, 0, -1):
        total += d
    for e in range(cuda.thread_id(), 1024, 32):
        total += e * e
    for f in range(2_147_483_647):
        total += f
    for g in range(-5, 5):
        total += g
    for a in range(n, 10):
        total += a
    native.store(native.offset(out, cuda.thread_id()), total)
""")


def test_counters() -> None:
    text = TEXT.emitted("cuda")
    assert [line.split(" {")[0].strip() for line in text.split("\n") if line.strip().startswith("for (")] == [
        "for (int a = 2; a < int(blockDim.x); a += 3)",
        "for (int64_t b = 0; b < n; ++b)",
        "for (int c = 0; c < 10; ++c)",
        "for (int64_t d = 10; d > 0; --d)",
        "for (int e = threadIdx.x; e < 1024; e += 32)",
        "for (int64_t f = 0; f < 2147483647; ++f)",
        "for (int64_t g = -5; g < 5; ++g)",
        "for (int64_t a = n; a < 10; ++a)",
    ]
    assert "mul(int64_t(a), n)" in text
    assert "c * 3000000000" in text  # C++ gives that literal 64 bits
    assert "for (int64_t c = 0;" in TEXT.emitted("cpu")

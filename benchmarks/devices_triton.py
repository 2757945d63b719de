"""Triton's kernels, in a file of their own: Triton reads their source, and they cannot be closures."""

import triton
import triton.language as tl


@triton.jit
def saxpy(n, a, x, y, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def] # noqa: N803
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < n
    tl.store(y + offsets, a * tl.load(x + offsets, mask=mask) + tl.load(y + offsets, mask=mask), mask=mask)


@triton.jit
def block_max(x, out, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def] # noqa: N803
    values = tl.load(x + tl.program_id(0) * BLOCK + tl.arange(0, BLOCK))
    tl.store(out + tl.program_id(0), tl.max(values, axis=0))


@triton.jit
def softmax(cols, x, out, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def] # noqa: N803
    lanes = tl.arange(0, BLOCK)
    at = tl.program_id(0).to(tl.int64) * cols + lanes
    values = tl.load(x + at, mask=lanes < cols, other=-float("inf")).to(tl.float32)
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(out + at, powers / tl.sum(powers, axis=0), mask=lanes < cols)


@triton.jit
def layer_norm(cols, x, scale, shift, out, BLOCK: tl.constexpr):  # type: ignore[no-untyped-def] # noqa: N803
    lanes = tl.arange(0, BLOCK)
    mask = lanes < cols
    at = tl.program_id(0).to(tl.int64) * cols + lanes
    values = tl.load(x + at, mask=mask, other=0.0).to(tl.float32)
    away = tl.where(mask, values - tl.sum(values, axis=0) / cols, 0.0)
    normal = away / tl.sqrt(tl.sum(away * away, axis=0) / cols + 1e-5)
    scales = tl.load(scale + lanes, mask=mask, other=0.0).to(tl.float32)
    shifts = tl.load(shift + lanes, mask=mask, other=0.0).to(tl.float32)
    tl.store(out + at, normal * scales + shifts, mask=mask)

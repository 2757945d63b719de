"""Grids and blocks of a launch: an int or a tuple of up to three, within the limits of the language."""

from __future__ import annotations

import operator
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from transpile.ir import tir

Sizes: TypeAlias = "int | tuple[int, ...]"
Three: TypeAlias = "tuple[int, int, int]"

MOST_BLOCKS: Final = (2**31 - 1, 65535, 65535)
MOST_THREADS: Final = (1024, 1024, 64)
MOST_THREADS_OF_A_BLOCK: Final = 1024
GROUP: Final = 32


def read_grid(name: str, grid: object) -> Three:
    """Three sizes, any of which may be 0. Raises ValueError."""
    if type(grid) is int and 0 <= grid <= MOST_BLOCKS[0]:
        return grid, 1, 1
    sizes = _sizes(name, "grid", grid)
    for axis, size, most in zip("xyz", sizes, MOST_BLOCKS, strict=True):
        if not 0 <= size <= most:
            raise ValueError(f"{name}: the grid's {axis} is {size}; it must be 0 to {most}")
    return sizes


def read_block(name: str, block: object) -> Three:
    """Three sizes of at least 1. Raises ValueError."""
    if type(block) is int and 1 <= block <= MOST_THREADS[0]:
        return block, 1, 1
    sizes = _sizes(name, "block", block)
    for axis, size, most in zip("xyz", sizes, MOST_THREADS, strict=True):
        if not 1 <= size <= most:
            raise ValueError(f"{name}: the block's {axis} is {size}; it must be 1 to {most}")
    threads = sizes[0] * sizes[1] * sizes[2]
    if threads > MOST_THREADS_OF_A_BLOCK:
        raise ValueError(f"{name}: the block has {threads} threads; it may have {MOST_THREADS_OF_A_BLOCK}")
    return sizes


def check_groups(function: tir.Function, block: Three) -> None:
    """Raises ValueError where the kernel relies on whole groups of 32 threads, or rows of them, that `block` lacks."""
    name, (x, y, z) = function.base, block
    threads = x * y * z
    if function.uses_shuffles and threads % GROUP != 0:
        raise ValueError(f"{name}: the block has {threads} threads; a kernel that shuffles needs a multiple of {GROUP}")
    if function.needs_group_rows and x % GROUP != 0 and (y != 1 or z != 1):
        raise ValueError(
            f"{name}: the block is {x} x {y} x {z}; this kernel needs x to be a multiple of {GROUP}, or y and z to be 1"
        )


def _sizes(name: str, what: str, given: object) -> Three:
    items = given if isinstance(given, tuple) else (given,)
    if not 1 <= len(items) <= 3:
        raise ValueError(f"{name}: the {what} must be an int or a tuple of up to three ints, not of {len(items)}")
    sizes = [1, 1, 1]
    for place, item in enumerate(items):
        axis = "xyz"[place]
        try:
            size = operator.index(item)
        except TypeError:
            raise ValueError(
                f"{name}: the {what} must be an int or a tuple of up to three ints; {axis} is {item!r}"
            ) from None
        if not -(1 << 63) <= size < 1 << 63:
            raise ValueError(f"{name}: the {what}'s {axis} is outside of int64")  # its digits may be thousands
        sizes[place] = size
    return sizes[0], sizes[1], sizes[2]

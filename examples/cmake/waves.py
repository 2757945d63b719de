"""A plucked string: the wave equation in one dimension, as kernels that a C++ program calls (see README.md).

python examples/cmake/waves.py
"""

import struct

import numpy as np

from transpile import native, tile

POINTS = 4096


@tile.kernel
def step(n: int, courant: float, now: native.const_ptr[float], other: native.ptr[float]) -> None:
    """`other` holds the string one step before `now`, and then one step after it. The ends stay where they are."""
    at = tile.program_id() * 256 + tile.arange(256)
    inside = (at > 0) & (at < n - 1)
    here = tile.load(now, at, inside)
    bend = tile.load(now, at - 1, inside) - 2.0 * here + tile.load(now, at + 1, inside)
    tile.store(other, at, 2.0 * here - tile.load(other, at, inside) + courant * bend, inside)


@tile.kernel
def block_energy(n: int, now: native.const_ptr[float], before: native.const_ptr[float], out: native.ptr[float]) -> None:
    """The kinetic energy of 256 points."""
    block = tile.program_id()
    at = block * 256 + tile.arange(256)
    moved = tile.load(now, at, at < n) - tile.load(before, at, at < n)
    tile.store(out, block, tile.sum(moved * moved) * 0.5)


def swing(n: int, pairs: int, courant: float, first: native.ptr[float], second: native.ptr[float]) -> None:
    """Two steps, `pairs` times: `first` is the string as it is, `second` as it was one step before."""
    for _ in range(pairs):
        tile.launch(step, (n + 255) // 256, n, courant, first, second)
        tile.launch(step, (n + 255) // 256, n, courant, second, first)


def energy(n: int, now: native.const_ptr[float], before: native.const_ptr[float], out: native.ptr[float]) -> None:
    tile.launch(block_energy, (n + 255) // 256, n, now, before, out)


def main() -> None:
    place = np.arange(float(POINTS))
    first = np.minimum(place, POINTS - 1.0 - place) / POINTS
    second = first.copy()
    swing(POINTS, 50, 0.25, first, second)
    blocks = np.zeros(POINTS // 256)
    energy(POINTS, first, second, blocks)
    bits = 0
    for each in struct.unpack(f"{POINTS}Q", first.tobytes()):
        bits = (bits * 31 + each) % (1 << 64)
    print(f"middle {first[POINTS // 2]:.17g}, energy of its block {blocks[8]:.17g}, bits {bits:016x}")


if __name__ == "__main__":
    main()

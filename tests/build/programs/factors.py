"""A device function that kernels.py takes from here."""

from transpile import cuda

FACTOR = 2.0


@cuda.device
def scaled(v: float) -> float:
    return v * FACTOR

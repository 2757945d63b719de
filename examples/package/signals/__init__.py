"""Smooths signals and measures them, on the GPU where there is one.

`signals.ops` holds the compiled kernels and launchers.
"""

from signals import ops_ext as ops

__all__ = ["ops"]

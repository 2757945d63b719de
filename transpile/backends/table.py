"""The targets by name. A new backend is one value here, its primitives and its spelling."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from transpile.backends.backend import Backend
from transpile.backends.cpu import CPU
from transpile.backends.cuda import CUDA
from transpile.backends.hip import HIP

BACKENDS: Final[Mapping[str, Backend]] = {backend.name: backend for backend in (CUDA, HIP, CPU)}

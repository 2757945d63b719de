"""Where NVIDIA's Python packages put a toolkit. Stands apart: a launch that compiles nothing asks this too."""

from __future__ import annotations

import re
import sys
from pathlib import Path


def packaged_cuda() -> tuple[Path, ...]:
    """The folders that NVIDIA's Python packages of CUDA 13 and later share (bin, include, lib), newest first."""
    found = {root for entry in sys.path if entry for root in Path(entry, "nvidia").glob("cu[0-9]*") if root.is_dir()}
    return tuple(sorted(found, key=lambda root: (-int(re.sub(r"\D", "", root.name)), str(root))))

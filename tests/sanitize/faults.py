"""A kernel with a fault on the device, in this process: what a sanitizer must find.

python -m tests.sanitize.faults TOOL
"""

from __future__ import annotations

import ctypes
import sys
from pathlib import Path

import numpy as np

from tests.support import device
from tests.support.compiling import compile_for_device


def main() -> None:
    device.driver()  # first of all: what watches a process waits for this
    text = Path(__file__).with_suffix(".cu").read_text(encoding="utf-8")
    library = ctypes.CDLL(str(compile_for_device(text, "cuda", device.architecture())))
    with device.mirrored([np.zeros(64)]) as addresses:
        getattr(library, f"fault_{sys.argv[1]}")(ctypes.c_void_p(addresses[0]))


if __name__ == "__main__":
    main()

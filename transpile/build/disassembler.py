"""Machine code of NVIDIA's GPUs as text, by NVIDIA's own program."""

from __future__ import annotations

import os
import shutil
import tempfile
from pathlib import Path
from typing import Final

from transpile import settings
from transpile.build import toolchain
from transpile.build.toolchain import ToolchainMissingError

NAME: Final = "nvdisasm"


def find_nvdisasm() -> str | None:
    """The program of $CUDA_HOME or $CUDA_PATH, of NVIDIA's packages beside this one, on the PATH or in
    /usr/local/cuda; None where there is none."""
    homes = (*settings.cuda_folders(), *toolchain.packaged_cuda())
    found = (str(home / "bin" / NAME) for home in homes if os.access(home / "bin" / NAME, os.X_OK))
    system = toolchain.SYSTEM_CUDA / "bin" / NAME
    return next(found, None) or shutil.which(NAME) or (str(system) if os.access(system, os.X_OK) else None)


def disassemble(image: bytes) -> str:
    """The instructions of a cubin. Raises ToolchainMissingError, CompilerError."""
    program = find_nvdisasm()
    if program is None:
        raise ToolchainMissingError(
            f"machine code is shown by NVIDIA's {NAME}, and none was found: pip install nvidia-cuda-nvdisasm brings it "
            "(Linux), and NVIDIA's CUDA toolkit has it (set CUDA_HOME); --stage ptx needs no other program"
        )
    with tempfile.TemporaryDirectory(prefix="transpile-") as folder:
        path = Path(folder) / "kernels.cubin"
        path.write_bytes(image)
        return toolchain.run([program, "--print-code", str(path)])

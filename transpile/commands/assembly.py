"""`emit ptx` and `inspect --stage ptx|sass`: what NVRTC makes of a file's kernels, with or without a GPU here."""

from __future__ import annotations

from typing import Literal

from transpile import pipeline
from transpile.build import devices
from transpile.build.disassembler import disassemble
from transpile.build.nvrtc import Nvrtc, load_nvrtc
from transpile.build.toolchain import UnknownProcessorError
from transpile.cli import UsageError
from transpile.ir import hir, tir


def assembly(
    module: hir.Module, typed: tir.Module, form: Literal["ptx", "sass"], arch: str | None, options: pipeline.Options
) -> str:
    """The kernels for `arch`, by default this machine's GPU, and where there is none the oldest that NVRTC knows.

    Raises UsageError, ToolchainMissingError, CompilerError.
    """
    image, _ = pipeline.emit_image(module, typed, options)
    if not image.kernels:
        raise UsageError(f"{module.source.name}: there is no kernel to compile")
    nvrtc = load_nvrtc()
    expressions = [kernel.expression for kernel in image.kernels]
    has_lines = options.lines == "directive"
    try:
        binary = nvrtc.compile(
            image.text,
            image.file,
            arch or _arch_here(nvrtc),
            expressions,
            "ptx" if form == "ptx" else "cubin",
            has_lines=has_lines,
        )
    except UnknownProcessorError as error:
        raise UsageError(f"--arch {arch}: {error}") from None
    return binary.image.decode("utf-8", "replace") if form == "ptx" else disassemble(binary.image)


def _arch_here(nvrtc: Nvrtc) -> str:
    known = nvrtc.archs()
    return next((device.arch for device in devices.nvidia().devices if device.arch in known), known[0])

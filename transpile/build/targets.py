"""How a module is compiled and linked for each target: command lines that lack only their files, and what runs them.

A module is three objects: the kernels with their C ABI (by the target's compiler), the table of what Python sees of
them, and the engine that reads it (both by the C++ compiler, for every target alike). The C++ compiler links them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from transpile import settings
from transpile.backends.table import BACKENDS
from transpile.build import devices, linking, toolchain
from transpile.build.toolchain import CompilerError, GpuCompiler, ToolchainMissingError, UnknownProcessorError

# An extension carries its engine: -O1 is as quick to call as -O2 and smaller. (-Os saves 16 KB of a wheel, and costs a
# call 35 ns.) Sections of their own, so that the linker can leave out what nobody calls.
HOST_FLAGS: Final = (
    "-std=c++17",
    "-O1",
    "-DNDEBUG",
    "-fPIC",
    "-fvisibility=hidden",
    "-ffunction-sections",
    "-fdata-sections",
)
# What g++ would put into its callers at -O1 without their being any quicker: 9 KB of a wheel.
GCC_FLAGS: Final = ("--param=max-inline-insns-single=16", "--param=early-inlining-insns=2")
LINK_FLAGS: Final = (*linking.FLAGS, "-Wl,--gc-sections")
HIP_ARCHS: Final = ("gfx90a", "gfx942", "gfx1030", "gfx1100", "gfx1201")  # 64 lanes a wavefront, and 32
# What NVIDIA's tools say of an installation that cannot work, and what mends it.
BROKEN_CUDA: Final = (
    (r"unsupported (GNU|clang) version", "nvcc does not work with this C++ compiler: choose an older one with CXX"),
    (r"Unsupported \.version", "NVIDIA's packages are of different releases: pip install 'transpile[cuda]' pins them"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Recipe:
    """The command lines for one target, without their files. `kernels` compiles STEM`suffix`, `host` the table and the
    engine, `link` and `libraries` stand around the objects. `versions` are the compilers'. `machines` is what the
    command line has of the processors (`--arch sm_90`); `remark` tells how they were chosen, if nobody asked for them.
    `origin` is the folder that the files of `#line` lie in, if the kernels' text has any.
    """

    target: str
    suffix: str
    kernels: tuple[str, ...]
    host: tuple[str, ...]
    link: tuple[str, ...]
    libraries: tuple[str, ...] = ()
    versions: tuple[str, ...]
    machines: str = ""
    remark: str = ""
    origin: Path | None = None

    @property
    def environment(self) -> Mapping[str, str] | None:
        return toolchain.HIP_ENVIRONMENT if self.target == "hip" else None

    @property
    def identity(self) -> tuple[str, ...]:
        """Everything here that what is built depends on."""
        parts = (self.kernels, self.host, self.link, self.libraries, self.versions, settings.nvcc_flags())
        machine = toolchain.machine() if self.target == "cpu" else ""
        return (
            self.target,
            self.machines,
            machine,
            str(self.origin),
            *(word for part in parts for word in ("", *part)),
        )


def recipe_for(
    target: str, *, archs: Sequence[str] | None = None, march: str = "native", origin: Path | None = None
) -> Recipe:
    """The recipe of a target. `archs` are the GPUs to compile for: by default this machine's, else a choice of those
    that the compiler knows; `march` the processors, of the CPU target. `origin`: where the files of `#line` are, if the
    text has any: debuggers and profilers will look for them there.

    Raises ToolchainMissingError, UnknownProcessorError.
    """
    backend = BACKENDS[target]
    flags = backend.compiling.flags + (backend.compiling.line_flags if origin is not None else ())
    compiler = toolchain.compiler_for(march if target == "cpu" else "native")
    host = (*compiler.command, *HOST_FLAGS, *(() if compiler.is_clang else GCC_FLAGS))
    stripped = () if origin is not None and target == "cpu" else ("-Wl,--strip-all",)
    link = (*compiler.command, *LINK_FLAGS, *stripped)
    if target == "cpu":
        return Recipe(
            target=target,
            suffix=backend.suffix,
            kernels=(*compiler.command, *flags, f"-march={march}"),
            host=host,
            link=link,
            libraries=linking.LIBRARIES,
            versions=(compiler.version,),
            machines=f"--march {march}" if march != "native" else "",
            origin=origin,
        )
    found = toolchain.find_nvcc() if target == "cuda" else toolchain.find_hipcc()
    chosen, remark = _choose(target, found, archs)
    select = _gencode(chosen) if target == "cuda" else tuple(f"--offload-arch={arch}" for arch in chosen)
    is_told = target != "cuda" or settings.is_nvcc_told_its_compiler() or len(compiler.command) > 1
    host_compiler = () if is_told else ("-ccbin", *compiler.command)
    return Recipe(
        target=target,
        suffix=backend.suffix,
        kernels=(found.program, *host_compiler, *flags, *select),
        host=host,
        link=link,
        libraries=(*_search(target, found), *backend.compiling.libraries, *linking.LIBRARIES),
        versions=(compiler.version, found.version),
        machines=f"--arch {','.join(chosen)}" if archs is not None else "",
        remark=remark,
        origin=origin,
    )


def _search(target: str, found: GpuCompiler) -> tuple[str, ...]:
    """Where the linker looks for the vendor's runtime; HIP's is a shared library that must be found again later."""
    if found.libraries is None:
        return ()
    again = (f"-Wl,-rpath,{found.libraries}",) if target == "hip" else ()
    return (f"-L{found.libraries}", *again)


# ---------------------------------------------------------------- which GPUs


def _choose(target: str, found: GpuCompiler, asked: Sequence[str] | None) -> tuple[tuple[str, ...], str]:
    """The GPUs to compile for, and how they were chosen if nobody asked."""
    if asked is not None:
        for arch in dict.fromkeys(asked):
            _check(target, found, arch)
        return tuple(dict.fromkeys(asked)), ""
    driver = devices.nvidia() if target == "cuda" else devices.amd()
    here = tuple(dict.fromkeys(device.arch for device in driver.devices))
    usable = tuple(arch for arch in here if _fault_of(target, found, arch) is None)
    if usable:
        names = ", ".join(dict.fromkeys(device.name for device in driver.devices if device.arch in usable))
        return usable, f"for {', '.join(usable)}: {names}; --arch names others"
    chosen = every_generation(target)
    why = f"{found.version} does not know {', '.join(here)}" if here else driver.fault
    return chosen, f"for {', '.join(chosen)}: {why}; --arch names others"


def every_generation(target: str) -> tuple[str, ...]:
    """The GPUs to compile for where nothing is known of those that will be there. Raises ToolchainMissingError."""
    if target == "cuda":
        oldest_last = reversed(toolchain.list_nvcc_archs(toolchain.find_nvcc()))
        # Code for the oldest of a generation runs on all of it.
        return tuple({int(arch[3:]) // 10: arch for arch in oldest_last}.values())[::-1]
    hipcc = toolchain.find_hipcc()
    faults = {arch: _fault_of(target, hipcc, arch) for arch in HIP_ARCHS}
    chosen = tuple(arch for arch, fault in faults.items() if fault is None)
    if not chosen:
        raise ToolchainMissingError(f"{faults[HIP_ARCHS[0]]} (Debian, Ubuntu: apt install rocm-device-libs)")
    return chosen


def _fault_of(target: str, found: GpuCompiler, arch: str) -> UnknownProcessorError | None:
    """Why a GPU cannot be compiled for, if so."""
    try:
        _check(target, found, arch)
    except UnknownProcessorError as error:
        return error
    return None


def _check(target: str, found: GpuCompiler, arch: str) -> None:
    check = toolchain.check_nvcc_arch if target == "cuda" else toolchain.check_hip_arch
    check(found, arch)


def _gencode(archs: Sequence[str]) -> tuple[str, ...]:
    """Machine code for each GPU, and PTX of the newest, which drivers compile for later ones."""
    codes = [arch.removeprefix("sm_") for arch in archs]
    newest = max((code.rstrip("abcdefghijklmnopqrstuvwxyz") for code in codes), key=int)
    ptx = f"-gencode=arch=compute_{newest},code=compute_{newest}"
    together = ("-t0",) if len(codes) > 1 else ()
    return (*together, *(f"-gencode=arch=compute_{code},code=sm_{code}" for code in codes), ptx)


# ---------------------------------------------------------------- compiling and linking


def compile_kernels(recipe: Recipe, source: Path, made: Path) -> None:
    """Compiles the text of the kernels. Raises CompilerError, ToolchainMissingError."""
    # Names are of the folder that the compiler runs in: the text's own, of which an object should say nothing, or that
    # of the Python file, which a debugger is to find.
    here = recipe.origin is None
    command = [*recipe.kernels, "-c", source.name if here else str(source.absolute()), "-o", str(made.absolute())]
    try:
        toolchain.run(command, environment=recipe.environment, folder=source.parent if here else recipe.origin)
    except CompilerError as error:
        for pattern, advice in BROKEN_CUDA if recipe.target == "cuda" else ():
            if re.search(pattern, error.output):
                raise ToolchainMissingError(f"{advice}\n{error}") from None
        raise


def compile_table(recipe: Recipe, source: Path, made: Path) -> None:
    """Compiles NAME.cpp, STEM.h being beside it. Raises CompilerError."""
    machines = [f'-DTRANSPILE_MACHINES=" {recipe.machines}"'] if recipe.machines else []
    include = f"-I{toolchain.runtime_folder() / 'include'}"
    toolchain.run([*recipe.host, include, *machines, "-c", str(source), "-o", str(made)])


def compile_engine(recipe: Recipe, source: Path, made: Path, *, headers: Sequence[str | Path]) -> None:
    """Compiles engine.cpp, `headers` being the folders of Python's and pybind11's. Raises CompilerError."""
    include = f"-I{source.parent / 'include'}"
    others = [f"-isystem{folder}" for folder in headers]
    # `assert` holds names of files: as they are below these folders, the object is the same wherever they are.
    others += [f"-fmacro-prefix-map={folder}/=" for folder in (source.parent, *headers)]
    toolchain.run([*recipe.host, include, *others, "-c", str(source), "-o", str(made)])


def link(recipe: Recipe, objects: Sequence[Path], made: Path, *, name: str, prefix: str) -> None:
    """Links the extension module `name`, whose C ABI's functions start with `prefix`; it exports nothing else. Raises
    CompilerError."""
    script = made.with_suffix(".exports")
    script.write_text(f"{{ global: PyInit_{name}; {prefix}*; local: *; }};\n", encoding="ascii")
    exports = f"-Wl,--version-script={script}"
    toolchain.run([*recipe.link, exports, *map(str, objects), *recipe.libraries, "-o", str(made)])

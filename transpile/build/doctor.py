"""What this machine has for each target, what it lacks, and the command that mends it.

Everything is looked for by the functions that the other commands use: what is told here is what they will find. Nothing
is compiled, and nothing heavy is imported.
"""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from pathlib import Path
from typing import Final, TypeVar

from transpile import settings
from transpile.build import devices, nvrtc, toolchain
from transpile.build.cache import open_cache
from transpile.build.devices import Driver
from transpile.build.toolchain import CompilerError, GpuCompiler, ToolchainMissingError

PIP: Final = "python -m pip install"
NVCC_PACKAGES: Final = "'cuda-toolkit[nvcc,cccl]==13.0.*'"  # the extra `cuda`
NVRTC_PACKAGES: Final = "'nvidia-cuda-nvrtc==13.0.*'"  # the extra `nvrtc`
OLDER_NVCC: Final = "install an older CUDA toolkit, and set CUDA_HOME to it"
OLDER_NVRTC: Final = f"python -m pip uninstall nvidia-cuda-nvrtc; {PIP} nvidia-cuda-nvrtc-cu12"
NEEDED: Final = ("jinja2", "libcst", "numpy", "pybind11", "rich")
# Whose arrays launches take, by the names that they are installed under.
ARRAYS: Final = (
    ("cupy", ("cupy-cuda13x", "cupy-cuda12x", "cupy")),
    ("jax", ("jax",)),
    ("numba", ("numba",)),
    ("torch", ("torch",)),
)
# The system's command, and what it calls a C++ compiler, Python's headers, and hipcc with what it needs.
SYSTEMS: Final = (
    ("apt-get", "apt install", "g++", "python{version}-dev", "hipcc libamdhip64-dev rocm-device-libs"),
    ("dnf", "dnf install", "gcc-c++", "python{version}-devel", "rocm-hip-devel"),
    ("zypper", "zypper install", "gcc-c++", "python{digits}-devel", ""),
    ("pacman", "pacman -S", "gcc", "python", "rocm-hip-sdk"),
    ("apk", "apk add", "g++", "python3-dev", ""),
)
T = TypeVar("T")
LITTLE: Final = 200 << 20  # bytes: less is soon full
MIB: Final = 1 << 20  # the unit of TRANSPILE_CACHE_MB


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """One thing that was looked for. `place` is empty where it is nowhere; `note` is what else is to be known."""

    name: str
    version: str = ""
    place: str = ""
    note: str = ""


@dataclass(frozen=True, slots=True)
class Lack:
    """Something that is missing, and the command or the deed that mends it."""

    what: str
    mend: str


@dataclass(frozen=True, slots=True)
class Ability:
    """What can be done for a target, unless something lacks."""

    name: str
    lacks: tuple[Lack, ...] = ()


@dataclass(frozen=True, slots=True)
class Target:
    """A target, and what can be done for it."""

    name: str
    abilities: tuple[Ability, ...]

    @property
    def is_ready(self) -> bool:
        return not any(ability.lacks for ability in self.abilities)


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """Everything that was found, in groups, and what follows for each target."""

    groups: tuple[tuple[str, tuple[Found, ...]], ...]
    targets: tuple[Target, ...]


def examine() -> Report:
    """Looks at this machine."""
    compilers, libraries = _compilers(), _libraries()
    return Report(
        groups=(
            ("compilers", tuple(compilers)),
            ("libraries and headers", tuple(libraries)),
            ("GPUs", (*_gpus("NVIDIA", devices.nvidia()), *_gpus("AMD", devices.amd()))),
            ("packages", tuple(_packages())),
            ("folders", tuple(_folders())),
        ),
        targets=(Target("reference", (Ability("run", _packages_lack()),)), _cpu(), _cuda(), _hip()),
    )


# ---------------------------------------------------------------- what is here


def _compilers() -> Iterable[Found]:
    yield from _cxx()
    yield from _gpu_compilers("nvcc", toolchain.nvcc_programs(), toolchain.find_nvcc)
    yield from _gpu_compilers("hipcc", toolchain.hipcc_programs(), toolchain.find_hipcc)


def _cxx() -> Iterable[Found]:
    """The C++ compiler that is taken, and others on the PATH."""
    try:
        taken = toolchain.find_compiler()
    except ToolchainMissingError as error:
        yield Found(name="C++", note=_short(error))
        return
    program = taken.command[0]
    why = "taken, by CXX" if settings.compiler() is not None else "taken"
    yield Found(name=taken.name, version=_release(taken.version), place=" ".join(taken.command), note=why)
    for name in ("g++", "clang++"):
        other = shutil.which(name)
        if other is not None and os.path.realpath(other) != os.path.realpath(program):
            yield Found(name=name, version=_release(_said(other)), place=other)


def _gpu_compilers(name: str, programs: Iterable[str], find: Callable[[], GpuCompiler]) -> Iterable[Found]:
    """All that are found, the one that is taken first."""
    try:
        taken = find()
    except ToolchainMissingError as error:
        yield Found(name=name, note=_short(error))
        return
    known = _archs(lambda: toolchain.list_nvcc_archs(taken)) if name == "nvcc" else ()
    note = f"taken; {known[0]} to {known[-1]}" if known else "taken"
    yield Found(name=name, version=_release(taken.version), place=taken.program, note=note)
    others = {os.path.realpath(each): each for each in programs}
    others.pop(os.path.realpath(taken.program), None)
    for each in others.values():
        yield Found(name=name, version=_release(_said(each)), place=each)


def _libraries() -> Iterable[Found]:
    found = _nvrtc()
    if isinstance(found, Lack):
        yield Found(name="NVRTC", note=found.what)
    else:
        known = _archs(found.archs)
        note = f"{known[0]} to {known[-1]}" if known else ""
        yield Found(name="NVRTC", version=found.version, place=str(found.path), note=note)
    try:
        yield Found(name="Python.h", version=_python(), place=str(toolchain.python_include()))
    except ToolchainMissingError as error:
        yield Found(name="Python.h", note=_short(error))
    engine = _engine()
    note = "" if engine is not None else "not built with this installation: compiled when it is first needed"
    yield Found(name="engine", place=str(engine or ""), note=note)


def _gpus(vendor: str, driver: Driver) -> Iterable[Found]:
    release = f"driver for CUDA {driver.version}" if vendor == "NVIDIA" else f"driver {driver.version}"
    if not driver.devices:
        yield Found(name=vendor, version=release if driver.version else "", note=driver.fault)
    for place, device in enumerate(driver.devices):
        memory = f"{device.memory / 1e9:.0f} GB"
        yield Found(name=vendor, version=device.arch, place=f"{place}: {device.name}, {memory}", note=release)


def _packages() -> Iterable[Found]:
    for name in NEEDED:
        installed = _installed((name,))
        yield Found(name=name, version=installed, note="" if installed else "missing")
    for name, distributions in ARRAYS:
        installed = _installed(distributions)
        yield Found(name=name, version=installed, note="" if installed else "not installed, and not needed")


def _folders() -> Iterable[Found]:
    """Where things are kept, and where compilers work."""
    taken = open_cache()
    for folder in settings.cache_directories():
        if folder != taken.folder:
            yield Found(name="cache", place=str(folder), note="cannot be written")
    if taken.folder is None:
        yield Found(name="cache", note="no folder can be written: everything is compiled again; set TRANSPILE_CACHE")
    else:
        sizes = [found.st_size for _, found in taken.entries()]
        held = f"{len(sizes)} entries, {sum(sizes) / MIB:.0f} MB of {settings.cache_bytes() / MIB:.0f} MB"
        yield Found(name="cache", place=str(taken.folder), note=f"{held}; {_room(taken.folder)}")
    temporary = _temporary()
    if isinstance(temporary, Lack):
        yield Found(name="temporary", note=temporary.what)
    else:
        yield Found(name="temporary", place=str(temporary), note=_room(temporary))


def _room(folder: Path) -> str:
    free = shutil.disk_usage(folder).free
    return f"{_megabytes(free)} free" + (": that is soon full" if free < LITTLE else "")


def _megabytes(size: int) -> str:
    return f"{size / 1e9:.0f} GB" if size >= 1e10 else f"{size / 1e6:.0f} MB"


# ---------------------------------------------------------------- what follows for the targets


def _cpu() -> Target:
    lacks = (*_packages_lack(), *_module_lacks())
    return Target("cpu", (Ability("build", lacks), Ability("run", lacks)))


def _cuda() -> Target:
    driver = devices.nvidia()
    nvcc, library = _nvcc(), _nvrtc()
    build = (*_packages_lack(), *_module_lacks(), *_of(nvcc))
    compiled: tuple[Lack, ...] = ()
    if not isinstance(nvcc, Lack):
        known = _archs(lambda: toolchain.list_nvcc_archs(nvcc))
        compiled = _fit(nvcc.version, known, driver, OLDER_NVCC)
    run = (*_packages_lack(), *_of(library), *(() if _engine() is not None else _module_lacks()))
    just_in_time: tuple[Lack, ...] = ()
    if not isinstance(library, Lack):
        just_in_time = _fit(f"NVRTC {library.version}", _archs(library.archs), driver, OLDER_NVRTC)
    device = _device_lacks("NVIDIA", driver)
    return Target(
        "cuda",
        (
            Ability("build", build),
            Ability("run", (*run, *device, *just_in_time)),
            Ability("built modules", (*device, *compiled)),
        ),
    )


def _hip() -> Target:
    mend = _system(4) or "install AMD's ROCm: https://rocm.docs.amd.com"
    build = (*_packages_lack(), *_module_lacks(), *_of(_lacks(toolchain.find_hipcc, lambda: mend)))
    driver = devices.amd()
    used = _device_lacks("AMD", driver)
    if driver.devices and not devices.amd_runtime():
        used = (Lack("there is no libamdhip64.so, which modules call", mend),)
    return Target("hip", (Ability("build", build), Ability("built modules", used)))


def _packages_lack() -> tuple[Lack, ...]:
    missing = [name for name in NEEDED if not _installed((name,))]
    return (Lack(f"the packages {', '.join(missing)}", f"{PIP} {' '.join(missing)}"),) if missing else ()


def _module_lacks() -> tuple[Lack, ...]:
    """What compiling and linking an extension module lacks."""
    unset = "unset CXX, or set it to a C++17 compiler"
    compiler = _lacks(toolchain.find_compiler, lambda: unset if settings.compiler() else _system(2) or "install g++")
    headers = _lacks(toolchain.python_include, lambda: _system(3) or "install the headers of this Python")
    return (*_of(compiler), *_of(headers), *_of(_temporary()))


def _nvcc() -> GpuCompiler | Lack:
    return _lacks(toolchain.find_nvcc, lambda: f"{PIP} {NVCC_PACKAGES}")


def _nvrtc() -> nvrtc.Nvrtc | Lack:
    return _lacks(nvrtc.load_nvrtc, lambda: f"{PIP} {NVRTC_PACKAGES}")


def _temporary() -> Path | Lack:
    """Where compilers work."""
    try:
        return Path(tempfile.gettempdir())
    except FileNotFoundError:
        return Lack("no folder for temporary files can be written", "set TMPDIR to one that can")


def _device_lacks(vendor: str, driver: Driver) -> tuple[Lack, ...]:
    if driver.devices:
        return ()
    if driver.version:
        mend = "see nvidia-smi; CUDA_VISIBLE_DEVICES may hide it" if vendor == "NVIDIA" else "see rocminfo"
        return (Lack(driver.fault, f"{mend}; a container must be given its GPUs"),)
    deed = "install the driver of this machine's GPU; a container must be given its GPUs (docker run --gpus all)"
    return (Lack(driver.fault, deed if vendor == "NVIDIA" else "install AMD's amdgpu driver and ROCm"),)


def _fit(compiler: str, known: Sequence[str], driver: Driver, older: str) -> tuple[Lack, ...]:
    """What stands between a compiler's code and the GPUs that are here; `older` brings an older compiler."""
    if not driver.devices:
        return ()
    lacks = []
    release = re.search(r"(\d+)\.(\d+)", compiler)
    if release is not None and int(release[1]) > int(driver.version.partition(".")[0]):
        what = f"the driver runs CUDA {driver.version} at most, and this is {compiler}"
        lacks.append(Lack(what, f"update NVIDIA's driver; or {older}"))
    for device in driver.devices:
        if known and _number(device.arch) < _number(known[0]):
            what = f"{compiler} makes no code for {device.name} ({device.arch}): it begins with {known[0]}"
            lacks.append(Lack(what, older))
    return tuple(dict.fromkeys(lacks))


# ---------------------------------------------------------------- asking


def _lacks(find: Callable[[], T], mend: Callable[[], str]) -> T | Lack:
    """What is found, or that it lacks."""
    try:
        return find()
    except ToolchainMissingError as error:
        return Lack(_short(error), mend())


def _archs(ask: Callable[[], Sequence[str]]) -> Sequence[str]:
    """The GPUs that a compiler knows, oldest first; none where it is too old to tell."""
    try:
        return ask()
    except (CompilerError, AttributeError):
        return ()


def _short(error: ToolchainMissingError) -> str:
    """What is missing, without what the message advises: that is said here in a line of its own."""
    return re.split(r": |; |\n", str(error))[0]


def _of(found: object) -> tuple[Lack, ...]:
    return (found,) if isinstance(found, Lack) else ()


def _system(column: int) -> str:
    """The command that installs a column of SYSTEMS here; empty where that is not known."""
    for row in SYSTEMS:
        if shutil.which(row[0]) is not None and row[column]:
            return f"{row[1]} {row[column].format(version=_python(), digits=_python().replace('.', ''))}"
    return ""


def _python() -> str:
    return f"{sys.version_info.major}.{sys.version_info.minor}"


def _engine() -> Path | None:
    """The engine that was built with this installation."""
    spec = find_spec("transpile._engine")
    return Path(spec.origin) if spec is not None and spec.origin is not None else None


def _installed(names: Iterable[str]) -> str:
    """The version of the first that is installed, or nothing."""
    for name in names:
        try:
            return version(name)
        except PackageNotFoundError:
            continue
    return ""


def _said(program: str) -> str:
    try:
        return toolchain.run([program, "--version"], seconds=toolchain.PROBE_SECONDS)
    except CompilerError:
        return ""


def _release(said: str) -> str:
    """The release in what a compiler says of itself; what stands in parentheses is the vendor's."""
    found = re.search(r"\bV(\d+[\d.]*\d)", said) or re.search(r"(\d+\.[\d.]*\d)", re.sub(r"\([^)]*\)", "", said))
    return found[1] if found is not None else ""


def _number(arch: str) -> int:
    return int(re.sub(r"\D", "", arch))

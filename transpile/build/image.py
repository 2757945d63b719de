"""Kernels of a running program on its GPU: compiled by NVRTC at their first launch, kept, and launched by the engine.

What is kept says which files it was made from. In a process that finds them as they were, and the captured values too,
a launch parses nothing: a kernel is known by its fingerprint, its record tells which parameters are static, an entry
for their values has the engine's description of the kernel, and beside it lies the machine code.
"""

from __future__ import annotations

import json
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from types import ModuleType
from typing import Any, Final, TypeAlias

from transpile import dtypes
from transpile.build import devices
from transpile.build.cache import Cache, key_of, open_cache, own_code
from transpile.build.engine import load_engine
from transpile.build.faults import ToolchainMissingError
from transpile.build.inputs import Record, digests, recall_record, remember
from transpile.build.jit import Kernel, Program, keep, launch_in
from transpile.build.nvrtc import load_nvrtc, nvrtc_identity
from transpile.progress import is_rich, working

TARGET: Final = "cuda"
LAST: Final = "last on the device"
Description: TypeAlias = "dict[str, Any]"
Instance: TypeAlias = "tuple[str | int, ...]"  # names of element types, then values of static parameters


@dataclass(frozen=True, slots=True)
class ChosenBy:
    """Which arguments tell a kernel's instance: by their places the static ones, and for each type variable the first
    array, with the names of the element types that it may have."""

    statics: tuple[int, ...] = ()
    arrays: tuple[tuple[int, tuple[str, ...]], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Written:
    """A program as text for NVRTC. `expression` names the kernel in it, `description` is the engine's but for the
    symbol, `chosen_by` is what tells an instance from the arguments and `read` the files that all this comes from."""

    file: str
    text: str
    expression: str
    description: Description
    instance: Instance
    chosen_by: ChosenBy
    read: tuple[str, ...]


Write: TypeAlias = Callable[[Program], Written]


@dataclass(slots=True)
class _State:
    """A kernel for one state of what it captures: its record, once that is known, and its modules by static values."""

    key: str
    record: Record | None = None
    modules: dict[Instance, ModuleType] = field(default_factory=dict)
    chosen_by: ChosenBy = ChosenBy()

    def know(self, record: Record) -> None:
        statics, arrays = json.loads(record.result)
        self.chosen_by = ChosenBy(tuple(statics), tuple((place, tuple(names)) for place, names in arrays))
        self.record = record  # last: another thread takes the rest as known from here on


def launch_on_device(
    kernel: Kernel, write: Write, grid: object, block: object, arguments: Sequence[object], stream: object
) -> None:
    """Runs the kernel on the device of its arrays, compiled unless that is done. Raises what the engine raises,
    CompileError, CompilerError, ToolchainMissingError."""
    launch_in(_module(kernel, write, arguments), kernel, grid, block, arguments, stream)


def _module(kernel: Kernel, write: Write, arguments: Sequence[object]) -> ModuleType:
    state = _state(kernel)
    if state.record is not None:
        instance = _instance(kernel, state.chosen_by, arguments)
        module = state.modules.get(instance) or _load_kept(state, instance, open_cache())
        if module is not None:
            state.modules[instance] = module
            return module
    said = f"compiling {kernel.name}"
    waiting: AbstractContextManager[None] = working(said) if is_rich(sys.stderr) else nullcontext()
    with waiting:
        return _compile(kernel, write, state, arguments, open_cache())


def _state(kernel: Kernel) -> _State:
    captured = kernel.captured()
    last: tuple[object, _State] | None = kernel.compiled.get(LAST)
    if last is not None and last[0] is captured:
        return last[1]
    state: _State | None = kernel.compiled.get((TARGET, captured))
    if state is None:
        flags = f"{kernel.kind} {kernel.alias} {kernel.fast_math}"
        key = key_of("kernel", own_code(), kernel.fingerprint(), flags)
        state = _State(key)
        record = recall_record(open_cache(), key)
        if record is not None:
            state.know(record)
        keep(kernel, (TARGET, captured), state)
    kernel.compiled[LAST] = captured, state
    return state


def _instance(kernel: Kernel, by: ChosenBy, arguments: Sequence[object]) -> Instance:
    if not by.statics and not by.arrays:
        return ()  # the engine counts the arguments
    from transpile.lang.arguments import check_count
    from transpile.lang.arrays import element_type
    from transpile.lang.scalars import convert_scalar

    code = kernel.function.__code__
    names = code.co_varnames[: code.co_argcount]
    check_count(kernel.name, names, arguments)

    def what(place: int) -> str:
        return f"{kernel.name}: argument '{names[place]}'"

    types = (
        element_type(arguments[place], [dtypes.BY_NAME[each] for each in choices], what(place)).name
        for place, choices in by.arrays
    )
    return (*types, *(int(convert_scalar(arguments[place], dtypes.I64, what(place))) for place in by.statics))


# ---------------------------------------------------------------- kept


def _instance_key(state: _State, files: Mapping[str, str], instance: Instance, arch: str) -> str:
    return key_of("instance", state.key, json.dumps(files), repr(instance), arch, nvrtc_identity())


def _load_kept(state: _State, instance: Instance, kept: Cache) -> ModuleType | None:
    """The kernel of the cache; None where something is missing."""
    assert state.record is not None
    images: dict[int, bytes] = {}
    description: Description = {}
    for arch in archs_here():
        key = _instance_key(state, state.record.files, instance, arch)
        raw = kept.read(key, ".json")
        try:
            entry = json.loads(raw or b"{}")
            if entry["image"] is None:
                continue  # NVRTC does not know this one
            found = _read_image(kept, entry["image"])
            description = entry["description"]
        except (ValueError, KeyError, TypeError):
            found = None
        if found is None:
            return None
        description["symbol"], images[_capability(arch)] = found
    return _load(description, images) if images else None


def _read_image(kept: Cache, key: str) -> tuple[str, bytes] | None:
    """A kernel's symbol and its machine code."""
    raw = kept.read(key, ".cubin")
    if raw is None:
        return None
    symbol, _, image = raw.partition(b"\n")
    return symbol.decode(), image


def _load(description: Description, images: Mapping[int, bytes]) -> ModuleType:
    module: ModuleType = load_engine().load(description, dict(images))
    return module


# ---------------------------------------------------------------- compiled


def _compile(kernel: Kernel, write: Write, state: _State, arguments: Sequence[object], kept: Cache) -> ModuleType:
    archs = archs_here()
    fitting = _fitting(archs)
    before = digests(kernel.files())
    written = write(kernel.program(arguments))
    files = digests(written.read)
    # Not while somebody writes a file, nor what was typed into a prompt.
    is_kept = len(files) == len(written.read) and before.items() >= files.items()
    instance, by = written.instance, written.chosen_by
    state.know(Record(files, json.dumps([by.statics, by.arrays])))
    images: dict[int, bytes] = {}
    description: Description = {}
    # What is kept is written while NVRTC works.
    keeping = threading.Thread(target=_keep_record, args=(state, written, archs, fitting, kept))
    if is_kept:
        keeping.start()
    for arch in fitting:
        symbol, images[_capability(arch)] = _image_of(written, arch, kept)
        description = {**written.description, "symbol": symbol}
    module = state.modules[instance] = _load(description, images)
    return module


def _keep_record(
    state: _State,
    written: Written,
    archs: Sequence[str],
    fitting: Sequence[str],
    kept: Cache,
) -> None:
    """An entry for each kind of GPU; one that NVRTC does not know has no image."""
    assert state.record is not None
    for arch in archs:
        image = _image_key(written, arch) if arch in fitting else None
        entry = json.dumps({"description": written.description, "image": image}).encode()
        kept.write(_instance_key(state, state.record.files, written.instance, arch), ".json", entry)
    remember(kept, state.key, state.record)


def _image_key(written: Written, arch: str) -> str:
    return key_of("image", written.file, written.text, written.expression, arch, nvrtc_identity())


def _image_of(written: Written, arch: str, kept: Cache) -> tuple[str, bytes]:
    """The kernel's symbol and its machine code, from the cache or compiled."""
    key = _image_key(written, arch)
    found = _read_image(kept, key)
    if found is None:
        symbol, image = found = _compile_for(arch, written)
        kept.write(key, ".cubin", symbol.encode() + b"\n" + image)
    return found


def _compile_for(arch: str, written: Written) -> tuple[str, bytes]:
    """The kernel's symbol and its code for a GPU of this machine. Raises ToolchainMissingError, CompilerError."""
    nvrtc = load_nvrtc()
    runs = devices.nvidia().version
    if _major(nvrtc.version) > _major(runs):
        raise ToolchainMissingError(
            f"the NVIDIA driver runs CUDA {runs} at most, and NVRTC {nvrtc.version} ({nvrtc.path}) makes code for a "
            f"later one: update the driver, or pip install nvidia-cuda-nvrtc-cu{_major(runs)} in its place"
        )
    known, form = nvrtc.nearest(arch)
    binary = nvrtc.compile(written.text, written.file, known, [written.expression], form)
    return binary.symbols[written.expression], binary.image


# ---------------------------------------------------------------- devices


def check_device() -> None:
    """Raises ToolchainMissingError where kernels cannot run on this machine."""
    fault = devices.nvidia().fault
    if fault:
        raise ToolchainMissingError(
            f"kernels cannot run on {TARGET} here: {fault}; --target cpu, or TRANSPILE=cpu, takes the CPU"
        )


def archs_here() -> tuple[str, ...]:
    """What this machine's GPUs are, each kind once. Raises ToolchainMissingError."""
    check_device()
    return tuple(dict.fromkeys(device.arch for device in devices.nvidia().devices))


def _fitting(archs: Sequence[str]) -> tuple[str, ...]:
    """Those that NVRTC compiles for: beside a GPU that it knows, another may be too old for it. Raises
    ToolchainMissingError where none is left."""
    if len(archs) == 1:
        return tuple(archs)  # compiling says why not, and what is kept needs no NVRTC
    nvrtc = load_nvrtc()
    fitting, faults = [], []
    for arch in archs:
        try:
            nvrtc.nearest(arch)
        except ToolchainMissingError as error:
            faults.append(error)
        else:
            fitting.append(arch)
    if not fitting:
        raise faults[0]
    return tuple(fitting)


def _major(version: str) -> int:
    return int(version.partition(".")[0])


def _capability(arch: str) -> int:
    return int(arch.removeprefix("sm_"))

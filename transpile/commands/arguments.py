"""Command-line arguments that need more than argparse: files that must be there, and values of static parameters."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import product
from pathlib import Path
from typing import TYPE_CHECKING

from transpile.cli import UsageError

if TYPE_CHECKING:
    from transpile.ir import hir

# Values by kernel and parameter, as given.
InstanceOptions = dict[str, dict[str, tuple[int, ...]]]


def source_file(name: str) -> str:
    """The name, if it is a file that can be read as one. Raises UsageError."""
    if name == "-":
        raise UsageError("a file is needed: the standard input has no name to give the kernels")
    if os.path.isdir(name):
        raise UsageError(f"{name} is a folder, not a Python file")
    if not os.path.exists(name):
        raise UsageError(f"{name}: there is no such file")
    if not os.path.isfile(name):
        raise UsageError(f"{name} is a pipe or a device: a file is needed, since its text is read more than once")
    return name


def output_file(name: str) -> Path:
    """Where a command may write a file. Raises UsageError."""
    path = Path(name)
    if path.is_dir():
        raise UsageError(f"-o {name} is a folder: name the file to write")
    if not path.parent.is_dir():
        raise UsageError(f"-o {name}: there is no folder {path.parent}")
    return path


def parse_instances(options: Sequence[str]) -> InstanceOptions:
    """Reads `KERNEL:PARAM=V,V:PARAM=V`. Raises UsageError."""
    found: InstanceOptions = {}
    for option in options:
        kernel, *parts = option.split(":")
        if not kernel or not parts:
            raise UsageError(f"--instance {option}: expected KERNEL:PARAMETER=VALUE,VALUE")
        for part in parts:
            name, equals, values = part.partition("=")
            try:
                numbers = tuple(int(value) for value in values.split(","))
            except ValueError:
                equals = ""
                numbers = ()
            if not name or not equals:
                raise UsageError(f"--instance {option}: '{part}' is not PARAMETER=VALUE,VALUE with ints")
            given = found.setdefault(kernel, {})
            given[name] = tuple(dict.fromkeys((*given.get(name, ()), *numbers)))
    return found


def resolve_instances(options: InstanceOptions, module: hir.Module) -> dict[str, list[tuple[int, ...]]]:
    """The values as tuples in the order of each kernel's static parameters. Raises UsageError."""
    from transpile.ir import hir

    kernels = {function.name: function for function in module.functions if function.kind in ("tile", "thread")}
    resolved: dict[str, list[tuple[int, ...]]] = {}
    for kernel, given in options.items():
        if kernel not in kernels:
            raise UsageError(f"--instance {kernel}: there is no kernel '{kernel}' in {module.source.name}")
        function = kernels[kernel]
        names = [each.name for each in function.parameters if isinstance(each.annotation, hir.StaticAnnotation)]
        if set(names) != set(given):
            wanted = ", ".join(names) or "none"
            raise UsageError(f"--instance {kernel}: give its static parameters ({wanted}), not {', '.join(given)}")
        resolved[function.key] = list(product(*(given[name] for name in names)))
    return resolved

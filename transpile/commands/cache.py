"""`cache`: what is kept, where, and how much of it; `--clear`: nothing any more."""

from __future__ import annotations

import argparse
import sys
from typing import Final

from transpile import settings
from transpile.build.cache import open_cache
from transpile.cli import OK
from transpile.commands.terminal import write

# What each kind of entry is, in the order in which they are shown.
KINDS: Final = {
    ".json": "texts and what they were made from",
    ".code": "texts and what they were made from",
    ".cubin": "machine code for GPUs",
    ".o": "objects",
    ".so": "extensions",
}
OTHERS: Final = "others"


def execute(arguments: argparse.Namespace) -> int:
    kept = open_cache()
    if kept.folder is None:
        write(
            "nothing can be kept: no folder for it can be written (set TRANSPILE_CACHE to one that can)\n", sys.stdout
        )
        return OK
    if arguments.clear:
        write(f"{kept.folder}: removed {_count(kept.clear())}\n", sys.stdout)
        return OK
    sizes: dict[str, list[int]] = {}
    for path, found in kept.entries():
        sizes.setdefault(KINDS.get(path.suffix, OTHERS), []).append(found.st_size)
    write(f"{kept.folder}\n", sys.stdout)
    for kind in dict.fromkeys((*KINDS.values(), OTHERS)):
        if kind in sizes:
            write(f"  {kind:<36}{len(sizes[kind]):>6}  {_size(sum(sizes[kind])):>10}\n", sys.stdout)
    every = [size for each in sizes.values() for size in each]
    limit = _size(settings.cache_bytes())
    write(f"{_count(len(every))}, {_size(sum(every))} of at most {limit} (TRANSPILE_CACHE_MB)\n", sys.stdout)
    return OK


def _count(entries: int) -> str:
    return "1 entry" if entries == 1 else f"{entries} entries"


def _size(size: int) -> str:
    return f"{size / (1 << 20):.1f} MB" if size >= 1 << 20 else f"{size / (1 << 10):.1f} KB"

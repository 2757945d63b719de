"""What a function of the C ABI returns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from transpile.emit import doc


@dataclass(frozen=True, slots=True)
class Status:
    """What a function of the C ABI returns, in the low byte: `meaning` completes the sentence "it returned … because
    …"."""

    name: str
    code: int
    meaning: str


# In order of their codes, which are those of the header.
STATUSES: Final = (
    Status("ok", 0, "everything was launched"),
    Status("overflow", 1, "the launcher's own arithmetic left its type"),
    Status("zero_division", 2, "the launcher's own arithmetic divided by zero"),
    Status("bad_grid", 3, "a grid is negative or beyond 2147483647 in x or 65535 in y or z"),
    Status("bad_block", 4, "a block is below 1, beyond 1024 threads or 64 in z, or not what the kernel asks for"),
    Status("launch_failed", 5, "a launch failed, or work before it did: see the number above the low byte"),
    Status("assertion_failed", 6, "an assertion failed: in this launch, or on a GPU in one before it"),
    Status("bad_shared", 7, "a shared array that the launch sizes is below 0 or beyond what a block has"),
)


def status_lines(*, has_assertions: bool, sizes_shared: bool) -> tuple[str, ...]:
    """The enumeration of what a text's functions return."""
    left_out = {
        name for name, is_used in (("assertion_failed", has_assertions), ("bad_shared", sizes_shared)) if not is_used
    }
    names = [status.name for status in STATUSES if status.name not in left_out]
    if sizes_shared and not has_assertions:
        names[-1] += f" = {STATUSES[-1].code}"
    return doc.lines(doc.group("enum status : int32_t { ", doc.group(*doc.joined(names)), " };"), 0, 4)

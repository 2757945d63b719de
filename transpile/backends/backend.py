"""A target as data: what the lowering must respect and how the text spells what the vendors spell differently."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal


@dataclass(frozen=True, slots=True)
class Hardware:
    """What a vendor's hardware does where `guard` holds: the body of a function of the text, line by line; of one that
    is for more types, for the C++ type `of`."""

    helper: str
    guard: str
    lines: tuple[str, ...]
    of: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spelling:
    """How one target writes what differs. `shuffles` maps a kind of KIR's shuffles to the call's opening and ending
    around its two arguments; `places` the kinds of KIR's places to a variable with members x, y, z. `atomics` are the
    functions that a vendor offers: types, the C++ type that they are taken for (empty: their own), atomic rows."""

    language: str
    includes: tuple[str, ...]
    device: str  # what a device function starts with
    places: tuple[tuple[str, str], ...]
    shuffles: tuple[tuple[str, str, str], ...] = ()
    atomics: tuple[tuple[str, str, str], ...] = ()
    sync_group: str = ""
    has_typed_places: bool = False  # a place is an object that becomes a number, which printf does not ask it to
    runtime: str = ""  # the prefix of the vendor's runtime calls
    end_of_thread: str = ""  # the statement that ends a thread, wherever it is
    host_memory: str = ""  # makes `made` memory of the host that devices write
    record_includes: tuple[str, ...] = ()  # what the host's record of a failed assertion needs
    lock_includes: tuple[str, ...] = ()  # what a launch needs that waits for another one
    hardware: tuple[Hardware, ...] = ()

    def place(self, kind: str) -> str:
        return dict(self.places)[kind]

    def atomic_word(self, op: str, dtype: str) -> str:
        """The type for which the vendor's function takes `dtype`, its own name where it is no other; else empty."""
        for names, word, ops in self.atomics:
            if dtype in names.split() and op in ops.split():
                return word or dtype
        return ""

    def shuffle(self, kind: str) -> tuple[str, str]:
        return {name: (opening, ending) for name, opening, ending in self.shuffles}[kind]


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiling:
    """What a target's compiler is told. Nothing in `flags` changes a value; `line_flags` come on top where the text has
    `#line` directives; `libraries` are linked in."""

    flags: tuple[str, ...]
    line_flags: tuple[str, ...]
    libraries: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Backend:
    """`title` is what its modules run on, for people. `shared_plain` bytes of shared memory a block need no request;
    `shared_limit` is the most that can be asked for, `shared_limits` that of GPUs which have less.
    `drops_negations`: the assembler loses the sign of an i32 that is negated for the least or greatest of three.
    `fuses_products`: the compiler fuses a product with a sum unless spelled otherwise; elsewhere a pragma stops
    it. `max_total_threads` bounds a launch as a whole, where the vendor does."""

    name: Literal["cuda", "hip", "cpu"]
    title: str
    is_gpu: bool
    suffix: str
    template: str
    spelling: Spelling
    compiling: Compiling
    max_threads_per_tile: int = 256
    shared_plain: int
    shared_limit: int
    shared_limits: tuple[tuple[str, int], ...] = ()
    fuses_products: bool = False
    drops_negations: bool = False
    max_total_threads: int | None = None

    def shared_limit_of(self, arch: str) -> int:
        """How many bytes of shared memory a block can have on a GPU: `sm_86`, or `sm_90a` for one of its variants."""
        return dict(self.shared_limits).get(arch.rstrip("abcdefghijklmnopqrstuvwxyz"), self.shared_limit)

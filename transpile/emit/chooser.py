"""The Python module that stands before the compiled modules of one file and takes the one for this machine.

It is shipped with them, so it needs nothing but Python.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from transpile.backends.signs import SIGNS
from transpile.emit.render import environment

MARK: Final = "Written by transpile:"
_PLACES: Final[Mapping[str, str]] = {"cuda": "an NVIDIA GPU", "hip": "an AMD GPU", "cpu": "the CPU"}


@dataclass(frozen=True, slots=True, kw_only=True)
class ChooserUnit:
    """The module, decided: the lines of its docstring, and the targets and their signs as Python spells them."""

    doc: str
    summary: tuple[str, ...]
    targets: str
    signs: tuple[str, ...]


def render_chooser(source: str, targets: Sequence[str]) -> str:
    """`STEM_ext.py` for the kernels of the file `source`; `targets` are its modules', best first."""
    places = [_PLACES[target] for target in targets]
    where = f"{', '.join(places[:-1])} or {places[-1]}" if len(places) > 1 else places[0]
    choice = (
        f"The first that this machine has is taken, or what TRANSPILE={'|'.join(targets)} in the environment names;",
        '`__transpile__["target"]` tells which it was.',
    )
    unit = ChooserUnit(
        doc=f"The kernels of {source}, compiled for {where}.",
        summary=(*(choice if len(places) > 1 else ()), f"{MARK} change {source} instead."),
        targets=_tuple(targets),
        signs=tuple(line for target in targets if target in SIGNS for line in _sign(target)),
    )
    return environment().get_template("chooser.py.j2").render(unit=unit)


def _sign(target: str) -> tuple[str, ...]:
    signs = SIGNS[target]
    return (
        f'"{target}": (',
        f"    {_tuple(signs.files)},",
        f"    {_tuple(signs.libraries)},",
        f'    "{signs.variable}",',
        "),",
    )


def _tuple(words: Sequence[str]) -> str:
    inner = ", ".join(f'"{word}"' for word in words)
    return f"({inner},)" if len(words) == 1 else f"({inner})"

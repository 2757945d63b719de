"""Python identifiers as C++ identifiers: kept where they can be, otherwise changed as little as possible.

`ascii_name` and `symbol` are injective, so that the names of the C ABI never meet. A `Names` hands out identifiers for
the things of one scope and never the same one twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from transpile.lowering.reserved import is_reserved, is_reserved_function

_ESCAPE: Final = re.compile(r"_u([0-9a-f]+)_")
_COULD_BE_ESCAPE: Final = re.compile(r"_(?=u[0-9a-f])")


def ascii_name(name: str) -> str:
    """`name` in ASCII: another name never becomes the same. `é` is `_ue9_`; names in ASCII stay, but for those that
    look so."""
    if name.isascii() and _ESCAPE.search(name) is None:
        return name
    plain = _COULD_BE_ESCAPE.sub("_u5f_", name)
    return "".join(char if char.isascii() else f"_u{ord(char):x}_" for char in plain)


def python_name(escaped: str) -> str:
    """The name that `ascii_name` gave `escaped` for."""
    return _ESCAPE.sub(lambda found: chr(int(found[1], 16)), escaped)


def symbol(stem: str, name: str) -> str:
    """The symbol of the C ABI for a kernel or launcher `name` of the file `stem`."""
    letters = "".join(char if char.isalnum() or char == "_" else f"_u{ord(char):x}_" for char in stem)
    prefix = "_" if letters[:1].isdigit() else ""
    return f"{prefix}{ascii_name(letters)}_{ascii_name(name)}"


def _identifier(name: str, *, function: bool) -> str:
    """A C++ identifier close to `name`, not reserved."""
    plain = re.sub(r"__+", "_", ascii_name(name))
    if re.match(r"_[A-Z0-9]", plain) or (function and plain.startswith("_")):
        plain = "v" + plain
    is_taken = is_reserved_function if function else is_reserved
    if not is_taken(plain):
        return plain
    return f"{plain}_" if not plain.endswith("_") else _numbered(plain, 2)


def _numbered(name: str, count: int) -> str:
    """A name that ends in `_` with a number, which may make a macro of it: M_PI_2."""
    return f"v{name}{count}" if is_reserved(f"{name}{count}") else f"{name}{count}"


class Names:
    """The identifiers of one scope; those of the scopes around it are `taken` from the start."""

    def __init__(self, taken: Iterable[str] = ()) -> None:
        self._taken = set(taken)

    def variable(self, wanted: str) -> str:
        """A new identifier for a variable or parameter."""
        return self._fresh(_identifier(wanted, function=False))

    def function(self, wanted: str) -> str:
        """A new identifier for a function of the text's namespace."""
        return self._fresh(_identifier(wanted, function=True))

    def inner(self) -> Names:
        """A scope inside this one."""
        return Names(self._taken)

    @property
    def taken(self) -> frozenset[str]:
        return frozenset(self._taken)

    def add(self, names: Iterable[str]) -> None:
        """These are in use from now on."""
        self._taken.update(names)

    def _fresh(self, base: str) -> str:
        name, count = base, 1
        while name in self._taken:
            count += 1
            name = _numbered(base, count) if base.endswith("_") else f"{base}_{count}"
        self._taken.add(name)
        return name

"""The functions of `runtime_cpp/math/` as a text takes them in: what it calls, and what that calls, each once.

A file there is plain C++ that any compiler takes: includes, then definitions with a blank line between them, each with
its comment. A definition belongs to the type of its first parameter; one that calls a function takes the overload of
its own type, where there are several. Tables stand inside functions, `static constexpr`, where every compiler finds
them. What is in `primitives.hpp` is not taken: a text has its own.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Final

from transpile.dtypes import F32, F64, DType
from transpile.runtime import runtime_folder

PRIMITIVES: Final = "primitives"
_DTYPES: Final = {"float": F32, "double": F64}
# The primitives, and the helper of the text that holds them.
_HELPERS: Final = {"to_bits": "common_bits", "from_bits": "common_bits", "bits_of": "common_bits", "mul": "product"}
_INCLUDE: Final = re.compile(r'#include "(\w+)\.hpp"')
_FUNCTION: Final = re.compile(r"inline [\w<> ]+?(\w+)\((?:const )?(\w+)")
_CONSTANT: Final = re.compile(r"constexpr (\w+) (\w+) =")
_TYPE: Final = re.compile(r"struct (\w+) \{")
_COMMENT: Final = re.compile(r"//.*")


@dataclass(frozen=True, slots=True)
class Definition:
    """A function, constant or type: its lines, the names that it speaks of, and the dtype that it is for; None: all."""

    name: str
    dtype: DType | None
    lines: tuple[str, ...]
    words: frozenset[str]

    def text(self, prefix: str) -> tuple[str, ...]:
        """Its lines, with what a function starts with in this text."""
        plain = "inline "
        return tuple(prefix + line.removeprefix(plain) if line.startswith(plain) else line for line in self.lines)

    def helpers(self) -> Iterator[tuple[str, DType]]:
        """The helpers of the text that it stands on, each with a dtype that it uses it on."""
        kinds = [dtype for word, dtype in _DTYPES.items() if word in self.words]
        for word in sorted(self.words & _HELPERS.keys()):
            yield from ((_HELPERS[word], dtype) for dtype in kinds)


@cache
def _file(name: str) -> tuple[tuple[str, ...], tuple[Definition, ...]]:
    """The files that one includes, and what it defines."""
    text = (runtime_folder() / "math" / f"{name}.hpp").read_text(encoding="utf-8")
    _, _, body = text.partition("#pragma once\n")
    includes = tuple(each for each in _INCLUDE.findall(body) if each != PRIMITIVES)
    blocks = re.split(r"\n\n+(?=[^\s}])", body.strip())
    return includes, tuple(_definition(block) for block in blocks if not block.startswith("#"))


def _definition(block: str) -> Definition:
    lines = tuple(block.split("\n"))
    words = frozenset(re.findall(r"[A-Za-z_]\w*", _COMMENT.sub("", block)))
    for line in lines:
        if found := _FUNCTION.match(line):
            return Definition(found[1], _DTYPES.get(found[2]), lines, words - {found[1]})
        if found := _CONSTANT.match(line):
            return Definition(found[2], None, lines, words - {found[2]})
        if found := _TYPE.match(line):
            return Definition(found[1], None, lines, words - {found[1]})
    raise ValueError(f"neither a function, a constant nor a type: {lines[0]}")


@cache
def _scope(name: str) -> Mapping[str, tuple[Definition, ...]]:
    """What the definitions of a file may speak of: its own and those of what it includes, by name."""
    includes, own = _file(name)
    found: dict[str, dict[Definition, None]] = {}
    for each in includes:
        for key, definitions in _scope(each).items():
            found.setdefault(key, {}).update(dict.fromkeys(definitions))
    for definition in own:
        found.setdefault(definition.name, {})[definition] = None
    return {key: tuple(definitions) for key, definitions in found.items()}


def definitions(function: str, dtypes: Iterable[DType]) -> tuple[Definition, ...]:
    """What a text needs that calls `function` on `dtypes`, in an order in which it can be read."""
    taken: dict[Definition, None] = {}
    for dtype in sorted(dtypes, key=lambda each: each.bits):
        _take(function, dtype, _scope(function), taken)
    return tuple(taken)


def _take(
    name: str, dtype: DType | None, scope: Mapping[str, tuple[Definition, ...]], taken: dict[Definition, None]
) -> None:
    several = scope[name]
    for each in [one for one in several if one.dtype is dtype] or several:
        if each in taken:
            continue
        for word in sorted(each.words & scope.keys()):
            _take(word, each.dtype or dtype, scope, taken)
        taken[each] = None

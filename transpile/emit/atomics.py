"""Atomic operations as C++: the vendor's own function where it takes the type, otherwise a helper of the text, which
goes by a word of as many bits or by what the compiler of the CPU offers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from transpile.backends.backend import Spelling
from transpile.dtypes import DType
from transpile.emit.doc import Doc, group
from transpile.emit.pieces import Piece, called
from transpile.ir import kir
from transpile.ops.atomic import ATOMICS

if TYPE_CHECKING:
    from transpile.emit.cxx import Printer

PREFIX: Final = "atomic_"
# What the GPUs' headers call them.
_VENDORS: Final = {
    "add": "atomicAdd",
    "max": "atomicMax",
    "min": "atomicMin",
    "exch": "atomicExch",
    "cas": "atomicCAS",
    "and": "atomicAnd",
    "or": "atomicOr",
    "xor": "atomicXor",
}
# By bits: the integer that every GPU swaps by comparison, and how floats become it and come back.
_WORDS: Final = {
    32: ("int", "__float_as_int", "__int_as_float"),
    64: ("unsigned long long", "__double_as_longlong", "__longlong_as_double"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Overload:
    """One helper for one type, as the templates write it: `name(cxx *place, parameters)`. It is `call` with
    `arguments`, on a GPU on a `word`; or, where it `loops`, compare-and-swaps that leave `next` of `old` and
    `value`."""

    name: str
    cxx: str
    parameters: str
    arguments: str
    call: str
    word: str = ""
    to_word: str = ""
    of_word: str = ""
    next: str = ""
    loops: bool = False
    compares: bool = False
    swaps: bool = False


def spelled(printer: Printer, expr: kir.Atomic) -> Piece:
    """The call that makes the access."""
    dtype, spelling = expr.dtype, printer.backend.spelling
    name = _VENDORS[expr.op]
    if not _is_offered(expr.op, dtype, spelling):
        name = printer.use(f"{PREFIX}{expr.op}", dtype)
        combine = ATOMICS[expr.op].combine
        if _loops(expr.op, dtype, spelling) and combine != "add":
            printer.use(combine, dtype)
    operands = (expr.value,) if expr.compare is None else (expr.compare, expr.value)
    pieces = [printer.plain(operand) for operand in operands]
    return Piece(called(name, [_address(printer, expr.place), *pieces]))


def _address(printer: Printer, place: kir.Element) -> Doc:
    if isinstance(place.index, kir.Lit) and place.index.value == 0:
        return printer.piece(place.base).doc
    return group("&", printer.element(place))


def _is_offered(op: str, dtype: DType, spelling: Spelling) -> bool:
    """Whether the vendor's function takes the type itself."""
    return spelling.atomic_word(op, dtype.name) == dtype.name


def _loops(op: str, dtype: DType, spelling: Spelling) -> bool:
    """Whether nobody offers it, so that it is a loop of compare-and-swaps."""
    if spelling.atomics:
        return not spelling.atomic_word(op, dtype.name) and op in ("max", "min")
    return op in ("max", "min") or (op == "add" and dtype.is_float)


def overloads(name: str, dtypes: Iterable[DType], spelling: Spelling) -> tuple[Overload, ...]:
    """The helpers called `name` for these types, in order; none where `name` is no atomic's."""
    if not name.startswith(PREFIX):
        return ()
    op = name.removeprefix(PREFIX)
    ordered = sorted(dtypes, key=lambda dtype: (dtype.is_float, dtype.bits, dtype.name))
    return tuple(_overload(op, dtype, spelling) for dtype in ordered)


def _overload(op: str, dtype: DType, spelling: Spelling) -> Overload:
    row, loops = ATOMICS[op], _loops(op, dtype, spelling)
    made = Overload(
        name=f"{PREFIX}{op}",
        cxx=dtype.cxx,
        parameters=", ".join(f"{dtype.cxx} {each}" for each in row.parameters),
        arguments=", ".join(row.parameters),
        call=f"__atomic_fetch_{op}",
        next="old + value" if row.combine == "add" else f"{row.combine}(old, value)",
        loops=loops,
        compares=row.compares,
        swaps=op == "exch",
    )
    if not spelling.atomics:
        return made
    word, to_word, of_word = _WORDS[dtype.bits]
    made = replace(made, call=_VENDORS["cas" if loops else op], word=word)
    if not dtype.is_float:
        named = spelling.atomic_word(op, dtype.name) or word
        return replace(made, word=named, to_word="uint64_t", of_word=dtype.cxx)
    arguments = ", ".join(f"{to_word}({each})" for each in row.parameters)
    return replace(made, to_word=to_word, of_word=of_word, arguments=arguments)

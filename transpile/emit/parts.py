"""The helpers that a text may need: which template writes each, what it stands on and what it includes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from transpile.backends.backend import Spelling
from transpile.dtypes import ALL, BOOL, DType
from transpile.emit import fast
from transpile.emit.atomics import PREFIX, Overload, overloads
from transpile.emit.conversions import VALUE
from transpile.emit.extremes import EXTREMES, Extreme
from transpile.emit.functions import Definition, definitions
from transpile.ops.atomic import ATOMIC_ROWS
from transpile.ops.table import OPERATIONS


@dataclass(frozen=True, slots=True)
class Uses:
    """The helpers that a text spells, each with a dtype that it is used on, of the device and of the host."""

    on_device: set[tuple[str, DType]] = field(default_factory=set)
    on_host: set[tuple[str, DType]] = field(default_factory=set)


@dataclass(frozen=True, slots=True)
class TypeRow:
    """A type that a helper is written for: `letter` is what the vendor's intrinsics call it. Quotients are made by
    reciprocals of numbers from `least` to `most`, where they are no smaller than `normal` and than `exact` times the
    reciprocal: then the remainder is exact."""

    cxx: str
    letter: str
    least: str
    most: str
    normal: str
    exact: str
    is_narrow: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Helper:
    """One helper of a text: the template that writes it, what its functions start with, and the kinds of types that the
    text uses it on; `has_wide`: floats that are not narrow too. `is_apart`: products have a rounding of their own.
    `fuses_here`, `fuses_on_device`: the compiler would fuse a product with a sum, wherever they are run or on the
    device alone. `is_read`: values of the narrow float are asked for. `lines` are what is there already or,
    `by_hardware`, what it does where the `guard` holds; `atomics` are the functions of one that is an atomic's,
    `extreme` is what one gives that is an extreme of two."""

    template: str
    device: str
    floats: tuple[TypeRow, ...]
    has_floats: bool
    has_wide: bool
    only_floats: bool
    only_integers: bool
    mixed: bool
    has_signed: bool
    has_unsigned: bool
    is_staged: bool
    on_replicas: bool
    is_large: bool
    is_apart: bool
    fuses_here: bool
    fuses_on_device: bool
    is_read: bool = False
    by_hardware: bool = False
    guard: str = ""
    lines: tuple[str, ...] = ()
    atomics: tuple[Overload, ...] = ()
    extreme: Extreme | None = None


@dataclass(frozen=True, slots=True)
class _Row:
    name: str
    needs: tuple[str, ...] = ()
    includes: tuple[str, ...] = ()
    template: str = ""  # where it is not called like the row


_TYPES: Final = ("type_traits",)
_NARROW: Final = tuple(dtype.cxx for dtype in ALL if dtype.is_narrow_float)
# In the order in which a text declares them.
_ROWS: Final = (
    _Row("vec"),
    _Row("memory", includes=("memory",)),
    _Row("printed", includes=("cstdio",)),
    _Row("shown"),
    _Row("common_bits", includes=("cstring", "type_traits")),
    *(_Row(each) for each in _NARROW),
    _Row("narrowed"),
    _Row("round_to_odd", includes=("cmath",)),
    *(_Row(f"to_{each}") for each in _NARROW),
    _Row("nearest", includes=_TYPES),
    _Row("hidden"),
    _Row("truth"),
    _Row("undefined"),
    _Row("add", includes=_TYPES),
    _Row("sub", includes=_TYPES),
    _Row("mul", includes=_TYPES),
    _Row("neg", includes=_TYPES),
    _Row("negated"),
    _Row("absolute", includes=_TYPES),
    _Row("product"),
    *(_Row(each, includes=("cmath",)) for each in fast.HELPERS),
    _Row("times", includes=_TYPES),
    _Row("quotient"),
    _Row("reciprocal"),
    _Row("divided"),
    _Row("floor_div", includes=_TYPES),
    _Row("floor_mod", includes=_TYPES),
    _Row("shift_left", includes=_TYPES),
    _Row("shift_right", includes=_TYPES),
    _Row("divide", includes=_TYPES),
    _Row("remainder", includes=_TYPES),
    _Row("shift_down", includes=_TYPES),
    _Row("saturate"),
    *(_Row(each, includes=_TYPES, template="extreme") for each in EXTREMES),
    *(_Row(f"{PREFIX}{row.name}", template="atomic") for row in ATOMIC_ROWS),
    _Row("either"),
    _Row("both"),
    _Row("range"),
    _Row("sync_group"),
    _Row("share"),
    _Row("pack", needs=("vec",)),
    _Row("groups"),
    _Row("load", needs=("vec", "pack", "groups")),
    _Row("load_masked", needs=("vec", "pack", "groups"), includes=("cstring",)),
    _Row("store", needs=("vec", "pack", "groups")),
    _Row("load_aligned", needs=("vec", "pack")),
    _Row("store_aligned", needs=("vec", "pack")),
    _Row("store_masked", needs=("vec", "pack", "groups")),
    _Row("share_lanes"),
    _Row("fold_held", needs=("vec",)),
    _Row("reduce"),
    _Row("reduce_groups", needs=("vec", "pack", "store", "fold_held")),
    _Row("fold", needs=("vec",)),
    _Row("scan", needs=("vec",)),
    _Row("scan_group"),
    _Row("scan_stage"),
    _Row("scan_one"),
    _Row("scan_held", needs=("vec",)),
    _Row("across", needs=("vec",)),
    _Row("block_groups"),
    _Row("block_group_size"),
    _Row("block_x"),
    _Row("block_y"),
    _Row("block_z"),
    _Row("checked_int", includes=("cmath",)),
    _Row("checked_neg"),
    _Row("checked_abs"),
    _Row("checked_floordiv"),
    _Row("checked_mod"),
    _Row("checked_shl"),
    _Row("checked_shr"),
)
# Helpers that on the CPU work on the bits of floats, so that loops of them vectorise.
_ON_BITS: Final = frozenset(EXTREMES)
# What stands in runtime_cpp/math/.
_FUNCTIONS: Final = frozenset(row.name for row in OPERATIONS.values() if row.in_runtime)
_ONLY_NOTED: Final = frozenset({"memory", "printed"})
# How helpers of threads are used: through shared memory or not, by as many threads as lanes or by more, on tiles whose
# blocks are more than a warp has lanes.
_STAGED, _REPLICAS, _LARGE = "_staged", "_replicas", "_large"
_EXCHANGES: Final = frozenset({"reduce", "scan_one", "scan_held"})
_WAYS: Final = frozenset(name + way for name in _EXCHANGES for way in (_STAGED, _REPLICAS, _LARGE))


def choose(uses: Uses, spelling: Spelling, *, fuses: bool) -> tuple[tuple[Helper, ...], tuple[str, ...]]:
    """The helpers that a text declares, in order, and the headers that they include. `fuses`: the compiler would fuse a
    product with a sum."""
    device = spelling.device
    uses, functions = _with_functions(uses)
    by_name: dict[str, set[DType]] = {}
    for name, dtype in uses.on_device | uses.on_host:
        by_name.setdefault(name, set()).add(dtype)
    for row in reversed(_ROWS):  # what a row needs stands before it, and may need more
        for need in row.needs if row.name in by_name else ():
            by_name.setdefault(need, set()).update(by_name[row.name])
    if by_name.keys() >= {"product", "times"}:  # the products of folds are spelled like those of functions
        by_name["product"].update(dtype for dtype in by_name["times"] if dtype.is_float)
    if by_name.keys() & {"reduce" + _STAGED, "reduce" + _REPLICAS}:
        for name in ("vec", "fold_held"):
            by_name.setdefault(name, set()).update(by_name["reduce"])
    if by_name.keys() & {"scan_one", "scan_held"}:
        by_name.setdefault("scan_group", set())
    if "scan_held" + _LARGE in by_name:
        by_name.setdefault("scan_stage", set())
    if not device and any(dtype.is_float for name in _ON_BITS for dtype in by_name.get(name, ())):
        by_name.setdefault("common_bits", set())
    known = {row.name for row in _ROWS} | _WAYS | {definition.name for definition in functions}
    known |= {f"{VALUE}{name}" for name in _NARROW}
    lane_by_lane = [_Row(name, includes=_TYPES) for name in sorted(by_name.keys() - known)]  # stands on nothing
    rows = [*lane_by_lane, *(row for row in _ROWS if row.name in by_name)]
    helpers = [
        _row_helper(row, by_name, _prefix(_asked(row.name), uses, device), spelling, fuses=fuses)
        for row in rows
        if row.name not in _ONLY_NOTED
    ]
    for definition in functions:
        prefix = _prefix(definition.name, uses, device, definition.dtype)
        lines = definition.text(prefix or "inline ")
        helpers.append(replace(_helper("pasted", by_name, prefix, fuses=fuses), lines=lines))
    return tuple(helpers), tuple(sorted({include for row in rows for include in row.includes}))


def _with_functions(uses: Uses) -> tuple[Uses, tuple[Definition, ...]]:
    """The definitions of the functions that a text calls, and what it uses with what these use."""
    taken: dict[Definition, None] = {}
    both = Uses(set(uses.on_device), set(uses.on_host))
    for side in (both.on_device, both.on_host):
        for name in sorted(_FUNCTIONS & {name for name, _ in side}):
            for definition in definitions(name, {dtype for used, dtype in side if used == name}):
                taken[definition] = None
                side.update(definition.helpers())
                side.add((definition.name, definition.dtype or BOOL))
    return both, tuple(taken)


def _prefix(name: str, uses: Uses, device: str, dtype: DType | None = None) -> str:
    """What a helper starts with where it is used on `dtype`, or on any."""
    on_host, on_device = (
        any(used == name and dtype in (None, kind) for used, kind in side) for side in (uses.on_host, uses.on_device)
    )
    if not device or not on_host:
        return device
    return f"__host__ {device}" if on_device else ""


def _asked(name: str) -> str:
    """What is noted of a helper that has functions: of a narrow float, that it is read."""
    return f"{VALUE}{name}" if name in _NARROW else name


def _row_helper(
    row: _Row, by_name: Mapping[str, set[DType]], device: str, spelling: Spelling, *, fuses: bool
) -> Helper:
    helper = _helper(row.name, by_name, device, fuses=fuses)
    for each in spelling.hardware:
        is_for = not each.of or any(each.of == known.cxx for known in helper.floats)
        if each.helper == row.name and is_for and "__device__" in device:
            helper = replace(helper, by_hardware=True, guard=each.guard, lines=each.lines)
    if row.name in _NARROW:
        return replace(helper, is_read=_asked(row.name) in by_name)
    if not row.template:
        return helper
    atomics = overloads(row.name, by_name[row.name], spelling) if row.template == "atomic" else ()
    return replace(helper, template=f"parts/{row.template}.j2", atomics=atomics, extreme=EXTREMES.get(row.name))


def _helper(name: str, by_name: Mapping[str, set[DType]], device: str, *, fuses: bool) -> Helper:
    dtypes = by_name.get(name, set())
    floats = sorted((dtype for dtype in dtypes if dtype.is_float), key=lambda dtype: dtype.bits)
    others = [dtype for dtype in dtypes if not dtype.is_float and (dtype.is_integer or dtype is BOOL)]
    return Helper(
        template=f"parts/{name}.j2",
        device=device,
        floats=tuple(_type_row(dtype) for dtype in floats),
        has_floats=bool(floats),
        has_wide=not all(dtype.is_narrow_float for dtype in floats),
        only_floats=bool(floats) and not others,
        only_integers=bool(others) and not floats,
        mixed=bool(floats) and bool(others),
        has_signed=any(dtype.kind == "int" for dtype in dtypes),
        has_unsigned=any(dtype.kind == "uint" for dtype in dtypes),
        is_staged=bool(by_name.keys() & {name + _STAGED, name + _REPLICAS}),
        on_replicas=name + _REPLICAS in by_name,
        is_large=name + _LARGE in by_name,
        is_apart="product" in by_name,
        fuses_here=fuses and device.startswith("__device__"),
        fuses_on_device=fuses and "__host__" in device,
    )


def _type_row(dtype: DType) -> TypeRow:
    least = 2 - (1 << max(dtype.exponent - 1, 0))  # the exponent of the smallest normal number

    def power(exponent: int) -> str:
        return f"0x1p{exponent}{dtype.suffix}"

    exact = least + dtype.mantissa + 2
    return TypeRow(
        dtype.cxx, dtype.letter, power(least), power(-least), power(least + 2), power(exact), dtype.is_narrow_float
    )

"""What expressions and operations of KIR are worth, strictly: for `evaluate`."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from transpile import dtypes
from transpile.dtypes import DType
from transpile.ir import kir
from transpile.ir.kir_walk import dtype_of
from transpile.ops.atomic import ATOMICS
from transpile.ops.convert import convert, hold
from transpile.ops.scan import running
from transpile.ops.table import OPERATIONS, REDUCTIONS, SCANS

Run = Generator[tuple[Any, ...], Any, Any]


class WrongError(AssertionError):
    """The program under test does something that no emitted program may do."""


class Thread(Protocol):
    """What an expression needs of the thread that evaluates it."""

    places: dict[tuple[str, int], int]
    env: dict[str, Any]

    def call(self, name: str, operands: Sequence[Any]) -> Any: ...


@dataclass(frozen=True)
class Address:
    """An element of an array; bools are held as bytes."""

    cells: Any
    offset: int = 0


def place_of(base: Address, index: int) -> int:
    place = base.offset + index
    if not 0 <= place < len(base.cells):
        raise WrongError(f"index {place} of {len(base.cells)}")
    return place


def value_of(thread: Thread, expr: kir.Expr) -> Run:
    match expr:
        case kir.Lit():
            return _python(hold(expr.value, expr.dtype)[0], expr.dtype)
        case kir.Var():
            if expr.name not in thread.env:
                raise WrongError(f"{expr.name} has no value yet")
            return thread.env[expr.name]
        case kir.Place():
            return thread.places[expr.kind, expr.axis]
        case kir.Apply():
            return (yield from _operation(thread, expr))
        case kir.Cast():
            operand = yield from value_of(thread, expr.operand)
            source = dtype_of(expr.operand)
            return _python(convert(np.array([operand], source.held), source, expr.dtype)[0], expr.dtype)
        case kir.Element():
            index = yield from value_of(thread, expr.index)
            base = yield from value_of(thread, expr.base)
            value = base[index] if isinstance(base, list) else base.cells[place_of(base, index)]
            if value is None:
                raise WrongError(f"lane {index} has no value yet: {expr}")
            return _python(value, expr.dtype)
        case kir.Groups():
            return (yield from _lanes(thread, expr))
        case kir.Pack():
            lanes = []
            for operand in expr.operands:
                lanes.append((yield from value_of(thread, operand)))
            return lanes
        case kir.Slot():
            index = yield from value_of(thread, expr.index)
            slots = thread.env[expr.var.name]
            if index not in slots:
                raise WrongError(f"slot {index} of {expr.var.name} has no value yet")
            return slots[index]
        case kir.PointerAdd():
            base = yield from value_of(thread, expr.base)
            return Address(base.cells, base.offset + (yield from value_of(thread, expr.index)))
        case kir.Call():
            operands = []
            for operand in expr.operands:
                operands.append((yield from value_of(thread, operand)))
            return thread.call(expr.function, operands)
        case kir.Shuffle():
            operand = yield from value_of(thread, expr.operand)
            return (yield ("shuffle", expr.kind, operand, (yield from value_of(thread, expr.lane))))
        case kir.Fold():
            source = yield from value_of(thread, expr.source)
            return fold(expr, [source]) if expr.threads == 1 else (yield ("fold", expr, source))
        case kir.Scan():
            source = yield from value_of(thread, expr.source)
            return scan(expr, [source])[0] if expr.threads == 1 else (yield ("scan", expr, source))
        case kir.Atomic():
            return (yield from _atomic(thread, expr))
        case kir.Shared():
            return (yield ("share", (yield from value_of(thread, expr.value))))


def places_of(thread: Thread, expr: kir.Groups) -> Run:
    """Where each lane is in memory, None for one that is masked off; and the address that they start from."""
    base = yield from value_of(thread, expr.base)
    first = yield from value_of(thread, expr.index)
    mask = [True] * expr.lanes if expr.mask is None else thread.env[expr.mask.name]
    offsets = [k // expr.group * expr.group * expr.threads + k % expr.group for k in range(expr.lanes)]
    return base, [place_of(base, first + offset) if on else None for offset, on in zip(offsets, mask, strict=True)]


def _lanes(thread: Thread, expr: kir.Groups) -> Run:
    base, places = yield from places_of(thread, expr)
    other = None if expr.other is None else (yield from value_of(thread, expr.other))
    return [other if place is None else _python(base.cells[place], expr.dtype) for place in places]


def _atomic(thread: Thread, expr: kir.Atomic) -> Run:
    """What the element held; threads run one after another, so that nothing comes between."""
    base = yield from value_of(thread, expr.place.base)
    place = place_of(base, (yield from value_of(thread, expr.place.index)))
    compare = None if expr.compare is None else (yield from value_of(thread, expr.compare))
    value = yield from value_of(thread, expr.value)
    old, combine = _python(base.cells[place], expr.dtype), ATOMICS[expr.op].combine
    if expr.compare is None or hold(old, expr.dtype).tobytes() == hold(compare, expr.dtype).tobytes():
        base.cells[place] = _apply(combine, [old, value], expr.dtype) if combine else value
    return old


def _operation(thread: Thread, expr: kir.Apply) -> Run:
    if expr.op == "where":
        chosen = yield from value_of(thread, expr.operands[0])
        return (yield from value_of(thread, expr.operands[1] if chosen else expr.operands[2]))
    operands = []
    for operand in expr.operands:
        operands.append((yield from value_of(thread, operand)))
    if expr.exact:
        _check_exact(expr, operands)
    return _apply(expr.op, operands, dtype_of(expr.operands[0]), expr.dtype)


def _apply(op: str, operands: Sequence[Any], dtype: DType, result: DType | None = None) -> Any:
    arrays = [np.array([operand]).astype(dtype.held) for operand in operands]
    with np.errstate(all="ignore"):
        return _python(OPERATIONS[op].reference(*arrays)[0], result or dtype)


def _check_exact(expr: kir.Apply, operands: Sequence[int]) -> None:
    left, *others = operands
    plain: dict[str, Callable[[], int]] = {
        "add": lambda: left + others[0],
        "sub": lambda: left - others[0],
        "mul": lambda: left * others[0],
        "neg": lambda: -left,
        "abs": lambda: abs(left),
        "shl": lambda: left << others[0],
    }
    if expr.op in plain and not expr.dtype.min <= plain[expr.op]() <= expr.dtype.max:
        raise WrongError(f"not exact: {expr.op} of {operands}")
    if expr.op in ("floordiv", "mod") and not (left >= 0 and others[0] > 0):
        raise WrongError(f"not exact: {expr.op} of {operands}")
    if expr.op in ("shl", "shr") and not 0 <= others[0] < expr.dtype.bits:
        raise WrongError(f"not exact: {expr.op} of {operands}")


def _python(value: Any, dtype: DType) -> Any:
    if dtype is dtypes.BOOL:
        return bool(value)
    return int(value) if dtype.is_integer else np.dtype(dtype.held).type(value)


def scan(node: kir.Scan, held: list[Any]) -> list[Any]:
    """What a scan gives each thread, of what each holds."""
    count = min(node.lanes, len(held))
    columns = [value if isinstance(value, list) else [value] for value in held[:count]]
    values = [columns[thread][place] for place in range(len(columns[0])) for thread in range(count)]
    if len(values) != node.lanes:
        raise WrongError(f"{len(values)} lanes of {node.lanes}")
    with np.errstate(all="ignore"):
        array = running(np.array(values, dtype=node.dtype.held), 0, OPERATIONS[SCANS[node.op].combine])
    scanned = [_python(value, node.dtype) for value in array]
    if not isinstance(held[0], list):
        return [scanned[thread % count] for thread in range(len(held))]
    return [scanned[thread::count] for thread in range(count)]


def fold(node: kir.Fold, held: list[Any]) -> Any:
    """What a fold gives, of what each thread holds."""
    count = min(node.lanes, len(held))
    columns = [value if isinstance(value, list) else [value] for value in held[:count]]
    rounds, group = len(columns[0]) // node.group, node.group
    lanes = [(first, thread, k) for first in range(rounds) for thread in range(count) for k in range(group)]
    values = [columns[thread][first * group + k] for first, thread, k in lanes]
    if not node.any_order and len(values) != node.lanes:
        raise WrongError(f"{len(values)} lanes of {node.lanes}")
    while len(values) > 1:
        half = len(values) // 2
        pairs = zip(values[:half], values[half:], strict=True)
        values = [_apply(REDUCTIONS[node.op].combine, pair, node.dtype) for pair in pairs]
    return values[0]

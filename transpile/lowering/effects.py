"""What the accesses of a laid-out tile kernel do to memory, and which two of them may meet at one address.

Different parameters never overlap unless the kernel is declared `alias`. Where nothing is proved, accesses meet.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from math import gcd
from typing import TYPE_CHECKING, Final, TypeAlias, cast

from transpile.diagnostics.core import InternalError
from transpile.ir import lir, tir
from transpile.ir.lir import Effect
from transpile.ir.tir import Value
from transpile.ir.walk import all_ops, end_values
from transpile.lowering.affine import MODULUS, Affine, Atom, Form
from transpile.typing.types import Pointer, Tile

if TYPE_CHECKING:
    from typing import TypeGuard

Access: TypeAlias = tir.Load | tir.Store | tir.Atomic
Bounds: TypeAlias = Callable[[int], "tuple[int, int] | None"]
MOST_TURNS: Final = 1 << 48  # a loop of more turns does not end in this century's machines
NOWHERE_CROSSED: Final[frozenset[int]] = frozenset()


def is_access(op: lir.Op) -> TypeGuard[Access]:
    """Whether `op` reads or writes memory."""
    return isinstance(op, tir.Load | tir.Store | tir.Atomic)


class Memory:
    """The accesses of one function. `bounds` gives what is known of an integer scalar by its id."""

    def __init__(self, function: tir.Function, threads: int, bounds: Bounds) -> None:
        self.alias = function.alias
        self.affine = Affine.of(function)
        self.bounds = bounds
        self.threads = threads
        self.roots = _Roots(function).roots
        self._accesses = [op for op in all_ops(function.body) if is_access(op)]
        self.written = {self._root(op.pointer) for op in self._accesses if not isinstance(op, tir.Load)}
        self._effects: dict[Access, Effect] = {}

    def is_written(self, pointer: Value) -> bool:
        """Whether the program may write what `pointer` reaches (then another program may, too)."""
        if self.alias or None in self.written:
            return bool(self.written)
        root = self._root(pointer)
        return root in self.written or (root is None and bool(self.written))

    @property
    def replicas_may_differ(self) -> bool:
        """Whether threads that hold one lane may read different values for it: another program may write meanwhile."""
        reads = (op for op in self._accesses if isinstance(op, tir.Load) and self.is_written(op.pointer))
        return any(self.effect(op).replicas > 1 for op in reads)

    def effect(self, op: Access) -> Effect:
        """What one access of the laid-out form does."""
        known = self._effects.get(op)
        if known is None:
            known = self._effects[op] = self._work_out(op)
        return known

    def _work_out(self, op: Access) -> Effect:
        kind = op.pointer.type
        if not isinstance(kind, Pointer):
            raise InternalError("an access goes through a pointer", op)
        tile = op.offsets.type if op.offsets is not None else None
        lanes = tile.lanes if isinstance(tile, Tile) else None
        return Effect(
            space=kind.space,
            root=self.roots.get(op.pointer.id),
            kind="read" if isinstance(op, tir.Load) else "write",
            bytes=kind.dtype.bytes,
            pointer=op.pointer,
            offsets=op.offsets,
            lanes=lanes,
            replicas=max(1, self.threads // lanes) if lanes is not None else 1,
        )

    def ordered(self, first: lir.Op, second: lir.Op) -> bool:
        """Whether two accesses may touch one address, and one of them writes (an atomic does)."""
        if not (is_access(first) and is_access(second)):
            return False
        a, b = self.effect(first), self.effect(second)
        return self._share(a, b) and not _Difference(self, a, b, NOWHERE_CROSSED).is_never_zero

    def meets(self, first: lir.Op, second: lir.Op) -> bool:
        """Whether, besides, different lanes may touch that address. Two scalar accesses that may meet count, too."""
        if not self.ordered(first, second):
            return False
        a, b = (self.effect(cast("Access", op)) for op in (first, second))
        return a.lanes is None or self._apart(a, b, NOWHERE_CROSSED)

    def collide(self, first: Effect, second: Effect, crossed: frozenset[int]) -> bool:
        """Whether different threads may touch one address, one of them writing, the second after the first, where
        the loops `crossed` may have gone to a later turn in between."""
        if not self._share(first, second) or (first.lanes is None and second.lanes is None):
            return False
        if _Difference(self, first, second, crossed).is_never_zero:
            return False
        return self._apart(first, second, crossed)

    def _share(self, a: Effect, b: Effect) -> bool:
        if a.space != b.space or (a.kind == "read" and b.kind == "read"):
            return False
        return self.alias or a.root is None or b.root is None or a.root == b.root

    def _apart(self, a: Effect, b: Effect, crossed: frozenset[int]) -> bool:
        """Whether different lanes may have one address."""
        if a.lanes != b.lanes or a.bytes != b.bytes or a.root is None or a.root != b.root:
            return True
        if (a.replicas > 1 or b.replicas > 1) and not a.kind == b.kind == "write":
            return True  # every replica reads, only the first writes
        return not _Difference(self, a, b, crossed).is_zero_only_in_one_lane

    def _root(self, pointer: Value) -> int | None:
        root = self.roots.get(pointer.id)
        return root.id if root is not None else None


@dataclass(frozen=True, slots=True)
class _Unknown:
    """One unknown of a difference: `factor` times an integer of `low` … `high`, or any if `is_open`. `is_lane`: it
    is 0 in one lane alone."""

    factor: int
    low: int = 0
    high: int = 0
    is_lane: bool = False
    is_open: bool = False

    @property
    def bounds(self) -> tuple[int, int]:
        ends = (self.factor * self.low, self.factor * self.high)
        return min(ends), max(ends)


class _Difference:
    """The address of one access less that of another, as a constant and a sum of unknowns, modulo 2^64."""

    def __init__(self, memory: Memory, a: Effect, b: Effect, crossed: frozenset[int]) -> None:
        self.memory = memory
        self.crossed = crossed
        affine = memory.affine
        self.is_known = a.root is not None and a.root == b.root and a.bytes == b.bytes
        self.unknowns: list[_Unknown] = []
        self.constant = 0
        if not self.is_known:
            return
        first, second = (_address(affine, effect) for effect in (a, b))
        self.constant = first.constant - second.constant
        ours, theirs = dict(first.terms), dict(second.terms)
        for key in ours.keys() | theirs.keys():
            self._add(affine.atoms[key], ours.get(key, 0), theirs.get(key, 0))

    def _add(self, atom: Atom, ours: int, theirs: int) -> None:
        """One atom, with its coefficients on both sides."""
        if atom.lanes is not None:
            last = atom.lanes - 1
            if ours == theirs and (atom.is_arange or atom.is_injective) and not atom.loops & self.crossed:
                self.unknowns.append(_Unknown(ours, -last, last, is_lane=True, is_open=not atom.is_arange))
            elif atom.is_arange:
                self.unknowns += [_Unknown(factor, 0, last) for factor in (ours, -theirs) if factor]
            else:
                self.is_known = False
        elif atom.loops & self.crossed:
            bounds = self.memory.bounds(atom.id)
            if ours != theirs or bounds is None:
                self.is_known = False
            elif atom.step and not atom.restarts & self.crossed:
                turns = min((bounds[1] - bounds[0]) // abs(atom.step), MOST_TURNS)
                self.unknowns.append(_Unknown(ours * atom.step, -turns, turns))
            else:
                reach = bounds[1] - bounds[0]
                self.unknowns.append(_Unknown(ours, -reach, reach))
        elif ours != theirs:
            self.is_known = False

    @property
    def is_never_zero(self) -> bool:
        """Whether the two never have one address."""
        if not self.is_known or (self.constant == 0 and not self.unknowns):
            return False
        if self.constant % gcd(MODULUS, *(unknown.factor for unknown in self.unknowns)):
            return True
        if any(unknown.is_open for unknown in self.unknowns):
            return False
        low = self.constant + sum(unknown.bounds[0] for unknown in self.unknowns)
        high = self.constant + sum(unknown.bounds[1] for unknown in self.unknowns)
        return 0 < low <= high < MODULUS or -MODULUS < low <= high < 0

    @property
    def is_zero_only_in_one_lane(self) -> bool:
        """Whether one address means one lane: each unknown outweighs all smaller ones together, so all are 0."""
        if not self.is_known or self.constant != 0 or not any(unknown.is_lane for unknown in self.unknowns):
            return False
        span = 0
        for unknown in sorted(self.unknowns, key=lambda unknown: (unknown.is_open, abs(unknown.factor))):
            if unknown.is_open:
                return unknown.is_lane and span == 0 and unknown.factor % 2 == 1
            if abs(unknown.factor) <= span:
                return False
            span += unknown.bounds[1]
        return span < MODULUS


def _address(affine: Affine, effect: Effect) -> Form:
    """Which element an access touches, counted from the parameter or buffer."""
    form = affine.form(effect.pointer) if effect.pointer is not None else Form()
    return form if effect.offsets is None else form.plus(affine.form(effect.offsets))


class _Roots:
    """Which parameter or buffer each pointer comes from; None where it may be several."""

    def __init__(self, function: tir.Function) -> None:
        self.roots: dict[int, Value | None] = {}
        for parameter in function.parameters:
            if parameter.is_pointer:
                self.roots[parameter.value.id] = parameter.value
        while self._pass(function.body):
            pass

    def _pass(self, body: tir.Block) -> bool:
        """One look at every pointer; whether anything new was learned."""
        before = dict(self.roots)
        for op in cast("Iterator[lir.Op]", all_ops(body)):
            match op:
                case tir.Alloc():
                    self.roots[op.result.id] = op.result
                case tir.Offset():
                    self._join(op.result, op.pointer)
                case tir.If():
                    for inner in (op.then, op.orelse):
                        if isinstance(inner.end, tir.Yield):
                            self._join_all(op.results, inner.end.values)
                case tir.For() | tir.While():
                    self._join_all(op.carried, op.inits)
                    for end in _ends(op.body):
                        self._join_all(op.carried, end_values(end))
                    self._join_all(op.results, op.carried)
                case _:
                    pass
        return before != self.roots

    def _join_all(self, targets: tuple[Value, ...], sources: tuple[Value, ...]) -> None:
        for target, source in zip(targets, sources, strict=False):
            if isinstance(target.type, Pointer):
                self._join(target, source)

    def _join(self, target: Value, source: Value) -> None:
        if source.id not in self.roots:
            return
        root = self.roots[source.id]
        if target.id in self.roots and self.roots[target.id] != root:
            root = None
        self.roots[target.id] = root


def _ends(body: tir.Block) -> Iterator[tir.Terminator]:
    """The terminators that hand values to the loop whose body this is."""
    yield body.end
    for op in body.ops:
        if isinstance(op, tir.If):
            for inner in (op.then, op.orelse):
                if isinstance(inner.end, tir.Yield):
                    yield from list(_ends(inner))[1:]
                else:
                    yield from _ends(inner)

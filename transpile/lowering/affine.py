"""Addresses as sums: constant + coefficient * atom + …, modulo 2^64, of the integers of a laid-out tile kernel.

An atom is a value that is not taken apart: a scalar, an arange, or other work, of which equal work on equal operands
is one atom. It answers whether two lanes can have one address; it never guesses.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from typing import Final, TypeAlias

from transpile.ir import lir, tir
from transpile.ir.tir import Value
from transpile.ir.walk import blocks_of, operands_of, result_of, results_of
from transpile.typing.types import Pointer, Tile

MODULUS: Final = 1 << 64
AtomId: TypeAlias = int
_REPEATED: Final = (tir.Arange, tir.Broadcast, tir.Const, tir.Apply, tir.Cast)


@dataclass(frozen=True, slots=True)
class Atom:
    """`lanes`: of a tile, how many; None of a scalar. `is_arange`: lane l is l. `is_injective`: no two lanes are
    equal. `loops`: the numbers of the loops in which it may change from turn to turn. `is_index`: it counts one, by
    `step`."""

    id: AtomId
    lanes: int | None
    is_arange: bool
    is_injective: bool
    loops: frozenset[int]
    step: int = 0
    restarts: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True)
class Form:
    """`constant` plus the sum of `terms`; coefficients are never 0. All in -2^63 .. 2^63 - 1."""

    constant: int = 0
    terms: tuple[tuple[AtomId, int], ...] = ()

    def scaled(self, factor: int) -> Form:
        terms = tuple((atom, _wrap(coefficient * factor)) for atom, coefficient in self.terms)
        return Form(_wrap(self.constant * factor), tuple(term for term in terms if term[1]))

    def plus(self, other: Form) -> Form:
        total = dict(self.terms)
        for atom, coefficient in other.terms:
            total[atom] = _wrap(total.get(atom, 0) + coefficient)
        return Form(_wrap(self.constant + other.constant), tuple(sorted((a, c) for a, c in total.items() if c)))


@dataclass(slots=True)
class Affine:
    """The forms of a function's integers and pointers."""

    makers: Mapping[int, lir.Op]
    loops: Mapping[int, frozenset[int]]
    counts: Mapping[int, tir.For]
    once: set[int] = field(default_factory=set)  # what is not worked out again: memory or a call is behind it
    atoms: dict[AtomId, Atom] = field(default_factory=dict)
    _forms: dict[int, Form] = field(default_factory=dict)
    _known: dict[Hashable, AtomId] = field(default_factory=dict)

    @classmethod
    def of(cls, function: tir.Function) -> Affine:
        survey = _Survey()
        survey.block(function.body, frozenset())
        affine = cls(survey.makers, survey.loops, survey.counts)
        for op in survey.makers.values():  # operands first, so that no chain is walked deeply
            if (result := result_of(op)) is None:
                continue
            tiles = (value.id for value in operands_of(op) if isinstance(value.type, Tile))
            if not isinstance(op, _REPEATED) or not affine.once.isdisjoint(tiles):
                affine.once.add(result.id)
            if not result.type.dtype.is_float:
                affine.form(result)
        return affine

    def form(self, value: Value) -> Form:
        """The form of an integer, or of a pointer as elements from the parameter that it comes from."""
        known = self._forms.get(value.id)
        if known is None:
            known = self._forms[value.id] = self._work_out(value)
        return known

    def _work_out(self, value: Value) -> Form:
        op = self.makers.get(value.id)
        match op:
            case tir.Const() if isinstance(op.value, int):
                return Form(int(op.value))
            case tir.Broadcast() if not isinstance(op.operand.type, Tile):
                return self.form(op.operand)
            case tir.Offset():
                return self.form(op.pointer).plus(self.form(op.index))
            case tir.Apply() if op.result.type.dtype.name == "i64":
                linear = self._linear(op)
                if linear is not None:
                    return linear
        if op is None and isinstance(value.type, Pointer) and value.id not in self.loops:
            return Form()
        return Form(0, ((self._atom(value, op), 1),))

    def _linear(self, op: tir.Apply) -> Form | None:
        match op.op:
            case "add":
                return self.form(op.operands[0]).plus(self.form(op.operands[1]))
            case "sub":
                return self.form(op.operands[0]).plus(self.form(op.operands[1]).scaled(-1))
            case "neg":
                return self.form(op.operands[0]).scaled(-1)
            case "pos":
                return self.form(op.operands[0])
            case "mul":
                left, right = (self.form(operand) for operand in op.operands)
                if not right.terms:
                    return left.scaled(right.constant)
                if not left.terms:
                    return right.scaled(left.constant)
                return None
            case "shl":
                count = self.form(op.operands[1])
                if not count.terms and 0 <= count.constant < 64:
                    return self.form(op.operands[0]).scaled(1 << count.constant)
                return None
            case _:
                return None

    def _atom(self, value: Value, op: lir.Op | None) -> AtomId:
        key = self._key(value, op)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = value.id
            self.atoms[known] = self._describe(value, op)
        return known

    def _key(self, value: Value, op: lir.Op | None) -> Hashable:
        """Equal for equal work on equal integers. A load, and what control flow defines, is equal to itself alone."""
        if op is None or _reads_floats(op):
            return ("value", value.id)
        match op:
            case tir.Index():
                return (op.kind, op.axis)
            case tir.Arange():
                return ("arange", op.size, op.axis, _shape(value))
            case tir.Apply():
                return (op.op, op.result.type.dtype.name, _shape(value), *map(self._operand, op.operands))
            case tir.Cast():
                return ("cast", op.result.type.dtype.name, _shape(value), self._operand(op.operand))
            case tir.Const():
                return ("const", op.result.type.dtype.name, repr(op.value))
            case tir.Broadcast():
                return ("broadcast", _shape(value), self._operand(op.operand))
            case _:
                return ("value", value.id)

    def _operand(self, value: Value) -> Hashable:
        if value.type.dtype.name == "i64":
            return self.form(value)
        return self._atom(value, self.makers.get(value.id))

    def _describe(self, value: Value, op: lir.Op | None) -> Atom:
        lanes = value.type.lanes if isinstance(value.type, Tile) else None
        is_arange = isinstance(op, tir.Arange) and op.size == lanes
        injective = is_arange or (op is not None and self._is_injective(op))
        count = self.counts.get(value.id)
        if count is None:
            return Atom(value.id, lanes, is_arange, injective, self._changes_in(value, op))
        step, start = self.form(count.step), self.form(count.start)
        restarts = frozenset[int]().union(*(self.atoms[atom].loops for atom, _ in start.terms))
        known = step.constant if not step.terms else 0
        return Atom(value.id, None, False, False, self.loops[value.id], known, restarts)

    def _changes_in(self, value: Value, op: lir.Op | None) -> frozenset[int]:
        """Work without memory changes where its operands do; the rest, in every loop around it."""
        match op:
            case tir.Index() | tir.Arange() | tir.Const():
                return frozenset()
            case tir.Apply() | tir.Cast() | tir.Broadcast() if not _reads_floats(op):
                forms = [self.form(operand) for operand in operands_of(op)]
                return frozenset().union(*(self.atoms[atom].loops for form in forms for atom, _ in form.terms))
            case _:
                return self.loops.get(value.id, frozenset())

    def _is_injective(self, op: lir.Op) -> bool:
        match op:
            case tir.Cast():
                source, target = op.operand.type.dtype, op.result.type.dtype
                widens = source.kind == "int" and target.kind == "int" and source.bits < target.bits
                return widens and self.separates(self._small(op.operand))
            case tir.Apply() if op.op == "xor" and op.result.type.dtype.name == "i64":
                left, right = (self.form(operand) for operand in op.operands)
                return (self.is_uniform(left) and self.separates(right)) or (
                    self.is_uniform(right) and self.separates(left)
                )
            case _:
                return False

    def _small(self, value: Value) -> Form:
        """A narrow integer that is an i64 cut to its width: its form, if no lane is lost by the cut."""
        op = self.makers.get(value.id)
        if isinstance(op, tir.Cast) and op.operand.type.dtype.name == "i64":
            form = self.form(op.operand)
            if all(abs(c) * (self.atoms[a].lanes or 1) < 1 << (value.type.dtype.bits - 1) for a, c in form.terms):
                return form
        return Form(0, ((self._atom(value, op), 1),))

    def counts_on(self, tile: Value) -> bool:
        """Whether each lane of `tile` is the one before it and 1, and the first can be worked out by itself."""
        terms = [(self.atoms[atom], factor) for atom, factor in self.form(tile).terms]
        varying = [(atom.is_arange, factor) for atom, factor in terms if atom.lanes is not None]
        return varying == [(True, 1)] and tile.id not in self.once

    def is_uniform(self, form: Form) -> bool:
        """Whether it is one number in all lanes."""
        return all(self.atoms[atom].lanes is None for atom, _ in form.terms)

    def separates(self, form: Form) -> bool:
        """Whether no two lanes have one number."""
        varying = [(self.atoms[atom], coefficient) for atom, coefficient in form.terms if self.atoms[atom].lanes]
        if len(varying) != 1:
            return False
        atom, coefficient = varying[0]
        if atom.is_arange:
            return abs(coefficient) * (atom.lanes or 1) < MODULUS
        return atom.is_injective and coefficient % 2 != 0


@dataclass(slots=True)
class _Survey:
    """What makes each value, and the numbers of the loops around it. Loops are numbered from 0 as they begin in the
    text."""

    makers: dict[int, lir.Op] = field(default_factory=dict)
    loops: dict[int, frozenset[int]] = field(default_factory=dict)
    counts: dict[int, tir.For] = field(default_factory=dict)  # loops by their indices
    count: int = 0

    def block(self, block: tir.Block, around: frozenset[int]) -> None:
        for op in lir.ops_of(block):
            inside = around
            if isinstance(op, tir.For | tir.While):
                inside = around | {self.count}
                self.count += 1
                for value in (op.index, *op.carried) if isinstance(op, tir.For) else op.carried:
                    self.loops[value.id] = inside
                if isinstance(op, tir.For):
                    self.counts[op.index.id] = op
            for inner in blocks_of(op):
                self.block(inner, inside)
            for value in results_of(op):
                self.loops[value.id] = around
                if not isinstance(op, tir.If | tir.For | tir.While):
                    self.makers[value.id] = op


def _reads_floats(op: lir.Op) -> bool:
    """Work on floats is not looked into."""
    return any(value.type.dtype.is_float and not isinstance(value.type, Pointer) for value in operands_of(op))


def _shape(value: Value) -> tuple[int, ...] | None:
    return value.type.shape if isinstance(value.type, Tile) else None


def _wrap(number: int) -> int:
    return (number + MODULUS // 2) % MODULUS - MODULUS // 2

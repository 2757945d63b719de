"""Writes a value of TIR or lowered LIR as an expression of KIR: a variable, a literal, or the tree that computes it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from transpile import dtypes
from transpile.diagnostics.core import InternalError
from transpile.ir import kir, lir, tir
from transpile.ir.tir import Value
from transpile.lowering.inline import Plan
from transpile.lowering.intervals import Interval, fits
from transpile.lowering.ranges import NOTHING_KNOWN, Ranges
from transpile.lowering.variables import Variables
from transpile.typing.types import Pointer, Scalar, Tile, Vec

ZERO = kir.Lit(0, dtypes.I64)


def placeholder(number: int) -> str:
    """The name that the variable of a value has until names are given."""
    return f"%{number}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Callee:
    """How a device function is called in C++."""

    name: str
    result: dtypes.DType


@dataclass(frozen=True, slots=True, kw_only=True)
class Expressions:
    """Of one function. `ranges` are what integers can be, by value; `calls` the device functions by key."""

    plan: Plan
    variables: Variables
    ranges: Ranges = NOTHING_KNOWN
    calls: Mapping[str, Callee] = field(default_factory=dict)

    def variable(self, value: Value) -> kir.Var:
        kind = value.type
        if isinstance(kind, Tile):
            raise InternalError("a tile reached KIR", value)
        return kir.Var(placeholder(self.variables.representative(value)), kind)

    def of(self, value: Value) -> kir.Expr:
        """`value` where it is used."""
        match self.plan.form(value):
            case "variable":
                return self.variable(value)
            case "lane":
                return self.lane(value)
            case _:
                op = self.plan.facts.definitions[value.id].op
                if op is None:
                    raise InternalError("nothing computes this value", value)
                return self.compute(op)

    def lane(self, value: Value) -> kir.Element:
        """The lane of a vec in which `value` is kept."""
        vec, counter = self.plan.lanes[value.id]
        return kir.Element(self.variable(vec), self.variable(counter), value.type.dtype)

    def compute(self, op: lir.Op) -> kir.Expr:
        """What an op computes, from its operands."""
        match op:
            case tir.Const():
                return kir.Lit(op.value, op.result.type.dtype)
            case tir.Index():
                return kir.Place(op.kind, op.axis)
            case lir.Thread():
                return kir.Place("lane_thread", 0)
            case tir.Apply():
                operands = tuple(self.of(operand) for operand in op.operands)
                return kir.Apply(op.op, operands, op.result.type.dtype, self.is_exact(op.result))
            case tir.Cast():
                dtype = op.result.type.dtype
                return kir.Cast(self.of(op.operand), dtype, exact=self._fits(op.operand, dtype))
            case tir.Call():
                callee = self.calls[op.function]
                operands = tuple(self.of(operand) for operand in op.operands)
                return kir.Call(callee.name, operands, callee.result, op.reports)
            case tir.Pack():
                return kir.Pack(tuple(self.of(operand) for operand in op.operands), op.result.type.dtype)
            case tir.Part():
                return kir.Element(self.of(op.operand), kir.Lit(op.place, dtypes.I64), op.result.type.dtype)
            case tir.Alloc():
                return self.variable(op.result)
            case tir.Offset():
                return self._offset(op)
            case tir.Load():
                return self._load(op)
            case tir.Atomic():
                return self._old_of(op)
            case tir.Shuffle():
                return kir.Shuffle(op.kind, self.of(op.operand), self.of(op.lane), op.result.type.dtype)
            case tir.If():
                return self._choice(op)
            case lir.LaneGet():
                return self._lane_get(op)
            case lir.Fold():
                return self._fold(op)
            case lir.Scan():
                stage = None if op.stage is None else self.variable(op.stage)
                return kir.Scan(op.op, self.of(op.operand), op.lanes, op.threads, stage, op.result.type.dtype)
            case lir.LoadGroups():
                return self.groups(op, op.result)
            case lir.ShareFirst():
                stage = None if op.stage is None else self.variable(op.stage)
                return kir.Shared(self.of(op.operand), stage, op.result.type.dtype, op.lanes)
            case _:
                raise InternalError("this computes no value", op)

    def _offset(self, op: tir.Offset) -> kir.Expr:
        kind = op.result.type
        if not isinstance(kind, Pointer):
            raise InternalError("an offset gives a pointer", op)
        return kir.PointerAdd(self.of(op.pointer), self.of(op.index), kind)

    def element(self, pointer: Value, offsets: Value | None) -> kir.Element:
        """Where `pointer` and `offsets` point to."""
        base = self.of(pointer)
        dtype = pointer.type.dtype
        if offsets is not None:
            return kir.Element(base, self.of(offsets), dtype)
        if isinstance(base, kir.PointerAdd):
            return kir.Element(base.base, base.index, dtype)
        return kir.Element(base, ZERO, dtype)

    def groups(self, op: lir.LoadGroups | lir.StoreGroups, held: Value) -> kir.Groups:
        """Where the lanes of `held` are in memory."""
        if not isinstance(held.type, Vec):
            raise InternalError("groups of lanes are held in a vec", op)
        place = self.element(op.pointer, op.first)
        return kir.Groups(
            place.base,
            place.index,
            place.dtype,
            held.type.count,
            op.group,
            op.threads,
            mask=None if op.mask is None else self.variable(op.mask),
            other=self.of(op.other) if isinstance(op, lir.LoadGroups) and op.other is not None else None,
        )

    def neighbours(self, pointer: Value, kind: Vec) -> kir.Groups:
        """The elements from `pointer` on that one access moves."""
        first = self.element(pointer, None)
        count = kind.count
        return kir.Groups(first.base, first.index, first.dtype, lanes=count, group=count, threads=1, is_aligned=True)

    def _load(self, op: tir.Load) -> kir.Expr:
        if isinstance(op.result.type, Vec):
            return self.neighbours(op.pointer, op.result.type)
        element = self.element(op.pointer, op.offsets)
        if op.mask is None or op.other is None:
            return element
        return kir.Apply("where", (self.of(op.mask), element, self.of(op.other)), element.dtype)

    def atomic(self, op: tir.Atomic) -> kir.Atomic:
        """The access itself, whatever the mask says."""
        compare = None if op.compare is None else self.of(op.compare)
        return kir.Atomic(op.op, self.element(op.pointer, op.offsets), self.of(op.value), compare)

    def _old_of(self, op: tir.Atomic) -> kir.Expr:
        """What stood there before; 0 where the mask is off."""
        made = self.atomic(op)
        if op.mask is None:
            return made
        return kir.Apply("where", (self.of(op.mask), made, kir.Lit(0, made.dtype)), made.dtype)

    def _choice(self, op: tir.If) -> kir.Expr:
        cond, then, orelse = (self.of(value) for value in self.plan.reads(op))
        dtype = op.results[0].type.dtype
        if orelse == kir.Lit(False, dtypes.BOOL):
            return kir.Apply("and", (cond, then), dtype)
        if then == kir.Lit(True, dtypes.BOOL):
            return kir.Apply("or", (cond, orelse), dtype)
        return kir.Apply("where", (cond, then, orelse), dtype)

    def _lane_get(self, op: lir.LaneGet) -> kir.Expr:
        if isinstance(op.operand.type, Scalar):
            return self.of(op.operand)
        return kir.Element(self.of(op.operand), self.of(op.lane), op.result.type.dtype)

    def _fold(self, op: lir.Fold) -> kir.Expr:
        return kir.Fold(
            op.op,
            self.of(op.operand),
            op.lanes,
            op.threads,
            None if op.stage is None else self.variable(op.stage),
            op.result.type.dtype,
            op.replicas,
            op.any_order,
            op.group,
        )

    # ------------------------------------------------------------ what cannot overflow

    def range_of(self, value: Value) -> Interval:
        """What an integer can be."""
        dtype = value.type.dtype
        return self.ranges.get(value.id, (dtype.min, dtype.max))

    def _fits(self, value: Value, dtype: dtypes.DType) -> bool:
        is_integer = value.type.dtype.is_integer and dtype.is_integer
        return is_integer and fits(self.range_of(value), dtype)

    def is_exact(self, result: Value) -> bool:
        """Is the plain operator of C++ right for what gives `result`: no overflow, no zero divisor, nothing to
        round?"""
        return result.id in self.ranges.exact

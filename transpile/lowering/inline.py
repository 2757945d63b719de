"""Decides for each value of a function whether it is written where it is used or gets a variable of its own.

A value that nobody named and that is read once goes into the expression that reads it, a load too if nothing that
orders loads stands between. Nothing is moved into a loop. Expressions that would grow too long for a line are split.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final, Literal, TypeAlias

from transpile.dtypes import BOOL
from transpile.ir import lir, tir
from transpile.ir.tir import Value
from transpile.ir.walk import blocks_of, end_values, operands_of, result_of
from transpile.lowering.facts import Definition, Facts, Region, Use
from transpile.typing.types import Pointer, Vec

# free: written at every use. tree: written at its only use. variable: a statement of its own. lane: that, but into the
# lane of a vec.
Form: TypeAlias = Literal["free", "tree", "variable", "lane"]

LONGEST: Final = 68  # characters of an expression, by estimate, so that a line with its declaration stays below 100
LONGEST_STORE: Final = 82  # of a store as a whole
CHOICE: Final = 8  # ops of a conditional that is an expression
_WORD: Final = 7  # of a name that is not known yet
_SPELLED: Final = frozenset(
    [
        "add",
        "sub",
        "mul",
        "truediv",
        "and",
        "or",
        "xor",
        "shl",
        "shr",
        "eq",
        "ne",
        "lt",
        "le",
        "gt",
        "ge",
        "not",
        "neg",
        "pos",
        "invert",
    ]
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Style:
    """`shuffles_apart`: a shuffle is a statement (the CPU splits there). `checked`: integer arithmetic is (launchers).
    `statics` are the names of parameters that are constants of this instance."""

    shuffles_apart: bool = False
    checked: bool = False
    statics: frozenset[str] = frozenset()


@dataclass
class Plan:
    """`evaluated` is where a tree is computed in the end: position and region of the statement that holds it. `lanes`
    gives for a value in form lane the vec and the counter whose lane it is."""

    facts: Facts
    forms: dict[int, Form] = field(default_factory=dict)
    evaluated: dict[int, tuple[int, Region]] = field(default_factory=dict)
    lazy: set[int] = field(default_factory=set)  # trees that are computed under a condition
    lanes: dict[int, tuple[Value, Value]] = field(default_factory=dict)
    choices: set[int] = field(default_factory=set)  # by id(): conditionals that are expressions

    def form(self, value: Value) -> Form:
        return self.forms.get(value.id, "variable")

    def leaves(self, value: Value) -> tuple[Value, ...]:
        """The variables that writing `value` reads."""
        match self.form(value):
            case "variable":
                return (value,)
            case "lane":
                return (self.lanes[value.id][0],)
            case _:
                op = self.facts.definitions[value.id].op
                return () if op is None else tuple(leaf for operand in self.reads(op) for leaf in self.leaves(operand))

    def reads(self, op: lir.Op) -> tuple[Value, ...]:
        """What computing the result of `op` reads."""
        if not isinstance(op, tir.If):
            return operands_of(op)
        return (op.cond, *end_values(op.then.end), *end_values(op.orelse.end))

    def is_choice(self, op: tir.If) -> bool:
        """Is this written as `cond ? a : b`?"""
        return id(op) in self.choices


def plan_function(facts: Facts, style: Style) -> Plan:
    plan = Plan(facts)
    for _, _, op in facts.ops:
        _plan_free(plan, op, style)
        if isinstance(op, lir.LaneLoop):
            _plan_lanes(plan, op)
    for position, region, op in reversed(facts.ops):
        value = result_of(op)
        if isinstance(op, tir.If) and _can_choose(plan, op):
            plan.choices.add(id(op))
            value = op.results[0]
        if value is not None and value.id not in plan.forms:
            plan.forms[value.id] = _form(plan, style, op, value, Definition(value, op, position, region))
    _split_long(plan)
    return plan


def _can_choose(plan: Plan, op: tir.If) -> bool:
    """Is `op` no more than a choice between two short expressions?"""
    ends = (op.then.end, op.orelse.end)
    inner = (*lir.ops_of(op.then), *lir.ops_of(op.orelse))
    if len(op.results) != 1 or len(inner) > CHOICE or not all(isinstance(end, tir.Yield) for end in ends):
        return False
    for each in inner:
        result = each.results[0] if isinstance(each, tir.If) and plan.is_choice(each) else result_of(each)
        if result is None or plan.form(result) not in ("tree", "free") or isinstance(each, tir.Shuffle):
            return False
    return True


def _plan_free(plan: Plan, op: lir.Op, style: Style) -> None:
    match op:
        case lir.LaneGet() | lir.Thread() | tir.Alloc():
            plan.forms[op.result.id] = "free"
        case tir.Const() | tir.Index() if not op.result.name or op.result.name in style.statics:
            plan.forms[op.result.id] = "free"
        case _:
            pass


def _plan_lanes(plan: Plan, op: lir.LaneLoop) -> None:
    """What a lane loop collects is computed right in its lane, if it has a name or is read again in the loop."""
    body = plan.facts.regions[id(op.body)]
    if not isinstance(op.body.end, tir.Yield):
        return
    for result, value in zip(op.results, op.body.end.values, strict=True):
        definition = plan.facts.definitions[value.id]
        is_here = definition.op is not None and definition.region.number == body.number
        if is_here and value.id not in plan.forms and (value.name or not plan.facts.is_used_once(value)):
            plan.forms[value.id] = "lane"
            plan.lanes[value.id] = (result, op.counter)


def _form(plan: Plan, style: Style, op: lir.Op, value: Value, definition: Definition) -> Form:
    if value.name or not plan.facts.is_used_once(value) or _is_statement(plan.facts, op, style):
        return "variable"
    use = plan.facts.uses[value.id][0]
    if use.is_bound and not isinstance(op, tir.Const | tir.Index):
        return "variable"  # read at every turn
    position, region = _evaluation(plan, use)
    if region.loops != definition.region.loops:
        return "variable"
    is_lazy = _is_lazy(plan, use)
    loads = any(isinstance(each, tir.Load) for each in _parts(op))
    if loads and ((is_lazy and isinstance(op, tir.Load)) or plan.facts.has_effect(definition.position, position)):
        return "variable"
    if isinstance(op, tir.Shuffle):
        stays = region.number == definition.region.number and not is_lazy
        if not stays or plan.facts.has_effect(definition.position, position):
            return "variable"
    plan.evaluated[value.id] = (position, region)
    if is_lazy:
        plan.lazy.add(value.id)
    return "tree"


def _parts(op: lir.Op) -> tuple[lir.Op, ...]:
    """`op` and what it holds."""
    return (op, *(inner for block in blocks_of(op) for each in lir.ops_of(block) for inner in _parts(each)))


def _is_statement(facts: Facts, op: lir.Op, style: Style) -> bool:
    """Is this never part of an expression?"""
    match op:
        case lir.Fold() | lir.Scan() | lir.ShareFirst() | lir.LoadGroups() | tir.Atomic():
            return True
        case tir.Call():
            return op.reports
        case tir.Load():
            return isinstance(op.result.type, Vec)
        case tir.Shuffle():
            return style.shuffles_apart
        case tir.Apply() | tir.Cast():
            return style.checked and is_checked(facts, op)
        case _:
            return False


def is_checked(facts: Facts, op: tir.Apply | tir.Cast) -> bool:
    """Can this raise in Python, in a launcher?"""
    if isinstance(op, tir.Cast):
        source, to = op.operand.type.dtype, op.result.type.dtype
        return to.is_integer and source is not BOOL and not to.holds(source)
    by = facts.definitions[op.operands[-1].id].op
    divisor = by.value if isinstance(by, tir.Const) else 0
    if op.op in ("floordiv", "mod"):
        return divisor in (0, -1) if op.result.type.dtype.is_integer else divisor == 0
    if op.op == "truediv":
        return divisor == 0
    return op.result.type.dtype.is_integer and op.op in ("add", "sub", "mul", "neg", "abs", "shl", "shr")


def _evaluation(plan: Plan, use: Use) -> tuple[int, Region]:
    """Where what a use reads is computed, if it is written there."""
    consumer = _consumer(plan, use)
    if consumer is not None and plan.form(consumer) == "tree":
        return plan.evaluated[consumer.id]
    return use.position, use.region


def _is_lazy(plan: Plan, use: Use) -> bool:
    consumer = _consumer(plan, use)
    if isinstance(use.user, tir.Apply) and use.user.op == "where" and use.place > 0:
        return True
    return consumer is not None and consumer.id in plan.lazy


def _consumer(plan: Plan, use: Use) -> Value | None:
    """The value whose computation reads what `use` does."""
    match use.user:
        case tir.Yield() | tir.Break() | tir.Continue() | tir.Return() | tir.Condition():
            return None
        case tir.If():
            return use.user.results[0] if plan.is_choice(use.user) else None
        case _:
            return result_of(use.user)


# ---------------------------------------------------------------- lines that are not too long


def _split_long(plan: Plan) -> None:
    """Gives variables to the largest parts of expressions that are too long."""
    lengths: dict[int, int] = {}
    inside: set[int] = set()  # by id(): what stands in a conditional that is an expression, where no statement can
    for _, _, op in plan.facts.ops:
        if isinstance(op, tir.If) and plan.is_choice(op):
            inside.update(id(each) for each in _parts(op)[1:])
        total = _length(plan, lengths, op)
        while id(op) not in inside and total > (LONGEST_STORE if isinstance(op, tir.Store) else LONGEST):
            trees = [value for value in operands_of(op) if plan.form(value) == "tree"]
            largest = max(trees, key=lambda value: lengths[value.id], default=None)
            if largest is None or lengths[largest.id] <= 2 * _WORD:
                break
            plan.forms[largest.id] = "variable"
            del plan.evaluated[largest.id]
            total = _length(plan, lengths, op)
        value = op.results[0] if isinstance(op, tir.If) and plan.is_choice(op) else result_of(op)
        if value is not None:
            lengths[value.id] = total


def _length(plan: Plan, lengths: dict[int, int], op: lir.Op) -> int:
    """How long the text of `op` will be, more or less."""
    reads = plan.reads(op) if isinstance(op, tir.If) and plan.is_choice(op) else operands_of(op)
    inner = sum(_operand_length(plan, lengths, value) + 2 for value in reads)
    match op:
        case tir.Const():
            return len(repr(op.value)) + (2 if op.result.type.dtype.is_float else 0)
        case tir.Index():
            return 11
        case tir.Apply():
            return inner + (3 if op.op in _SPELLED else len(op.op) + 2)
        case tir.Cast():
            return inner + len(op.result.type.dtype.cxx) + 2
        case tir.Call():
            return inner + len(op.function) + 2
        case tir.Load() if op.mask is not None:
            return inner + 8
        case tir.Shuffle() | tir.Atomic():
            return inner + 10
        case tir.Alloc():
            return len(op.result.name) or _WORD
        case _:
            return inner


def _operand_length(plan: Plan, lengths: dict[int, int], value: Value) -> int:
    if plan.form(value) in ("tree", "free") and value.id in lengths:
        return lengths[value.id]
    vector = 6 if plan.form(value) == "lane" else 0
    return (len(value.name) or (1 if isinstance(value.type, Pointer) else _WORD)) + vector

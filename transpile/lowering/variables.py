"""Gives every value that needs one a variable: values that one user variable takes share it where they can.

What a loop carries and ends with is one variable; what flows into it joins it where the two are never alive at once.
Values of one name join in the same way, unless that would widen the scope.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from transpile.ir import lir, tir
from transpile.ir.tir import Value
from transpile.ir.walk import blocks_of, results_of
from transpile.lowering.facts import Region
from transpile.lowering.inline import Plan
from transpile.lowering.liveness import interferences


@dataclass
class Variables:
    """`of` maps a value to the value that stands for its variable."""

    of: dict[int, int] = field(default_factory=dict)
    names: dict[int, str] = field(default_factory=dict)

    def representative(self, value: Value) -> int:
        number = value.id
        while (above := self.of.get(number, number)) != number:
            number = above
        return number

    def name(self, value: Value) -> str:
        """The user's name for the variable of `value`, or empty."""
        return self.names.get(self.representative(value), value.name)


def assign_variables(plan: Plan, function: tir.Function, *, share_names: bool) -> Variables:
    """`share_names`: join values of one name even if no control flow does."""
    fixed, wanted = _flows(function.body)
    pairs = [*fixed, *wanted]
    if share_names:
        pairs.extend(_namesakes(plan))
    interesting = {value.id for pair in pairs for value in pair}
    carried = frozenset(value.id for value, _ in fixed)
    classes = _Classes(plan, interferences(plan, function.body, interesting), carried)
    for left, right in fixed:
        classes.join(left, right)
    for left, right in wanted:
        if classes.can_join(left, right):
            classes.join(left, right)
    for left, right in pairs[len(fixed) + len(wanted) :]:
        if classes.can_join(left, right) and not classes.widens(left, right):
            classes.join(left, right)
    return classes.variables


_Pairs = list[tuple[Value, Value]]


def _flows(body: tir.Block) -> tuple[_Pairs, _Pairs]:
    """The pairs of values that control flow makes one: those of a loop always, the others if they can be. Turns of
    loops come first, since a copy there costs most."""
    fixed: _Pairs = []
    turns: _Pairs = []
    others: _Pairs = []

    def walk(block: tir.Block, own: Sequence[Value], loop: Sequence[Value]) -> None:
        for op in lir.ops_of(block):
            match op:
                case tir.If():
                    walk(op.then, op.results, loop)
                    walk(op.orelse, op.results, loop)
                case tir.For() | tir.While():
                    fixed.extend(zip(op.carried, op.results, strict=True))
                    walk(op.body, op.carried, op.carried)
                    others.extend(zip(op.carried, op.inits, strict=True))
                case _:
                    for inner in blocks_of(op):
                        walk(inner, (), ())
        end = block.end
        if isinstance(end, tir.Yield) and own:
            (turns if own is loop else others).extend(zip(own, end.values, strict=True))
        elif isinstance(end, tir.Break | tir.Continue):
            turns.extend(zip(loop, end.values, strict=True))

    walk(body, (), ())
    return fixed, turns + others


def _namesakes(plan: Plan) -> Iterator[tuple[Value, Value]]:
    """Each value with the one of the same name before it."""
    latest: dict[str, Value] = {}
    for _, _, op in plan.facts.ops:
        for value in results_of(op):
            if value.name and plan.form(value) == "variable":
                if value.name in latest:
                    yield latest[value.name], value
                latest[value.name] = value


class _Classes:
    def __init__(self, plan: Plan, edges: dict[int, set[int]], carried: frozenset[int]) -> None:
        self.plan = plan
        self._carried = carried
        self.variables = Variables()
        self._edges = edges
        self._members: dict[int, set[int]] = {}

    def _root(self, value: Value) -> int:
        return self.variables.representative(value)

    def _members_of(self, root: int) -> set[int]:
        return self._members.setdefault(root, {root})

    def _is_own(self, value: Value) -> bool:
        """Can this value share a variable: no parameter, counter, constant or part of an expression?"""
        definition = self.plan.facts.definitions[value.id]
        if self.plan.form(value) != "variable":
            return False
        return definition.op is not None or value.id in self._carried

    def can_join(self, left: Value, right: Value) -> bool:
        if not (self._is_own(left) and self._is_own(right)) or left.type != right.type:
            return False
        first, second = self._root(left), self._root(right)
        names = {name for name in (self.variables.name(left), self.variables.name(right)) if name}
        if first == second or len(names) > 1:
            return False
        near = set().union(*(self._edges[number] for number in self._members_of(first)))
        return near.isdisjoint(self._members_of(second))

    def join(self, left: Value, right: Value) -> None:
        first, second = self._root(left), self._root(right)
        if first == second:
            return
        name = self.variables.name(left) or self.variables.name(right)
        self.variables.of[second] = first
        self.variables.names[first] = name
        self._members_of(first).update(self._members_of(second))
        self._members.pop(second, None)

    def widens(self, left: Value, right: Value) -> bool:
        """Would one variable for both need a wider scope than either has?"""
        scopes = [self._scope(self._root(value)) for value in (left, right)]
        both = _common(scopes[0], scopes[1])
        return both.number not in {scope.number for scope in scopes}

    def _scope(self, root: int) -> Region:
        regions = [self.plan.facts.definitions[number].region for number in self._members_of(root)]
        scope = regions[0]
        for region in regions[1:]:
            scope = _common(scope, region)
        return scope


def _common(left: Region, right: Region) -> Region:
    """The innermost region around both."""
    region = left
    while not right.is_inside(region):
        assert region.parent is not None
        region = region.parent
    return region

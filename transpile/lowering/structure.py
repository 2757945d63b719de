"""Structured SSA to statements of KIR: out of SSA, expressions as trees, control flow as C++ has it.

TIR without tiles or lowered LIR goes in. Variables have placeholder names and no declarations yet: `declare` and
`rename` finish them. What flows into a carried value or a result becomes copies, ordered so that none reads what
another one has written.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import takewhile
from typing import Final, TypeAlias

from transpile import dtypes
from transpile.diagnostics.core import InternalError
from transpile.ir import kir, lir, tir
from transpile.ir.kir_walk import dtype_of, map_expr, names_in
from transpile.ir.tir import Value
from transpile.ir.walk import operands_of, result_of
from transpile.lowering.expressions import Expressions
from transpile.lowering.inline import Style, is_checked
from transpile.ops.table import REDUCTIONS
from transpile.typing.types import Pointer, Scalar, Space, Vec

TRUE: Final = kir.Lit(True, dtypes.BOOL)
FALSE: Final = kir.Lit(False, dtypes.BOOL)
_Statements: TypeAlias = list[kir.Stmt]
_Copy: TypeAlias = "tuple[kir.Var | kir.Element, kir.Expr]"


@dataclass(frozen=True, slots=True)
class _Targets:
    """What a terminator of a block writes: where it yields to, and what the innermost loop carries."""

    yields: tuple[Value, ...] = ()
    carried: tuple[Value, ...] = ()
    lanes: tuple[kir.Element, ...] | None = None


@dataclass
class Structure:
    """Builds the statements of one function. `variables` collects by name what `declare` must declare."""

    expressions: Expressions
    style: Style
    variables: dict[str, kir.Var] = field(default_factory=dict)
    hints: dict[str, str] = field(default_factory=dict)
    shared: _Statements = field(default_factory=list)
    _temporaries: int = 0

    def function(self, body: tir.Block) -> tuple[kir.Stmt, ...]:
        statements = self.block(body, _Targets())
        while statements and statements[-1] == kir.Return():
            statements.pop()
        return (*self.shared, *statements)

    # ------------------------------------------------------------ variables

    def _variable(self, value: Value) -> kir.Var:
        """The variable of `value`, which will be declared."""
        var = self.expressions.variable(value)
        self.variables[var.name] = var
        self.hints.setdefault(var.name, self.expressions.variables.name(value) or self._hint(value))
        return var

    def _counter(self, value: Value, hint: str) -> kir.Var:
        var = self.expressions.variable(value)
        self.hints[var.name] = value.name or hint
        return var

    def _hint(self, value: Value) -> str:
        """What to call a value that the user gave no name."""
        facts = self.expressions.plan.facts
        users = (use.user for use in facts.uses.get(value.id, ()))
        if any(isinstance(user, lir.LoadGroups | lir.StoreGroups) and user.first == value for user in users):
            return "first"
        op = facts.definitions[value.id].op
        match op:
            case tir.Apply():
                return _NOUNS.get(op.op, "flag" if op.result.type.dtype is dtypes.BOOL else "value")
            case tir.Call():
                return op.function.rpartition(".")[2].partition("@")[0]
            case tir.Offset():
                return "pointer"
            case tir.Shuffle():
                return "received"
            case lir.Fold():
                return _NOUNS.get(op.op, op.op)
            case lir.Scan():
                return "running"
            case _:
                return "value"

    def _temporary(self, like: kir.Var | kir.Element) -> kir.Var:
        self._temporaries += 1
        kind = like.type if isinstance(like, kir.Var) else Scalar(like.dtype)
        var = kir.Var(f"%old{self._temporaries}", kind)
        self.hints[var.name] = "old"
        return var

    # ------------------------------------------------------------ blocks

    def block(self, block: tir.Block, targets: _Targets) -> _Statements:
        statements: _Statements = []
        ops = lir.ops_of(block)
        for place, op in enumerate(ops):
            made = self._op(op, targets)
            if statements and isinstance(statements[-1], kir.Comment):
                note = statements.pop()
                if _allocates(ops[place:]):
                    self.shared.insert(-1, note)
                else:
                    starts = _starts(op, made)
                    statements += [*made[:starts], note]
                    made = made[starts:]
            statements.extend(made)
        statements.extend(self._end(block.end, targets))
        return statements

    def _end(self, end: tir.Terminator, targets: _Targets) -> _Statements:
        match end:
            case tir.Yield():
                places = targets.lanes
                if places is None:
                    places_of: Iterable[kir.Var | kir.Element] = map(self._variable, targets.yields)
                else:
                    places_of = places
                return self._copies(zip(places_of, map(self.expressions.of, end.values), strict=True))
            case tir.Break():
                return [*self._flow(targets.carried, end.values), kir.Break()]
            case tir.Continue():
                return [*self._flow(targets.carried, end.values), kir.Continue()]
            case tir.Return():
                return [kir.Return(None if end.value is None else self.expressions.of(end.value))]
            case tir.Condition():
                return []

    def _flow(self, into: Sequence[Value], values: Sequence[Value]) -> _Statements:
        return self._copies(zip(map(self._variable, into), map(self.expressions.of, values), strict=True))

    def _copies(self, pairs: Iterable[_Copy]) -> _Statements:
        """All at once in meaning, one after the other in text."""
        waiting = [(target, value) for target, value in pairs if target != value]
        statements: _Statements = []
        while waiting:
            free = next((copy for copy in waiting if not _is_read(copy[0], waiting, copy)), None)
            if free is not None:
                waiting.remove(free)
                statements.append(kir.Assign(*free))
                continue
            target = waiting[0][0]
            old = self._temporary(target)
            statements.append(kir.Declare(old, target))
            waiting = [(place, _instead(value, target, old)) for place, value in waiting]
        return statements

    # ------------------------------------------------------------ statements

    def _op(self, op: lir.Op, targets: _Targets) -> _Statements:
        match op:
            case tir.Note():
                return [kir.Comment(op.text, op.span)]
            case tir.Store():
                return self._store(op)
            case lir.StoreGroups():
                target = self.expressions.groups(op, op.value)
                return [kir.Assign(target, self.expressions.of(op.value))]
            case tir.Atomic() if op.result is None:
                return self._unread_atomic(op)
            case tir.Barrier():
                return [kir.Barrier(op.scope)]
            case tir.Print():
                operands = tuple(map(self.expressions.of, op.operands))
                return [kir.Print(op.texts, operands, op.forms, op.is_of_program)]
            case tir.Assert():
                place = tuple(map(self.expressions.of, op.place))
                return [kir.Assert(self.expressions.of(op.cond), op.text, op.message, place, op.span)]
            case tir.If() if not self.expressions.plan.is_choice(op):
                return self._if(op, targets)
            case tir.For():
                return self._for(op)
            case tir.While():
                return self._while(op)
            case lir.LaneLoop():
                return self._lane_loop(op)
            case tir.Alloc():
                return self._alloc(op)
            case tir.Launch():
                parts = (tuple(map(self.expressions.of, part)) for part in (op.grid, op.block, op.arguments))
                return [kir.Launch(op.kernel, *parts)]
            case _:
                return self._value(op)

    def _value(self, op: lir.Op) -> _Statements:
        result = op.results[0] if isinstance(op, tir.If) else result_of(op)
        if result is None:
            raise InternalError("a statement that lowering does not know", op)
        if isinstance(op, tir.Call) and result.id not in self.expressions.plan.facts.uses:
            return [kir.Evaluate(self.expressions.compute(op))]  # for what it reports
        match self.expressions.plan.form(result):
            case "variable":
                var = self._variable(result)
                facts = self.expressions.plan.facts
                if self.style.checked and isinstance(op, tir.Apply | tir.Cast) and is_checked(facts, op):
                    name = op.op if isinstance(op, tir.Apply) else "int"
                    operands = tuple(self.expressions.of(operand) for operand in operands_of(op))
                    return [kir.Checked(var, name, operands, declares=False)]
                return [kir.Assign(var, self.expressions.compute(op))]
            case "lane":
                return [kir.Assign(self.expressions.lane(result), self.expressions.compute(op))]
            case _:
                return []

    def _alloc(self, op: tir.Alloc) -> _Statements:
        var = self._counter(op.result, "buffer")
        count = op.count if isinstance(op.count, int) else self.expressions.variable(op.count)
        array = kir.DeclareArray(var, count, op.space, op.space == "local", op.space in self._spaces_of_several())
        if op.space == "shared":
            self.shared.append(array)
            return []
        return [array]

    def _spaces_of_several(self) -> set[Space]:
        """Where several elements are accessed at once."""
        accesses = (op for _, _, op in self.expressions.plan.facts.ops if isinstance(op, tir.Load | tir.Store))
        kinds = ((op.pointer.type, op.result if isinstance(op, tir.Load) else op.value) for op in accesses)
        return {kind.space for kind, held in kinds if isinstance(held.type, Vec) and isinstance(kind, Pointer)}

    def _store(self, op: tir.Store) -> _Statements:
        target: kir.Element | kir.Groups = self.expressions.element(op.pointer, op.offsets)
        if isinstance(op.value.type, Vec):
            target = self.expressions.neighbours(op.pointer, op.value.type)
        store = kir.Assign(target, self.expressions.of(op.value))
        return [store] if op.mask is None else [kir.If(self.expressions.of(op.mask), (store,))]

    def _unread_atomic(self, op: tir.Atomic) -> _Statements:
        """An atomic for its effect alone."""
        effect = kir.Evaluate(self.expressions.atomic(op))
        return [effect] if op.mask is None else [kir.If(self.expressions.of(op.mask), (effect,))]

    def _if(self, op: tir.If, targets: _Targets) -> _Statements:
        inner = replace(targets, yields=op.results, lanes=None)
        cond = self.expressions.of(op.cond)
        then, orelse = tuple(self.block(op.then, inner)), tuple(self.block(op.orelse, inner))
        if not then and not orelse:
            return []
        if not then:
            return [kir.If(negated(cond), orelse)]
        return [kir.If(cond, then, orelse)]

    def _for(self, op: tir.For) -> _Statements:
        before = self._flow(op.carried, op.inits)
        start, stop, step = (self.expressions.of(bound) for bound in (op.start, op.stop, op.step))
        var = self._counter(op.index, "i")
        body = self.block(op.body, _Targets(op.carried, op.carried))
        low, high = self.expressions.range_of(op.step)
        limits = self.expressions.range_of(op.stop)
        down = high < 0
        counted = low <= 0 <= high
        if not counted and down:
            counted = limits[0] - low - 1 > dtypes.I64.max or limits[0] + low + 1 < dtypes.I64.min
        elif not counted:
            counted = limits[1] + high - 1 > dtypes.I64.max
        return [*before, kir.For(var, start, stop, step, tuple(_no_continue(body)), down, counted)]

    def _while(self, op: tir.While) -> _Statements:
        before = self._flow(op.carried, op.inits)
        if not isinstance(op.test.end, tir.Condition):
            raise InternalError("the test of a while ends in its condition", op)
        test = self.block(op.test, _Targets())
        condition = self.expressions.of(op.test.end.value)
        body = _no_continue(self.block(op.body, _Targets(op.carried, op.carried)))
        if all(isinstance(stmt, kir.Comment) for stmt in test):
            return [*before, *test, kir.While(condition, tuple(body))]
        leave = kir.If(negated(condition), (kir.Break(),))
        return [*before, kir.While(TRUE, (*test, leave, *body))]

    def _lane_loop(self, op: lir.LaneLoop) -> _Statements:
        counter = self._counter(op.counter, "k")
        before: _Statements = []
        after: _Statements = []
        for result in op.results:
            self._variable(result)
        for fold in op.folds:
            var = self._variable(fold.result)
            before.append(kir.Assign(var, kir.Lit(fold.start, fold.result.type.dtype)))
            joined = (var, self.expressions.of(fold.source))
            combine = REDUCTIONS[fold.op].combine
            exact = self.expressions.is_exact(fold.result)
            after.append(kir.Assign(var, kir.Apply(combine, joined, fold.result.type.dtype, exact)))
        lanes = tuple(kir.Element(self._variable(vec), counter, vec.type.dtype) for vec in op.results)
        body = self.block(op.body, _Targets(op.results, lanes=lanes))
        return [*before, kir.LaneLoop(counter, op.count, (*body, *after))]


_NOUNS: Final = {
    "add": "sum",
    "sub": "difference",
    "mul": "product",
    "truediv": "quotient",
    "floordiv": "quotient",
    "mod": "remainder",
    "sqrt": "root",
    "prod": "product",
    "reciprocal": "inverse",
    "divided": "quotient",
    "exp": "power",
    "pow": "power",
    "sin": "sine",
    "cos": "cosine",
    "tanh": "tangent",
    "max": "largest",
    "min": "smallest",
    "nanmax": "largest",
    "nanmin": "smallest",
}
_OPPOSITES: Final = {"eq": "ne", "ne": "eq"}
_OPPOSITES_OF_INTEGERS: Final = {"lt": "ge", "le": "gt", "gt": "le", "ge": "lt"}


def negated(cond: kir.Expr) -> kir.Expr:
    """The opposite of a condition; only integers are compared the other way round, since NaN is on neither side."""
    if isinstance(cond, kir.Apply):
        if cond.op in _OPPOSITES:
            return replace(cond, op=_OPPOSITES[cond.op])
        if cond.op in _OPPOSITES_OF_INTEGERS and dtype_of(cond.operands[0]).is_integer:
            return replace(cond, op=_OPPOSITES_OF_INTEGERS[cond.op])
        if cond.op == "not":
            return cond.operands[0]
    return kir.Apply("not", (cond,), dtypes.BOOL)


def _allocates(ops: Sequence[lir.Op]) -> bool:
    """Whether the Python statement that goes on with `ops` makes shared arrays and does nothing else."""
    rest = list(takewhile(lambda op: not isinstance(op, tir.Note), ops))
    return bool(rest) and all(isinstance(op, tir.Alloc) and op.space == "shared" for op in rest)


def _starts(op: lir.Op, made: _Statements) -> int:
    """How many statements of a loop give what it carries its first values: they stand above the loop's note."""
    if not isinstance(op, tir.For | tir.While):
        return 0
    return len(list(takewhile(lambda stmt: isinstance(stmt, kir.Assign), made)))


def _is_read(target: kir.Var | kir.Element, copies: Sequence[_Copy], but: _Copy) -> bool:
    name = _written(target)
    return any(name in names_in(value) for copy in copies if copy is not but for value in (copy[1],))


def _written(target: kir.Var | kir.Element) -> str:
    var = target.base if isinstance(target, kir.Element) else target
    if not isinstance(var, kir.Var):
        raise InternalError("a copy goes into a variable", target)
    return var.name


def _instead(value: kir.Expr, target: kir.Expr, old: kir.Var) -> kir.Expr:
    return map_expr(value, lambda expr: old if expr == target else expr)


def _no_continue(body: _Statements) -> _Statements:
    """A `continue` at the end of a body says nothing."""
    return body[:-1] if body and body[-1] == kir.Continue() else body

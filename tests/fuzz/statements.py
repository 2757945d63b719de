"""Statements of both dialects: assignments, branches, loops. Loads, stores and exchanges are the dialects' own."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Final

from tests.fuzz.draw import Draw
from tests.fuzz.expressions import Scope, Variable, expression, leaf, operand
from tests.fuzz.kinds import DTYPE_OF, KIND_OF, Dialect, Kind

DEPTH: Final = 3
KINDS: Final[tuple[Kind, ...]] = ("f", "i", "n", "b", "f", "i", "u", "w")


@dataclass(slots=True)
class Writer:
    """Writes one function's body. `divergent`: flow here may differ between the threads of a block; `in_group`: it is
    still one in each group of 32."""

    draw: Draw
    scope: Scope
    lines: list[str] = field(default_factory=list)
    indent: int = 1
    loops: int = 0
    depth: int = 0
    names: int = 0
    divergent: bool = False
    in_group: bool = True
    loop_state: tuple[bool, bool] = (False, True)
    exchanges: bool = False  # barriers or shuffles may follow anywhere
    lanes: tuple[int, ...] = ()
    returns: str = ""  # dtype of a device function's result
    special: Callable[[Writer], None] | None = None

    def line(self, text: str) -> None:
        self.lines.append("    " * self.indent + text)

    def fresh(self, stem: str = "v") -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def bind(self, kind: Kind, lanes: int = 0, *, stem: str = "v", fixed: bool = False, uniform: bool = False) -> str:
        name = self.fresh(stem)
        self.scope.variables.append(Variable(name, kind, lanes, fixed, uniform))
        return name

    @contextmanager
    def nested(self, *, loop: bool = False, divergent: bool = False, groups: bool = False) -> Iterator[None]:
        """A deeper block; what is bound in it is unknown after it. `groups`: flow differs between groups of 32 only."""
        kept, was, loop_was = list(self.scope.variables), (self.divergent, self.in_group), self.loop_state
        self.indent += 1
        self.depth += 1
        self.loops += loop
        self.divergent = self.divergent or divergent or groups
        self.in_group = self.in_group and not divergent
        if loop:
            self.loop_state = self.divergent, self.in_group
        yield
        self.scope.variables[:] = kept
        self.indent -= 1
        self.depth -= 1
        self.loops -= loop
        self.divergent, self.in_group = was
        self.loop_state = loop_was

    def some_lanes(self) -> int:
        """A tile size of this function, or 0."""
        return self.draw.pick(self.lanes) if self.lanes and self.draw.chance(65) else 0

    # ------------------------------------------------------------ statements

    def block(self, count: int) -> None:
        for _ in range(count):
            self.statement()

    def statement(self) -> None:
        choice = self.draw.integer(0, 19)
        if choice <= 4 and self.special is not None:
            self.special(self)
        elif choice <= 8:
            self.assign_new()
        elif choice <= 11:
            self.assign_again()
        elif choice == 12:
            self.assign_several()
        elif choice in (13, 14) and self.depth < 3:
            self.branch()
        elif choice in (15, 16) and self.depth < 2:
            self.count()
        elif choice == 17 and self.depth < 2:
            self.repeat()
        elif choice == 18 and self.depth > 0:
            self.leave()
        elif choice == 19:
            self.oddity()
        else:
            self.assign_new()

    def assign_new(self) -> None:
        kind, lanes = self.draw.pick(KINDS), self.some_lanes()
        text = expression(self.scope, kind, lanes, DEPTH)
        if lanes == 0 and self.draw.chance(15):
            dtype = "native.f32" if kind == "f" and self.draw.chance(50) else DTYPE_OF[kind]
            text = f"{self.scope.prefix}.cast({text}, {dtype})"
            self.line(f"{self.bind(kind, fixed=True)}: {dtype} = {text}")
            return
        self.line(f"{self.bind(kind, lanes)} = {text}")

    def again(self) -> Variable | None:
        """A variable that may be assigned here."""
        found = [one for one in self.scope.variables if not one.fixed and not one.uniform]
        tiles = [one for one in found if one.lanes]
        if tiles and self.loops and self.draw.chance(60):
            found = tiles
        return self.draw.pick(found) if found else None

    def assign_again(self) -> None:
        found = self.again()
        if found is None:
            self.assign_new()
            return
        if found.kind == "b" or self.draw.chance(50):
            self.line(f"{found.name} = {expression(self.scope, found.kind, found.lanes, DEPTH)}")
            return
        pools: dict[Kind, tuple[str, ...]] = {"f": ("+", "-", "*", "/"), "b": ("&",)}
        symbol = self.draw.pick(pools.get(found.kind, ("+", "-", "*", "&", "|", "^", "<<", ">>", "//", "%")))
        right = expression(self.scope, found.kind, found.lanes, 2)
        if symbol in "+-*" and self.draw.chance(40):
            right = operand(self.scope, found.kind, 0, 2)
        self.line(f"{found.name} {symbol}= {right}")

    def assign_several(self) -> None:
        choice, kind, lanes = self.draw.integer(0, 3), self.draw.pick(KINDS), self.some_lanes()
        if choice == 0:
            left, right = expression(self.scope, kind, lanes, 2), expression(self.scope, kind, lanes, 2)
            self.line(f"{self.bind(kind, lanes)}, {self.bind(kind, lanes)} = {left}, {right}")
        elif choice == 1:
            text = expression(self.scope, kind, lanes, DEPTH)
            self.line(f"{self.bind(kind, lanes)} = {self.bind(kind, lanes)} = {text}")
        elif choice == 2:
            kind = "i" if kind == "b" else kind
            parts = f"divmod({expression(self.scope, kind, 0, 2)}, {expression(self.scope, kind, 0, 2)})"
            self.line(f"{self.bind(kind)}, {self.bind(kind)} = {parts}")
        else:
            pairs = [
                (one, other)
                for one in self.scope.variables
                for other in self.scope.variables
                if one.name < other.name
                and (one.kind, one.lanes) == (other.kind, other.lanes)
                and not (one.fixed or other.fixed or one.uniform or other.uniform)
            ]
            if not pairs:
                self.assign_new()
                return
            one, other = self.draw.pick(pairs)
            self.line(f"{one.name}, {other.name} = {other.name}, {one.name}")

    def condition(self) -> tuple[str, bool]:
        """A scalar condition, and whether it is one in the block."""
        if self.scope.dialect != "thread" or self.draw.chance(35):
            with self.only_uniform(self.scope.dialect == "thread"):
                return expression(self.scope, "b", 0, 2), True
        return expression(self.scope, "b", 0, 2), False

    @contextmanager
    def only_uniform(self, wanted: bool) -> Iterator[None]:
        was = self.scope.uniform_only
        self.scope.uniform_only = wanted or was
        yield
        self.scope.uniform_only = was

    def branch(self) -> None:
        test, uniform = self.condition()
        self.line(f"if {test}:")
        with self.nested(divergent=not uniform):
            self.block(self.draw.integer(1, 3))
        for _ in range(self.draw.pick((0, 0, 1, 2))):
            other, also = self.condition()
            uniform = uniform and also
            self.line(f"elif {other}:")
            with self.nested(divergent=not uniform):
                self.block(self.draw.integer(1, 2))
        if self.draw.chance(50):
            self.line("else:")
            with self.nested(divergent=not uniform):
                self.block(self.draw.integer(1, 2))

    def small(self) -> tuple[str, bool]:
        """A scalar int from 0 to 5, and whether it is one in the block."""
        uniform = self.scope.dialect != "thread" or self.draw.chance(50)
        with self.only_uniform(uniform and self.scope.dialect == "thread"):
            return f"({expression(self.scope, 'i', 0, 1)}) % 6", uniform

    def count(self) -> None:
        draw = self.draw
        bound, uniform = self.small()
        forms = (
            f"range({draw.integer(1, 4)})",
            f"range({bound})",
            f"range({draw.pick((0, 1, -2))}, {bound})",
            f"range({bound}, {draw.pick((-1, 0, 3))}, {draw.pick((-1, -2))})",
            f"range(0, 7, {bound} + 1)",
            f"range(9, {bound}, -2)",
            f"range({bound}, 4, {bound} - 7)",
        )
        choice = draw.integer(0, len(forms) - 1)
        uniform = uniform or choice == 0
        self.line(f"for k{self.names + 1} in {forms[choice]}:")
        with self.nested(loop=True, divergent=not uniform):
            self.bind("i", stem="k", fixed=True, uniform=not self.divergent)
            self.block(draw.integer(1, 3))
            self.maybe_jump()

    def repeat(self) -> None:
        draw = self.draw
        counter = self.fresh("w")
        limit, uniform = self.small()
        test = f"{counter} < {limit}"
        if draw.chance(40):
            more, also = self.condition()
            uniform = uniform and also
            test = f"{test} and {more}" if draw.chance(60) else f"{test} < 6 and not {more}"
        self.line(f"{counter} = 0")
        self.line(f"while {test}:")
        with self.nested(loop=True, divergent=not uniform):
            self.line(f"{counter} = {counter} + 1")
            self.scope.variables.append(Variable(counter, "i", fixed=True, uniform=not self.divergent))
            self.block(draw.integer(1, 3))
            self.maybe_jump()
        self.scope.variables.append(Variable(counter, "i", fixed=True))

    def maybe_jump(self) -> None:
        if self.draw.chance(25):
            self.jump()

    def exit_test(self) -> str:
        """A condition that may end something: one in the block (or group) where meetings may follow."""
        with self.only_uniform(self.exchanges and self.in_group):
            return expression(self.scope, "b", 0, 2)

    def jump(self) -> None:
        """`break` or `continue`, where the flow here is as that of the whole loop."""
        if self.exchanges and (self.divergent, self.in_group) != self.loop_state:
            return self.assign_new()
        self.line(f"if {self.exit_test()}:")
        self.indent += 1
        self.line(self.draw.pick(("break", "continue")))
        self.indent -= 1
        return None

    def leave(self) -> None:
        """A jump out of a loop, or a return."""
        if self.loops and self.draw.chance(60):
            return self.jump()
        if not self.draw.chance(30) or (self.exchanges and self.divergent):
            return self.assign_new()
        self.line(f"if {self.exit_test()}:")
        self.indent += 1
        self.line(f"return {self.result()}" if self.returns else "return")
        self.indent -= 1
        return None

    def result(self) -> str:
        text = expression(self.scope, KIND_OF[self.returns], 0, 2)
        return f"native.cast({text}, {self.returns})" if self.returns.startswith("native") else text

    def oddity(self) -> None:
        choice = self.draw.integer(0, 2)
        if choice == 0 and (self.returns or self.draw.chance(30)):
            self.line("pass")
        elif choice == 0:
            left, right = leaf(self.scope, "i", 0), leaf(self.scope, "i", 0)
            self.line(f'assert {left} <= {right} or {left} > {right}, "of integers always"')
        elif choice == 1:
            self.widened()
        else:
            lanes = self.some_lanes()
            source = leaf(self.scope, "i", lanes)
            self.line(f"{self.bind('i', lanes)} = {source}")

    def widened(self) -> None:
        """An int that a loop makes a float."""
        name = self.fresh("acc")
        bound, uniform = self.small()
        self.line(f"{name} = 0")
        self.line(f"for k{self.names + 1} in range({bound}):")
        with self.nested(loop=True, divergent=not uniform):
            self.bind("i", stem="k", fixed=True)
            self.line(f"{name} = {name} + {expression(self.scope, 'f', 0, 2)}")
        self.scope.variables.append(Variable(name, "f", fixed=True))


def writer(draw: Draw, dialect: Dialect, lanes: tuple[int, ...] = ()) -> Writer:
    return Writer(draw, Scope(draw, dialect), lanes=lanes)

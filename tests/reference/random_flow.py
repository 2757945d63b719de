"""Random scalar programs in TIR: nested `if`, `for` and `while` that carry values, with breaks, continues and returns
in every place, and loads and stores of the program's own elements."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Final, TypeAlias

from transpile import dtypes
from transpile.ir import tir
from transpile.ir.builder import Builder
from transpile.ir.tir import Value
from transpile.typing.types import Pointer, Scalar

# The values that a loop's next turn carries, picked from those known.
Carry: TypeAlias = "Callable[[list[Value]], tuple[Value, ...]]"
SLOTS: Final = 4  # elements that each program owns
CARRIED: Final = 2


class Flow:
    """Builds one function. `known` are the i64 values that may be read where the builder stands."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.builder = Builder()
        self.memory = self.builder.fresh(Pointer(dtypes.I64), "memory")
        self.budget = 40

    def function(self) -> tir.Function:
        b = self.builder
        program = b.index("program_id")
        self.base = b.apply("mul", program, b.const(SLOTS, dtypes.I64))
        known = [program, b.const(3, dtypes.I64), self.load([program])]
        self.body(known, depth=0, loop=None)
        return tir.Function(
            key="flow",
            name="flow",
            base="flow",
            kind="tile",
            parameters=(tir.Parameter(value=self.memory),),
            result=None,
            body=b.finish(tir.Return()),
        )

    def body(self, known: list[Value], depth: int, loop: Carry | None) -> None:
        """A few ops; what they define is added to `known`."""
        for _ in range(self.random.randint(1, 4)):
            if self.budget <= 0:
                return
            self.budget -= 1
            choice = self.random.random()
            if choice < 0.35 or depth == 4:
                known.append(self.arithmetic(known))
            elif choice < 0.5:
                known.append(self.load(known))
            elif choice < 0.65:
                self.store(known)
            elif choice < 0.85:
                self.branch(known, depth, loop)
            else:
                self.turns(known, depth)

    def arithmetic(self, known: list[Value]) -> Value:
        name = self.random.choice(["add", "sub", "mul", "mod"])
        return self.builder.apply(name, self.random.choice(known), self.random.choice(known))

    def place(self, known: list[Value]) -> Value:
        b = self.builder
        slot = b.apply("mod", self.random.choice(known), b.const(SLOTS, dtypes.I64))
        return b.apply("add", self.base, slot)

    def load(self, known: list[Value]) -> Value:
        return self.builder.load(self.memory, self.place(known))

    def store(self, known: list[Value]) -> None:
        self.builder.store(self.memory, self.place(known), self.random.choice(known))

    def condition(self, known: list[Value]) -> Value:
        b = self.builder
        left = b.apply("mod", self.random.choice(known), b.const(self.random.randint(2, 7), dtypes.I64))
        return b.apply(self.random.choice(["lt", "eq"]), left, b.const(self.random.randint(0, 4), dtypes.I64))

    def branch(self, known: list[Value], depth: int, loop: Carry | None) -> None:
        b = self.builder
        cond = self.condition(known)
        count = self.random.randint(0, 2)

        def side() -> tir.Terminator:
            inner = list(known)
            self.body(inner, depth + 1, loop)
            leave = self.random.random()
            if leave < 0.12:
                return tir.Return()
            if loop is not None and leave < 0.3:
                return tir.Break(loop(inner)) if leave < 0.2 else tir.Continue(loop(inner))
            return tir.Yield(self.some(inner, count))

        then, orelse = b.block(side), b.block(side)
        results = tuple(b.fresh(Scalar(dtypes.I64)) for _ in range(count))
        b.add(tir.If(cond, then, orelse, results))
        known.extend(results)

    def some(self, known: list[Value], count: int) -> tuple[Value, ...]:
        return tuple(self.random.choice(known) for _ in range(count))

    def turns(self, known: list[Value], depth: int) -> None:
        b = self.builder
        inits = self.some(known, CARRIED)
        carried = tuple(b.fresh(Scalar(dtypes.I64)) for _ in range(CARRIED))
        results = tuple(b.fresh(Scalar(dtypes.I64)) for _ in range(CARRIED))
        one = b.const(1, dtypes.I64)

        def body(own: Value, carry: Carry) -> tir.Terminator:
            inner = [*known, *carried, own]
            self.body(inner, depth + 1, carry)
            return tir.Yield(carry(inner))

        if self.random.random() < 0.6:
            start, stop = (b.apply("mod", self.random.choice(known), b.const(n, dtypes.I64)) for n in (5, 7))
            step = b.const(self.random.choice([1, 2, -1]), dtypes.I64)
            index = b.fresh(Scalar(dtypes.I64))
            block = b.block(lambda: body(index, lambda inner: self.some(inner, CARRIED)))
            b.add(tir.For(index, start, stop, step, inits, carried, block, results))
        else:
            # What is left to turn is carried too, one less each time: the loop ends.
            turns = b.apply("mod", self.random.choice(known), b.const(6, dtypes.I64))
            left, after = b.fresh(Scalar(dtypes.I64)), b.fresh(Scalar(dtypes.I64))
            zero = b.const(0, dtypes.I64)

            def counting() -> tir.Terminator:
                less = b.apply("sub", left, one)
                return body(left, lambda inner: (*self.some(inner, CARRIED), less))

            test = b.block(lambda: tir.Condition(b.apply("lt", zero, left)))
            block = b.block(counting)
            b.add(tir.While((*inits, turns), (*carried, left), test, block, (*results, after)))
        known.extend(results)

"""Random device functions as Python text: ints and floats whose variables keep one type, every statement of the
language, and only what means in the language what it means in Python."""

from __future__ import annotations

import random
from typing import Final, Literal, TypeAlias

Kind: TypeAlias = Literal["int", "float"]
INTS: Final = ["0", "1", "2", "3", "7", "-1", "-5", "64", "1000003", "4611686018427387904"]
FLOATS: Final = ["0.0", "1.0", "0.5", "-2.5", "0.1", "1e300", "-1e-300", "3.0", "-0.0"]
COMPARE: Final = ["<", "<=", ">", ">=", "==", "!="]


class Source:
    """Writes functions; `lines` is the body so far."""

    def __init__(self, seed: int) -> None:
        self.random = random.Random(seed)
        self.lines: list[str] = []
        self.depth = 1
        self.fresh = 0
        self.names: dict[Kind, list[str]] = {"int": ["n", "i"], "float": ["x", "y"]}
        self.budget = 24

    def function(self) -> str:
        """`def f(n: int, x: float) -> float`, with a second function that it calls."""
        self.line("i = n", "y = x", "j, z = n % 5, x * 0.5", "a = b = i")
        self.names["int"] += ["j", "a", "b"]
        self.names["float"] += ["z"]
        self.block(loops=0)
        result = f"return {self.real(2)} + {self.whole(1)}"
        helper = "\n".join(
            [
                "@cuda.device",
                "def g(n: int, x: float) -> float:",
                f"    if {self.pick('n < 0', 'x > 1.0', 'n % 3 == 0 and x < 2.0')}:",
                f"        return x {self.pick('+', '-', '*')} n",
                f"    return {self.pick('x', 'float(n)', 'x / 3', 'abs(x)')}",
            ]
        )
        body = "\n".join(self.lines)
        return (
            "import math\n\nfrom transpile import cuda, native\n\n\n"
            f"{helper}\n\n\n@cuda.device\ndef f(n: int, x: float) -> float:\n{body}\n    {result}\n"
        )

    def line(self, *texts: str) -> None:
        self.lines += ["    " * self.depth + text for text in texts]

    def pick(self, *choices: str) -> str:
        return self.random.choice(choices)

    def block(self, loops: int) -> None:
        for _ in range(self.random.randint(1, 4)):
            if self.budget > 0:
                self.budget -= 1
                self.statement(loops)
        self.line("pass")

    def statement(self, loops: int) -> None:
        way = self.random.random()
        if way < 0.4 or self.depth > 4:
            self.assignment()
        elif way < 0.65:
            self.branch(loops)
        elif way < 0.8:
            self.counting(loops)
        elif way < 0.9:
            self.turning(loops)
        elif loops and way < 0.97:
            self.guarded(self.pick("break", "continue"))
        else:
            self.guarded(f"return {self.real(1)}")

    def guarded(self, text: str) -> None:
        self.line(f"if {self.truth(1)}:", f"    {text}")

    def assignment(self) -> None:
        kind: Kind = self.random.choice(["int", "float"])
        name = self.random.choice([one for one in self.names[kind] if one not in ("n", "x")])
        value = self.whole(2) if kind == "int" else self.real(2)
        way = self.random.random()
        if way < 0.25:
            operators = (
                ("+", "-", "*", "//", "%", "&", "|", "^", "<<", ">>")
                if kind == "int"
                else ("+", "-", "*", "/", "//", "%")
            )
            self.line(f"{name} {self.pick(*operators)}= {value}")
        elif way < 0.35:
            a, b = self.random.sample(["i", "j", "a", "b"], 2)
            self.line(f"{a}, {b} = {self.pick(f'{b}, {a}', f'divmod({self.whole(1)}, {self.whole(1)})')}")
        elif way < 0.45:
            self.line(f"y = z = {self.real(2)}")
        elif way < 0.5:
            self.line(f"{name}: {kind} = {value}")
        else:
            self.line(f"{name} = {value}")

    def branch(self, loops: int) -> None:
        self.line(f"if {self.truth(2)}:")
        self.inside(loops)
        if self.random.random() < 0.3:
            self.line(f"elif {self.truth(1)}:")
            self.inside(loops)
        if self.random.random() < 0.5:
            self.line("else:")
            self.inside(loops)

    def inside(self, loops: int) -> None:
        self.depth += 1
        self.block(loops)
        self.depth -= 1

    def counter(self) -> str:
        self.fresh += 1
        return f"k{self.fresh}"

    def counting(self, loops: int) -> None:
        name = self.counter()
        bounds = self.pick(
            f"{self.whole(1)} % 6",
            f"{self.whole(1)} % 4, {self.whole(1)} % 7",
            f"{self.whole(1)} % 9, {self.whole(1)} % 3, -2",
            f"0, 9, {self.whole(1)} % 3 + 1",
            f"6, -2, -({self.whole(1)} % 3) - 1",
        )
        self.line(f"for {name} in range({bounds}):")
        self.names["int"].append(name)
        self.inside(loops + 1)
        self.names["int"].remove(name)

    def turning(self, loops: int) -> None:
        name = self.counter()
        self.line(f"{name} = {self.whole(1)} % 6", f"while {name} > 0 and ({self.truth(1)} or {name} < 4):")
        self.depth += 1
        self.line(f"{name} -= 1")
        self.depth -= 1
        self.inside(loops + 1)

    # ------------------------------------------------------------ expressions

    def variable(self, kind: Kind) -> str:
        return self.random.choice(self.names[kind])

    def whole(self, depth: int) -> str:
        if depth == 0:
            return self.variable("int")
        a, b, literal = self.whole(depth - 1), self.whole(depth - 1), self.pick(*INTS)
        real = self.real(depth - 1)
        return self.pick(
            f"({a} {self.pick('+', '-', '*', '//', '%', '&', '|', '^')} {b})",
            f"({a} {self.pick('+', '-', '*', '&', '|', '^')} {literal})",
            f"({a} {self.pick('//', '%')} {self.pick('3', '-7', '10')})",
            f"({a} {self.pick('<<', '>>')} {b})",
            f"({a} {self.pick('<<', '>>')} {self.pick('1', '5', '63', '64')})",
            f"{self.pick('-', '+', '~', 'abs')}({a})",
            f"({a} ** {self.pick('0', '1', '2', '3', '5')})",
            f"{self.pick('int', 'round', 'math.floor', 'math.ceil')}({real})",
            f"{self.pick('min', 'max')}({a}, {b})",
            f"{self.pick('min', 'max')}({a}, {literal}, {b})",
            f"({a} if {self.truth(depth - 1)} else {b})",
            f"(({self.truth(depth - 1, plain=True)}) + {a})",
        )

    def real(self, depth: int) -> str:
        if depth == 0:
            return self.variable("float")
        a, b, literal = self.real(depth - 1), self.real(depth - 1), self.pick(*FLOATS)
        whole = self.whole(depth - 1)
        return self.pick(
            f"({a} {self.pick('+', '-', '*', '/', '//', '%')} {b})",
            f"({a} {self.pick('+', '-', '*', '/', '//', '%')} {literal})",
            f"({a} {self.pick('+', '-', '*', '/', '//', '%')} {whole})",
            f"({whole} {self.pick('+', '-', '*', '/')} {b})",
            f"({whole} / {self.whole(depth - 1)})",
            f"{self.pick('-', '+', 'abs', 'math.fabs')}({a})",
            f"float({whole})",
            f"math.sqrt(abs({a}))",
            f"math.copysign({literal}, {whole})",
            f"{self.pick('min', 'max')}({a}, {b})",
            f"({a} if {self.truth(depth - 1)} else {b})",
            f"g({whole}, {a})",
        )

    def truth(self, depth: int, plain: bool = False) -> str:
        """A condition; `plain` is one comparison."""
        way = 0.0 if plain or depth == 0 else self.random.random()
        if way < 0.4:
            kind = self.random.random() < 0.5
            a, b = (self.whole(0), self.whole(depth)) if kind else (self.real(0), self.real(depth))
            return f"{a} {self.pick(*COMPARE)} {b}"
        if way < 0.55:
            return f"{self.whole(0)} {self.pick(*COMPARE)} {self.whole(0)} {self.pick(*COMPARE)} {self.real(0)}"
        if way < 0.65:
            return f"math.{self.pick('isnan', 'isinf', 'isfinite')}({self.real(depth)})"
        if way < 0.75:
            return f"not ({self.truth(depth - 1)})"
        return f"({self.truth(depth - 1)} {self.pick('and', 'or')} {self.truth(depth - 1)})"

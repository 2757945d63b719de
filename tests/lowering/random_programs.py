"""Random tile kernels over shared buffers: what they load may be what other lanes of the same program just stored."""

from __future__ import annotations

import random
from collections.abc import Callable

from tests.lowering.programs import kernel, parameter
from transpile import dtypes
from transpile.dtypes import DType
from transpile.ir import tir
from transpile.ir.builder import Builder
from transpile.ir.tir import Value
from transpile.typing.types import Scalar, Tile

ROOM = 1024
SIZES = (1, 8, 32, 64, 128, 256)
INT_OPS = ("add", "sub", "mul", "and", "or", "xor", "maximum", "minimum")
FLOAT_OPS = ("add", "sub", "mul", "maximum", "fmin", "truediv")
FLOAT_FOLDS = ("sum", "max", "nanmin")
FOLDS = {"i64": ("sum", "max", "min"), "f32": FLOAT_FOLDS, "f64": FLOAT_FOLDS, "bool": ("any", "all")}


def random_kernel(seed: int, real: DType = dtypes.F64) -> tir.Function:
    """Parameters: ints: const_ptr[int], a, b: ptr[real], c: ptr[int], n: int, s: real; pointers reach ROOM
    elements. With narrow reals most lanes lie side by side, and nothing is scanned: threads hold groups of lanes."""
    return _Writer(random.Random(seed), real).kernel()


class _Writer:
    def __init__(self, rng: random.Random, real: DType) -> None:
        self.rng = rng
        self.real = real
        self.streams = real.bits < 64
        self.b = b = Builder()
        self.ints = parameter(b, "ints", dtypes.I64, "in")
        self.floats = [parameter(b, name, self.real, "out") for name in ("a", "b")]
        self.c = parameter(b, "c", dtypes.I64, "out")
        self.n, self.s = parameter(b, "n", dtypes.I64), parameter(b, "s", self.real)
        self.sizes = rng.sample(SIZES[3:] if self.streams else SIZES, rng.choice((1, 1, 2)))
        self.tiles: list[Value] = []
        self.scalars: list[Value] = [self.n, self.s]
        self.indices: list[Value] = []
        self.depth = 0
        self.notes = 0

    def kernel(self) -> tir.Function:
        for _ in range(self.rng.randint(4, 12)):
            self.statement()
        for tile in self.tiles[-3:]:
            if isinstance(tile.type, Tile) and tile.type.dtype is self.real:
                self.b.store(self.floats[0], self.offsets(tile.type.lanes), tile)
        return kernel(self.b, "made", (self.ints, *self.floats, self.c, self.n, self.s))

    def statement(self) -> None:
        self.notes += 1
        self.b.note(f"statement {self.notes}")
        choices: list[Callable[[], None]] = [
            self.load, self.load, self.store, self.store, self.arithmetic, self.arithmetic, self.fold, self.fold,
            self.arithmetic if self.streams else self.scan, self.scalar_store, self.scalar_load, self.scalar_arithmetic,
        ]  # fmt: skip
        if self.depth < 2:
            choices += [self.branch, self.counted, self.counted, self.tested]
        self.rng.choice(choices)()

    # ------------------------------------------------------------ values

    def size(self) -> int:
        return self.rng.choice(self.sizes)

    def const(self, value: int) -> Value:
        return self.b.const(value, dtypes.I64)

    def spread(self, value: Value, size: int) -> Value:
        return self.b.broadcast(value, (size,))

    def offsets(self, size: int) -> Value:
        """No two lanes are equal; within ROOM."""
        b, lane = self.b, self.b.arange(size)
        kinds = (*range(7), *((7,) if self.indices else ()))
        if self.streams:
            kinds = (0, 1, 6, *kinds[6:], self.rng.choice(kinds))
        match self.rng.choice(kinds):
            case 0:
                return lane
            case 1:
                return b.apply("add", lane, self.spread(self.const(self.rng.choice((1, 3, size))), size))
            case 2:
                return b.apply("sub", self.spread(self.const(size - 1), size), lane)
            case 3:
                return b.apply("xor", lane, self.spread(self.const(self.rng.randrange(size)), size))
            case 4:
                twice = b.apply("mul", lane, self.spread(self.const(2), size))
                return b.apply("add", twice, self.spread(self.const(self.rng.randrange(2)), size))
            case 5:
                scaled = b.apply("mul", lane, self.spread(self.const(3), size))
                return b.apply("and", scaled, self.spread(self.const(size - 1), size))
            case 7:
                stride = self.const(self.rng.choice((size, size // 2, 1)))
                base = b.apply("mul", self.rng.choice(self.indices), stride)
                return b.apply("add", lane, self.spread(base, size))
            case _:
                base = b.apply("and", self.scalar(dtypes.I64), self.const(255))
                return b.apply("add", self.spread(base, size), lane)

    def mask(self, size: int) -> Value:
        return self.b.apply("lt", self.b.arange(size), self.spread(self.scalar(dtypes.I64), size))

    def tile(self, dtype: DType, size: int) -> Value:
        fitting = [t for t in self.tiles if t.type == Tile(dtype, (size,))]
        if fitting and self.rng.random() < 0.9:
            return self.rng.choice(fitting[-4:])
        if dtype is dtypes.I64:
            return self.b.apply("add", self.b.arange(size), self.spread(self.scalar(dtype), size))
        return self.spread(self.scalar(dtype), size)

    def scalar(self, dtype: DType) -> Value:
        fitting = [s for s in self.scalars if s.type == Scalar(dtype)]
        return self.rng.choice(fitting) if fitting else self.const(3)

    def named(self) -> str:
        return self.rng.choice(("", "t", "u", "v"))

    # ------------------------------------------------------------ statements

    def load(self) -> None:
        size, pointer = self.size(), self.rng.choice((self.ints, *self.floats, *self.floats, self.c))
        offsets = self.offsets(size)
        if self.rng.random() < 0.4:
            mask, other = self.mask(size), self.spread(self.b.const(0, pointer.type.dtype), size)
            self.tiles.append(self.b.load(pointer, offsets, mask, other, name=self.named()))
        else:
            self.tiles.append(self.b.load(pointer, offsets, name=self.named()))

    def store(self) -> None:
        size, pointer = self.size(), self.rng.choice((*self.floats, self.c))
        mask = self.mask(size) if self.rng.random() < 0.3 else None
        self.b.store(pointer, self.offsets(size), self.tile(pointer.type.dtype, size), mask)

    def arithmetic(self) -> None:
        size, dtype = self.size(), self.rng.choice((dtypes.I64, self.real))
        op = self.rng.choice(INT_OPS if dtype is dtypes.I64 else FLOAT_OPS)
        left, right = self.tile(dtype, size), self.tile(dtype, size)
        result = self.b.apply(op, left, right, name=self.named())
        if self.rng.random() < 0.3:
            result = self.b.apply("where", self.mask(size), result, left, name=self.named())
        self.tiles.append(result)

    def fold(self) -> None:
        size = self.size()
        dtype = self.rng.choice((dtypes.I64, self.real, dtypes.BOOL, *(4 * [self.real] if self.streams else ())))
        operand = self.mask(size) if dtype is dtypes.BOOL else self.tile(dtype, size)
        op = self.rng.choice((*FOLDS[dtype.name], *(("sum",) if dtype is dtypes.BOOL else ())))
        self.scalars.append(self.b.reduce(op, operand, name=self.named()))

    def scan(self) -> None:
        op, dtype = self.rng.choice(("cumsum", "cummax")), self.rng.choice((dtypes.I64, self.real))
        self.tiles.append(self.b.scan(op, self.tile(dtype, self.size()), name=self.named()))

    def place(self) -> Value:
        if self.rng.random() < 0.5:
            return self.const(self.rng.randrange(40))
        return self.b.apply("and", self.scalar(dtypes.I64), self.const(127))

    def scalar_store(self) -> None:
        pointer = self.rng.choice((*self.floats, self.c))
        value = self.scalar(pointer.type.dtype)
        self.b.store(pointer, self.place(), value)

    def scalar_load(self) -> None:
        pointer = self.rng.choice((self.ints, *self.floats, self.c))
        self.scalars.append(self.b.load(pointer, self.place(), name=self.named()))

    def scalar_arithmetic(self) -> None:
        dtype = self.rng.choice((dtypes.I64, self.real))
        op = self.rng.choice(INT_OPS if dtype is dtypes.I64 else FLOAT_OPS)
        self.scalars.append(self.b.apply(op, self.scalar(dtype), self.scalar(dtype), name=self.named()))

    # ------------------------------------------------------------ control

    def inner(self, end: Callable[[], tir.Terminator]) -> tir.Block:
        """A block of a few statements, of whose values none is seen outside."""
        tiles, scalars = list(self.tiles), list(self.scalars)
        self.depth += 1

        def build() -> tir.Terminator:
            for _ in range(self.rng.randint(1, 4)):
                self.statement()
            return end()

        block = self.b.block(build)
        self.depth -= 1
        self.tiles, self.scalars = tiles, scalars
        return block

    def condition(self) -> Value:
        return self.b.apply("lt", self.scalar(dtypes.I64), self.const(self.rng.randrange(-5, 6)))

    def branch(self) -> None:
        size = self.size()
        cond = self.condition()
        arms = [self.inner(lambda: tir.Yield((self.tile(self.real, size), self.scalar(self.real)))) for _ in range(2)]
        results = (self.b.fresh(Tile(self.real, (size,)), "r"), self.b.fresh(Scalar(self.real)))
        self.b.add(tir.If(cond, arms[0], arms[1], results))
        self.tiles.append(results[0])
        self.scalars.append(results[1])

    def counted(self) -> None:
        first = self.rng.choice((self.const(0), self.const(1), *self.indices[-1:]))
        start, stop, step = first, self.const(self.rng.randint(0, 3)), self.const(self.rng.choice((1, 1, 2)))
        carried, index = self.carry()
        kept = len(self.tiles), len(self.scalars)
        self.scalars += [index, carried[1]]
        self.indices.append(index)
        self.tiles.append(carried[0])
        size = carried[0].type.lanes if isinstance(carried[0].type, Tile) else 0
        inits = self.inits

        def leave() -> tir.Terminator:
            return tir.Yield((self.tile(self.real, size), self.scalar(dtypes.I64)))

        body = self.inner(lambda: self.maybe_break(leave, carried))
        self.indices.pop()
        del self.tiles[kept[0] :], self.scalars[kept[1] :]
        results = tuple(self.b.fresh(value.type, "done") for value in carried)
        self.b.add(tir.For(index, start, stop, step, inits, carried, body, results))
        self.tiles.append(results[0])
        self.scalars.append(results[1])

    def carry(self) -> tuple[tuple[Value, Value], Value]:
        size = self.size()
        self.inits = (self.tile(self.real, size), self.scalar(dtypes.I64))
        carried = (self.b.fresh(Tile(self.real, (size,)), "acc"), self.b.fresh(Scalar(dtypes.I64), "j"))
        return carried, self.b.fresh(Scalar(dtypes.I64), "i")

    def maybe_break(self, leave: Callable[[], tir.Terminator], carried: tuple[Value, Value]) -> tir.Terminator:
        """Sometimes an early `break` or `continue` inside an `if`."""
        if self.rng.random() < 0.3:
            cond, end = self.condition(), self.rng.choice((tir.Break, tir.Continue))
            self.b.add(tir.If(cond, tir.Block((), end(carried)), tir.Block((), tir.Yield()), ()))
        return leave()

    def tested(self) -> None:
        carried, _ = self.carry()
        limit = self.const(self.rng.randint(1, 3))
        counter = self.b.fresh(Scalar(dtypes.I64), "turn")
        inits = (*self.inits, self.const(0))
        kept = len(self.tiles), len(self.scalars)
        self.tiles.append(carried[0])
        self.scalars += [carried[1], counter]
        size = carried[0].type.lanes if isinstance(carried[0].type, Tile) else 0
        test = self.inner(lambda: tir.Condition(self.b.apply("lt", counter, limit)))

        def leave() -> tir.Terminator:
            again = self.b.apply("add", counter, self.const(1))
            return tir.Yield((self.tile(self.real, size), self.scalar(dtypes.I64), again))

        body = self.inner(leave)
        del self.tiles[kept[0] :], self.scalars[kept[1] :]
        results = tuple(self.b.fresh(value.type, "done") for value in (*carried, counter))
        self.b.add(tir.While(inits, (*carried, counter), test, body, results))
        self.tiles.append(results[0])
        self.scalars.append(results[1])

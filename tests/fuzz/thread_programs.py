"""Thread kernels. Each thread owns a few elements of every output array; threads of a block meet at barriers and
shuffles wherever flow allows it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from tests.fuzz.atomics import operands, pick_alone, pick_together
from tests.fuzz.devices import device_functions
from tests.fuzz.draw import Draw
from tests.fuzz.expressions import Scope, Variable, expression
from tests.fuzz.kinds import FLOATS, KIND_OF, Kind
from tests.fuzz.program import MARK, Program
from tests.fuzz.statements import DEPTH, Writer, writer
from tests.fuzz.tile_programs import Memory, converted, first_values, input_of, programs, signature
from tests.support.everywhere import Step

WHOLE_BLOCKS: Final = ((32,), (64,), (96,), (128,), (8, 4), (4, 4, 2), (16, 6), (32, 2), (64, 2))
ODD_BLOCKS: Final = ((1,), (5,), (33,), (7, 3), (3, 2, 5), (64,))
GRIDS: Final = ((2,), (1,), (3,), (2, 2), (1, 2, 2))
PARKED: Final = ("float", "int", "native.f32", "native.i32", "bool", "native.u32", "native.f16", "native.f8e5m2")
OWNED: Final = 4
LOCAL: Final = 6


class ThreadKernel:
    """The special statements of one thread kernel under construction."""

    def __init__(self, write: Writer, memory: Memory, block: tuple[int, ...], shared: list[tuple[str, str]]) -> None:
        self.write = write
        self.memory = memory
        self.threads = programs(block)
        self.whole = self.threads % 32 == 0
        self.has_group_rows = self.whole and (block[0] % 32 == 0 or len(block) == 1)
        self.shared = shared

    def __call__(self, write: Writer) -> None:
        choices: list[Callable[[], None]] = [self.store, self.store, self.load_back, self.local, self.atomic]
        choices.append(self.neighbours)
        if not write.divergent and write.exchanges:
            choices += [self.exchange, self.exchange, self.exchange_globally, self.gather]
        if write.in_group and self.whole and write.exchanges:
            choices += [self.shuffle, self.shuffle, self.butterfly]
        if self.has_group_rows and not write.divergent and write.exchanges and write.depth < 3:
            choices.append(self.by_groups)
        write.draw.pick(choices)()

    def _slot(self) -> tuple[str, str, str]:
        name, dtype, _ = self.write.draw.pick(self.memory.outputs)
        return name, dtype, f"native.offset({name}, base + {self.write.draw.integer(0, OWNED - 1)})"

    def store(self) -> None:
        write = self.write
        _, dtype, slot = self._slot()
        kind = write.draw.pick((KIND_OF[dtype], "f", "i", "b", "n", "u", "w"))
        value = converted(write.scope, expression(write.scope, kind, 0, DEPTH), kind, dtype)
        if write.draw.chance(20):
            name = write.fresh("slot")
            write.line(f"{name} = {slot}")
            slot = name
        write.line(f"native.store({slot}, {value})")

    def load_back(self) -> None:
        _, dtype, slot = self._slot()
        self.write.line(f"{self.write.bind(KIND_OF[dtype])} = native.load({slot})")

    def local(self) -> None:
        """A store into, then a load from, the thread's own array."""
        write, scope = self.write, self.write.scope
        value = expression(scope, "f", 0, 2)
        write.line(f"native.store(native.offset(mine, {expression(scope, 'i', 0, 1)} % {LOCAL}), {value})")
        at = expression(scope, "i", 0, 1)
        write.line(f"{write.bind('f')} = native.load(native.offset(mine, {at} % {LOCAL}))")

    def atomic(self) -> None:
        """Of an element that this thread alone has; what was there is used, or not."""
        write = self.write
        _, dtype, slot = self._slot()
        op = pick_alone(write.draw, dtype)
        if op is None:
            return self.store()
        call = f"cuda.atomic_{op}({slot}, {operands(write.scope, dtype, op, 0, 2)})"
        return write.line(f"{write.bind(KIND_OF[dtype])} = {call}" if write.draw.chance(60) else call)

    def neighbours(self) -> None:
        """Several elements of the thread's own array at once."""
        write, scope = self.write, self.write.scope
        values = [expression(scope, "f", 0, 1) for _ in range(2)]
        at = expression(scope, "i", 0, 1)
        write.line(f"native.store(native.offset(mine, 2 * (({at}) % {LOCAL // 2})), ({', '.join(values)}))")
        at = expression(scope, "i", 0, 1)
        names = [write.bind("f"), write.bind("f")]
        load = f"native.load(native.offset(mine, 2 * (({at}) % {LOCAL // 2})), width=2)"
        write.line(f"{', '.join(names)} = {load}")

    def gather(self) -> None:
        """All threads change elements of shared memory, several one of them."""
        write, scope = self.write, self.write.scope
        name, dtype = write.draw.pick(self.shared) if self.shared else ("", "")
        op = pick_together(write.draw, dtype)
        if op is None:
            return self.exchange()
        kind = KIND_OF[dtype]
        write.line(f"native.store(native.offset({name}, t), {expression(scope, kind, 0, 1)})")
        write.line("cuda.syncthreads()")
        place = f"native.offset({name}, ({expression(scope, 'i', 0, 2)}) % {self.threads})"
        write.line(f"cuda.atomic_{op}({place}, {operands(scope, dtype, op, 0, 2)})")
        write.line("cuda.syncthreads()")
        write.line(f"{write.bind(kind)} = native.load(native.offset({name}, t))")
        return write.line("cuda.syncthreads()")

    def exchange(self) -> None:
        """Every thread leaves a value in shared memory and takes another's."""
        write, scope = self.write, self.write.scope
        if not self.shared:
            return self.store()
        name, dtype = write.draw.pick(self.shared)
        kind = KIND_OF[dtype]
        write.line(f"native.store(native.offset({name}, t), {expression(scope, kind, 0, 2)})")
        write.line("cuda.syncthreads()")
        at = expression(scope, "i", 0, 2)
        write.line(f"{write.bind(kind)} = native.load(native.offset({name}, {at} % {self.threads}))")
        if write.draw.chance(30):
            write.line(f"{write.bind(kind)} = native.load(native.offset({name}, {self.threads - 1} - t))")
        return write.line("cuda.syncthreads()")

    def exchange_globally(self) -> None:
        """The same through the block's part of an output."""
        write, scope = self.write, self.write.scope
        name, dtype, slot = self._slot()
        kind = KIND_OF[dtype]
        write.line(f"native.store({slot}, {expression(scope, kind, 0, 2)})")
        write.line("cuda.syncthreads()")
        place = (
            f"(first + {expression(scope, 'i', 0, 1)} % {self.threads}) * {OWNED} + {write.draw.integer(0, OWNED - 1)}"
        )
        write.line(f"{write.bind(kind)} = native.load(native.offset({name}, {place}))")
        write.line("cuda.syncthreads()")

    def shuffle(self) -> None:
        write, draw, scope = self.write, self.write.draw, self.write.scope
        if draw.chance(10):
            return write.line("cuda.syncwarp()")
        kinds: tuple[Kind, ...] = ("f", "i", "n", "b", "u", "w")
        kind = draw.pick(kinds)
        name = draw.pick(("shfl_xor", "shfl", "shfl_up", "shfl_down"))
        lane = str(draw.integer(0, 40)) if draw.chance(50) else expression(scope, "i", 0, 1)
        value = expression(scope, kind, 0, 2)
        return write.line(f"{write.bind(kind)} = cuda.{name}({value}, {lane})")

    def butterfly(self) -> None:
        """A sum over the group by shuffles in a loop."""
        write = self.write
        start = expression(write.scope, "f", 0, 2)
        name, step = write.bind("f"), write.fresh("step")
        write.line(f"{name} = {start}")
        write.line(f"{step} = 16")
        write.line(f"while {step} > 0:")
        write.line(f"    {name} = {name} + cuda.shfl_{write.draw.pick(('xor', 'down'))}({name}, {step})")
        write.line(f"    {step} = {step} // 2")

    def by_groups(self) -> None:
        """A branch that some groups of 32 take as a whole."""
        write, draw = self.write, self.write.draw
        forms = (
            "cuda.thread_id() // 32 == 0",
            "cuda.thread_id() < 32",
            "cuda.thread_id() >= 64",
            "cuda.thread_id() // 32 > 0",
        )
        write.line(f"if {draw.pick(forms)}:")
        with write.nested(groups=True):
            self.shuffle()
            write.block(draw.integer(1, 2))
        if draw.chance(40):
            write.line("else:")
            with write.nested(groups=True):
                self.shuffle()


def thread_program(draw: Draw) -> Program:
    """A thread kernel with its device functions and one launch."""
    devices, known = device_functions(draw)
    exchanges = draw.chance(65)
    block = draw.pick(WHOLE_BLOCKS) if exchanges else draw.pick(ODD_BLOCKS)
    grid = draw.pick(GRIDS)
    write = writer(draw, "thread")
    write.scope.devices = known
    write.exchanges = exchanges
    memory = Memory()
    parameters, arguments, arrays = signature(draw, write.scope, memory, OWNED, programs(grid) * programs(block))
    shared = [(f"park{place}", draw.pick(PARKED)) for place in range(draw.integer(0, 2))]
    write.scope.load = loader(write.scope, memory)
    write.special = ThreadKernel(write, memory, block, shared if exchanges else [])
    opening(write, block, shared if exchanges else [])
    first_values(write)
    write.block(draw.integer(2, 9))
    for name, dtype, _ in memory.outputs:
        final_store(write, name, dtype)
    decorator = "@cuda.kernel(alias=True)" if draw.chance(10) else "@cuda.kernel"
    written = ", ".join(f"{name}: {annotation}" for name, annotation in parameters)
    text = f"{devices}{decorator}\ndef thread{MARK}({written}) -> None:\n" + "\n".join(write.lines) + "\n"
    step = Step(f"thread{MARK}", grid, block, tuple(arguments))
    return Program(text=text, arrays=arrays, steps=[step], dialect="thread")


def opening(write: Writer, block: tuple[int, ...], shared: list[tuple[str, str]]) -> None:
    """Where the thread is in its block, its grid and its part of the outputs."""
    if write.draw.chance(20):
        write.line('"""Nobody wrote this kernel."""')
    for name, dtype in shared:
        write.line(f"{name} = cuda.shared[{dtype}, {programs(block)}]()")
    write.line(f"mine = native.stack_alloc[{write.draw.pick(FLOATS)}]({LOCAL})")
    write.line("bid = cuda.block_id()")
    write.scope.variables.append(Variable("bid", "i", fixed=True, uniform=True))
    if len(block) == 1:
        write.line("t = cuda.thread_id()")
    else:
        write.line(
            "t = cuda.thread_id() + cuda.block_dim() * (cuda.thread_id(1) + cuda.block_dim(1) * cuda.thread_id(axis=2))"
        )
    blocks = "bid + cuda.grid_dim() * (cuda.block_id(1) + cuda.grid_dim(1) * cuda.block_id(2))"
    write.line(f"first = ({blocks}) * {programs(block)}")
    write.line(f"base = (first + t) * {OWNED}")
    write.line(f"gid = cuda.global_id({'0' if len(block) == 1 else '1'})")
    write.scope.variables += [Variable("t", "i", fixed=True), Variable("gid", "i", fixed=True)]


def loader(scope: Scope, memory: Memory) -> Callable[[Kind, int, int], str | None]:
    """Loads that stay inside their array whatever the values are."""

    def load(kind: Kind, lanes: int, depth: int) -> str | None:
        draw = scope.draw
        found = input_of(memory, kind, draw)
        if found is None:
            return None
        name, _, length = found
        index = expression(scope, "i", 0, depth)
        if draw.chance(30):
            inner = f"native.offset({name}, {index} % 9)"
            return f"native.load(native.offset({inner}, {expression(scope, 'i', 0, 1)} % {length - 8}))"
        if draw.chance(30):
            other = expression(scope, kind, 0, 1)
            return f"(native.load(native.offset({name}, {index})) if 0 <= {index} < {length} else {other})"
        return f"native.load(native.offset({name}, {index} % {length}))"

    return load


def final_store(write: Writer, name: str, dtype: str) -> None:
    """So that something of the thread's values is seen."""
    kind = KIND_OF[dtype]
    found = [one.name for one in write.scope.variables if one.kind == kind]
    text = f" {'^' if kind == 'b' else '+'} ".join(found[-4:]) if found else expression(write.scope, kind, 0, DEPTH)
    write.line(f"native.store(native.offset({name}, base), {text})")

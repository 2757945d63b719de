"""Tile kernels. Each program owns a region of every output array; loads from inputs are anywhere, by `%` or masked."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from tests.fuzz.devices import device_functions
from tests.fuzz.draw import Draw
from tests.fuzz.expressions import Scope, Variable, cast, expression, literal, loaded, operand
from tests.fuzz.kinds import FLOATS, INTEGERS, KIND_OF, NARROW_INTEGERS, Kind
from tests.fuzz.program import MARK, ArraySpec, Program
from tests.fuzz.statements import DEPTH, Writer, writer
from tests.support.everywhere import Step

SIZES: Final = (32, 64, 1, 2, 8, 16, 128, 256, 512, 1024, 4, 2048)
WIDE: Final = (128, 256, 512, 1024, 64, 2048)
GRIDS: Final = ((2,), (3,), (1,), (5,), (2, 2), (1, 2, 2), (3, 1, 2))
LENGTHS: Final = (300, 64, 1000, 33)
POINTERS: Final = (
    "float", "int", "native.f32", "native.i32", "bool", "float", "native.u32", "native.u64", *NARROW_INTEGERS, *FLOATS,
)  # fmt: skip
CHANGED: Final = ("float", "int", "native.f32", "native.i32", "native.u32", "native.u64")  # by atomics
NARROW: Final = ("native.f32", "native.i32", "native.f32", "native.f16", "native.u8", "native.bf16")
SCALARS: Final = (
    "int", "float", "bool", "native.i32", "native.f32", "int", "native.u32", "native.u64", "native.u8", "native.i16",
)  # fmt: skip
SCALAR_VALUES: Final[dict[str, tuple[object, ...]]] = {
    "int": (5, 0, 37, 200, -3, 1 << 40, -(1 << 63), (1 << 63) - 1),
    "native.i32": (3, 0, -7, 100, -(1 << 31), (1 << 31) - 1),
    "native.u32": (3, 0, 200, 1 << 31, (1 << 32) - 1),
    "native.u64": (3, 0, 1 << 63, (1 << 64) - 1, 1 << 40),
    "native.u8": (3, 0, 255, 128),
    "native.i16": (3, -7, -32768, 32767),
    "bool": (True, False),
    "float": (0.5, -1.25, 0.0, -0.0, 1e300, 5e-324, float("inf"), float("nan"), 3.0),
    "native.f32": (0.5, -1.25, 0.0, 1e-42, 3.0000000186264515e38, float("inf")),
}


@dataclass(slots=True)
class Memory:
    """The arrays of a kernel under construction. `inputs` and `outputs` are (parameter, dtype, length or region).
    `streams`: elements are narrow, and most lanes lie side by side."""

    inputs: list[tuple[str, str, int]] = field(default_factory=list)
    outputs: list[tuple[str, str, int]] = field(default_factory=list)
    streams: bool = False


def tile_program(draw: Draw) -> Program:
    """A tile kernel with its device functions and one launch."""
    devices, known = device_functions(draw)
    memory = Memory(streams=draw.chance(30))
    own = WIDE if memory.streams else SIZES
    sizes = tuple(dict.fromkeys(draw.pick(own) for _ in range(draw.pick((1, 1, 2)))))
    static = draw.chance(15)
    write = writer(draw, "tile", sizes)
    write.scope.devices = known
    grid = draw.pick(GRIDS)
    parameters, arguments, arrays = signature(draw, write.scope, memory, region(sizes), programs(grid))
    if static:
        parameters.insert(0, ("size", "native.static[int]"))
        arguments.insert(0, sizes[0])
    write.scope.load = loader(write.scope, memory)
    write.special = effects(memory)
    opening(write, sizes, static, region(sizes))
    first_values(write)
    write.block(draw.integer(2, 8))
    if draw.chance(40):
        two_reductions(write)
    for name, dtype, _ in memory.outputs:
        final_store(write, name, dtype)
    decorator = "@tile.kernel(alias=True)" if draw.chance(10) else "@tile.kernel"
    written = ", ".join(f"{name}: {annotation}" for name, annotation in parameters)
    text = f"{devices}{decorator}\ndef tile{MARK}({written}) -> None:\n" + "\n".join(write.lines) + "\n"
    key = f"tile{MARK}__{sizes[0]}" if static else f"tile{MARK}"
    return Program(
        text=text,
        arrays=arrays,
        steps=[Step(key, grid, None, tuple(arguments))],
        instances={f"tile{MARK}": [(sizes[0],)]} if static else {},
        dialect="tile",
    )


def region(sizes: tuple[int, ...]) -> int:
    """The elements of an output that one program owns."""
    return 2 * max(sizes) + 8


def programs(grid: tuple[int, ...]) -> int:
    count = 1
    for size in grid:
        count *= size
    return count


def signature(
    draw: Draw, scope: Scope, memory: Memory, owned: int, owners: int
) -> tuple[list[tuple[str, str]], list[object], dict[str, ArraySpec]]:
    """Parameters as (name, annotation), their arguments and the arrays; scalars come into scope."""
    parameters: list[tuple[str, str]] = []
    arguments: list[object] = []
    arrays: dict[str, ArraySpec] = {}
    for place in range(draw.integer(1, 3)):
        dtype, name = draw.pick(SCALARS), f"s{place}"
        parameters.append((name, dtype))
        arguments.append(draw.pick(SCALAR_VALUES[dtype]))
        scope.variables.append(Variable(name, KIND_OF[dtype], uniform=scope.dialect == "thread"))
    for place in range(draw.integer(1, 3)):
        dtype, name, length = draw.pick(NARROW if memory.streams else POINTERS), f"x{place}", draw.pick(LENGTHS)
        memory.inputs.append((name, dtype, length))
        parameters.append((name, f"native.const_ptr[{dtype}]"))
        arguments.append(name)
        arrays[name] = ArraySpec(dtype=dtype, size=length, seed=draw.integer(0, 999), flavour=draw.integer(0, 3))
    for place in range(draw.integer(1, 3)):
        dtype, name = draw.pick(NARROW if memory.streams else POINTERS), f"o{place}"
        memory.outputs.append((name, dtype, owned))
        parameters.append((name, f"native.ptr[{dtype}]"))
        arguments.append(name)
        arrays[name] = ArraySpec(
            dtype=dtype, size=owned * owners, seed=draw.integer(0, 999), flavour=draw.integer(0, 2)
        )
    return parameters, arguments, arrays


def opening(write: Writer, sizes: tuple[int, ...], static: bool, owned: int) -> None:
    """Program ids, the start of this program's region and an arange of each size."""
    if write.draw.chance(20):
        write.line('"""Nobody wrote this kernel."""')
    write.line("pid = tile.program_id()")
    write.line(
        "flat = pid + tile.num_programs() * (tile.program_id(1) + tile.num_programs(axis=1) * tile.program_id(axis=2))"
    )
    write.line(f"base = flat * {owned}")
    for place, size in enumerate(sizes):
        write.line(f"lane{size} = tile.arange({'size' if static and place == 0 else size})")
        write.scope.variables.append(Variable(f"lane{size}", "i", size, fixed=True))
    write.scope.variables += [Variable("pid", "i", fixed=True), Variable("flat", "i", fixed=True)]


def first_values(write: Writer) -> None:
    """Loads of several kinds, so that expressions have something to be made of."""
    kinds: tuple[Kind, ...] = ("f", "i", "b", "n", "f", "u", "w")
    for _ in range(write.draw.integer(0, 4)):
        kind, lanes = write.draw.pick(kinds), write.some_lanes()
        text = loaded(write.scope, kind, lanes, 1)
        write.line(f"{write.bind(kind, lanes)} = {text}")


def input_of(memory: Memory, kind: Kind, draw: Draw) -> tuple[str, str, int] | None:
    found = [one for one in memory.inputs if KIND_OF[one[1]] == kind]
    return draw.pick(found) if found else None


def loader(scope: Scope, memory: Memory) -> Callable[[Kind, int, int], str | None]:
    """Loads that stay inside their array whatever the values are."""

    def load(kind: Kind, lanes: int, depth: int) -> str | None:
        draw = scope.draw
        found = input_of(memory, kind, draw)
        if found is None:
            return None
        name, dtype, length = found
        choice = draw.integer(1, 3) if lanes and memory.streams else draw.integer(0, 5) if lanes else draw.pick((0, 4))
        if choice == 0:
            return f"tile.load({name}, {expression(scope, 'i', lanes, depth)} % {length})"
        if choice == 1:
            return f"tile.load({name}, flat * {lanes} + lane{lanes}, flat * {lanes} + lane{lanes} < {length})"
        if choice == 2:
            other = cast(scope, operand(scope, kind, 0, 1), dtype)
            mask = f"(({expression(scope, 'i', lanes, 1)}) % 3 == 0) & (lane{lanes} < {length})"
            return f"tile.load({name}, lane{lanes}, {mask}, other={other})"
        if choice == 3:
            return f"tile.load(native.offset({name}, 7), lane{lanes} - 7, mask=lane{lanes} < {length})"
        if choice == 4:
            moved = f"native.offset({name}, {expression(scope, 'i', 0, 1)} % 8)"
            return f"tile.load({moved}, {expression(scope, 'i', lanes, depth)} % {length - 8})"
        wild = f"({expression(scope, 'i', lanes, 1)})"
        other = literal(scope, kind) if dtype not in NARROW_INTEGERS else "5"
        return f"tile.load({name}, {wild}, ({wild} >= 0) & ({wild} < {length}), {other})"

    return load


def permuted(draw: Draw, lanes: int, *, streams: bool) -> str:
    """The lanes in another order, each once; as they are in a stream."""
    lane = f"lane{lanes}"
    if streams:
        return lane
    forms = (
        lane,
        f"({lanes - 1} - {lane})",
        f"({lane} ^ {draw.integer(0, lanes - 1)})",
        f"(({lane} * {2 * draw.integer(0, 5) + 1} + {draw.integer(0, 9)}) % {lanes})",
    )
    return draw.pick(forms)


def converted(scope: Scope, text: str, kind: Kind, dtype: str) -> str:
    """What a pointer of the dtype takes: a cast where a store does not convert by itself."""
    if KIND_OF[dtype] == "b" or (kind == "f" and KIND_OF[dtype] in INTEGERS):
        return text if kind == KIND_OF[dtype] else cast(scope, text, dtype)
    return text


def effects(memory: Memory) -> Callable[[Writer], None]:
    """Stores into this program's region, loads back from it, pairs of reductions."""

    def effect(write: Writer) -> None:
        draw, scope = write.draw, write.scope
        name, dtype, owned = draw.pick(memory.outputs)
        lanes = write.some_lanes()
        kind = draw.pick((KIND_OF[dtype], "f", "i", "b", "n", "u", "w"))
        choice = draw.integer(0, 5)
        if choice == 4:
            return two_reductions(write)
        if lanes == 0:
            at = f"base + {draw.integer(0, owned - 1)}"
        else:
            at = f"base + {draw.integer(0, owned - lanes)} + {permuted(draw, lanes, streams=memory.streams)}"
        if choice == 3:
            return write.line(f"{write.bind(KIND_OF[dtype], lanes)} = tile.load({name}, {at})")
        if choice == 5 and dtype in CHANGED:
            return change(write, name, dtype, lanes, at)
        value = converted(scope, expression(scope, kind, lanes, DEPTH), kind, dtype)
        mask = f", {expression(scope, 'b', lanes, 2)}" if draw.chance(30) else ""
        return write.line(f"tile.store({name}, {at}, {value}{mask})")

    return effect


def change(write: Writer, name: str, dtype: str, lanes: int, at: str) -> None:
    """An atomic on each lane's own element, or on elements that several lanes share."""
    from tests.fuzz import atomics

    draw, scope = write.draw, write.scope
    op = draw.pick(atomics.ALONE[dtype])
    shared = atomics.pick_together(draw, dtype)
    mask = f", {expression(scope, 'b', lanes, 2)}" if draw.chance(40) else ""
    if lanes and shared is not None and draw.chance(40):
        at = f"base + ({expression(scope, 'i', lanes, 1)}) % {lanes}"
        return write.line(
            f"tile.atomic_{shared}({name}, {at}, {atomics.operands(scope, dtype, shared, lanes, 2)}{mask})"
        )
    call = f"tile.atomic_{op}({name}, {at}, {atomics.operands(scope, dtype, op or '', lanes, 2)}{mask})"
    return write.line(f"{write.bind(KIND_OF[dtype], lanes)} = {call}" if draw.chance(60) else call)


def two_reductions(write: Writer) -> None:
    """One fold after another, the second of what the first gave."""
    draw, scope = write.draw, write.scope
    lanes = draw.pick(write.lanes)
    kinds: tuple[Kind, ...] = ("f", "i", "f")
    kind = draw.pick(kinds)
    names = ("sum", "max", "min", "nanmax", "nanmin", "prod")
    first, second = draw.pick(names), draw.pick(names)
    values = expression(scope, kind, lanes, 2)
    held = write.bind(kind, lanes, fixed=True)
    write.line(f"{held} = {values}")
    total = write.bind(kind, fixed=True)
    write.line(f"{total} = tile.{first}({held})")
    write.line(f"{write.bind(kind, fixed=True)} = tile.{second}({held} - {total})")


def final_store(write: Writer, name: str, dtype: str) -> None:
    """So that something of the program's values is seen: the sum of what is in scope, as a tile or a number."""
    scope = write.scope
    lanes = write.some_lanes()
    kind = KIND_OF[dtype]
    found = [one.name for one in scope.variables if one.kind == kind and one.lanes == lanes]
    joined = f" {'^' if kind == 'b' else '+'} ".join(found[-4:]) if found else expression(scope, kind, lanes, DEPTH)
    at = f"base + lane{lanes}" if lanes else "base"
    write.line(f"tile.store({name}, {at}, {joined})")

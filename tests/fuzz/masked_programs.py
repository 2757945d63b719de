"""Tile kernels of narrow elements that ask in every way how far the lanes of a tile are from a number. Behind these
masks they load, store, fold and change atomically, in branches and loops."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from math import prod
from typing import Final

from tests.fuzz.draw import Draw
from tests.fuzz.kinds import FLOATS
from tests.fuzz.program import MARK, ArraySpec, Program
from tests.support.everywhere import Step

NARROW: Final = (
    "native.f16", "native.f32", "native.i32", "native.u8", "native.bf16", "native.i16", "native.f8e4m3", "native.i8",
    "native.u32", "native.u16", "native.f8e5m2", "native.f16",
)  # fmt: skip
SIZES: Final = (256, 128, 512, 64, 1024, 32, 2048, 16)
GRIDS: Final = ((2,), (1,), (3,), (2, 2), (1, 2, 2))
RELATIONS: Final = ("<", "<=", ">", ">=", "==", "!=")
ENDS: Final = (-(2**63), 2**63 - 1, 2**62, -(2**62), 2**31, -(2**31), 2**32 + 3, 2**63 - 257)
SCALARS: Final = (("n", "int"), ("m", "native.i32"), ("q", "int"), ("u", "native.u32"), ("b", "bool"))
DEVICES: Final = f"""@cuda.device
def inside{MARK}(at: int, low: int, high: int) -> bool:
    if at < low:
        return False
    return high > at


@cuda.device
def near{MARK}(at: int, place: int) -> int:
    far = 0
    while far < 3:
        if place + far >= at:
            return far
        far = far + 1
    return -1


"""


@dataclass(slots=True)
class Writing:
    """A kernel under construction. `numbers` are scalars that programs and loops have; `masks` and `counted` the tiles
    of bools, and those that count on from a number, by size; `read` and `written` are (parameter, dtype, length)."""

    draw: Draw
    sizes: tuple[int, ...]
    read: list[tuple[str, str, int]] = field(default_factory=list)
    written: list[tuple[str, str]] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    numbers: list[str] = field(default_factory=list)
    masks: dict[int, list[str]] = field(default_factory=dict)
    counted: dict[int, list[str]] = field(default_factory=dict)
    depth: int = 0
    loops: int = 0
    names: int = 0

    def line(self, text: str) -> None:
        self.lines.append("    " * (self.depth + 1) + text)

    def fresh(self, stem: str) -> str:
        self.names += 1
        return f"{stem}{self.names}"

    def nested(self, number: str = "") -> None:
        """A deeper block; a loop's, if it has a number."""
        numbers = list(self.numbers)
        masks, counted = ({size: list(names) for size, names in each.items()} for each in (self.masks, self.counted))
        self.depth += 1
        self.loops += bool(number)
        self.numbers += [number] if number else []
        for _ in range(self.draw.integer(1, 4)):
            statement(self)
        self.depth -= 1
        self.loops -= bool(number)
        self.numbers, self.masks, self.counted = numbers, masks, counted


def masked_program(draw: Draw) -> Program:
    sizes = tuple(dict.fromkeys(draw.pick(SIZES) for _ in range(draw.pick((1, 1, 2, 3)))))
    write, grid, static = Writing(draw, sizes), draw.pick(GRIDS), draw.chance(25)
    owned = 4 * max(sizes) + 16
    parameters, arguments = (
        [f"{name}: {kind}" for name, kind in SCALARS],
        [scalar(draw, kind, sizes, prod(grid)) for _, kind in SCALARS],
    )
    arrays: dict[str, ArraySpec] = {}
    kinds = NARROW if draw.chance(75) else (*NARROW, "float", "int")
    for place in range(draw.integer(1, 3)):
        name, kind, length = f"x{place}", draw.pick(kinds), draw.pick((max(sizes) * 2, 1000, 77, max(sizes)))
        write.read.append((name, kind, length))
        parameters.append(f"{name}: native.const_ptr[{kind}]")
        arrays[name] = ArraySpec(dtype=kind, size=length, seed=draw.integer(0, 999), flavour=draw.integer(0, 2))
    for name in ("a", *(f"y{place}" for place in range(draw.integer(1, 3)))):
        kind = "native.i32" if name == "a" else draw.pick(kinds)
        write.written.append((name, kind))
        parameters.append(f"{name}: native.ptr[{kind}]")
        arrays[name] = ArraySpec(dtype=kind, size=owned * prod(grid), seed=draw.integer(0, 999), flavour=0)
    opening(write, owned, static)
    for _ in range(draw.integer(3, 8)):
        statement(write)
    for size in sizes:
        name, kind = draw.pick(write.written)
        write.line(f"tile.store({name}, base + lane{size}, {stored(f'count{size} + acc{size}', kind)})")
        write.line(f"tile.store(a, base + {draw.integer(0, 8)} + lane{size}, count{size})")
    parameters = ["size: native.static[int]", *parameters] if static else parameters
    decorator = "@tile.kernel(alias=True)" if draw.chance(10) else "@tile.kernel"
    head = f"{decorator}\ndef masked{MARK}({', '.join(parameters)}) -> None:\n"
    given = (*arguments, *arrays)
    instances = (sizes[0], *([sizes[0] * 2] if len(sizes) == 1 else [])) if static else ()
    steps = [Step(f"masked{MARK}__{size}", grid, None, (size, *given)) for size in instances]
    return Program(
        text=DEVICES + head + "\n".join(write.lines) + "\n",
        arrays=arrays,
        steps=steps or [Step(f"masked{MARK}", grid, None, given)],
        instances={f"masked{MARK}": [(size,) for size in instances]} if static else {},
    )


def scalar(draw: Draw, kind: str, sizes: tuple[int, ...], programs: int) -> object:
    """Mostly a number near the first or last lane of some program."""
    near = draw.pick(sizes) * draw.integer(0, programs) + draw.integer(-9, 9)
    near = near if draw.chance(60) else draw.integer(-5, 2 * max(sizes))
    match kind:
        case "bool":
            return draw.chance(50)
        case "int":
            return draw.pick(ENDS) if draw.chance(15) else near
        case "native.i32":
            return draw.pick((2**31 - 1, -(2**31))) if draw.chance(10) else near
        case _:
            return 2**32 - 1 if draw.chance(10) else max(near, 0)


def opening(write: Writing, owned: int, static: bool) -> None:
    write.line("pid = tile.program_id()")
    write.line("flat = pid + tile.num_programs() * (tile.program_id(1) + tile.num_programs(1) * tile.program_id(2))")
    write.line(f"base = flat * {owned}")
    write.line("carried = 0")
    write.numbers += ["pid", "flat", "carried"]
    for place, size in enumerate(write.sizes):
        spelled = "size" if static and place == 0 else str(size)
        write.line(f"lane{size} = tile.arange({spelled})")
        write.line(f"at{size} = {write.draw.pick(('pid', 'flat', 'tile.program_id(1)'))} * {spelled} + lane{size}")
        write.line(f"count{size} = lane{size} - lane{size}")
        write.line(f"acc{size} = tile.cast(lane{size}, native.f32) * 0.0")
        write.counted[size] = [f"at{size}", f"lane{size}"]
        write.masks[size] = []


def stored(text: str, kind: str) -> str:
    """What a pointer of the dtype takes."""
    return text if kind in FLOATS else f"tile.cast({text}, {kind})"


# ---------------------------------------------------------------- masks


def number(write: Writing, size: int) -> str:
    draw = write.draw
    far, one = draw.integer(-3, 2 * size), draw.pick(write.numbers)
    integers = [f"{name}, 3" for name, kind, _ in write.read if kind not in FLOATS]
    choice = draw.integer(0, 39)
    if choice == 0:
        return f"tile.sum({comparison(write, size)})"
    if choice == 1:
        return f"tile.load({draw.pick([*integers, 'a, base + 3'])})"
    if choice == 2:
        return str(draw.pick(ENDS)).replace(str(-(2**63)), "-(2**63)")
    return draw.pick((
        "n", "m", "q", "n", "u", "b", f"{far}", f"n - {abs(far) % 9}", f"n + {far}", "m * 2", "n - q", "q // 3",
        f"{one} * {abs(far)}", one, f"min(n, {far})", "n * q", "-n", "q & 255",
    ))  # fmt: skip


def counting(write: Writing, size: int) -> str:
    """A tile that mostly counts on from a number."""
    draw = write.draw
    tile, far, one = draw.pick(write.counted[size]), draw.integer(-9, 2 * size), draw.pick(write.numbers)
    if draw.chance(60):
        return draw.pick((tile, f"{tile} + {far}", f"{far} + {tile}", f"{tile} - {abs(far)}"))
    return draw.pick((
        f"{tile} + {one} * {size}", f"{tile} + {one}", f"{tile} + q", f"{tile} - n", f"{tile} * 2", f"{far} - {tile}",
        f"{tile} % 7", f"{tile} // 4", f"{tile} + (q & 31)", f"{tile} + u", f"{tile} + m", f"{tile} + b",
        f"{tile} + (q % 1000) * 8", f"tile.cast(tile.cast({tile}, native.i16), int)",
    ))  # fmt: skip


def comparison(write: Writing, size: int) -> str:
    draw = write.draw
    choice, relation = draw.integer(0, 19), draw.pick(RELATIONS)
    tile = f"{draw.pick(write.counted[size])} + {draw.integer(0, 40)}"
    match choice:
        case 0:
            return f"inside{MARK}({tile}, {draw.integer(0, 9)}, n)"
        case 1:
            return f"(tile.map(near{MARK}, {tile}, q) >= {draw.integer(-1, 2)})"
        case 2:
            return f"(acc{size} {relation} 0.5)"
        case 3:
            return f"(count{size} {relation} {draw.integer(0, 9)})"
        case 4 if write.masks[size]:
            return draw.pick(write.masks[size])
        case _:
            left, right = counting(write, size), f"({number(write, size)})"
            return f"({right} {relation} {left})" if draw.chance(50) else f"({left} {relation} {right})"


def mask(write: Writing, size: int, depth: int = 2) -> str:
    draw = write.draw
    if depth == 0 or draw.chance(35):
        return comparison(write, size)
    if draw.chance(20):
        return f"~{mask(write, size, depth - 1)}"
    return f"({mask(write, size, depth - 1)} {draw.pick(('&', '|', '^', '&'))} {mask(write, size, depth - 1)})"


def loaded(write: Writing, size: int) -> str:
    """A load that stays inside, wherever it is, as f32."""
    draw = write.draw
    name, kind, length = draw.pick(write.read)
    far, one = draw.integer(0, 9), draw.pick(write.numbers)
    lanes = (
        *(f"at{size}", f"lane{size}", f"lane{size} + {far}", f"at{size} - {far}") * 3,
        *(f"lane{size} + {one} * {size}", f"at{size} + {one}", f"{length - 1} - lane{size}", f"lane{size} * 2"),
    )
    lane = draw.pick(lanes)
    safe = draw.pick((
        f"({lane} >= 0) & ({lane} < {length})", f"({length} > {lane}) & (-1 < {lane})",
        f"~(({lane} < 0) | ({lane} >= {length}))",
    ))  # fmt: skip
    chosen = f"{safe} & {mask(write, size)}" if draw.chance(60) else safe
    other = draw.pick(("", f", {far}", "", f", {far}", f", tile.cast({one}, {kind})"))
    if draw.chance(20):
        name, lane = f"native.offset({name}, {far - 4})", f"{lane} - {far - 4}"
    return f"tile.cast(tile.load({name}, {lane}, {chosen}{other}), native.f32)"


# ---------------------------------------------------------------- statements


def statement(write: Writing) -> None:
    size = write.draw.pick(write.sizes)
    forms: tuple[Callable[[Writing, int], None], ...] = (
        *(counts, counts, named, loads, loads, loads, stores, stores, changes, folds),
        *(((branches, repeats, repeats) if write.depth < 3 else ()) + ((leaves,) if write.loops else ())),
    )
    write.draw.pick(forms)(write, size)


def counts(write: Writing, size: int) -> None:
    write.line(f"count{size} = count{size} + {mask(write, size)} * {1 << write.draw.integer(0, 12)}")


def named(write: Writing, size: int) -> None:
    draw = write.draw
    if draw.chance(50):
        name, text = write.fresh("mask"), mask(write, size)
        write.masks[size].append(name)
    else:
        name, tile = write.fresh("at"), draw.pick(write.counted[size])
        text = f"{tile} + {draw.integer(0, 40)} + {draw.pick(write.numbers)}"
        write.counted[size].append(name)
    write.line(f"{name} = {text}")


def loads(write: Writing, size: int) -> None:
    if write.draw.chance(70):
        write.line(f"acc{size} = acc{size} + {loaded(write, size)}")
    else:
        write.line(f"acc{size} = tile.where({mask(write, size)}, acc{size}, {loaded(write, size)})")


def stores(write: Writing, size: int) -> None:
    draw = write.draw
    name, kind = draw.pick(write.written)
    at = f"base + {draw.integer(0, 12)} + lane{size}"
    if draw.chance(20):
        at = f"{at} + {draw.pick(write.numbers)} % 2 * {size}"
    text = f"tile.load({name}, {at}, {mask(write, size)}) + count{size}" if draw.chance(40) else f"acc{size} + 1"
    write.line(f"tile.store({name}, {at}, {stored(text, kind)}, {mask(write, size)})")


def changes(write: Writing, size: int) -> None:
    draw = write.draw
    value = f"tile.cast(count{size}, native.i32), {mask(write, size)}"
    call = f"tile.atomic_{draw.pick(('add', 'max', 'min', 'xor'))}(a, base + lane{size}, {value})"
    if draw.chance(50):
        return write.line(call)
    before, name = write.fresh("before"), write.fresh("at")
    write.line(f"{before} = {call} & 15")
    write.line(f"{name} = at{size} + ({before} - {before})")
    write.counted[size].append(name)
    return write.line(f"count{size} = count{size} + ({name} {draw.pick(RELATIONS)} {number(write, size)})")


def folds(write: Writing, size: int) -> None:
    draw = write.draw
    fold = draw.pick(("sum", "max", "min"))
    if draw.chance(50):
        fold = draw.pick((fold, "any", "all"))
        write.line(f"carried = carried + tile.cast(tile.{fold}({mask(write, size)}), int) % 64")
    else:
        numbers = f"tile.where({mask(write, size)}, acc{size}, {draw.integer(-2, 2)}.5)"
        write.line(f"acc{size} = acc{size} - tile.{draw.pick((fold, 'nanmax', 'nanmin'))}({numbers})")


def condition(write: Writing) -> str:
    draw = write.draw
    return f"{draw.pick(write.numbers)} {draw.pick(RELATIONS)} {draw.pick(('n', 'm', '2', 'q', '1', 'carried'))}"


def branches(write: Writing, size: int) -> None:
    write.line(f"if {condition(write)}:")
    write.nested()
    if write.draw.chance(60):
        write.line("else:")
        write.nested()


def repeats(write: Writing, size: int) -> None:
    draw = write.draw
    turn = write.fresh("k")
    if draw.chance(50):
        write.line(f"for {turn} in range({draw.pick(('3', '2', 'n & 3', '4, -1, -2'))}):")
    else:
        write.line(f"{turn} = 0")
        write.line(f"while {turn} < {draw.integer(1, 3)}:")
        write.line(f"    {turn} = {turn} + 1")
    write.nested(turn)


def leaves(write: Writing, size: int) -> None:
    write.line(f"if {condition(write)}:")
    write.line(f"    {write.draw.pick(('break', 'continue'))}")

"""How many instructions a function costs on a GPU, where nothing is out of the ordinary."""

from __future__ import annotations

import heapq
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.support.compiling import run_compiler
from tests.support.everywhere import Text
from tests.support.tools import tool

LANES: Final = 4  # of a thread
SOURCE: Final = """
from transpile import native, tile


@tile.kernel
def kernel(x: native.const_ptr[native.f32], y: native.ptr[native.f32]) -> None:
    at = tile.program_id() * 256 + tile.arange(256)
    tile.store(y, at, VALUE)
"""
LABEL: Final = re.compile(r"^(\.L_x_\d+):")
INSTRUCTION: Final = re.compile(r"^\s+/\*[0-9a-f]{4,}\*/\s+(@!?U?P\d+\s+)?([A-Z][\w.]*)([^;]*);")
MARKS: Final = ("BSSY", "BSYNC")  # where lanes that part meet again: no work
TARGET: Final = re.compile(r"`\((\.L_x_\d+)\)")


def listing(value: str, folder: Path) -> list[tuple[str, str, str]]:
    """Labels and instructions of the kernel on sm_90: guard, name and the label that is defined or meant."""
    source, made = folder / "k.cu", folder / "k.cubin"
    source.write_text(Text(SOURCE.replace("VALUE", value), "program").emitted("cuda"), encoding="utf-8")
    run_compiler([tool("nvcc"), "-std=c++17", "-arch=sm_90", "-cubin", str(source), "-o", str(made)])
    return list(parsed(run_compiler([tool("nvdisasm"), "-c", str(made)])))


def parsed(text: str) -> Iterator[tuple[str, str, str]]:
    for line in text.split("\n"):
        if label := LABEL.match(line):
            yield "", "", label[1]
        elif found := INSTRUCTION.match(line):
            target = TARGET.search(found[3])
            yield (found[1] or "").strip(), found[2], target[1] if target else ""


def shortest(lines: list[tuple[str, str, str]]) -> int:
    """The fewest instructions from the beginning to an exit: what is rare lies beside that path."""
    labels = {name: place for place, (_, word, name) in enumerate(lines) if not word}
    queue, seen = [(0, 0)], set()
    while queue:
        count, place = heapq.heappop(queue)
        if place in seen:
            continue
        seen.add(place)
        guard, word, label = lines[place]
        if word == "EXIT" and not guard:
            return count + 1
        step = count + bool(word and not word.startswith(MARKS))
        if word.startswith("BRA"):
            heapq.heappush(queue, (step, labels[label]))
        if not word.startswith("BRA") or guard:
            heapq.heappush(queue, (step, place + 1))
    raise AssertionError("no way out")


def test_the_shortest_way_is_found() -> None:
    text = """
        /*0000*/                   LDC R1, c[0x0][0x28] ;
        /*0010*/              @!P0 BRA `(.L_x_1) ;
        /*0020*/                   FMUL R0, R0, R3 ;
        /*0030*/               @P0 FADD R0, R2, +INF  ;
.L_x_1:
        /*0040*/                   STG.E desc[UR4][R2.64], R5 ;
        /*0050*/                   EXIT ;
.L_x_2:
        /*0060*/                   BRA `(.L_x_2);
"""
    assert shortest(list(parsed(text))) == 4


def test_exp_is_cheap(tmp_path: Path) -> None:
    """Two steps to take n off x, eight fused ones, the scaling, and the question whether the result is normal."""
    plain, exp = (listing(value, tmp_path) for value in ("tile.load(x, at)", "tile.exp(tile.load(x, at))"))
    names = [word.partition(".")[0] for _, word, _ in exp]
    assert not {"MUFU", "CALL", "I2F", "F2I"} & set(names)
    assert 12 <= (shortest(exp) - shortest(plain)) / LANES <= 14.5


NEGATIONS: Final = """
from transpile import cuda, native


@cuda.kernel
def kernel(x: native.const_ptr[native.i32], y: native.ptr[native.i32]) -> None:
    k = cuda.thread_id()
    value = native.load(native.offset(x, k))
    other = native.load(native.offset(x, k + 64))
    native.store(native.offset(y, k), min(min(value, NEGATED), native.cast(k, native.i32)))
"""


@pytest.mark.parametrize("negated", ["-other", "0 - other", "other * -1", "-native.cast(cuda.block_id(), native.i32)"])
def test_a_number_is_negated_before_the_least_of_three(negated: str, tmp_path: Path) -> None:
    """ptxas 13.0 makes VIMNMX3 of `min.s32` twice, and forgets `neg.s32` in the inner one."""
    source, made = tmp_path / "k.cu", tmp_path / "k.cubin"
    source.write_text(Text(NEGATIONS.replace("NEGATED", negated), "program").emitted("cuda"), encoding="utf-8")
    run_compiler([tool("nvcc"), "-std=c++17", "-arch=sm_90", "-cubin", str(source), "-o", str(made)])
    assert re.search(r"U?IADD3 U?R\d+, -U?R\d+", run_compiler([tool("nvdisasm"), "-c", str(made)]))

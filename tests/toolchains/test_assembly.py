"""What the accesses of thread kernels are in PTX: several elements one instruction, an atomic the GPU's own."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Final

import pytest

from tests.support.everywhere import Text
from transpile import pipeline
from transpile.build.nvrtc import find_nvrtc, load_nvrtc

pytestmark = pytest.mark.skipif(find_nvrtc() is None, reason="no NVRTC here: pip install nvidia-cuda-nvrtc")
SOURCE: Final = """
from transpile import cuda, native


@cuda.kernel
def scale(a: native.f32, x: native.const_ptr[native.f32], y: native.ptr[native.f32]) -> None:
    i = cuda.global_id() * 4
    x0, x1, x2, x3 = native.load(native.offset(x, i), width=4)
    native.store(native.offset(y, i), (a * x0, a * x1, a * x2, a * x3))


@cuda.kernel
def pairs(x: native.ptr[float]) -> None:
    held = cuda.shared[float, 64]()
    t = cuda.thread_id()
    a, b = native.load(native.offset(x, 2 * t), width=2)
    native.store(native.offset(held, 2 * t), (b, a))
    cuda.syncthreads()
    a, b = native.load(native.offset(held, 62 - 2 * t), width=2)
    native.store(native.offset(x, 2 * t), (a, b))


@cuda.kernel
def counts(i: native.ptr[native.i32], k: native.ptr[int], f: native.ptr[native.f32], d: native.ptr[float]) -> None:
    cuda.atomic_add(i, 1)
    cuda.atomic_add(k, 1)
    cuda.atomic_add(f, 1.0)
    cuda.atomic_add(d, 1.0)
    cuda.atomic_max(k, 7)
    cuda.atomic_or(native.offset(i, 1), 4)


@cuda.kernel
def tickets(i: native.ptr[native.i32], out: native.ptr[native.i32]) -> None:
    native.store(native.offset(out, cuda.atomic_add(i, 1)), 1)


@cuda.device
def inside(j: int, n: int) -> int:
    assert 0 <= j and j < n, "index"
    return j


@cuda.kernel
def gather(n: int, at: native.const_ptr[int], x: native.const_ptr[float], out: native.ptr[float]) -> None:
    i = cuda.global_id()
    j = inside(native.load(native.offset(at, i)), n)
    native.store(native.offset(out, i), native.load(native.offset(x, j)))
"""


@cache
def bodies() -> Mapping[str, str]:
    """The PTX of each kernel by its name."""
    image, _ = pipeline.emit_image(*Text(SOURCE, "accesses").loaded, pipeline.Options())
    expressions = [kernel.expression for kernel in image.kernels]
    made = load_nvrtc().compile(image.text, image.file, "sm_90", expressions, "ptx")
    parts = made.image.decode().split(".entry ")[1:]
    return {
        name.rpartition("::")[2]: part
        for name, symbol in made.symbols.items()
        for part in parts
        if part.startswith(symbol)
    }


def accesses(kernel: str) -> list[str]:
    """Its accesses of memory in order, without their operands."""
    return re.findall(r"\b((?:ld|st|atom|red)\.(?:global|shared)\S*)", bodies()[kernel])


def test_four_floats_are_one_access() -> None:
    assert accesses("scale") == ["ld.global.nc.v4.f32", "st.global.v4.f32"]


def test_pairs_are_one_access_in_shared_memory_too() -> None:
    assert accesses("pairs") == ["ld.global.v2.f64", "st.shared.v2.f64", "ld.shared.v2.f64", "st.global.v2.f64"]


def test_an_atomic_whose_result_nobody_reads_gives_none() -> None:
    """`red`, or an `atom` that ptxas makes one of."""
    found = accesses("counts")
    assert len(found) == 6, found
    kinds = [".".join(one.split(".")[2:]) for one in found]
    assert kinds == ["add.u32", "add.u64", "add.f32", "add.f64", "max.s64", "or.b32"], found


def test_an_atomic_whose_result_is_read_gives_it() -> None:
    assert accesses("tickets") == ["atom.global.add.u32", "st.global.u32"]


def test_an_assertion_guards_the_load_behind_it() -> None:
    """The thread that fails ends: no compiler may load for it, nor take its end for a way on."""
    body = bodies()["gather"]
    passed = body.partition("ld.global.nc.f64")[0]
    assert re.search(r"@%p\d+ bra", passed), "the load stands before the test"
    failed = body.partition("st.global.f64")[2]
    assert "atom.global.cas.b32" in failed
    assert "exit;" in failed
    assert "trap" not in body
    assert all("exit;" not in body for name, body in bodies().items() if name != "gather")

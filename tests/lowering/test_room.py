"""Shared memory against the GPUs that a text is for."""

from __future__ import annotations

import pytest

from tests.support.everywhere import Text
from transpile import pipeline
from transpile.backends.table import BACKENDS
from transpile.diagnostics.core import CompileError

TEXT = Text("""
from transpile import cuda, native


@cuda.kernel
def small(x: native.ptr[float]) -> None:
    held = cuda.shared[float, 6144]()
    native.store(native.offset(held, cuda.thread_id()), 1.0)
    native.store(x, native.load(held))


@cuda.kernel
def park(x: native.ptr[float]) -> None:
    first = cuda.shared[native.i32, 1]()
    second = cuda.shared[float, 10_000]()
    third = cuda.shared[float, 10_000]()
    native.store(first, 1)
    native.store(native.offset(second, cuda.thread_id()), 1.0)
    native.store(native.offset(third, cuda.thread_id()), 1.0)
    native.store(x, native.load(second) + native.load(third) + native.load(first))
""")


def emitted(backend: str, *archs: str) -> str:
    return pipeline.emit_typed(*TEXT.loaded, BACKENDS[backend], pipeline.Options(archs=archs))


def test_what_fits() -> None:
    for archs in ((), ("sm_80", "sm_90a"), ("sm_100",)):
        assert "extern __shared__ double dynamic_shared[];" in emitted("cuda", *archs)
    assert emitted("cpu")


@pytest.mark.parametrize(
    ("backend", "archs", "words"),
    [
        ("cuda", ("sm_90", "sm_86"), "160008 bytes, and a block on sm_86 has 101376"),
        ("cuda", ("sm_80", "sm_75"), "80008 bytes, and a block on sm_75 has 65536"),
        ("cuda", ("sm_120a",), "160008 bytes, and a block on sm_120a has 101376"),
        ("hip", (), "80008 bytes, and a block on AMD GPUs has 65536"),
        ("hip", ("gfx90a",), "80008 bytes, and a block on gfx90a has 65536"),
    ],
)
def test_what_does_not(backend: str, archs: tuple[str, ...], words: str) -> None:
    with pytest.raises(CompileError) as caught:
        emitted(backend, *archs)
    said = str(caught.value)
    assert said.count("error[shared-limit]") == 1
    assert words in said
    assert "cuda.shared[float, 10_000]()" in said

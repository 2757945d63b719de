"""Generic kernels of a module, and under launches from Python: the instance is the one of the arrays' elements."""

from __future__ import annotations

import importlib.util
import inspect
import subprocess
import sys
from array import array
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import transpile
from tests.build.programs import generic
from transpile import CompileError, native, pipeline, tile
from transpile.build.jit import load_sources


@pytest.fixture(scope="module")
def module() -> ModuleType:
    loaded, typed = pipeline.load_and_check(generic.__file__)
    return load_sources(pipeline.emit_extension(loaded, typed, "generic_ext").sources)


@pytest.mark.parametrize("dtype", [np.float32, np.float64, np.int32])
def test_the_arrays_choose(module: Any, dtype: Any) -> None:
    x, y, wanted = np.arange(40, dtype=dtype), np.zeros(40, dtype), np.zeros(40, dtype)
    module.scale[2](40, 0.1, x, y)
    tile.launch(generic.scale, 2, 40, 0.1, x, wanted)
    assert (y == wanted).all()
    assert y.any()


def test_static_parameters_and_launchers(module: Any) -> None:
    for dtype in (np.float32, np.float64):
        x, y = np.arange(16, dtype=dtype), np.zeros(4, dtype)
        module.total[2](8, x, y)
        assert y.tolist() == [28.0, 92.0, 0.0, 0.0]
        module.run(2, x, y)
        assert y.tolist() == [6.0, 22.0, 0.0, 0.0]
    with pytest.raises(ValueError, match=r"total: was not built for cols=2 \(built: cols=4; cols=8\)"):
        module.total[2](2, x, y)


def test_buffers_and_pointers(module: Any) -> None:
    x, y = array("f", range(32)), array("f", bytes(128))
    module.scale[1](32, 2.0, x, y)
    assert y[31] == 62.0
    pointer = native.stack_alloc[native.i32](32)
    module.scale[1](32, 3.0, np.arange(32, dtype=np.int32), pointer)
    assert native.load(native.offset(pointer, 31)) == 93


@pytest.mark.parametrize("launch", ["module", "reference", "cpu"])
@pytest.mark.parametrize(
    ("x", "y", "said"),
    [
        (np.zeros(4, np.int8), np.zeros(4), "'x' must be an array of float32 or float64 or int32, not of int8"),
        (np.zeros(4), np.zeros(4, np.float32), "'y' must be an array of float64, not of float32"),
        (np.zeros(4, np.int32), np.zeros(4, bool), "'y' must be an array of int32, not of bool"),
        ([1.0], np.zeros(4), "'x' must be an array of "),
    ],
)
def test_other_arrays_are_refused(module: Any, launch: str, x: Any, y: Any, said: str) -> None:
    def run() -> None:
        if launch == "module":
            module.scale[1](4, 1.0, x, y)
            return
        with transpile.target(launch):
            tile.launch(generic.scale, 1, 4, 1.0, x, y)

    with pytest.raises(TypeError) as refused:
        run()
    assert said in str(refused.value)


@pytest.mark.gpu
@pytest.mark.parametrize("library", ["numpy", "cupy", "torch"])
def test_launches_on_a_gpu(library: str) -> None:
    """Compiled at the first launch of each type, and taken from the cache by the next process."""
    pytest.importorskip(library)
    program = (
        "import numpy as np, transpile\n"
        "from transpile import tile\n"
        "from tests.build.programs import generic\n"
        f"import {library}\n"
        f"give = {{'numpy': lambda a: a, 'cupy': lambda a: {library}.asarray(a),\n"
        f"    'torch': lambda a: {library}.from_numpy(a).cuda()}}['{library}']\n"
        "for dtype in (np.float32, np.float64, np.int32):\n"
        "    x, y, wanted = np.arange(40, dtype=dtype), np.zeros(40, dtype), np.zeros(40, dtype)\n"
        "    tile.launch(generic.scale, 2, 40, 0.1, x, wanted)\n"
        "    held = give(y)\n"
        "    with transpile.target('cuda'):\n"
        "        tile.launch(generic.scale, 2, 40, 0.1, give(x), held)\n"
        "    print(wanted.tolist() == held.tolist(), tile.target(generic.scale))\n"
    )
    for _ in range(2):
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120, check=False)
        assert done.stdout == "True cuda\n" * 3, done.stderr


def test_what_is_shown_of_them(module: Any) -> None:
    types = "native.f32 | float | native.i32"
    assert f"x: native.const_ptr[{types}], y: native.ptr[{types}]" in module.scale.__doc__
    assert "Writes a times x." in module.scale.__doc__
    assert str(inspect.signature(module.run)) == "(n, x, y, *, stream=None)"
    assert module.__transpile__["functions"]["total"]["instances"] == ((4,), (8,))
    assert module.__all__ == ["scale", "total", "run"]


def test_a_changed_variable_is_another_kernel() -> None:
    was, before = generic.T, generic.scale.fingerprint()
    x = np.ones(4, np.int8)
    try:
        generic.T = native.TypeVar("T", native.f32, native.i8)  # type: ignore[misc]
        assert generic.scale.fingerprint() != before
        y = np.zeros(4, np.int8)
        tile.launch(generic.scale, 1, 4, 5.0, x, y)
        assert y.tolist() == [5, 5, 5, 5]
    finally:
        generic.T = was  # type: ignore[misc]
    with pytest.raises(TypeError, match="not of int8"):
        tile.launch(generic.scale, 1, 4, 1.0, x, x)


def test_a_variable_of_nothing_known() -> None:
    with pytest.raises(TypeError, match="str is not an element type"):
        native.TypeVar("T", str)
    with pytest.raises(ValueError, match="f32 is given twice"):
        native.TypeVar("T", native.f32, native.f32)
    with pytest.raises(ValueError, match="wants the types"):
        native.TypeVar("T")
    with pytest.raises(TypeError, match="its name in quotes first, not type"):
        native.TypeVar(int, native.f32)  # type: ignore[arg-type]
    with transpile.target("reference"), pytest.raises(TypeError, match="of float32 or float64 or int32, not NoneType"):
        tile.launch(generic.scale, 1, 4, 1.0, None, np.zeros(4))
    assert repr(generic.T) == "native.TypeVar('T', f32, f64, i32)"


def test_a_fault_says_in_which_instance(tmp_path: Any) -> None:
    file = tmp_path / "odd.py"
    file.write_text(
        "from transpile import native, tile\n\nT = native.TypeVar('T', int, native.f32)\n\n\n"
        "@tile.kernel\ndef odd(x: native.ptr[T]) -> None:\n    tile.store(x, 0, tile.load(x, 1) & 1)\n"
    )
    spec = importlib.util.spec_from_file_location("odd", file)
    assert spec is not None
    assert spec.loader is not None
    odd = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(odd)
    x = np.array([0, 3])
    tile.launch(odd.odd, 1, x)
    assert x[0] == 1
    with pytest.raises(CompileError, match=r"in the instance where T = native.f32"):
        tile.launch(odd.odd, 1, np.zeros(2, np.float32))

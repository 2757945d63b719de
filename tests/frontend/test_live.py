"""Functions of the running program: closures, globals as they are now, other modules, text that is gone."""

from __future__ import annotations

import enum
import importlib.util
import linecache
import math
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import numpy as np
import pytest

from tests.frontend.loading import HEADER
from transpile import cuda, native, tile
from transpile.diagnostics.core import Diagnostic, Sink
from transpile.diagnostics.render import render_all
from transpile.frontend.load import load_function
from transpile.ir import hir

SCALE = 2.0


@cuda.device
def double(v: float) -> float:
    return v * SCALE


def host(v: float) -> float:
    return v


def make(scale: Any, function: Any) -> FunctionType:
    @cuda.kernel(alias=True)
    def inner(x: native.ptr[float]) -> None:
        i = cuda.global_id()
        native.store(native.offset(x, i), function(native.load(x)) * scale)

    return inner.function


def _load(function: FunctionType) -> tuple[hir.Module | None, tuple[Diagnostic, ...]]:
    sink = Sink()
    return load_function(function, sink), tuple(sink)


def _good(function: FunctionType) -> hir.Module:
    module, faults = _load(function)
    assert module is not None
    assert not faults, render_all(faults)
    return module


def _module(path: Path, text: str) -> ModuleType:
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_closure_cells_and_globals_are_captured() -> None:
    module = _good(make(3, double))
    assert [(each.key, each.captured) for each in module.functions] == [
        ("double", (("SCALE", 2.0),)),
        ("inner", (("scale", 3),)),
    ]
    assert module.functions[-1].alias
    assert module.functions[-1].kind == "thread"


def test_columns_of_an_indented_kernel_are_the_file_s() -> None:
    _, (fault,) = _load(make(3, host))
    span = fault.primary.span
    assert span.text() == "function(native.load(x))"
    assert span.line == make.__code__.co_firstlineno + 4
    assert fault.secondary[0].span.text() == "host"


def test_values_are_those_of_now(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _good(double.function).functions[-1].captured == (("SCALE", 2.0),)
    monkeypatch.setitem(globals(), "SCALE", 5)
    assert _good(double.function).functions[-1].captured == (("SCALE", 5),)


class Size(enum.IntEnum):
    SMALL = 4


@pytest.mark.parametrize(
    ("value", "captured"),
    [(True, True), (7, 7), (-0.0, -0.0), (math.inf, math.inf), (Size.SMALL, 4), (np.float64(2.5), 2.5)],
)
def test_numbers_are_captured_as_python_s_own(value: object, captured: object) -> None:
    ((_, found),) = _good(make(value, double)).functions[-1].captured
    assert (type(found), repr(found)) == (type(captured), repr(captured))


@pytest.mark.parametrize(
    ("value", "what"),
    [
        ([1], "a list"),
        ("text", "a str"),
        (None, "None"),
        (np.float32(1), "a float32"),
        (np.zeros(3), "a ndarray"),
        (1j, "a complex"),
        (Size, "a class"),
        ((1, 2), "a tuple"),
    ],
)
def test_other_values_are_refused(value: object, what: str) -> None:
    _, (fault,) = _load(make(value, double))
    assert fault.code == "captured-type"
    assert fault.message.startswith(f"'scale' is {what};")


@pytest.mark.parametrize(
    ("function", "code"),
    [
        (host, "host-call"),
        (math.tan, "host-call"),
        (np.sqrt, "host-call"),
        (3, "not-callable"),
        (print, "unsupported-syntax"),
    ],
)
def test_functions_that_kernels_cannot_call(function: object, code: str) -> None:
    _, faults = _load(make(2.0, function))
    assert [fault.code for fault in faults] == [code]


@pytest.mark.parametrize(
    ("function", "name"),
    [(math.sqrt, "math.sqrt"), (abs, "builtin.abs"), (float, "builtin.float"), (cuda.shfl, "cuda.shfl")],
)
def test_functions_of_the_language_under_other_names(function: Callable[..., object], name: str) -> None:
    store = _good(make(2.0, function)).functions[-1].body[1].value  # type: ignore[union-attr]
    assert isinstance(store, hir.Call)
    product = store.arguments[1].value
    assert isinstance(product, hir.Binary)
    assert isinstance(product.left, hir.Call)
    assert product.left.callee == hir.Intrinsic(name)


def test_two_closures_of_one_name_are_two_functions() -> None:
    def factory(by: float) -> Any:
        @cuda.device
        def shift(v: float) -> float:
            return v + by

        return shift

    up, down = factory(1.0), factory(-1.0)

    @cuda.kernel
    def both(x: native.ptr[float]) -> None:
        native.store(x, up(down(native.load(x))))

    functions = _good(both.function).functions
    assert len({each.key for each in functions}) == 3
    assert sorted(each.captured for each in functions[:2]) == [(("by", -1.0),), (("by", 1.0),)]


SIZES: tuple[int, ...] = (1, 2, 3)
ROOT = math.sqrt


def test_a_name_that_means_something_else_at_the_next_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    @cuda.device
    def measure(v: float) -> float:
        return ROOT(v) * len(SIZES)

    assert _good(measure.function).functions[0].captured == (("len(SIZES)", 3),)
    assert measure(-4.0) != measure(-4.0)
    monkeypatch.setitem(globals(), "ROOT", abs)
    assert measure(-4.0) == 12.0
    monkeypatch.setitem(globals(), "SIZES", (1, 2))
    assert measure(-4.0) == 8.0


def test_cell_that_is_still_empty() -> None:
    @tile.kernel
    def early(x: native.ptr[float]) -> None:
        tile.store(x, 0, late)

    _, (fault,) = _load(early.function)
    assert fault.code == "not-static"
    late = 1.0


def test_device_function_of_another_module(tmp_path: Path) -> None:
    other = _module(
        tmp_path / "curves.py",
        f"{HEADER}OFFSET = 4\n\n\n@cuda.device\ndef curve(v: float) -> float:\n    return v + OFFSET\n",
    )
    module = _good(make(1, other.curve))
    curve = module.functions[0]
    assert (curve.key, curve.captured) == ("curves.curve", (("OFFSET", 4),))
    assert [Path(file.name).name for file in module.files] == ["test_live.py", "curves.py"]


FILL = f"{HEADER}\n\n@tile.kernel\ndef fill(x: native.ptr[float]) -> None:\n    tile.store(x, 0, 1.0)\n"


@pytest.mark.parametrize(
    ("before", "after", "code"),
    [
        ("1.0", "2.0", "source-changed"),
        ("tile.store", "tile.sum", "source-changed"),
        ("@tile.kernel", "\n@tile.kernel", "source-changed"),
        ("def fill", "def full", "source-changed"),
        ("1.0)", "1.0", "source-changed"),
        ("1.0)\n", "1.0)  # a comment\n\n\nOTHER = 2\n", ""),
    ],
)
def test_file_edited_since_it_was_loaded(tmp_path: Path, before: str, after: str, code: str) -> None:
    path = tmp_path / "fills.py"
    module = _module(path, FILL)
    path.write_text(FILL.replace(before, after))
    _, faults = _load(module.fill.function)
    assert [fault.code for fault in faults] == ([code] if code else [])


def test_text_of_a_notebook_cell_is_found() -> None:
    name = "<cell 7>"
    space: dict[str, Any] = {}
    exec(compile(FILL, name, "exec"), space)
    assert [fault.code for fault in _load(space["fill"].function)[1]] == ["no-source"]
    linecache.cache[name] = (len(FILL), None, FILL.splitlines(keepends=True), name)
    assert _good(space["fill"].function).functions[-1].name == "fill"
    del linecache.cache[name]


def test_assertion_rewriting_is_not_taken_for_an_edit() -> None:
    @cuda.device
    def checked(v: float) -> float:
        assert v > 0.0
        return v

    _, faults = _load(checked.function)
    assert not faults

"""Decorated functions: what they are, when they are checked, what they capture, where they run."""

from __future__ import annotations

import builtins
import importlib.util
import inspect
import subprocess
import sys
import threading
import traceback
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import transpile
from tests.lang import kernels
from transpile import CompileError, KernelFault, cuda, native, tile
from transpile.frontend import vocabulary
from transpile.lang.dtype_names import dtype_named
from transpile.lang.kernel import Kernel

ROOT = Path(__file__).parents[2]


def load(folder: Path, text: str, name: str = "written") -> ModuleType:
    """The module of a file that holds `text`."""
    path = folder / f"{name}.py"
    path.write_text(text, encoding="utf-8")
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_decorated_function_keeps_its_face() -> None:
    assert kernels.twice.__name__ == "twice"
    assert kernels.twice.__doc__ == "Writes a times x."
    assert list(inspect.signature(kernels.twice).parameters) == ["n", "a", "x", "y"]
    assert inspect.isfunction(kernels.twice.function)
    assert kernels.rotate.alias
    assert not kernels.twice.alias
    assert kernels.half.__doc__ == "Half of v."
    assert repr(kernels.grow) == "<thread kernel grow>"


def test_a_kernel_cannot_be_called() -> None:
    with pytest.raises(
        TypeError, match=r"^twice is a tile kernel and cannot be called; launch it: tile.launch\(twice, grid, …\)$"
    ):
        kernels.twice(1)
    with pytest.raises(TypeError, match=r"cuda.launch\(grow, grid, block, …\)"):
        kernels.grow()
    with pytest.raises(
        TypeError, match=r"^twice\[…\] is for kernels of a built module; launch it: tile.launch\(twice, grid, …\)$"
    ):
        kernels.twice[1]


def test_every_type_that_a_kernel_may_name_is_there() -> None:
    for name, dtype in vocabulary.TYPE_NAMES.items():
        module, _, word = name.partition(".")
        found = getattr(native if module == "native" else builtins, word)
        assert dtype_named(found) is dtype


def test_a_launch_wants_a_kernel_of_its_kind() -> None:
    with pytest.raises(TypeError, match=r"^tile.launch: grow is a thread kernel; use cuda.launch$"):
        tile.launch(kernels.grow, 1, np.zeros(4))
    with pytest.raises(TypeError, match=r"^cuda.launch: twice is a tile kernel; use tile.launch$"):
        cuda.launch(kernels.twice, 1, 1)
    with pytest.raises(TypeError, match=r"launcher is not a kernel; decorate a function with @tile.kernel$"):
        tile.launch(kernels.launcher, 1)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"^@tile.kernel decorates a function, not int$"):
        tile.kernel(3)  # type: ignore[call-overload]


@pytest.mark.parametrize(
    "call",
    [
        lambda: tile.arange(4),
        lambda: cuda.syncthreads(),
        lambda: native.fma(1.0, 2.0, 3.0),
        lambda: cuda.shared[float, 4](),
        lambda: tile.sum(3),
    ],
)  # type: ignore[arg-type]
def test_the_language_means_nothing_outside(call: Any) -> None:
    with pytest.raises(RuntimeError, match="only means something inside a kernel"):
        call()


def test_a_launcher_is_ordinary_python() -> None:
    x = np.zeros(8)
    kernels.launcher(8, x)
    assert x.tolist() == [1.0] * 8


def test_device_functions_can_be_called() -> None:
    assert kernels.half(3.0) == 1.5
    assert kernels.half(v=3) == 1.5
    assert kernels.hypotenuse(3.0, 4.0) == 5.0
    assert kernels.steps(27) == 111
    assert type(kernels.steps(7)) is int
    assert kernels.below(0.5, 1) is True
    assert kernels.half(np.float32(2)) == 1.0
    for call, message in [
        (lambda: kernels.half(), "half: argument 'v' is missing"),
        (lambda: kernels.half(1.0, 2.0), "half: takes 1 argument, but 2 were given"),
        (lambda: kernels.half(1.0, v=2.0), "half: argument 'v' is given twice"),
        (lambda: kernels.half(w=2.0), "half: argument 'v' is missing"),
        (lambda: kernels.steps(1.0), "steps: argument 'n' must be an int, not float"),
    ]:
        with pytest.raises(TypeError) as caught:
            call()  # type: ignore[no-untyped-call]
        assert str(caught.value) == message


def test_each_static_value_is_an_instance() -> None:
    x, out = np.arange(64.0), np.zeros(1)
    for size in (4, 64, 8, 4):
        tile.launch(kernels.fold, 1, size, x, out)
        assert out[0] == sum(range(size))
    with pytest.raises(TypeError, match=r"^fold: argument 'size' must be an int, not float$"):
        tile.launch(kernels.fold, 1, 4.0, x, out)
    with pytest.raises(CompileError, match="power of two"):
        tile.launch(kernels.fold, 1, 48, x, out)


def test_captured_values_are_read_at_each_launch(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.full(4, 8.0)
    tile.launch(kernels.scale, 1, x)
    assert x.tolist() == [8.0] * 4
    monkeypatch.setattr(kernels, "SCALE", 4.0)
    tile.launch(kernels.scale, 1, x)
    assert x.tolist() == [16.0] * 4
    monkeypatch.setattr(kernels, "SCALE", 4)
    tile.launch(kernels.scale, 1, x)
    assert x.tolist() == [32.0] * 4
    monkeypatch.undo()
    tile.launch(kernels.scale, 1, x)
    assert x.tolist() == [32.0] * 4


def test_a_device_function_may_be_put_in_the_place_of_another(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    other = load(
        tmp_path, "from transpile import cuda\n\n\n@cuda.device\ndef half(v: float) -> float:\n    return v - 1.0\n"
    )
    x = np.full(4, 8.0)
    monkeypatch.setattr(kernels, "half", other.half)
    tile.launch(kernels.scale, 1, x)
    assert x.tolist() == [14.0] * 4


CAPTURED = """\
from transpile import cuda, native
LEVEL = 1.0

@cuda.device
def lift(v: float) -> float:
    return v + LEVEL

@cuda.kernel
def raise_all(x: native.ptr[float]) -> None:
    slot = native.offset(x, cuda.global_id())
    native.store(slot, lift(native.load(slot)))

def make(by):
    @cuda.kernel
    def add(x: native.ptr[float]) -> None:
        slot = native.offset(x, cuda.global_id())
        native.store(slot, native.load(slot) + by)
    return add
"""


def test_what_a_device_function_captures_counts_too(tmp_path: Path) -> None:
    module = load(tmp_path, CAPTURED)
    x = np.zeros(2)
    cuda.launch(module.raise_all, 1, 2, x)
    module.LEVEL = 10.0
    cuda.launch(module.raise_all, 1, 2, x)
    assert x.tolist() == [11.0, 11.0]


def test_closures_each_have_their_value(tmp_path: Path) -> None:
    module = load(tmp_path, CAPTURED)
    x = np.zeros(2)
    for by in (1.0, 5.0, float("inf"), -0.0):
        cuda.launch(module.make(by), 1, 2, x)
    assert x.tolist() == [float("inf")] * 2


def test_a_fault_is_the_rendered_diagnostic(tmp_path: Path) -> None:
    module = load(tmp_path, CAPTURED)
    with pytest.raises(KernelFault) as caught:
        cuda.launch(module.raise_all, 3, 4, np.zeros(9))
    text = str(caught.value)
    assert text.startswith("error[out-of-bounds]: load outside of 'x'")
    assert "written.py:11:" in text
    assert "index 9, but 'x' has 9 elements" in text
    assert "in block 2, thread 1" in text


def test_errors_come_without_our_frames(tmp_path: Path) -> None:
    module = load(tmp_path, CAPTURED)
    for arguments in ([np.zeros(9)], [3], []):
        with pytest.raises((KernelFault, TypeError)) as caught:
            cuda.launch(module.raise_all, 3, 4, *arguments)
        frames = traceback.extract_tb(caught.value.__traceback__)
        assert len(frames) <= 3
        assert caught.value.__cause__ is None
        assert caught.value.__suppress_context__


def test_every_fault_of_a_kernel_is_raised_at_once(tmp_path: Path) -> None:
    module = load(
        tmp_path,
        "from transpile import native, tile\n\n\n@tile.kernel\ndef bad(x: native.ptr[float]) -> None:\n"
        "    a = tile.arange(48)\n    b = tile.load(x, 1.5)\n",
    )
    for _ in range(2):
        with pytest.raises(CompileError) as caught:
            tile.launch(module.bad, 1, np.zeros(4))
        assert {diagnostic.primary.span.line for diagnostic in caught.value.diagnostics} == {6, 7}
        assert str(caught.value).startswith("error[")


def test_a_function_without_source_says_so() -> None:
    space: dict[str, Any] = {}
    exec("from transpile import native, tile\n@tile.kernel\ndef lost(x: native.ptr[float]) -> None:\n    pass\n", space)
    with pytest.raises(CompileError, match="lost"):
        tile.launch(space["lost"], 1, np.zeros(4))


def test_targets(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.zeros(4)
    with transpile.target("reference"):
        cuda.launch(kernels.grow, 1, 4, x)
    assert cuda.target(kernels.grow) == "reference"
    assert not cuda.compiled(kernels.grow)
    message = "transpile.target: 'gpu' is not a target; take reference, cpu, cuda, hip or auto"
    with pytest.raises(ValueError, match=f"^{message}$"), transpile.target("gpu"):
        pass
    monkeypatch.setenv("TRANSPILE", "fpga")
    with pytest.raises(ValueError, match=r"^TRANSPILE: 'fpga' is not a target"):
        cuda.launch(kernels.grow, 1, 4, x)
    with transpile.target("reference"):
        cuda.launch(kernels.grow, 1, 4, x)
    monkeypatch.setenv("TRANSPILE", "hip")
    with pytest.raises(RuntimeError, match="do not compile for hip while a program runs; `python -m transpile build"):
        cuda.launch(kernels.grow, 1, 4, x)
    assert x.tolist() == [2.0] * 4


def test_a_target_is_chosen_for_one_thread_of_python_alone() -> None:
    seen = []
    with transpile.target("cuda"):
        worker = threading.Thread(target=lambda: seen.append(tile.target(tile.kernel(kernels.twice.function))))
        worker.start()
        worker.join()
    assert seen == ["reference"]


def test_a_second_launch_checks_nothing_again(monkeypatch: pytest.MonkeyPatch) -> None:
    kernel: Kernel = kernels.twice
    first = kernel.program([4, 2.0, None, None])
    monkeypatch.setattr("transpile.pipeline.load_live", None)
    assert kernel.program([5, 3.0, None, None]) is first


def test_importing_is_cheap() -> None:
    code = (
        "import sys; from transpile import cuda, native, tile\n"
        "sys.exit(any(name in sys.modules for name in ('numpy', 'libcst', 'jinja2', 'rich', 'transpile.pipeline')))"
    )
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, timeout=60, check=False).returncode == 0


def test_unknown_names() -> None:
    with pytest.raises(AttributeError, match="'transpile' has no attribute 'nothing'"):
        transpile.nothing  # noqa: B018
    assert {"cuda", "native", "tile", "target"} <= set(dir(transpile))


def test_streams_are_of_devices() -> None:
    """Where there is none an int may stand for one."""
    x = np.zeros(64)
    for target in ("reference", "cpu"):
        with transpile.target(target):
            tile.launch(kernels.twice, 1, 4, 2.0, np.ones(4), x[:4], stream=0)
            with pytest.raises(TypeError, match=r"^twice: stream must be None or an int, not object"):
                tile.launch(kernels.twice, 1, 4, 2.0, np.ones(4), x[:4], stream=object())

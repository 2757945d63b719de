"""Programs through KIR, evaluated strictly, give the reference's bits: the hand-made ones and generated ones."""

from __future__ import annotations

from dataclasses import fields, is_dataclass, replace
from pathlib import Path
from typing import Any, Final

import numpy as np
import pytest

from tests.fuzz.generate import by_seed
from tests.fuzz.program import module_instances, module_text
from tests.lowering_kir.evaluate import Machine
from tests.lowering_kir.running import check_kir
from tests.support.everywhere import Step, Text
from transpile import dtypes
from transpile.backends.table import BACKENDS
from transpile.ir import kir
from transpile.lowering.fold import fold_module
from transpile.lowering.lower import lower_module
from transpile.typing.types import Size

PROGRAMS: Final = Path(__file__).parent / "programs"


def source(name: str) -> Text:
    return Text((PROGRAMS / f"{name}.py").read_text(encoding="utf-8"), name)


def arrays() -> dict[str, Any]:
    values = np.random.default_rng(5).standard_normal(400) * 3
    return {"x": values, "out": np.zeros(400), "counts": np.zeros(400, np.int64)}


@pytest.mark.parametrize("n", [0, 1, 40, 64])
def test_variables(n: int) -> None:
    check_kir(source("variables"), [Step("all_of_them", (2,), (32,), (n, "x", "out", "counts"))], arrays())


@pytest.mark.parametrize("kernel", ["tree", "butterfly"])
def test_exchanges(kernel: str) -> None:
    check_kir(source("exchanges"), [Step(kernel, (3,), (64,), ("x", "out"))], arrays())


@pytest.mark.parametrize("n", [2, 5])
@pytest.mark.parametrize(("kernel", "block"), [("leaves_early", (64,)), ("skips", (16, 3)), ("skips", (5, 2))])
def test_threads_that_leave(kernel: str, block: tuple[int, ...], n: int) -> None:
    check_kir(source("exchanges"), [Step(kernel, (1,), block, (n, "x", "out"))], arrays())


@pytest.mark.parametrize("cols", [8, 64, 1024, 2048])
def test_instances_of_a_tile_kernel(cols: int) -> None:
    values = np.random.default_rng(1).standard_normal(2048)
    held = {"x": values, "out": np.zeros(2048)}
    check_kir(source("instances"), [Step(f"relief__{cols}", (1,), None, (cols, "x", "out", 2.0))], held)


@pytest.mark.parametrize("period", [5, 7])
def test_instances_of_a_thread_kernel(period: int) -> None:
    check_kir(source("instances"), [Step(f"spread__{period}", (2,), (32,), ("out", period, 50))], arrays())


@pytest.mark.parametrize("backend", ["cuda", "cpu"])
def test_instances_share_a_template_and_run_as_it(backend: str) -> None:
    """The template's body, its names given an instance's numbers, does what the instance does."""
    module = lower_module(fold_module(source("instances").typed), BACKENDS[backend])
    merged = [function for function in module.functions if function.template is not None]
    assert {function.key for function in merged} >= {"relief__1024", "relief__2048", "spread__5", "spread__7"}
    for function in merged:
        assert function.template is not None
        place = [each.key for each in merged if each.template is function.template].index(function.key)
        numbers = {size.name: size.values[place] for size in function.template.sizes}
        given = replace(function, body=_with(function.template.body, numbers))
        values = np.random.default_rng(2).standard_normal(2048)
        ends = [_run(replace(module, functions=(each,)), backend, values.copy()) for each in (function, given)]
        assert ends[0].tobytes() == ends[1].tobytes()


def _with(node: Any, numbers: dict[str, int]) -> Any:
    """A tree with numbers instead of the names of a template."""
    if isinstance(node, Size):
        return numbers[node.name]
    if isinstance(node, kir.Var) and node.name in numbers:
        return kir.Lit(numbers[node.name], dtypes.I64)
    if isinstance(node, tuple):
        return tuple(_with(part, numbers) for part in node)
    if not is_dataclass(node) or isinstance(node, dtypes.DType):
        return node
    compared = (part.name for part in fields(node) if part.compare)
    return replace(node, **{name: _with(getattr(node, name), numbers) for name in compared})  # type: ignore[type-var]


def _run(module: kir.Module, backend: str, values: Any) -> Any:
    (function,) = module.functions
    machine = Machine(module, backend != "cpu")
    if function.kind == "tile":
        machine.run(function.key, (1, 1, 1), (1, 1, 1), [values, values, 2.0])
    else:
        machine.run(function.key, (2, 1, 1), (32, 1, 1), [values, 50])
    return values


@pytest.mark.parametrize("number", range(40))
def test_generated_programs(number: int) -> None:
    program = by_seed(number)
    text = Text(module_text([program]), "fuzz", module_instances([program]))
    check_kir(text, program.numbered_steps(0), program.make_arrays())

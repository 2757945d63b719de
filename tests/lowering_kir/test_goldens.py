"""The KIR of small programs, to the letter. `python -m tests.lowering_kir.test_goldens` writes the texts anew."""

from __future__ import annotations

from pathlib import Path
from typing import Final

import pytest

from tests.support.everywhere import Text
from transpile.backends.table import BACKENDS
from transpile.ir.print_kir import print_kir
from transpile.ir.verify_kir import verify_kir
from transpile.lowering.fold import fold_module
from transpile.lowering.lower import lower_module

HERE: Final = Path(__file__).parent
EXAMPLES: Final = Path(__file__).parents[2] / "examples"
PROGRAMS: Final = {path.stem: path for path in sorted((HERE / "programs").glob("*.py"))} | {
    name: EXAMPLES / f"{name}.py" for name in ("saxpy", "tiles")
}
CASES: Final = [(name, backend) for name in PROGRAMS for backend in ("cuda", "cpu")]


def golden(name: str, backend: str) -> Path:
    return HERE / "goldens" / f"{name}.{backend}.kir"


def text_of(name: str, backend: str) -> str:
    typed = Text(PROGRAMS[name].read_text(encoding="utf-8"), name).typed
    module = lower_module(fold_module(typed), BACKENDS[backend])
    verify_kir(module, is_gpu=BACKENDS[backend].is_gpu)
    return print_kir(module)


@pytest.mark.parametrize(("name", "backend"), CASES)
def test_the_kir_is_as_written(name: str, backend: str) -> None:
    assert text_of(name, backend) == golden(name, backend).read_text(encoding="utf-8")


@pytest.mark.parametrize(("name", "backend"), CASES)
def test_the_same_twice(name: str, backend: str) -> None:
    assert text_of(name, backend) == text_of(name, backend)


if __name__ == "__main__":
    (HERE / "goldens").mkdir(exist_ok=True)
    for case in CASES:
        golden(*case).write_text(text_of(*case), encoding="utf-8")

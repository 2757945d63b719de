"""The texts that the compilers are given."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Final

from tests.fuzz.generate import by_hypothesis
from tests.fuzz.program import module_instances, module_text
from tests.support.everywhere import Text

ROOT: Final = Path(__file__).parents[2]
NAMES: Final = ("zoo", "tiles", "saxpy", "generated", "accesses")

ACCESSES: Final = ("atomics", "several")


@cache
def text_of(name: str) -> Text:
    """The kernels of the zoo, of an example, or some that were generated."""
    if name == "generated":
        programs = by_hypothesis(777, 12)
        return Text(module_text(programs), "generated", module_instances(programs))
    if name == "accesses":
        programs_of_run = ROOT / "tests" / "run" / "programs"
        return Text("".join((programs_of_run / f"{one}.py").read_text(encoding="utf-8") for one in ACCESSES), name)
    folder = Path(__file__).parent if name == "zoo" else ROOT / "examples"
    return Text((folder / f"{name}.py").read_text(encoding="utf-8"), name)

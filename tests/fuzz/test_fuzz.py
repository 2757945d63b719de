"""Programs that nobody wrote, on every target; what they reach together; and those that once failed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import pytest

from tests.fuzz import store
from tests.fuzz.coverage import reached
from tests.fuzz.generate import by_hypothesis, masked_by_seed
from tests.fuzz.program import Program
from tests.fuzz.run import check_programs
from tests.support.everywhere import Target
from transpile.ir import kir, tir
from transpile.ops.table import OPERATIONS, REDUCTIONS

MODULES: Final = 10
PROGRAMS: Final = 52  # in each module
MASKED: Final = 8
KEPT: Final = store.read_all()
# What stands in launchers, and the frames of functions.
# Programs print nothing: what that gives is text, and bits are compared here.
NOT_IN_KERNELS: Final = {
    *("tir:Print", "kir:Print"),
    *("tir:Launch", "tir:Module", "tir:Function", "tir:Parameter"),
    *("kir:Launch", "kir:Checked", "kir:Launcher", "kir:Module"),
}
STATEMENTS: Final = (
    "Assign", "AugAssign", "AnnAssign", "If", "For", "While", "Break", "Continue", "Return", "Pass", "Expr", "IfExp",
    "BoolOp", "Compare", "Tuple",
)  # fmt: skip


@pytest.mark.parametrize("number", range(MODULES))
def test_programs_give_the_same_bits_everywhere(number: int, targets: Sequence[Target]) -> None:
    programs = by_hypothesis(number, PROGRAMS)
    assert len(programs) == PROGRAMS
    failures = check_programs(programs, targets)
    assert not failures, "\n\n".join(str(failure) for failure in failures[:3])


def test_masks_of_narrow_elements_give_the_same_bits_everywhere(targets: Sequence[Target]) -> None:
    failures = check_programs([masked_by_seed(seed) for seed in range(MASKED)], targets)
    assert not failures, "\n\n".join(str(failure) for failure in failures[:3])


def test_programs_that_once_failed(targets: Sequence[Target]) -> None:
    failures = check_programs(list(KEPT.values()), targets)
    assert not failures, "\n\n".join(str(failure) for failure in failures)


def test_the_programs_reach_everything() -> None:
    """`+x` leaves no node: it is x."""
    wanted = {f"op:{name}" for name, row in OPERATIONS.items() if name != "pos" and not row.is_internal} | {
        f"fold:{name}" for name in REDUCTIONS
    }
    wanted |= {f"statement:{name}" for name in STATEMENTS}
    wanted |= {f"tir:{name}" for name in _node_names(tir)} - NOT_IN_KERNELS
    wanted |= {f"kir:{name}" for name in _node_names(kir)} - NOT_IN_KERNELS
    wanted |= {"dialect:tile", "dialect:thread", "dialect:device", "device call from tile", "device call from thread"}
    wanted |= {"loop that carries tiles", "two folds in a row", "barrier:block", "barrier:warp"}
    wanted |= {f"shuffle:{kind}" for kind in ("xor", "idx", "up", "down")}
    for number in range(MODULES):
        if wanted:
            needs_lowering = any(name.startswith("kir:") for name in wanted)
            wanted -= reached(by_hypothesis(number, PROGRAMS), lowered=needs_lowering)
    assert not wanted, sorted(wanted)


def _node_names(module: object) -> set[str]:
    return {
        name
        for name, value in vars(module).items()
        if isinstance(value, type) and value.__module__ == module.__name__ and hasattr(value, "__dataclass_fields__")  # type: ignore[attr-defined]
    }


def test_a_program_is_the_same_again() -> None:
    first, second = by_hypothesis(3, 5), by_hypothesis(3, 5)
    assert first == second
    assert all(isinstance(program, Program) for program in first)

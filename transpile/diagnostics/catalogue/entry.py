"""The catalogue: one row for each code, for `check --explain CODE` and for the documentation.

To add a code: write its typed function in `transpile/diagnostics/<area>.py`, add an `Entry` to the tuple of
`transpile/diagnostics/catalogue/<area>.py` (a new area is one more line in `table.py`), and run
`python -m pytest tests/diagnostics`: every example must give exactly its own code. Then put a bad program under
`tests/diagnostics/<code>/` and let `TRANSPILE_REGENERATE=1` write the `.err` beside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

How: TypeAlias = Literal["check", "run"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """One kind of fault.

    `example` is a whole program that has it and no other; `how` says what meets it: `check` reads the text, `run`
    executes the program. `shown` stands for an example that is too long to print. `fix` says what to write instead.
    """

    code: str
    title: str
    explanation: str
    example: str
    fix: str
    how: How = "check"
    shown: str = ""

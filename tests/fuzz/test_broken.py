"""Generated programs with a few words in wrong places: each is checked, or refused with its faults."""

from __future__ import annotations

import random
import re
import warnings
from typing import Final

import pytest

from tests.fuzz.generate import by_seed
from tests.fuzz.program import module_instances, module_text
from tests.support.everywhere import Text
from transpile.diagnostics.core import CompileError

WORD: Final = re.compile(r"[A-Za-z_][\w.]*|\d+|[-+*/%<>=!&|^~]+")


def broken(text: str, rng: random.Random) -> str:
    """The text with some words replaced by others of it; still Python."""
    for _ in range(rng.randint(1, 4)):
        words = list(WORD.finditer(text, text.index("@")))
        old, new = rng.choice(words), rng.choice(words)
        changed = text[: old.start()] + new.group() + text[old.end() :]
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                compile(changed, "broken.py", "exec")
        except SyntaxError:
            continue
        text = changed
    return text


@pytest.mark.parametrize("first", range(0, 60, 20))
def test_broken_programs_are_refused_with_their_faults(first: int) -> None:
    refused = 0
    for seed in range(first, first + 20):
        program = by_seed(40_000 + seed)
        text = Text(broken(module_text([program]), random.Random(seed)), "broken", module_instances([program]))
        try:
            assert text.typed.functions
        except CompileError:
            refused += 1
    assert 0 < refused < 20

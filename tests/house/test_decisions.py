"""Decisions are numbered one by one, and the index has each of them as it calls itself."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

FOLDER: Final = Path(__file__).parents[2] / "docs" / "decisions"
FILES: Final = sorted(FOLDER.glob("[0-9]*.md"))
INDEX: Final = (FOLDER / "README.md").read_text(encoding="utf-8")


def test_no_number_comes_twice_and_none_is_left_out() -> None:
    assert [path.name[:3] for path in FILES] == [f"{number:03}" for number in range(1, len(FILES) + 1)]


def test_the_index_lists_every_decision() -> None:
    titles = [path.read_text(encoding="utf-8").partition("\n")[0] for path in FILES]
    found = [re.fullmatch(r"# (\d+): (.+)", title) for title in titles]
    wanted = [f"- [{each[1]}]({path.name}): {each[2]}" for path, each in zip(FILES, found, strict=True) if each]
    assert [line for line in INDEX.split("\n") if line.startswith("- ")] == wanted

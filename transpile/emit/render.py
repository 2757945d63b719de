"""Unit -> text. The templates put decided text in place and decide nothing."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Final

from transpile.emit.comments import placed
from transpile.emit.unit import Unit

if TYPE_CHECKING:
    from jinja2 import Environment

TEMPLATES: Final = Path(__file__).resolve().parent.parent / "templates"


@cache
def environment() -> Environment:
    """Jinja, with an error for whatever a template names and the unit lacks."""
    from jinja2 import Environment, FileSystemLoader, StrictUndefined

    return Environment(
        loader=FileSystemLoader(TEMPLATES),
        undefined=StrictUndefined,
        autoescape=False,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def render_unit(unit: Unit) -> str:
    """The whole text of a file."""
    return finished(environment().get_template(unit.template).render(unit=unit), unit.file)


def finished(text: str, file: str) -> str:
    """The text with single blank lines at most, no blanks at the ends of lines, and `#line` markers filled in."""
    lines: list[str] = []
    for line in text.split("\n"):
        if line.strip() or (lines and lines[-1]):
            lines.append(line.rstrip())
    return "\n".join(placed(lines, file)).rstrip("\n") + "\n"

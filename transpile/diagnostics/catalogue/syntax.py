"""Rows of the catalogue: syntax."""

from __future__ import annotations

from typing import Final

from transpile.diagnostics.catalogue.entry import Entry

SYNTAX: Final[tuple[Entry, ...]] = ()

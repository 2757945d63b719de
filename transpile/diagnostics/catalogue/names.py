"""Rows of the catalogue: names."""

from __future__ import annotations

from typing import Final

from transpile.diagnostics.catalogue.entry import Entry

NAMES: Final[tuple[Entry, ...]] = ()

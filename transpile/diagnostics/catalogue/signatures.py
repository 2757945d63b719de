"""Rows of the catalogue: signatures."""

from __future__ import annotations

from typing import Final

from transpile.diagnostics.catalogue.entry import Entry

SIGNATURES: Final[tuple[Entry, ...]] = ()

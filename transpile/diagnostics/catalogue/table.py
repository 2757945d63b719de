"""All rows of the catalogue by code. How to add one: see `entry.py`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from transpile.diagnostics.catalogue.calls import CALLS
from transpile.diagnostics.catalogue.entry import Entry
from transpile.diagnostics.catalogue.flow import FLOW
from transpile.diagnostics.catalogue.launch import LAUNCH
from transpile.diagnostics.catalogue.memory import MEMORY
from transpile.diagnostics.catalogue.names import NAMES
from transpile.diagnostics.catalogue.reports import REPORTS
from transpile.diagnostics.catalogue.signatures import SIGNATURES
from transpile.diagnostics.catalogue.syntax import SYNTAX
from transpile.diagnostics.catalogue.types import TYPES
from transpile.diagnostics.catalogue.variables import VARIABLES

CATALOGUE: Final[Mapping[str, Entry]] = {
    entry.code: entry
    for entry in (*SYNTAX, *NAMES, *SIGNATURES, *TYPES, *VARIABLES, *MEMORY, *CALLS, *FLOW, *REPORTS, *LAUNCH)
}

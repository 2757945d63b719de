"""What repeats the table of operations is what the table gives: a row that changes changes it."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_what_is_written_from_the_table_is_current() -> None:
    found = subprocess.run([sys.executable, "scripts/from_table.py", "--check"], cwd=ROOT, timeout=60, check=False)
    assert found.returncode == 0, "run: python scripts/from_table.py"

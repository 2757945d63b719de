"""The page of operations is what the table gives: a row that changes changes the page."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def test_the_page_is_current() -> None:
    found = subprocess.run([sys.executable, "scripts/ops_page.py", "--check"], cwd=ROOT, timeout=60, check=False)
    assert found.returncode == 0, "run: python scripts/ops_page.py"

"""`python -m transpile`."""

from __future__ import annotations

import sys
from typing import NoReturn

from transpile.cli import main


def run() -> NoReturn:
    sys.exit(main(sys.argv[1:]))


if __name__ == "__main__":
    run()

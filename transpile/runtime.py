"""Where the project's C++ lies."""

from __future__ import annotations

from pathlib import Path


def runtime_folder() -> Path:
    """The project's C++: inside the installed package, or beside it in a checkout."""
    package = Path(__file__).resolve().parent
    inside = package / "runtime_cpp"
    return inside if inside.is_dir() else package.parent / "runtime_cpp"

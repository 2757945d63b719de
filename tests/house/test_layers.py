"""The layers of the package: a module imports only from its own row and from rows above it.

`lang/` reaches `live.py`, and through it the passes, by imports inside functions; that is the only exception, and it is
named here.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
PACKAGE: Final = ROOT / "transpile"
# From the bottom up. The longest prefix of a module's name says where it stands.
LAYERS: Final = (
    (
        "transpile.source",
        "transpile.dtypes",
        "transpile.settings",
        "transpile.runtime",
        "transpile.progress",
        "transpile.collector",
    ),
    ("transpile.rounding",),
    ("transpile.diagnostics.core", "transpile.diagnostics.raised", "transpile.diagnostics.render"),
    ("transpile.typing.types",),
    ("transpile.ops",),
    ("transpile.ir",),
    ("transpile.diagnostics",),
    ("transpile.typing",),
    ("transpile.frontend",),
    ("transpile.backends",),
    ("transpile.lowering",),
    ("transpile.reference",),
    ("transpile.lang", "transpile"),
    ("transpile.emit",),
    ("transpile.build",),
    ("transpile.pipeline", "transpile.live"),
    (
        "transpile.commands",
        "transpile.cli",
        "transpile.__main__",
        "transpile.build.setuptools",
        "transpile.build.generate",
    ),
)
LAZY_EXCEPTIONS: Final = (("transpile.lang", "transpile.live"),)
MODULES: Final = sorted(PACKAGE.rglob("*.py"))


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def layer(name: str) -> int:
    found = [
        (len(prefix), place)
        for place, row in enumerate(LAYERS)
        for prefix in row
        if name == prefix or (name.startswith(prefix + ".") and prefix != "transpile")
    ]
    assert found, f"{name} stands in no layer"
    return max(found)[1]


def imports(path: Path) -> Iterator[tuple[str, bool, int]]:
    """The modules of ours that a file imports when it runs, whether inside a function, and the line."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    lazy = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        for inner in ast.walk(node)
    }
    hints = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"
        for inner in ast.walk(node)
    }
    for node in ast.walk(tree):
        if id(node) in hints:
            continue
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}:{node.lineno}: imports are absolute"
            inner = [f"{node.module}.{alias.name}" for alias in node.names]
            names = [name if _is_module(name) else str(node.module) for name in inner]
        else:
            continue
        for name in names:
            if name == "transpile" or name.startswith("transpile."):
                yield name, id(node) in lazy, node.lineno


def _is_module(name: str) -> bool:
    base = ROOT.joinpath(*name.split("."))
    return base.with_suffix(".py").exists() or base.is_dir()


def test_a_module_imports_only_from_above() -> None:
    wrong = []
    for path in MODULES:
        own = module_name(path)
        for name, is_lazy, line in imports(path):
            allowed = is_lazy and any(own.startswith(a) and name.startswith(b) for a, b in LAZY_EXCEPTIONS)
            if layer(name) > layer(own) and not allowed:
                wrong.append(f"{path}:{line}: {own} may not import {name}")
    assert not wrong, "\n".join(wrong)


def importers_of(package: str) -> set[str]:
    found = set()
    for path in MODULES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
            names += [str(node.module)] if isinstance(node, ast.ImportFrom) else []
            if any(name == package or name.startswith(package + ".") for name in names):
                found.add(module_name(path))
    return found


def test_only_the_frontend_imports_libcst() -> None:
    assert all(name.startswith("transpile.frontend") for name in importers_of("libcst"))


def test_only_the_toolchain_starts_processes() -> None:
    assert importers_of("subprocess") <= {"transpile.build.toolchain"}

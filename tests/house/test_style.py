"""Rules of style that no linter knows: no global state, one reader of the environment, modules that open with words."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

ROOT: Final = Path(__file__).parents[2]
MODULES: Final = sorted((ROOT / "transpile").rglob("*.py"))
MUTABLE_CALLS: Final = ("list", "dict", "set", "defaultdict", "deque", "OrderedDict", "Counter", "local", "ContextVar")
# The one piece of state that a launch needs: which target `with transpile.target(...)` chose.
STATE: Final = ("transpile/lang/state.py", "transpile/lang/target.py")


def name_of(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def is_final(node: ast.stmt) -> bool:
    return isinstance(node, ast.AnnAssign) and ast.unparse(node.annotation).startswith(("Final", "TypeAlias"))


def mutable_globals(tree: ast.Module) -> Iterator[int]:
    """Lines of module-level names that hold something mutable and are not said to be constants."""
    for node in tree.body:
        value = node.value if isinstance(node, ast.Assign | ast.AnnAssign) else None
        if value is None or is_final(node):
            continue
        targets = node.targets if isinstance(node, ast.Assign) else []
        if any(isinstance(target, ast.Name) and target.id.startswith("__") for target in targets):
            continue
        literal = isinstance(value, ast.List | ast.Dict | ast.Set | ast.ListComp | ast.DictComp | ast.SetComp)
        called = isinstance(value, ast.Call) and ast.unparse(value.func).split(".")[-1] in MUTABLE_CALLS
        if literal or called:
            yield node.lineno


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_no_global_state(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    if name_of(path) in STATE:
        return
    assert not list(mutable_globals(tree)), f"{name_of(path)}:{next(mutable_globals(tree))}"
    assert not any(isinstance(node, ast.Global) for node in ast.walk(tree)), f"{name_of(path)} says `global`"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_the_environment_is_read_in_one_place(path: Path) -> None:
    if name_of(path) in ("transpile/settings.py", "transpile/build/toolchain.py"):
        return  # a compiler is handed the environment, whatever is in it
    source = path.read_text(encoding="utf-8")
    found = [word for word in ("os.environ", "getenv") if word in source]
    assert not found, f"{name_of(path)} uses {found}"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_a_module_says_what_it_is(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    assert not tree.body or ast.get_docstring(tree), f"{name_of(path)} has no opening sentence"


@pytest.mark.parametrize("path", MODULES, ids=name_of)
def test_every_except_names_what_it_expects(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    bare = [node.lineno for node in ast.walk(tree) if isinstance(node, ast.ExceptHandler) and node.type is None]
    assert not bare, f"{name_of(path)}:{bare}"

"""Rules of style that no linter knows: no global state, one reader of the environment, modules that open with words."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]
MODULES: Final = sorted((ROOT / "transpile").rglob("*.py"))
MUTABLE_CALLS: Final = ("list", "dict", "set", "defaultdict", "deque", "OrderedDict", "Counter", "local", "ContextVar")
# The one piece of state that a launch needs: which target `with transpile.target(...)` chose.
STATE: Final = ("transpile/lang/target.py",)


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


@cache
def trees() -> dict[str, ast.Module]:
    return {name_of(path): ast.parse(path.read_text(encoding="utf-8")) for path in MODULES}


def test_no_global_state() -> None:
    wrong = []
    for name, tree in trees().items():
        if name in STATE:
            continue
        wrong += [f"{name}:{line}" for line in mutable_globals(tree)]
        wrong += [f"{name}:{node.lineno}: global" for node in ast.walk(tree) if isinstance(node, ast.Global)]
    assert not wrong, wrong


def test_the_environment_is_read_in_one_place() -> None:
    allowed = ("transpile/settings.py", "transpile/build/toolchain.py")  # a compiler is handed all of it
    sources = {name_of(path): path.read_text(encoding="utf-8") for path in MODULES}
    wrong = [name for name, text in sources.items() if "os.environ" in text or "getenv" in text]
    assert not [name for name in wrong if name not in allowed], wrong


def test_a_module_says_what_it_is() -> None:
    assert not [name for name, tree in trees().items() if tree.body and not ast.get_docstring(tree)]


def test_modules_are_nouns_of_the_pipeline() -> None:
    vague = {"common", "helpers", "manager", "misc", "utils"}
    assert not [name_of(path) for path in MODULES if vague & {*name_of(path).removesuffix(".py").split("/")}]


def test_every_except_names_what_it_expects() -> None:
    handlers = [
        f"{name}:{node.lineno}"
        for name, tree in trees().items()
        for node in ast.walk(tree)
        if isinstance(node, ast.ExceptHandler) and node.type is None
    ]
    assert not handlers, handlers

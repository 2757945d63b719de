"""Makes a failing program smaller: fewer statements, simpler expressions, as long as it fails in the same way.

Candidates are tried many to a module, so that a round costs one compilation.
"""

from __future__ import annotations

import ast
import copy
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from tests.fuzz.program import Program
from tests.fuzz.run import check_programs
from tests.support.everywhere import Target

BATCH: Final = 16
ROUNDS: Final = 60


def manner(message: str) -> str:
    """How a program fails, without the values."""
    if "CompileError" in message:
        return "refused: " + ",".join(sorted(set(re.findall(r"error\[([\w-]+)\]", message))))
    for pattern, name in (
        (r"differ; ", "differs"),
        (r"DeviceError: ", "fault"),
        (r"the process ended", "crash"),
        (r"no answer in time", "hang"),
        (r"emitting \w+ twice", "not deterministic"),
        (r"returned -?\d+$", "status"),
        (r"CompilerError", "emitted text does not compile"),
        (r"a store outside", "store outside"),
    ):
        if re.search(pattern, message):
            return name
    return message.strip().split("\n")[-1][:60]


def minimise(program: Program, message: str, targets: Sequence[Target]) -> Program:
    """The smallest program found that fails like this one."""
    wanted = manner(message)
    for _ in range(ROUNDS):
        smaller = _first_failing(program, wanted, targets)
        if smaller is None:
            return program
        program = smaller
    return program


def _first_failing(program: Program, wanted: str, targets: Sequence[Target]) -> Program | None:
    pending: list[Program] = []
    for candidate in candidates(program):
        pending.append(candidate)
        if len(pending) == BATCH:
            found = _failing(pending, wanted, targets)
            if found is not None:
                return found
            pending = []
    return _failing(pending, wanted, targets)


def _failing(programs: list[Program], wanted: str, targets: Sequence[Target]) -> Program | None:
    failures = check_programs(programs, targets)
    alike = [failure.program for failure in failures if manner(failure.message) == wanted]
    return min(alike, key=lambda one: len(one.text)) if alike else None


def candidates(program: Program) -> Iterator[Program]:
    """Smaller programs, the boldest first."""
    tree = ast.parse(program.text)
    seen = {program.text}
    for text in _texts(tree):
        if text not in seen:
            seen.add(text)
            yield replace(program, text=text)


def _texts(tree: ast.Module) -> Iterator[str]:
    count = sum(1 for _ in _bodies(tree))
    for place in range(count):
        length = len(next(body for at, body in enumerate(_bodies(tree)) if at == place))
        for size in dict.fromkeys((length, max(1, length // 2), max(1, length // 4), 1)):
            for start in range(0, length, size):
                yield _without(tree, place, start, size)
    for place in range(count):
        length = len(next(body for at, body in enumerate(_bodies(tree)) if at == place))
        for start in range(length):
            yield from _flattened(tree, place, start)
    yield from _simpler(tree)


def _bodies(tree: ast.AST) -> Iterator[list[ast.stmt]]:
    for node in ast.walk(tree):
        for name in ("body", "orelse"):
            body = getattr(node, name, None)
            if isinstance(body, list) and body:
                yield body


def _without(tree: ast.Module, place: int, start: int, size: int) -> str:
    copied = copy.deepcopy(tree)
    bodies = list(_bodies(copied))
    body = bodies[place]
    del body[start : start + size]
    if not body and place > 0:
        body.append(ast.Pass())
    return ast.unparse(ast.fix_missing_locations(copied)) + "\n"


def _flattened(tree: ast.Module, place: int, start: int) -> Iterator[str]:
    """A branch or loop replaced by what is in it."""
    for name in ("body", "orelse"):
        copied = copy.deepcopy(tree)
        body = list(_bodies(copied))[place]
        inner = getattr(body[start], name, None)
        if isinstance(body[start], ast.If | ast.For | ast.While) and inner:
            body[start : start + 1] = inner
            yield ast.unparse(ast.fix_missing_locations(copied)) + "\n"


def _simpler(tree: ast.Module) -> Iterator[str]:
    """An expression replaced by one of its parts."""
    total = sum(isinstance(node, ast.expr) for node in ast.walk(tree))
    for place in range(total):
        original = [node for node in ast.walk(tree) if isinstance(node, ast.expr)][place]
        parts = [part for part in ast.iter_child_nodes(original) if isinstance(part, ast.expr)]
        for part in parts:
            if not isinstance(original, ast.Attribute | ast.Tuple):
                yield ast.unparse(_Replace(original, part).visit(copy.deepcopy(_marked(tree)))) + "\n"


def _marked(tree: ast.Module) -> ast.Module:
    for number, node in enumerate(ast.walk(tree)):
        node.number = number  # type: ignore[attr-defined]
    return tree


class _Replace(ast.NodeTransformer):
    """Puts a part in the place of the node that it is of, in a copy."""

    def __init__(self, node: ast.expr, part: ast.expr) -> None:
        self._node, self._part = node, part

    def visit(self, node: ast.AST) -> ast.AST:
        if getattr(node, "number", None) == self._node.number:  # type: ignore[attr-defined]
            return copy.deepcopy(self._part)
        return super().generic_visit(node)

"""Templates put decided text in place: no comparing, computing, concatenating, setting, and no backend's name."""

from __future__ import annotations

from pathlib import Path

import pytest
from jinja2 import nodes

from transpile.backends.table import BACKENDS
from transpile.emit.render import TEMPLATES, environment
from transpile.ops.table import OPERATIONS

ALLOWED = (
    nodes.Template,
    nodes.Output,
    nodes.TemplateData,
    nodes.For,
    nodes.If,
    nodes.Include,
    nodes.Macro,
    nodes.Call,
    nodes.Name,
    nodes.Getattr,
    nodes.Filter,
    nodes.Const,
)
FILTERS = {"join", "indent"}
ALL = sorted(path.relative_to(TEMPLATES).as_posix() for path in TEMPLATES.rglob("*.j2"))


def parsed(name: str) -> nodes.Template:
    source = (TEMPLATES / name).read_text(encoding="utf-8")
    return environment().parse(source, name)


def all_nodes(node: nodes.Node) -> list[nodes.Node]:
    return [node, *(each for child in node.iter_child_nodes() for each in all_nodes(child))]


@pytest.mark.parametrize("name", ALL)
def test_a_template_only_loops_tests_and_prints(name: str) -> None:
    for node in all_nodes(parsed(name)):
        assert isinstance(node, ALLOWED), f"{name}:{node.lineno}: {type(node).__name__}"
        if isinstance(node, nodes.Filter):
            assert node.name in FILTERS, f"{name}:{node.lineno}: the filter {node.name}"
        if isinstance(node, nodes.If):
            assert isinstance(node.test, nodes.Getattr | nodes.Name), f"{name}:{node.lineno}: a test that computes"


@pytest.mark.parametrize("name", ALL)
def test_a_template_tests_no_backend(name: str) -> None:
    names = {node.name for node in all_nodes(parsed(name)) if isinstance(node, nodes.Name)}
    names |= {node.attr for node in all_nodes(parsed(name)) if isinstance(node, nodes.Getattr)}
    assert not names & {f"is_{backend}" for backend in BACKENDS}
    assert not names & set(BACKENDS)


def test_every_part_is_used() -> None:
    from transpile.emit.parts import _ONLY_NOTED, _ROWS

    parts = {Path(name).stem for name in ALL if name.startswith("parts/")}
    included = {
        Path(str(node.template.value)).stem
        for name in ALL
        for node in all_nodes(parsed(name))
        if isinstance(node, nodes.Include) and isinstance(node.template, nodes.Const)
    }
    used = included | {row.template or row.name for row in _ROWS if row.name not in _ONLY_NOTED}
    used.add("pasted")  # holds the functions of runtime_cpp/math
    assert parts - OPERATIONS.keys() == used - OPERATIONS.keys()  # an operation's own helper needs no row

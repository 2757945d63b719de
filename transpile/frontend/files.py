"""Names as the text of files gives them. Nothing is executed; a file is read when a name leads there."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from transpile.diagnostics.core import Sink
from transpile.frontend.bindings import (
    Binding,
    Definition,
    HostFunction,
    HostImport,
    HostValue,
    Missing,
    ModuleName,
    NotStatic,
    Refused,
    builtin,
    language_name,
    near_names,
)
from transpile.frontend.constants import constant_value, values_needed
from transpile.frontend.kinds import StaysPython, kind_of
from transpile.frontend.outline import Bound, FunctionNode, Outline, first_line, name_span, outline
from transpile.frontend.parse import read_source
from transpile.frontend.vocabulary import DIALECTS, NAMES
from transpile.source import SourceFile

_IMPORTS: Final = (ast.Import, ast.ImportFrom)
_FUNCTIONS: Final = (ast.FunctionDef, ast.AsyncFunctionDef)


def top_of(folder: Path) -> Path:
    """The folder that holds the whole package that `folder` is in; itself where it is in none."""
    while (folder / "__init__.py").is_file() and folder != folder.parent:
        folder = folder.parent
    return folder


@dataclass(slots=True)
class Files:
    """The files read so far, by path. `root` is where the main file is: keys of functions elsewhere begin there."""

    root: Path | None
    main: str
    sink: Sink
    found: dict[Path, FileNamespace | None] = field(default_factory=dict)

    def load(self, path: Path) -> FileNamespace | None:
        """The names of the file, read once; None where it is not Python, which is reported. Raises OSError."""
        path = path.resolve()
        if path not in self.found:
            source = read_source(self._shown(path), self.sink, path)
            shape = outline(source, self.sink) if source is not None else None
            self.found[path] = FileNamespace(shape, self, path, self._dotted(path)) if shape is not None else None
        return self.found[path]

    def sources(self) -> Iterator[SourceFile]:
        yield from (names.outline.source for names in self.found.values() if names is not None)

    def _shown(self, path: Path) -> str:
        """As beside the name that the user gave for the main file."""
        if self.root is not None and path.is_relative_to(self.root):
            return str(Path(self.main).parent / path.relative_to(self.root))
        return str(path)

    def _dotted(self, path: Path) -> str:
        is_below = self.root is not None and path.is_relative_to(self.root)
        short = path.relative_to(self.root if is_below and self.root is not None else top_of(path.parent))
        parts = list(short.with_suffix("").parts)
        return ".".join(parts[:-1] if parts[-1] == "__init__" and len(parts) > 1 else parts)


@dataclass(slots=True, eq=False)
class FileNamespace:
    """The names of one file. `module` is empty for the main file."""

    outline: Outline
    files: Files
    path: Path | None
    module: str
    known: dict[str, Binding] = field(default_factory=dict)
    busy: set[str] = field(default_factory=set)

    def names(self) -> Iterable[str]:
        return self.outline.names

    def is_own(self, name: str) -> bool:
        return name in self.outline.names

    def lookup(self, name: str) -> Binding:
        if name not in self.known:
            if name in self.busy:
                return NotStatic("is defined in terms of itself")
            self.busy.add(name)
            self._find_earlier(name)
            self.known[name] = self._find(name)
            self.busy.discard(name)
        return self.known[name]

    def _find_earlier(self, name: str) -> None:
        """Finds the constants that a constant is made of, one by one: a long chain of them is no deep recursion."""
        waiting = [name]
        seen: set[str] = set()
        order: list[str] = []
        while waiting:
            one = waiting.pop()
            if one in seen or one in self.known:
                continue
            seen.add(one)
            order.append(one)
            bounds = self.outline.names.get(one, [])
            if len(bounds) == 1 and isinstance(bounds[0].statement, ast.Assign | ast.AnnAssign):
                waiting.extend(values_needed(bounds[0].statement))
        for one in reversed(order[1:]):
            if one not in self.known and one not in self.busy and self.is_own(one):
                self.known[one] = self._find(one)

    def _find(self, name: str) -> Binding:
        bounds = self.outline.names.get(name)
        if not bounds:
            return self._unbound(name)
        imports = [self._imported(bound.node, name) for bound in bounds if isinstance(bound.node, _IMPORTS)]
        if len(imports) == len(bounds) and all(each == imports[0] for each in imports):
            return imports[0]
        functions = [bound.node for bound in bounds if isinstance(bound.node, _FUNCTIONS)]
        for node in reversed(functions):
            if node in self.outline.module.body and (definition := self.definition(node)) is not None:
                return definition
        if len(bounds) > 1:
            return NotStatic("is bound more than once", self.outline.span(bounds[1].node))
        return self._single(bounds[0], name)

    def _single(self, bound: Bound, name: str) -> Binding:
        match bound.node:
            case ast.FunctionDef() | ast.AsyncFunctionDef() as node:
                return HostFunction(name, name_span(self.outline.source, node))
            case ast.ClassDef() as node:
                return HostValue("a class", self.outline.span(node))
        if not bound.is_plain:
            return NotStatic("is not assigned by a plain statement of the top level", self.outline.span(bound.node))
        return constant_value(self, bound.statement, name)

    def _unbound(self, name: str) -> Binding:
        found = builtin(name)
        if not isinstance(found, Missing):
            return found
        if self.outline.stars:
            star = self.outline.stars[0]
            return NotStatic("may come from an import with *, which is not followed", self.outline.span(star))
        words = (each.removeprefix("builtin.") for each in NAMES if each.startswith("builtin."))
        return Missing(near_names(name, (*self.outline.names, *words)))

    # ------------------------------------------------------------ functions

    def definition(self, node: FunctionNode) -> Definition | None:
        """The function at the top level of the file, if it is compiled."""
        kind = kind_of(node, self)
        if isinstance(kind, StaysPython):
            return None
        return Definition(
            key=f"{self.module}.{node.name}" if self.module else node.name,
            name=node.name,
            kind=kind,
            source=self.outline.source,
            first=first_line(node),
            last=node.end_lineno or node.lineno,
            namespace=self,
            is_elsewhere=bool(self.module),
        )

    # ------------------------------------------------------------ imports

    def _imported(self, node: ast.AST, name: str) -> Binding:
        match node:
            case ast.Import(names=aliases):
                return self._module_named(aliases, name)
            case ast.ImportFrom(names=aliases):
                original = next(each.name for each in aliases if (each.asname or each.name) == name)
                return self._member_of(node, original)
        return Missing()

    def _module_named(self, aliases: list[ast.alias], name: str) -> Binding:
        alias = next(each for each in aliases if (each.asname or each.name.partition(".")[0]) == name)
        path = alias.name if alias.asname else name
        if path in ("transpile", "math"):
            return ModuleName(path)
        if path.startswith("transpile.") and path.rpartition(".")[2] in DIALECTS:
            return ModuleName(path.rpartition(".")[2])
        return HostValue("a module")

    def _member_of(self, node: ast.ImportFrom, name: str) -> Binding:
        module = node.module or ""
        if node.level == 0:
            if module in ("transpile", "transpile.lang"):
                return ModuleName(name) if name in DIALECTS else HostFunction(name)
            head, _, tail = module.rpartition(".")
            if module == "math" or (head in ("transpile", "transpile.lang") and tail in DIALECTS):
                found = language_name(f"{tail}.{name}")
                return HostImport(module, name) if isinstance(found, Missing) else found
        return self._from_beside(node, module, name)

    def _from_beside(self, node: ast.ImportFrom, module: str, name: str) -> Binding:
        for folder in self._folders(node.level):
            base = folder.joinpath(*module.split(".")) if module else folder
            for path in (base.with_suffix(".py"), base / "__init__.py") if module else (base / "__init__.py",):
                if path.is_file():
                    return self._from_file(path, name)
            if not module and (folder / f"{name}.py").is_file():
                return HostValue("a module")
        return HostImport("." * node.level + module, name)

    def _folders(self, level: int) -> Iterator[Path]:
        """Where an import is looked for: beside the file, beside the main file, and where the file's package is."""
        own = self.path.parent if self.path is not None else self.files.root
        if own is None:
            return
        if level:
            yield own.joinpath(*[".."] * (level - 1))
            return
        root = self.files.root
        yield from dict.fromkeys((own, root if root is not None else own, top_of(own)))

    def _from_file(self, path: Path, name: str) -> Binding:
        try:
            there = self.files.load(path)
        except OSError:
            return NotStatic(f"is bound in {path.name}, which cannot be opened")
        if there is None:
            return Refused()
        found = there.lookup(name)
        if isinstance(found, Missing) or not there.is_own(name):
            return NotStatic(f"is not bound in {there.outline.source.name}")
        return found

"""KIR -> Unit: every decision about the text of one file is made here; the templates only put it in place."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from typing import Final

from transpile.backends.backend import Backend, Spelling
from transpile.emit import doc
from transpile.emit.blocks import BlockWriter
from transpile.emit.comments import HERE, comment
from transpile.emit.contraction import Products
from transpile.emit.conversions import declare
from transpile.emit.cost import cost_of
from transpile.emit.cxx import Printer
from transpile.emit.flags import Flags
from transpile.emit.host import HostWriter, signature
from transpile.emit.parts import Helper, Uses, choose
from transpile.emit.reach import called_by_host, definitions, reachable
from transpile.emit.reports import RECORD, Assertion, Reports, taker_of
from transpile.emit.shared import SharedPlan, plan_shared
from transpile.emit.statements import Lines, Writer, abi_name, from_abi, type_name
from transpile.emit.statuses import status_lines
from transpile.emit.walk import all_exprs, has_floats_below_double, places_read, unread, variables
from transpile.ir import kir
from transpile.ir.kir_walk import all_stmts
from transpile.lowering.names import symbol
from transpile.typing.types import Pointer, Scalar, Vec, largest

# Goes up when the same program is given another text.
FORMAT: Final = 4
GRID: Final = ("grid_x", "grid_y", "grid_z")
BLOCK: Final = ("block_x", "block_y", "block_z")
_FAST: Final = "fast_math: products and sums are fused, and functions and divisions of float are the hardware's."
_NOT_FAST: Final = "fast_math: nothing is given up for it on the CPU."
_HIP_FUSES: Final = "#pragma clang fp contract(fast)"
_CPU_BLOCK: Final = (
    "    const xyz block_dim = {block_x, block_y, block_z};",
    "    if (!is_block(block_dim)) return status::bad_block;",
)


_TAKE_ON_GPU: Final = ("    return the_record().take(static_cast<assertion *>(found));",)
_TAKE_ON_CPU: Final = (
    "    if (last_failure.number == 0) return false;",
    "    const failure failed = last_failure;",
    "    last_failure.number = 0;",
    "    return tell(failed, static_cast<assertion *>(found));",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """Where a text comes from: the name of the Python file, its stem, and the hash of the kernels' code. `is_packaged`:
    it is made with a package, by setup.py."""

    source: str
    stem: str
    code: str
    is_packaged: bool = False

    def advice(self, command: str) -> str:
        """What to do instead of editing the text, which `command` writes."""
        then = "build the package" if self.is_packaged else f"`{command}`"
        return f"Do not edit: change {self.source}, then {then}."


def again(target: str, source: str, file: str) -> str:
    """The command that writes `file` anew."""
    if target == "cpu":
        return f"python -m transpile build {source}"
    return f"python -m transpile emit {target} {source} -o {file}"


@dataclass(frozen=True, slots=True)
class Wrapping:
    """The call of a vendor's shuffle, around its two arguments."""

    opening: str
    ending: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Text:
    """A function: the comment above it, its head and its body, line by line."""

    summary: tuple[str, ...]
    head: tuple[str, ...]
    body: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Unit:
    """The text of one file, decided. The flags say what its launches have to care for."""

    file: str
    template: str
    opening: tuple[str, ...]
    includes: tuple[str, ...]
    spelling: Spelling
    helpers: tuple[Helper, ...]
    functions: tuple[Text, ...]
    entries: tuple[Text, ...]
    has_kernels: bool
    has_thread_kernels: bool
    has_thread_kernels_alone: bool
    has_floats_below_double: bool
    has_large_shared: bool
    sizes_shared: bool
    raises_shared: bool
    shared_plain: int
    bounds_total: bool
    is_gpu: bool
    forbids_fast_math: bool
    statuses: tuple[str, ...]
    xor: Wrapping
    prints: bool
    asserts: bool
    assertions: tuple[Assertion, ...]
    up: Wrapping
    idx: Wrapping


def build_unit(module: kir.Module, backend: Backend, provenance: Provenance, lines: Lines = "comment") -> Unit:
    """The unit of `module` for `backend`. `lines` is what stands where a Python statement begins: its text, a `#line`
    directive, or nothing."""
    return _Builder(module, backend, provenance, lines).build()


class _Builder:
    def __init__(self, module: kir.Module, backend: Backend, provenance: Provenance, lines: Lines) -> None:
        self._module, self._backend, self._provenance, self._lines = module, backend, provenance, lines
        self._uses = Uses()
        functions = reachable(module)
        self._functions = definitions(functions)
        self._on_host = called_by_host(module)
        self._kernels = [function for function in functions if function.kind != "device"]
        self._symbols = {each.key: symbol(module.stem, each.key) for each in self._kernels}
        self._symbols |= {each.key: symbol(module.stem, each.key) for each in module.launchers}
        self._products = Products(self._functions) if backend.fuses_products else None
        self._reports = Reports.of(self._functions)
        self._shared = {each.key: plan_shared(each, backend) for each in self._kernels}

    def build(self) -> Unit:
        functions = tuple(self._function(function) for function in self._functions)
        entries = tuple(self._entry(function) for function in self._kernels)
        entries += tuple(self._launcher(launcher) for launcher in self._module.launchers)
        entries += self._taker()
        helpers, includes = choose(self._uses, self._backend.spelling, fuses=self._backend.fuses_products)
        spelling = self._backend.spelling
        has_large_shared = any(plan.is_dynamic for plan in self._shared.values())
        sizes_shared = any(plan.sized is not None for plan in self._shared.values())
        raises_shared = has_large_shared and self._backend.shared_limit > self._backend.shared_plain
        locks = spelling.lock_includes if sizes_shared and raises_shared else ()
        return Unit(
            file=f"{self._module.stem}{self._backend.suffix}",
            template=self._backend.template,
            opening=self._opening(),
            includes=_ordered_includes((*spelling.includes, *includes, *self._record_includes(), *locks)),
            spelling=spelling,
            helpers=helpers,
            functions=functions,
            entries=entries,
            has_kernels=bool(self._kernels),
            has_thread_kernels=any(function.kind == "thread" for function in self._kernels),
            has_thread_kernels_alone={function.kind for function in self._kernels} == {"thread"},
            has_floats_below_double=any(map(has_floats_below_double, self._functions))
            or any(map(has_floats_below_double, self._module.launchers)),
            has_large_shared=has_large_shared,
            sizes_shared=sizes_shared,
            raises_shared=raises_shared,
            shared_plain=self._backend.shared_plain if sizes_shared else 0,
            bounds_total=self._backend.max_total_threads is not None,
            is_gpu=self._backend.is_gpu,
            forbids_fast_math=not self._backend.fuses_products,
            statuses=status_lines(has_assertions=bool(self._reports.assertions), sizes_shared=sizes_shared),
            xor=self._shuffle("xor"),
            up=self._shuffle("up"),
            idx=self._shuffle("idx"),
            prints=self._reports.prints,
            asserts=bool(self._reports.assertions),
            assertions=tuple(self._reports.assertions),
        )

    def _shuffle(self, kind: str) -> Wrapping:
        return Wrapping(*(self._backend.spelling.shuffle(kind) if self._backend.is_gpu else ("", "")))

    def _opening(self) -> tuple[str, ...]:
        source, file = self._provenance.source, f"{self._module.stem}{self._backend.suffix}"
        language, code = self._backend.spelling.language, self._provenance.code
        written = f"Written by transpile (format {FORMAT}, code {code})."
        return (
            *comment(f"{file}: the kernels of {source} as {language}. {written}", 0),
            *comment(self._provenance.advice(again(self._backend.name, source, file)), 0),
        )

    # ------------------------------------------------------------ kernels and device functions

    def _printer(self, function: kir.Function) -> Printer:
        products = None if function.fast_math else self._products
        flags = None if self._backend.is_gpu else Flags(function.body)
        threads = None if function.threads is None else largest(function.threads)
        failing = self._reports.failing if self._backend.is_gpu else frozenset[str]()
        return Printer(
            self._backend,
            function.name,
            set(),
            products,
            threads,
            flags=flags,
            failing=failing,
            is_fast=function.fast_math and self._backend.is_gpu,
        )

    def _function(self, function: kir.Function) -> Text:
        printer = self._printer(function)
        if function.kind == "thread" and not self._backend.is_gpu:
            writer: Writer = BlockWriter(
                printer,
                self._lines,
                unread(function.body),
                reports=self._reports,
                whole_groups=function.uses_shuffles,
            )
        else:
            writer = Writer(printer, self._lines, unread(function.body), reports=self._reports)
        plan = self._shared.get(function.key, SharedPlan())
        opening = [_HIP_FUSES] if function.fast_math and self._backend.name == "hip" else []
        body = [*opening, *plan.lines, *writer.block(_trimmed(plan.rest(function.body)), 4)]
        if self._lines == "directive":
            body.append(HERE)
        parameters = (each.var for each in function.parameters if each.static is None)
        for var in (*parameters, *variables(function.body)):
            declare(printer, var.type.dtype)
            if isinstance(var.type, Vec):
                printer.use("vec", var.type.dtype)
        self._uses.on_device.update(printer.used)
        if function.name in self._on_host:
            self._uses.on_host.update(printer.used)
        for kind in function.kinds:
            declare(printer, kind)
        head = self._head(function, "\n".join(body))
        return Text(summary=self._summary(function), head=head, body=tuple(body))

    def _summary(self, function: kir.Function) -> tuple[str, ...]:
        words = function.summary
        if function.fast_math:
            words = f"{words} {_FAST if self._backend.is_gpu else _NOT_FAST}".lstrip()
        return tuple(comment(words, 0)) if words else ()

    def _head(self, function: kir.Function, body: str) -> tuple[str, ...]:
        own = [f"typename {kind.name}" for kind in function.kinds]
        own += [f"int64_t {size.name}" for size in function.sizes]
        template = signature("template <", own, ">") if own else ()
        return (*template, *self._plain_head(function, body))

    def _plain_head(self, function: kir.Function, body: str) -> tuple[str, ...]:
        record = [f"failure *{RECORD}"] if self._is_given_record(function) else []
        taken_over = self._shared.get(function.key, SharedPlan()).rest(function.body)
        parameters = [*record, *self._place_parameters(function, body), *_declared(replace(function, body=taken_over))]
        if function.kind == "device":
            result = "void " if function.result is None else type_name(function.result)
            device = self._backend.spelling.device
            prefix = f"__host__ {device}" if device and function.name in self._on_host else device
            return signature(f"{prefix}{result}{function.name}(", parameters, ") {")
        if not self._backend.is_gpu:
            inlined = "[[gnu::always_inline]] inline " if function.kind == "thread" else ""
            return signature(f"{inlined}void {function.name}(", parameters, ") {")
        bounds = f"__global__ void __launch_bounds__({function.threads or 1024})"
        return (bounds, *signature(f"{function.name}(", parameters, ") {"))

    def _place_parameters(self, function: kir.Function, body: str) -> list[str]:
        """On the CPU a function is told where it is."""
        if self._backend.is_gpu or function.kind == "device":
            return []
        return [f"const xyz {name if name in body else f'/*{name}*/'}" for name in self._places(function)]

    def _places(self, function: kir.Function) -> tuple[str, ...]:
        read = places_read(function.body)
        own = ("program_id", "num_programs") if function.kind == "tile" else ("block_id", "grid_dim", "block_dim")
        return tuple(name for name in own if name in read or name == "block_dim")

    def _is_given_record(self, function: kir.Function) -> bool:
        """Whether the function says through its first parameter that it failed."""
        return self._backend.is_gpu and (function.template or function).name in self._reports.failing

    # ------------------------------------------------------------ entry points

    def _entry(self, function: kir.Function) -> Text:
        parameters = [f"int64_t {name}" for name in GRID]
        if function.kind == "thread":
            parameters += [f"int64_t {name}" for name in BLOCK]
        kept = [each for each in function.parameters if each.static is None]
        parameters += [f"{abi_name(each.var.type)}{each.var.name}" for each in kept]
        parameters.append("void *stream" if self._backend.is_gpu else "void *")
        head = signature(f'extern "C" int32_t {self._symbols[function.key]}(', parameters, ") {")
        arguments = [from_abi(each.var) for each in kept]
        body = self._launch(function, arguments)
        return Text(summary=(), head=head, body=body)

    def _launch(self, function: kir.Function, arguments: list[str]) -> tuple[str, ...]:
        grid, block = "{grid_x, grid_y, grid_z}", f"{{{function.threads}, 1, 1}}"
        if function.kind == "thread":
            block = "{block_x, block_y, block_z}"
        if not self._backend.is_gpu:
            return (*self._checks(function), *self._launch_on_cpu(function, arguments))
        shared = [self._shared[function.key].size] if any(p.is_dynamic for p in self._shared.values()) else []
        record = ["the_record().first"] if self._is_given_record(function) else []
        operands = [function.name, grid, block, *shared, "stream", *record, *arguments]
        return (*self._checks(function), *_call("return launch(", operands))

    def _checks(self, function: kir.Function) -> tuple[str, ...]:
        """What a kernel asks of its block beyond the limits, and the size of the array that the launch sizes."""
        lines: list[str] = []
        if function.kind == "thread" and function.uses_shuffles:
            left = "(block_x % 32) * (block_y % 32) * (block_z % 32) % 32"
            lines.append(f"    if ({left} != 0) return status::bad_block;")
        if function.kind == "thread" and function.needs_group_rows:
            lines.append("    if (block_x % 32 != 0 && (block_y != 1 || block_z != 1)) return status::bad_block;")
        sized = self._shared[function.key].sized
        if sized is not None:
            lines.append(f"    if ({sized.count} < 0 || {sized.count} > {sized.most}) return status::bad_shared;")
        return tuple(lines)

    def _launch_on_cpu(self, function: kir.Function, arguments: list[str]) -> tuple[str, ...]:
        places = self._places(function)
        own = "program_id" if function.kind == "tile" else "block_id"
        given = {own: "place_in_grid", "num_programs": "grid_dim"}
        cost = f"{cost_of(function)}" + ("" if function.kind == "tile" else " * threads_of(block_dim)")
        operands = [*(given.get(place, place) for place in places), *arguments]
        run = _call(f"{function.name}(", operands, 8)
        if function.kind == "thread":
            operands[places.index("block_dim")] = "given_block"
            inner = _call(f"{function.name}(", operands, 12)
            run = ("        with_block(block_dim, [=](const xyz &given_block) {", *inner, "        });")
        return (
            "    const xyz grid_dim = {grid_x, grid_y, grid_z};",
            *(_CPU_BLOCK if function.kind == "thread" else ()),
            f"    return launch(grid_dim, {cost}, [=](const xyz &{given[own] if own in places else ''}) {{",
            *run,
            "    });",
        )

    def _launcher(self, launcher: kir.Launcher) -> Text:
        scalars = (each.var for each in launcher.parameters if isinstance(each.var.type, Scalar))
        held = frozenset(var.name for var in scalars if var.type.dtype.is_narrow_float)
        printer = Printer(self._backend, launcher.name, self._uses.on_host, is_host=True, held_as_bits=held)
        body = HostWriter(printer, self._lines, unread(launcher.body), symbols=self._symbols).body(launcher.body)
        if self._lines == "directive":
            body.append(HERE)
        parameters = _declared(launcher, abi_name)
        parameters.append("void *stream" if _launches(launcher) else "void *")
        head = signature(f'extern "C" int32_t {self._symbols[launcher.key]}(', parameters, ") {")
        return Text(summary=(), head=head, body=tuple(body))

    def _record_includes(self) -> tuple[str, ...]:
        return self._backend.spelling.record_includes if self._reports.assertions else ()

    def _taker(self) -> tuple[Text, ...]:
        """The function that tells of the assertion that failed, where there are assertions. Its argument is of no type
        of the text's own: of one without linkage nvcc would make the function a static one."""
        if not self._reports.assertions:
            return ()
        head = f'extern "C" bool {taker_of(self._module.stem, self._symbols)}(void *found) {{'
        return (Text(summary=(), head=(head,), body=_TAKE_ON_GPU if self._backend.is_gpu else _TAKE_ON_CPU),)


def _call(opening: str, operands: Iterable[str], indent: int = 4) -> tuple[str, ...]:
    """A call as a statement, its arguments broken where they must be."""
    return doc.lines(doc.group(opening, doc.group(*doc.joined(operands)), ");"), indent)


def _launches(launcher: kir.Launcher) -> bool:
    """Whether any launch is left in it."""
    return any(isinstance(stmt, kir.Launch) for stmt in all_stmts(launcher.body))


def _declared(function: kir.Function | kir.Launcher, spelled: Callable[[kir.VarType], str] = type_name) -> list[str]:
    """The parameters as a function declares them, without a name where it does not read it."""
    used = {expr.name for expr in all_exprs(function.body) if isinstance(expr, kir.Var)}
    word = "__restrict__ "
    written = []
    for each in function.parameters:
        if each.static is not None:
            continue
        name = each.var.name if each.var.name in used else f"/*{each.var.name}*/"
        is_restrict = each.restrict and isinstance(each.var.type, Pointer)
        written.append(f"{spelled(each.var.type)}{word if is_restrict else ''}{name}")
    return written


def _trimmed(body: tuple[kir.Stmt, ...]) -> tuple[kir.Stmt, ...]:
    """Without a bare return at the end."""
    return body[:-1] if body and isinstance(body[-1], kir.Return) and body[-1].value is None else body


def _ordered_includes(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(set(names), key=lambda name: ("/" in name or name.endswith(".h"), name)))

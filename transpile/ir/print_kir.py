"""KIR as text that looks like C, for people and for the tests' exact goldens. Not the emitted text; never read back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from transpile.diagnostics.core import InternalError
from transpile.ir import kir
from transpile.ir.kir_walk import children
from transpile.ir.printer import format_of, literal
from transpile.typing.types import Vec

INDENT = "    "
_SYMBOLS: Final = {
    "add": "+",
    "sub": "-",
    "mul": "*",
    "truediv": "/",
    "floordiv": "//",
    "mod": "%",
    "and": "&",
    "or": "|",
    "xor": "^",
    "shl": "<<",
    "shr": ">>",
    "eq": "==",
    "ne": "!=",
    "lt": "<",
    "le": "<=",
    "gt": ">",
    "ge": ">=",
}


def print_kir(module: kir.Module) -> str:
    functions: list[str] = []
    written: set[str] = set()
    for function in module.functions:
        whole = function.template or function
        if whole.name not in written:
            functions.append(print_kir_function(whole))
            written.add(whole.name)
        if function.template is not None:
            functions.append(f"instance {function.key}: {function.name}\n")
    return "\n".join([*functions, *(print_launcher(launcher) for launcher in module.launchers)])


def print_kir_function(function: kir.Function) -> str:
    """`thread saxpy(i64 n, …) {` and its body. Arithmetic that is not exact is marked: `+~` wraps, `//~` rounds
    down."""
    result = f" -> {function.result}" if function.result is not None else ""
    threads = f" [{function.threads} threads]" if function.threads is not None else ""
    own = [str(each) for each in (*function.kinds, *function.sizes)]
    sizes = f"template <{', '.join(own)}> " if own else ""
    head = f"{sizes}{function.kind} {function.name}({_parameters(function.parameters)}){result}{threads} {{"
    return "\n".join([head, *_block(function.body, INDENT), "}", ""])


def print_launcher(launcher: kir.Launcher) -> str:
    head = f"launcher {launcher.name}({_parameters(launcher.parameters)}) {{"
    return "\n".join([head, *_block(launcher.body, INDENT), "}", ""])


def _parameters(parameters: Sequence[kir.Parameter]) -> str:
    words = []
    for parameter in parameters:
        tail = f" = {parameter.static}" if parameter.static is not None else ""
        mark = "restrict " if parameter.restrict else ""
        words.append(f"{mark}{_variable(parameter.var)}{tail}")
    return ", ".join(words)


def _variable(var: kir.Var) -> str:
    return f"{var.type} {var.name}"


def _block(block: Sequence[kir.Stmt], indent: str) -> Iterator[str]:
    for stmt in block:
        yield from _stmt(stmt, indent)


def _stmt(stmt: kir.Stmt, indent: str) -> Iterator[str]:
    match stmt:
        case kir.If():
            yield f"{indent}if ({print_expr(stmt.cond)}) {{"
            yield from _block(stmt.then, indent + INDENT)
            if stmt.orelse:
                yield f"{indent}}} else {{"
                yield from _block(stmt.orelse, indent + INDENT)
            yield f"{indent}}}"
        case kir.For() | kir.While() | kir.LaneLoop() | kir.ThreadLoop() | kir.GroupLoop():
            yield f"{indent}{_loop(stmt)} {{"
            yield from _block(stmt.body, indent + INDENT)
            yield f"{indent}}}"
        case _:
            yield f"{indent}{_line(stmt)}"


def _loop(stmt: kir.For | kir.While | kir.LaneLoop | kir.ThreadLoop | kir.GroupLoop) -> str:
    match stmt:
        case kir.For():
            bounds = ", ".join(print_expr(bound) for bound in (stmt.start, stmt.stop, stmt.step))
            word = "range" if stmt.counted else "down" if stmt.down else "up"
            return f"for ({_variable(stmt.var)} : {word}({bounds}))"
        case kir.While():
            return f"while ({print_expr(stmt.test)})"
        case kir.LaneLoop():
            owners = f", threads below {stmt.owners}" if stmt.owners is not None else ""
            return f"lanes ({stmt.var.name} < {stmt.count}{owners})"
        case kir.GroupLoop():
            return f"groups ({stmt.var.name})"
        case kir.ThreadLoop():
            words = [f"{word} {var.name}" for word, var in (("thread", stmt.thread), ("lane", stmt.lane)) if var]
            of = "block" if stmt.group is None else f"group {stmt.group.name}"
            which = "first thread" if stmt.first else "threads" if stmt.x is None else f"threads at x = {stmt.x}"
            return f"{which} of {of} ({', '.join(words)})"


def _line(stmt: kir.Stmt) -> str:
    match stmt:
        case kir.Comment():
            return f"// {stmt.text}"
        case kir.Declare():
            word = "" if stmt.mutable else "const "
            value = "" if stmt.value is None else f" = {print_expr(stmt.value)}"
            return f"{word}{_variable(stmt.var)}{value};"
        case kir.DeclareArray():
            zero = " = {}" if stmt.zeroed else ""
            size = stmt.count.name if isinstance(stmt.count, kir.Var) else stmt.count
            aligned = "aligned " if stmt.is_aligned else ""
            return f"{aligned}{stmt.space} {stmt.var.type.dtype} {stmt.var.name}[{size}]{zero};"
        case kir.DeclareSlots():
            zero = " = {}" if stmt.zeroed else ""
            count = f" * {stmt.count}" if stmt.count != 1 else ""
            of = "group" if stmt.group else "block"
            kind = stmt.var.type.dtype if stmt.count != 1 else stmt.var.type
            return f"slots {kind} {stmt.var.name}[{of}{count}]{zero};"
        case kir.Assign():
            return f"{print_expr(stmt.target)} = {print_expr(stmt.value)};"
        case kir.Evaluate():
            return f"{print_expr(stmt.value)};"
        case kir.Barrier():
            return f"barrier({stmt.scope});"
        case kir.Print():
            return f"print({', '.join([format_of(stmt), *map(print_expr, stmt.operands)])});"
        case kir.Assert():
            message = f", {stmt.message!r}" if stmt.message else ""
            return f"assert({print_expr(stmt.cond)}{message}) in ({', '.join(map(print_expr, stmt.place))});"
        case kir.Break():
            return "break;"
        case kir.Continue():
            return "continue;"
        case kir.Return():
            return "return;" if stmt.value is None else f"return {print_expr(stmt.value)};"
        case kir.Launch():
            parts = (", ".join(map(print_expr, part)) for part in (stmt.grid, stmt.block, stmt.arguments))
            grid, block, arguments = parts
            return f"launch {stmt.kernel}[{grid}][{block}]({arguments});"
        case kir.Checked():
            word = f"{stmt.var.type} " if stmt.declares else ""
            return f"{word}{stmt.var.name} = checked {stmt.op}({', '.join(map(print_expr, stmt.operands))});"
    raise InternalError("a statement of KIR", stmt)


def print_expr(expr: kir.Expr) -> str:
    match expr:
        case kir.Lit():
            return literal(expr.value)
        case kir.Var():
            return expr.name
        case kir.Place():
            return f"{expr.kind}.{'xyz'[expr.axis]}"
        case kir.Apply():
            return _apply(expr)
        case kir.Cast():
            return f"{expr.dtype}({print_expr(expr.operand)})"
        case kir.Element():
            is_vec = isinstance(expr.base, kir.Var) and isinstance(expr.base.type, Vec)
            return f"{_inner(expr.base)}{'.' if is_vec else ''}[{print_expr(expr.index)}]"
        case kir.Groups():
            return _groups(expr)
        case kir.Pack():
            return f"pack({', '.join(map(print_expr, expr.operands))})"
        case kir.Slot():
            return f"{expr.var.name}@{print_expr(expr.index)}"
        case kir.PointerAdd():
            return f"{_inner(expr.base)} + {_inner(expr.index)}"
        case kir.Call():
            return f"{expr.function}({', '.join(map(print_expr, expr.operands))})"
        case kir.Shuffle():
            return f"shuffle_{expr.kind}({print_expr(expr.operand)}, {print_expr(expr.lane)})"
        case kir.Atomic():
            operands = ", ".join(map(print_expr, children(expr)))
            return f"atomic_{expr.op}({operands})"
        case kir.Fold():
            stage = f", {expr.stage.name}" if expr.stage is not None else ""
            order = ", any order" if expr.any_order else f", groups of {expr.group}" if expr.group != 1 else ""
            return f"fold_{expr.op}<{expr.lanes} of {expr.threads}>({print_expr(expr.source)}{stage}{order})"
        case kir.Scan():
            stage = f", {expr.stage.name}" if expr.stage is not None else ""
            return f"scan_{expr.op}<{expr.lanes} of {expr.threads}>({print_expr(expr.source)}{stage})"
        case kir.Shared():
            stage = f", {expr.stage.name}" if expr.stage is not None else ""
            lanes = f"<{expr.lanes}>" if expr.lanes != 1 else ""
            return f"share{lanes}({print_expr(expr.value)}{stage})"
    raise InternalError("an expression of KIR", expr)


def _groups(expr: kir.Groups) -> str:
    masked = "" if expr.mask is None else f" if {expr.mask.name}"
    other = "" if expr.other is None else f" else {print_expr(expr.other)}"
    shape = f"{expr.lanes} in groups of {expr.group}, {expr.threads} threads"
    return f"{_inner(expr.base)}[{print_expr(expr.index)}: {shape}{masked}{other}]"


def _inner(expr: kir.Expr) -> str:
    text = print_expr(expr)
    is_plain = not isinstance(expr, kir.Apply | kir.PointerAdd) or (isinstance(expr, kir.Apply) and text[-1] == ")")
    return text if is_plain and not text.startswith("-") else f"({text})"


def _apply(expr: kir.Apply) -> str:
    if expr.op == "where":
        cond, then, orelse = map(_inner, expr.operands)
        return f"{cond} ? {then} : {orelse}"
    if expr.op in _SYMBOLS:
        left, right = map(_inner, expr.operands)
        is_marked = expr.dtype.is_integer and not expr.exact and expr.op not in ("and", "or", "xor")
        return f"{left} {_SYMBOLS[expr.op]}{'~' if is_marked else ''} {right}"
    return f"{expr.op}({', '.join(map(print_expr, expr.operands))})"

"""TIR and LIR as text, for people: one op a line, blocks indented. Never read back."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from transpile.diagnostics.core import InternalError
from transpile.ir import kir, lir, tir
from transpile.ir.tir import Value

INDENT = "  "


def print_module(module: tir.Module) -> str:
    return "\n".join(print_function(function) for function in module.functions)


def print_function(function: tir.Function) -> str:
    """`tile kernel saxpy(%1 n: i64, …) {` and its body."""
    words = {"tile": "tile kernel", "thread": "thread kernel", "device": "device function", "launcher": "launcher"}
    parameters = ", ".join(_parameter(parameter) for parameter in function.parameters)
    result = f" -> {function.result}" if function.result is not None else ""
    flags = "".join(f" {flag}" for flag in ("alias", "fast_math") if getattr(function, flag))
    head = f"{words[function.kind]} {function.key}({parameters}){result}{flags} {{"
    return "\n".join([head, *_block(function.body, INDENT), "}", ""])


def _parameter(parameter: tir.Parameter) -> str:
    fixed = f" = {parameter.static}" if parameter.static is not None else ""
    return f"{_define(parameter.value)}{fixed}"


def _block(block: tir.Block, indent: str) -> Iterator[str]:
    for op in block.ops:
        yield from _op(op, indent)
    yield f"{indent}{_terminator(block.end)}"


def _use(value: Value | None) -> str:
    if value is None:
        return "none"
    return f"%{value.id}.{value.name}" if value.name else f"%{value.id}"


def _uses(values: Sequence[Value]) -> str:
    return ", ".join(_use(value) for value in values)


def _define(value: Value) -> str:
    return f"{_use(value)}: {value.type}"


def _defines(values: Sequence[Value]) -> str:
    return f"{', '.join(_define(value) for value in values)} = " if values else ""


def literal(value: bool | int | float) -> str:
    """A constant as Python writes it; inf and nan by name."""
    if isinstance(value, float) and not math.isfinite(value):
        return "nan" if math.isnan(value) else ("inf" if value > 0 else "-inf")
    return repr(value)


def _terminator(end: tir.Terminator) -> str:
    match end:
        case tir.Return():
            return f"return {_use(end.value)}" if end.value is not None else "return"
        case tir.Condition():
            return f"condition {_use(end.value)}"
        case tir.Yield() | tir.Break() | tir.Continue():
            word = type(end).__name__.lower()
            return f"{word} {_uses(end.values)}".rstrip()
    raise InternalError("unknown terminator", end)


def _op(op: lir.Op, indent: str) -> Iterator[str]:
    match op:
        case tir.Note():
            yield f"{indent}# {op.text}"
        case tir.If():
            yield f"{indent}{_defines(op.results)}if {_use(op.cond)} {{"
            yield from _block(op.then, indent + INDENT)
            yield f"{indent}}} else {{"
            yield from _block(op.orelse, indent + INDENT)
            yield f"{indent}}}"
        case tir.For():
            bounds = f"{_define(op.index)} in {_use(op.start)}, {_use(op.stop)}, {_use(op.step)}"
            yield f"{indent}{_defines(op.results)}for {bounds}{_carry(op.carried, op.inits)} {{"
            yield from _block(op.body, indent + INDENT)
            yield f"{indent}}}"
        case tir.While():
            yield f"{indent}{_defines(op.results)}while{_carry(op.carried, op.inits)} {{"
            yield from _block(op.test, indent + INDENT)
            yield f"{indent}}} do {{"
            yield from _block(op.body, indent + INDENT)
            yield f"{indent}}}"
        case lir.LaneLoop():
            folded = tuple(fold.result for fold in op.folds)
            yield f"{indent}{_defines((*op.results, *folded))}lanes {_define(op.counter)} of {op.count} {{"
            yield from _block(op.body, indent + INDENT)
            for fold in op.folds:
                yield f"{indent}{INDENT}fold {fold.op} {_use(fold.source)} from {literal(fold.start)}"
            yield f"{indent}}}"
        case _:
            yield indent + _simple(op)


def _carry(carried: Sequence[Value], inits: Sequence[Value]) -> str:
    pairs = ", ".join(f"{_define(name)} = {_use(start)}" for name, start in zip(carried, inits, strict=True))
    return f" carry {pairs}" if pairs else ""


def _simple(op: lir.Op) -> str:
    match op:
        case lir.StoreGroups():
            what = f"{_access(op.pointer, op.first)}, {_use(op.value)}{_masked(op.mask, None)}"
            return f"store_groups of {op.group} threads {op.threads} {what}"
        case tir.Store():
            return f"store {_access(op.pointer, op.offsets)}, {_use(op.value)}{_masked(op.mask, None)}"
        case tir.Barrier():
            return f"barrier {op.scope}"
        case tir.Launch():
            block = f" block ({_uses(op.block)})" if op.block else ""
            return f"launch {op.kernel} grid ({_uses(op.grid)}){block} ({_uses(op.arguments)})"
        case tir.Print():
            return f"print {format_of(op)} {_uses(op.operands)}".rstrip()
        case tir.Assert():
            message = f", {op.message!r}" if op.message else ""
            return f"assert {_use(op.cond)}{message} in ({_uses(op.place)})"
        case tir.Note() | tir.If() | tir.For() | tir.While() | lir.LaneLoop():
            raise InternalError("not a simple op", op)
    if op.result is None:
        return _right(op)
    return f"{_define(op.result)} = {_right(op)}"


def _right(op: lir.Op) -> str:
    match op:
        case tir.Const():
            return f"const {literal(op.value)}"
        case tir.Index():
            return f"{op.kind} {op.axis}"
        case tir.Arange():
            return f"arange {op.size}" + (f" axis {op.axis}" if op.axis else "")
        case tir.Apply():
            return f"{op.op} {_uses(op.operands)}"
        case tir.Cast():
            return f"cast {_use(op.operand)}"
        case tir.Broadcast():
            return f"broadcast {_use(op.operand)}"
        case tir.Reduce():
            return f"reduce {op.op} {_use(op.operand)}" + (f" axis {op.axis}" if op.axis is not None else "")
        case tir.Scan():
            return f"scan {op.op} {_use(op.operand)}"
        case tir.Call():
            return f"call {op.function}({_uses(op.operands)})"
        case tir.Pack():
            return f"pack {_uses(op.operands)}"
        case tir.Part():
            return f"part {op.place} of {_use(op.operand)}"
        case tir.Alloc():
            return f"alloc {op.space} {op.count if isinstance(op.count, int) else _use(op.count)}"
        case tir.Offset():
            return f"offset {_use(op.pointer)}, {_use(op.index)}"
        case tir.Load():
            return f"load {_access(op.pointer, op.offsets)}{_masked(op.mask, op.other)}"
        case tir.Atomic():
            operands = _uses(tuple(value for value in (op.compare, op.value) if value is not None))
            return f"atomic {op.op} {_access(op.pointer, op.offsets)}, {operands}{_masked(op.mask, None)}"
        case tir.Shuffle():
            return f"shuffle {op.kind} {_use(op.operand)}, {_use(op.lane)}"
        case lir.Convert():
            return f"convert {_use(op.operand)}"
        case lir.LaneGet():
            return f"lane {_use(op.operand)}, {_use(op.lane)}"
        case lir.LoadGroups():
            where = _access(op.pointer, op.first)
            return f"load_groups of {op.group} threads {op.threads} {where}{_masked(op.mask, op.other)}"
        case lir.Thread():
            return "thread"
        case lir.Fold():
            stage = f" stage {_use(op.stage)}" if op.stage is not None else ""
            replicas = f" replicas {op.replicas}" if op.replicas != 1 else ""
            order = " any_order" if op.any_order else f" groups of {op.group}" if op.group > 1 else ""
            return f"fold {op.op} {_use(op.operand)} lanes {op.lanes} threads {op.threads}{replicas}{order}{stage}"
        case lir.Scan():
            stage = f" stage {_use(op.stage)}" if op.stage is not None else ""
            return f"scan {op.op} {_use(op.operand)} lanes {op.lanes} threads {op.threads}{stage}"
        case lir.ShareFirst():
            stage = f" stage {_use(op.stage)}" if op.stage is not None else ""
            lanes = f" lanes {op.lanes}" if op.lanes != 1 else ""
            return f"share_first {_use(op.operand)}{lanes}{stage}"
    raise InternalError("unknown op", op)


def format_of(op: tir.Print | kir.Print) -> str:
    """What is printed, as a format of C's printf."""
    texts = [text.replace("%", "%%") for text in op.texts]
    return repr("".join(text + form for text, form in zip(texts, (*op.forms, ""), strict=True)))


def _access(pointer: Value, offsets: Value | None) -> str:
    return f"{_use(pointer)}[{_use(offsets)}]" if offsets is not None else f"{_use(pointer)}[0]"


def _masked(mask: Value | None, other: Value | None) -> str:
    tail = f" mask {_use(mask)}" if mask is not None else ""
    return tail + (f" other {_use(other)}" if other is not None else "")

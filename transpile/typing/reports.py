"""`print` and `assert` as TIR, in two steps. The checker of a function makes the ops, in whichever kind of function;
`place_reports` then says in each where it is: kernels ask for their place, device functions are given it by those who
call them, in a copy for each kind of kernel that does.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Final, TypeAlias

from transpile import dtypes
from transpile.diagnostics import reports as faults
from transpile.diagnostics.core import Sink
from transpile.diagnostics.launch import place_words
from transpile.dtypes import DType
from transpile.ir import hir, tir
from transpile.ir.rename import Ids
from transpile.ir.tir import Value
from transpile.ir.walk import all_ops
from transpile.typing.context import Context
from transpile.typing.expressions import condition
from transpile.typing.types import Scalar, Tile

MOST_VALUES: Final = 24  # CUDA's printf takes 32, of which up to six say where
# What Python's `format` and C's printf write alike: alignment, sign, zeros, width, precision, type.
_SPEC: Final = re.compile(r"(?P<flags>[<>]?[-+ ]?0?)(?P<width>\d{0,3})(?P<precision>(?:\.\d{1,2})?)(?P<type>\w?)")
_FLAGS: Final = {"<": "-", ">": "", "-": "", "+": "+", " ": " ", "0": "0"}
_COPY: Final = "@"  # in the key of a copy, before the count of numbers that its place is
_PRECISE: Final = "efgEFG"
_BASES: Final = "xXo"


def check_print(context: Context, node: hir.Print) -> None:
    """Every value is a scalar; each is written in one form, the same on every target."""
    texts, operands, forms = [""], list[Value](), list[str]()
    is_good = True
    for part in node.parts:
        if isinstance(part, str):
            texts[-1] += part
            continue
        shown = _shown(context, part)
        if shown is None:
            is_good = False
            continue
        operands.append(shown[0])
        forms.append(shown[1])
        texts.append("")
    if len(operands) > MOST_VALUES:
        context.report(faults.too_many_values(node.span, len(operands), MOST_VALUES))
    elif is_good:
        context.builder.add(tir.Print(tuple(texts), tuple(operands), tuple(forms), span=node.span))


def _shown(context: Context, part: hir.Shown) -> tuple[Value, str] | None:
    """The value as it is written, and its form; None where it is reported."""
    operand = context.evaluate(part.value)
    if operand is None:
        return None
    if not operand.is_scalar:
        context.report(faults.not_printed(operand))
        return None
    dtype = operand.dtype.computing
    form = form_of(part.spec, dtype, has_sign=operand.dtype.kind != "uint")
    if form is None:
        context.report(faults.form_of_value(part.span, part.spec, operand))
        return None
    if dtype.kind == "bool" and not form.endswith("s"):
        dtype = dtypes.I64
    context.builder.span = part.span
    return context.value(operand, dtype), form


def form_of(spec: str, dtype: DType, *, has_sign: bool = True) -> str | None:
    """The form of C's printf that writes a number of `dtype` as Python's `format(x, spec)` does; None where there is
    none. Digits to the base of 8 or 16 are for integers of a type without a sign. A float without a type is written
    with 9 or 17 digits at most, which tell it from all others."""
    found = _SPEC.fullmatch(spec)
    if found is None:
        return None
    flags, width, precision, kind = found.group("flags", "width", "precision", "type")
    is_float = dtype.is_float
    if dtype.kind == "bool" and not spec:
        return "%s"
    if is_float and (kind not in _PRECISE or (precision and not kind) or "0" in flags):
        return None
    if not is_float and (precision or (kind not in ("", "d") and (has_sign or kind not in _BASES))):
        return None
    if is_float and not kind:
        precision, kind = (".9", "g") if dtype.bits <= dtypes.F32.bits else (".17", "g")
    written = "".join(_FLAGS[flag] for flag in flags)
    return f"%{written}{width}{precision}{kind or 'd'}"


def check_assert(context: Context, node: hir.Assert) -> None:
    """The condition is one truth value, as an `if` wants it."""
    test = condition(context, node.test)
    if test is None or test.constant is True:
        return
    context.builder.span = node.span
    text = " ".join(line.split("#")[0].strip() for line in node.test.span.text().split("\n")).strip()
    context.builder.add(tir.Assert(context.value(test), text, node.message, (), node.span))


# ---------------------------------------------------------------- where it is


@dataclass(frozen=True, slots=True)
class _Where:
    """In which kind of kernel a report is, and whether it tells x, y and z: the kernel asks for an axis beyond 0."""

    is_tile: bool
    is_wide: bool

    @property
    def indices(self) -> tuple[tuple[tir.IndexKind, int], ...]:
        axes = (0, 1, 2) if self.is_wide else (0,)
        if self.is_tile:
            return tuple(("program_id", axis) for axis in axes)
        return (*(("block_id", axis) for axis in axes), *(("thread_id", axis) for axis in axes))

    @property
    def words(self) -> tuple[str, ...]:
        """The text around the indices."""
        return place_words(len(self.indices))


def place_reports(functions: Sequence[tir.Function], sink: Sink, *, asserts: bool = True) -> tuple[tir.Function, ...]:
    """The functions with every report told where it is; reports that would be made lane by lane are faults.

    `asserts`: False leaves the asserts out, and what is worked out for them alone may go.
    """
    if not asserts:
        place_reports(functions, sink)  # for the faults: which these are does not depend on an option
        functions = [replace(each, body=_without_asserts(each.body)) for each in functions]
    reporting = _reporting(functions)
    if not reporting:
        return tuple(functions)
    placer = _Placer({each.key: each for each in functions if each.kind == "device"}, reporting, sink)
    placed: list[tir.Function] = []
    for function in functions:
        if function.key not in reporting or not function.is_kernel:
            placed.append(placer.anywhere(function) if function.key in reporting else function)
            continue
        where = _Where(function.kind == "tile", _asks_for_more(function.body))
        placed.append(placer.kernel(function, where))
    kernels = [each for each in placed if each.kind != "device"]
    devices = [each for each in placed if each.kind == "device"]
    if not kernels:
        return tuple(devices)
    quiet = [each for each in devices if each.key not in reporting]
    return (*quiet, *placer.copies.values(), *kernels)


def _without_asserts(block: tir.Block) -> tir.Block:
    return _mapped(block, lambda op: () if isinstance(op, tir.Assert) else (op,))


def _reporting(functions: Sequence[tir.Function]) -> frozenset[str]:
    """The keys of the functions that print or assert, or call one that does."""
    found: set[str] = set()
    for function in functions:  # callees before callers
        for op in all_ops(function.body):
            if isinstance(op, tir.Print | tir.Assert) or (isinstance(op, tir.Call) and op.function in found):
                found.add(function.key)
    return frozenset(found)


def _asks_for_more(block: tir.Block) -> bool:
    return any(isinstance(op, tir.Index) and op.axis > 0 for op in all_ops(block))


_Made: TypeAlias = "tuple[tir.Op, ...]"


def _mapped(block: tir.Block, change: Callable[[tir.Op], _Made]) -> tir.Block:
    """The block with each op without blocks replaced."""
    return tir.Block(tuple(made for op in block.ops for made in _mapped_op(op, change)), block.end)


def _mapped_op(op: tir.Op, change: Callable[[tir.Op], _Made]) -> _Made:
    match op:
        case tir.If():
            return (replace(op, then=_mapped(op.then, change), orelse=_mapped(op.orelse, change)),)
        case tir.For():
            return (replace(op, body=_mapped(op.body, change)),)
        case tir.While():
            return (replace(op, test=_mapped(op.test, change), body=_mapped(op.body, change)),)
        case _:
            return change(op)


@dataclass
class _Placer:
    """`copies` are the device functions that are told where they are, by key."""

    devices: dict[str, tir.Function]
    reporting: frozenset[str]
    sink: Sink
    copies: dict[str, tir.Function] = field(default_factory=dict)

    def anywhere(self, function: tir.Function) -> tir.Function:
        """A device function as Python calls it: nowhere in particular."""
        return replace(function, body=_mapped(function.body, lambda op: self._placed(op, None, lambda: ((), ()))))

    def kernel(self, function: tir.Function, where: _Where) -> tir.Function:
        ids = Ids.after(function)

        def place() -> tuple[_Made, tuple[Value, ...]]:
            made = [tir.Index(ids.fresh(Scalar(dtypes.I64)), kind, axis) for kind, axis in where.indices]
            return tuple(made), tuple(op.result for op in made)

        return replace(function, body=_mapped(function.body, lambda op: self._placed(op, where, place)))

    def _placed(self, op: tir.Op, where: _Where | None, place: Callable[[], tuple[_Made, tuple[Value, ...]]]) -> _Made:
        match op:
            case tir.Print():
                before, values = place()
                return (*before, op if where is None else _told(op, where, values))
            case tir.Assert():
                before, values = place()
                return (*before, replace(op, place=values))
            case tir.Call() if op.function in self.reporting:
                if isinstance(op.result.type, Tile):
                    self.sink.report(faults.report_per_lane(op.span, self.devices[op.function].name))
                    return (op,)
                before, values = place()
                key = op.function if where is None else self._copy(op.function, where)
                return (*before, replace(op, function=key, operands=(*op.operands, *values), reports=True))
            case _:
                return (op,)

    def _copy(self, key: str, where: _Where) -> str:
        """The device function as kernels of that kind call it, with its place as further parameters."""
        copied = f"{key}{_COPY}{len(where.indices)}"
        if copied in self.copies:
            return copied
        function = self.devices[key]
        ids = Ids.after(function)
        names = _parameter_names(where, {parameter.name for parameter in function.parameters})
        values = tuple(ids.fresh(Scalar(dtypes.I64), name) for name in names)
        body = _mapped(function.body, lambda op: self._placed(op, where, lambda: ((), values)))
        more = tuple(tir.Parameter(value=value, span=function.span) for value in values)
        self.copies[copied] = replace(function, key=copied, body=body, parameters=(*function.parameters, *more))
        return copied


def _parameter_names(where: _Where, taken: set[str]) -> Iterator[str]:
    for kind, axis in where.indices:
        word = kind.removesuffix("_id") + (f"_{'xyz'[axis]}" if where.is_wide else "")
        while word in taken:
            word += "_"
        taken.add(word)
        yield word


def _told(op: tir.Print, where: _Where, place: Sequence[Value]) -> tir.Print:
    """The print with its place in front; of an empty line the place alone."""
    words, first = where.words, op.texts[0]
    last = words[-1].rstrip() if first.startswith("\n") or (not first and not op.operands) else words[-1]
    texts = (*words[:-1], last + first, *op.texts[1:])
    forms = ("%d",) * len(place) + op.forms
    return replace(op, texts=texts, operands=(*place, *op.operands), forms=forms, is_of_program=where.is_tile)

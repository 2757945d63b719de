"""KIR expressions as C++: the vendor's spelling, and the helpers of the text where C++'s own operators mean something
else than the language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from transpile.backends.backend import Backend
from transpile.diagnostics.core import InternalError
from transpile.dtypes import BOOL, F32, I32, I64, DType
from transpile.emit import atomics, conversions, exchanges, fast, literals
from transpile.emit.constants import reciprocal
from transpile.emit.contraction import Products, ways
from transpile.emit.doc import SPACE, Doc, group
from transpile.emit.flags import Flags
from transpile.emit.groups import load_groups, pack
from transpile.emit.pieces import (
    ADD,
    CONDITION,
    MUL,
    PRIMARY,
    RELATION,
    UNARY,
    Piece,
    binary,
    called,
    is_bool_of_memory,
    is_positive,
    literal,
    negated,
    negates,
    taken_from_zero,
    vec_type,
    wide,
    widens,
    wrapped,
)
from transpile.emit.reports import RECORD
from transpile.emit.spellings import FLOORED, ON_BOOLS, STANDARD, SYMBOLS, WRAPPING, WRAPS_UNSIGNED, helper_of
from transpile.ir import kir
from transpile.ir.kir_walk import dtype_of
from transpile.typing.types import TypeParameter, Vec, types_of


@dataclass(frozen=True)
class Printer:
    """Prints the expressions of one function and notes the helpers that it spells in `used`. `products` is None where
    the compiler may fuse, or never does; `counters` are the largest values of loop counters declared as `int`; `flags`
    is set where an index that comes from a bool must be hidden; `is_fast`: it is under `fast_math` on a GPU;
    `held_as_bits` are the parameters that the C ABI takes as bits."""

    backend: Backend
    function: str
    used: set[tuple[str, DType]]
    products: Products | None = None
    threads: int | None = None
    is_host: bool = False
    counters: dict[str, int] = field(default_factory=dict)
    flags: Flags | None = None
    failing: frozenset[str] = frozenset()  # functions that are given where to say that they failed
    held_as_bits: frozenset[str] = frozenset()
    is_fast: bool = False

    def use(self, name: str, dtype: DType) -> str:
        """Notes that the text spells the helper `name` on `dtype`."""
        self.used.update((name, each) for each in types_of(dtype))
        return name

    def value(self, expr: kir.Expr, target: kir.Expr | str | None = None) -> Doc:
        """For a place of the expression's own type: a variable that is initialised, an argument, an index."""
        is_summed = self.products is not None and self.products.meets_sum(self.function, target)
        return self.typed_elsewhere(expr, is_summed).doc

    def plain(self, expr: kir.Expr) -> Doc:
        return self.typed_elsewhere(expr, False).doc

    def right_of_comparison(self, expr: kir.Expr) -> Doc:
        piece = self.piece(expr)
        return wrapped(piece, piece.strength <= RELATION)

    def update(self, expr: kir.Apply, target: kir.Expr) -> Doc | None:
        """The right operand of `target = target op operand`, for `op=`; None where that needs a helper."""
        if self.is_fast and fast.is_spelled(expr):
            return None
        is_product = expr.op in ("mul", "truediv") and expr.dtype.is_float
        if is_product and self.products is not None and self.products.meets_sum(self.function, target):
            return None
        return self.typed_elsewhere(expr.operands[1], ways(expr)[1] == "sum").doc

    def typed_elsewhere(self, expr: kir.Expr, is_summed: bool) -> Piece:
        """The expression without the outermost conversion that C++ makes by itself where the type stands beside it."""
        if isinstance(expr, kir.Cast) and widens(dtype_of(expr.operand), expr.dtype):
            return self.typed_elsewhere(expr.operand, False)
        return self.piece(expr, is_summed)

    def piece(self, expr: kir.Expr, is_summed: bool = False) -> Piece:
        match expr:
            case kir.Lit():
                conversions.declare(self, expr.dtype)
                if isinstance(expr.dtype, TypeParameter) and expr.dtype.may_be_narrow:
                    return conversions.nearest(self, literal(kir.Lit(expr.value, F32)), expr.dtype)
                return literal(expr)
            case kir.Var():
                if expr.name in self.held_as_bits:
                    return Piece(f"{dtype_of(expr).cxx}{{{expr.name}}}")
                high = self.counters.get(expr.name)
                return Piece(expr.name, narrow=None if high is None else (0, high))
            case kir.Place():
                return self._place(expr)
            case kir.Element():
                return self._read(expr)
            case kir.Groups():
                return Piece(load_groups(self, expr))
            case kir.Pack():
                return Piece(pack(self, expr, is_summed))
            case kir.Slot():
                return Piece(group(expr.var.name, "[", self.plain(expr.index), "]"))
            case kir.PointerAdd():
                return self._pointer_add(expr)
            case kir.Cast():
                return conversions.cast(self, expr)
            case kir.Call():
                return self._call(expr)
            case kir.Apply():
                return self._apply(expr, is_summed)
            case kir.Shuffle():
                return exchanges.shuffle(self, expr)
            case kir.Atomic():
                return atomics.spelled(self, expr)
            case kir.Fold():
                return exchanges.fold(self, expr)
            case kir.Scan():
                return exchanges.scan(self, expr)
            case kir.Shared():
                return exchanges.shared(self, expr)
        raise InternalError("an expression that C++ has no spelling for", expr)

    # ------------------------------------------------------------ leaves

    def _place(self, expr: kir.Place) -> Piece:
        name = self.backend.spelling.place(expr.kind)
        axis = "xyz"[expr.axis]
        if not self.backend.is_gpu:
            return Piece(f"{name}_{axis}" if expr.kind == "thread_id" else f"{name}.{axis}")
        high = (1 << 31) - 1
        if expr.kind in ("thread_id", "lane_thread", "block_dim"):
            high = 1024 if expr.kind == "block_dim" else (self.threads or 1024) - 1
        return Piece(f"{name}.{axis}", narrow=(0, high), is_unsigned=True)

    def _read(self, expr: kir.Element) -> Piece:
        if not is_bool_of_memory(expr):
            return Piece(self.element(expr))
        self.use("truth", BOOL)
        return Piece(called("truth", [self.element(expr)]))

    def element(self, expr: kir.Element) -> Doc:
        """`base[index]`, as a value or a target."""
        if isinstance(vec_type(expr.base), Vec):
            return group(self.piece(expr.base).doc, ".at[", self.plain(expr.index), "]")
        base = self.piece(expr.base)
        if isinstance(expr.index, kir.Lit) and expr.index.value == 0:
            return group("*", wrapped(base, base.strength < UNARY))
        return group(wrapped(base, base.strength < PRIMARY), "[", self._index(expr.index), "]")

    def _index(self, index: kir.Expr) -> Doc:
        """An index into memory, hidden where it may be a flag."""
        if self.flags is None or not self.flags.has(index):
            return self.plain(index)
        self.use("hidden", I64)
        return called("hidden", [self.plain(index)])

    def _pointer_add(self, expr: kir.PointerAdd) -> Piece:
        index, sign = expr.index, " + "
        if isinstance(index, kir.Lit) and index.value < 0 and index.value != I64.min:
            index, sign = kir.Lit(-index.value, index.dtype), " - "
        if self.flags is not None and self.flags.has(index):
            return Piece(group(self.piece(expr.base).doc, SPACE, "+ ", self._index(index)), ADD)
        offset = self.piece(index)
        return Piece(
            group(self.piece(expr.base).doc, SPACE, sign.lstrip(), wrapped(offset, offset.strength < MUL)), ADD
        )

    # ------------------------------------------------------------ conversions and calls

    def _call(self, expr: kir.Call) -> Piece:
        callee = expr.function
        operands = [
            self.typed_elsewhere(operand, self.products is not None and self._argument_meets(callee, place)).doc
            for place, operand in enumerate(expr.operands)
        ]
        return Piece(called(callee, [RECORD, *operands] if callee in self.failing else operands))

    def _argument_meets(self, callee: str, place: int) -> bool:
        assert self.products is not None
        return self.products.meets_sum(callee, self.products.parameter(callee, place))

    def helper(self, name: str, dtype: DType, operands: Sequence[Piece]) -> Piece:
        """A call of a template whose type comes from its first operand alone, or of overloads on floats."""
        self.use(name, dtype)
        first, *others = (
            wide(piece, dtype) if place == 0 or dtype.is_float else piece for place, piece in enumerate(operands)
        )
        return Piece(called(name, [first.doc, *(operand.doc for operand in others)]))

    # ------------------------------------------------------------ operations

    def _apply(self, expr: kir.Apply, is_summed: bool) -> Piece:
        if self.is_fast and (parts := fast.fused(expr)) is not None:
            return Piece(called("std::fma", [wide(self.piece(part), expr.dtype).doc for part in parts]))
        inner = [
            self.piece(operand, way == "sum" or (way == "on" and is_summed))
            for operand, way in zip(expr.operands, ways(expr), strict=True)
        ]
        dtype = dtype_of(expr.operands[-1])
        if expr.op == "where":
            return self._where(expr, inner)
        if expr.op in ("not", "invert") and dtype is BOOL:
            return Piece(group("!", wrapped(inner[0], inner[0].strength < UNARY)), UNARY)
        if dtype is BOOL and expr.op in ON_BOOLS:
            return binary(*ON_BOOLS[expr.op], expr.op, inner, BOOL)
        if dtype.is_float:
            return self._on_floats(expr, inner, dtype, is_summed)
        return self._on_integers(expr, inner, dtype)

    def _on_floats(self, expr: kir.Apply, inner: list[Piece], dtype: DType, is_summed: bool) -> Piece:
        op = expr.op
        if self.is_fast and (helper := fast.helper(op, dtype)) is not None:
            return self.helper(helper, dtype, inner)
        name = STANDARD.get(op) or (fast.hardware(op, dtype) if self.is_fast else None)
        if name is not None:
            return Piece(called(name, [wide(piece, dtype).doc for piece in inner]))
        if op in ("neg", "pos"):
            return negated(inner[0]) if op == "neg" else inner[0]
        if is_summed and self.products is not None and op in ("mul", "truediv"):
            return self._apart(expr, [wide(piece, dtype) for piece in inner], dtype)
        if self.is_host and op == "sub" and (count := taken_from_zero(expr)) is not None:
            # g++ 12 makes -double(n) of 0.0 - double(n): of the wrong sign where n is 0.
            return Piece(group(f"{dtype.cxx}(-__int128(", self.piece(count).doc, "))"))
        if op in SYMBOLS and op not in FLOORED:
            return binary(*SYMBOLS[op], op, inner, dtype)
        return self.helper(helper_of(op, dtype), dtype, inner)

    def _apart(self, expr: kir.Apply, inner: list[Piece], dtype: DType) -> Piece:
        """A product or quotient that is rounded before a sum meets it."""
        assert self.products is not None
        if expr.op == "mul":
            self.use("product", dtype)
            return Piece(called("mul", [piece.doc for piece in inner]))
        divisor = expr.operands[1]
        factor = reciprocal(divisor.value, dtype) if isinstance(divisor, kir.Lit) else None
        if factor is not None:
            self.use("product", dtype)
            return Piece(called("mul", [inner[0].doc, literals.real(factor, dtype)]))
        if not self.products.may_become_product(self.function, divisor):
            return binary("/", MUL, "truediv", inner, dtype)
        self.use("quotient", dtype)
        return Piece(called("div", [piece.doc for piece in inner]))

    def _on_integers(self, expr: kir.Apply, inner: list[Piece], dtype: DType) -> Piece:
        op = expr.op
        if op == "pos":
            return inner[0]
        if op == "invert":
            piece = wide(inner[0], dtype)
            return Piece(group("~", wrapped(piece, piece.strength < UNARY)), UNARY)
        if op == "add" and expr.exact and _is_sum_of_small(expr.operands[1], inner[1]):
            return self.piece(_leaning_left(expr))
        wraps = dtype.kind == "uint" and op in WRAPS_UNSIGNED
        if dtype is I32 and self.backend.drops_negations and not self.is_host and (place := negates(expr)) is not None:
            return self.helper("negated", I32, [inner[place]])
        if op == "neg" and (expr.exact or wraps):
            return negated(wide(inner[0], dtype))
        if self.is_host and op in ("floordiv", "mod") and not expr.exact and is_positive(expr.operands[1]):
            return self._floored(expr)
        if op in SYMBOLS and (expr.exact or wraps or op not in WRAPPING):
            return binary(*SYMBOLS[op], op, inner, dtype)
        return self.helper(helper_of(op, dtype), dtype, inner)

    def _floored(self, expr: kir.Apply) -> Piece:
        """`//` or `%` by a positive constant: C++'s own, corrected where the remainder is negative."""
        dtype = expr.dtype
        quotient, remainder = (kir.Apply(op, expr.operands, dtype, exact=True) for op in ("floordiv", "mod"))
        is_below = kir.Apply("lt", (remainder, kir.Lit(0, dtype)), BOOL)
        if expr.op == "floordiv":
            return self.piece(kir.Apply("sub", (quotient, is_below), dtype, exact=True))
        fixed = kir.Apply("add", (remainder, expr.operands[1]), dtype, exact=True)
        return self.piece(kir.Apply("where", (is_below, fixed, remainder), dtype))

    def _where(self, expr: kir.Apply, inner: list[Piece]) -> Piece:
        condition, then, other = inner
        if expr.dtype.is_float and then.is_literal and other.is_literal:
            then = wide(then, expr.dtype)
        narrow: tuple[int, int] | None = None
        if then.narrow is not None and other.narrow is not None:
            if then.is_unsigned == other.is_unsigned:
                narrow = (min(then.narrow[0], other.narrow[0]), max(then.narrow[1], other.narrow[1]))
            else:
                then = wide(then, expr.dtype)
        doc = group(
            wrapped(condition, condition.strength <= CONDITION),
            SPACE,
            "? ",
            wrapped(then, then.strength <= CONDITION),
            SPACE,
            ": ",
            other.doc,
        )
        return Piece(doc, CONDITION, narrow, then.is_unsigned)


def _is_sum_of_small(expr: kir.Expr, piece: Piece) -> bool:
    """True for `b + c` of numbers not below 0: then `a + (b + c)` may be read from left to right as well."""
    is_sum = isinstance(expr, kir.Apply) and expr.op == "add" and expr.exact
    return is_sum and piece.narrow is not None and piece.narrow[0] >= 0


def _leaning_left(expr: kir.Apply) -> kir.Apply:
    first, second = expr.operands
    assert isinstance(second, kir.Apply)
    inner = kir.Apply("add", (first, second.operands[0]), expr.dtype, exact=True)
    return kir.Apply("add", (inner, second.operands[1]), expr.dtype, exact=True)

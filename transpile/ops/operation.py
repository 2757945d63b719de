"""What an operation is: one value that the checker, folding, the interpreter, the emitters, the documentation and the
tests all read. The rows stand in the other modules of this package; `transpile.ops.table` joins them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal, TypeAlias

from transpile.dtypes import DType, Kind, Number

# Which element types an operand may have once the operands are joined (language.md, Types).
Accepts: TypeAlias = Literal["number", "integer", "integer_or_bool", "float", "bool", "any"]
Result: TypeAlias = Literal["same", "bool"]
# Where the value of a float operand goes: into a sum, on to the result as it is (sign aside), or neither.
Way: TypeAlias = Literal["sum", "on", "ends"]
# On Python's own numbers; None where the reference decides at run time.
Exact: TypeAlias = "Callable[..., Number | None]"

NAMES: Final[Mapping[int, tuple[str, ...]]] = {1: ("x",), 2: ("a", "b"), 3: ("a", "b", "c")}


@dataclass(frozen=True, slots=True)
class Near:
    """A row that gives the same bits without a branch while the operand is smaller than a limit; `limits`: of f32 and
    f64."""

    name: str
    limits: tuple[float, float]

    def limit(self, dtype: DType) -> float:
        return self.limits[0 if dtype.bits == 32 else 1]


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """An elementwise operation on scalars or tiles.

    `accepts` is tested after joining: `number` turns bools into i64 (or the other operand's type) first, `float` turns
    integers and bools into f64 first. `where` joins its last two operands only. `reference` takes NumPy arrays of the
    operand dtype and returns one of the result dtype: it is the definition, and is called inside
    `numpy.errstate(all="ignore")`. `spellings` are the names a user writes (`tile.maximum`, `builtin.max`, …);
    `symbol` is the operator in messages.

    `ways` keeps compilers from fusing a product with a sum that an operation hides: one for each operand; without them
    all are taken as summed, which is always safe. `keeps` are the kinds of operand that the operation gives back as
    they are. `in_runtime`: its C++ is `runtime_cpp/math/NAME.hpp`. `near`: what it is where the operand is near 0.
    `is_internal`: only the lowering makes it. `integers` and `floats` give the value of constants: integers exactly, of
    any size, floats as in f64.
    """

    name: str
    arity: int
    accepts: Accepts
    result: Result
    reference: Callable[..., Any]
    symbol: str
    doc: str
    spellings: tuple[str, ...] = ()
    ways: tuple[Way, ...] = ()
    keeps: tuple[Kind, ...] = ()
    in_runtime: bool = False
    near: Near | None = None
    is_internal: bool = False
    integers: Exact | None = None
    floats: Exact | None = None

    @property
    def parameters(self) -> tuple[str, ...]:
        """What a user may call the operands."""
        return ("condition", "a", "b") if self.name == "where" else NAMES[self.arity]

    @property
    def is_choice(self) -> bool:
        """Whether the result is one of several operands."""
        return self.ways.count("on") > 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Reduction:
    """A fold or a scan along an axis. `combine` names the elementwise row that joins two partial values, in the order
    of `reduce.halve` or `scan.running`; on the kinds of `any_order_on` the result is the same in any. `accumulate` is
    the dtype rule: `wide` (bool and signed → i64, unsigned → u64, narrow floats → f32), `same`, or `bool`."""

    name: str
    combine: str
    accumulate: Literal["wide", "same", "bool"]
    any_order_on: tuple[Kind, ...]
    doc: str
    spellings: tuple[str, ...] = ()

    @property
    def parameters(self) -> tuple[str, ...]:
        """What a user may call the operand."""
        return NAMES[1]

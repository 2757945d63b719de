"""The element types: one row each. Everything that depends on a type's width, kind or spelling reads it here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Kind = Literal["bool", "int", "uint", "float"]
Number: TypeAlias = bool | int | float  # a constant, as Python holds it


@dataclass(frozen=True, slots=True, kw_only=True)
class DType:
    """One element type. `numpy` is a NumPy dtype name; `bits` is the width in memory."""

    name: str
    kind: Kind
    bits: int
    cxx: str
    numpy: str
    mantissa: int = 0  # explicit significand bits of a float
    storage_only: bool = False  # arithmetic happens in `computes_in`
    computes_in: str = ""

    @property
    def bytes(self) -> int:
        return self.bits // 8

    @property
    def is_float(self) -> bool:
        return self.kind == "float"

    @property
    def is_integer(self) -> bool:
        return self.kind in ("int", "uint")

    @property
    def min(self) -> int:
        """The smallest integer of an integer type."""
        return -(1 << (self.bits - 1)) if self.kind == "int" else 0

    @property
    def max(self) -> int:
        """The largest integer of an integer type."""
        return (1 << (self.bits - 1)) - 1 if self.kind == "int" else (1 << self.bits) - 1

    def __str__(self) -> str:
        return self.name


BOOL: Final = DType(name="bool", kind="bool", bits=8, cxx="bool", numpy="bool")
I32: Final = DType(name="i32", kind="int", bits=32, cxx="int32_t", numpy="int32")
I64: Final = DType(name="i64", kind="int", bits=64, cxx="int64_t", numpy="int64")
F16: Final = DType(
    name="f16",
    kind="float",
    bits=16,
    cxx="half",
    numpy="float16",
    mantissa=10,
    storage_only=True,
    computes_in="f32",
)
F32: Final = DType(name="f32", kind="float", bits=32, cxx="float", numpy="float32", mantissa=23)
F64: Final = DType(name="f64", kind="float", bits=64, cxx="double", numpy="float64", mantissa=52)

ALL: Final = (BOOL, I32, I64, F16, F32, F64)
BY_NAME: Final = {dtype.name: dtype for dtype in ALL}
# What a kernel may spell today; F16 exists for the IR and the layouts alone.
SUPPORTED: Final = (BOOL, I32, I64, F32, F64)
PYTHON: Final = {"int": I64, "float": F64, "bool": BOOL}


def python_name(dtype: DType) -> str:
    """How a user writes this type: `int`, `float`, `bool` or `native.NAME`."""
    for name, row in PYTHON.items():
        if row is dtype:
            return name
    return f"native.{dtype.name}"


def written_names(mark: str = "") -> str:
    """The types that a user may write, as words of a sentence: `int, float, bool, native.i32 or native.f32`."""
    rest = (python_name(dtype) for dtype in SUPPORTED if dtype not in PYTHON.values())
    *names, last = (f"{mark}{name}{mark}" for name in (*PYTHON, *rest))
    return f"{', '.join(names)} or {last}"

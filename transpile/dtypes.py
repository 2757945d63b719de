"""The element types: one row each. Everything that depends on a type's width, kind or spelling reads it here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Kind = Literal["bool", "int", "uint", "float"]
Number: TypeAlias = bool | int | float  # a constant, as Python holds it


@dataclass(frozen=True, slots=True, kw_only=True)
class DType:
    """One element type. `bits` is the width in memory; `numpy` is what NumPy (ml_dtypes, for what NumPy lacks) calls
    it, `cxx` what the emitted text does.

    A type with `computes_in` is for storage: every operation converts to that type first. Floats have `mantissa`
    explicit significand bits and `exponent` bits; with `is_finite` the largest exponent is one of numbers (but for the
    NaN of all ones); with `saturates` a conversion stops at the largest number. `suffix` ends a literal of the type in
    C++, `letter` begins CUDA's intrinsics on it. A float with an `abi` is a struct of such bits in the text, and those
    bits in the C ABI and in the reference. `is_numpys`: NumPy has the type, without ml_dtypes.
    """

    name: str
    kind: Kind
    bits: int
    cxx: str
    numpy: str
    computes_in: str = ""
    mantissa: int = 0
    exponent: int = 0
    is_finite: bool = False
    saturates: bool = False
    suffix: str = ""
    letter: str = ""
    abi: str = ""
    is_numpys: bool = True

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
    def is_narrow_float(self) -> bool:
        """Whether it is a float that no machine computes in."""
        return self.abi != ""

    @property
    def computing(self) -> DType:
        """The type in which operations on it compute."""
        return BY_NAME[self.computes_in] if self.computes_in else self

    @property
    def held(self) -> str:
        """The NumPy type in which the reference holds its values: for narrow floats that of their bits."""
        return f"uint{self.bits}" if self.is_narrow_float else self.numpy

    @property
    def min(self) -> int:
        """The smallest integer of an integer type."""
        return -(1 << (self.bits - 1)) if self.kind == "int" else 0

    @property
    def max(self) -> int:
        """The largest integer of an integer type."""
        return (1 << (self.bits - 1)) - 1 if self.kind == "int" else (1 << self.bits) - 1

    def holds(self, other: DType) -> bool:
        """Is every number of another type of integers one of this type of integers?"""
        return self.is_integer and other.is_integer and self.min <= other.min and other.max <= self.max

    @property
    def bias(self) -> int:
        """What the exponent's field of a float is above the exponent."""
        return (1 << (self.exponent - 1)) - 1

    @property
    def smallest_normal(self) -> float:
        return 2.0 ** (1 - self.bias)

    @property
    def largest(self) -> float:
        """The largest number of a float type."""
        if self.is_finite:
            return (2.0 - 2.0 ** (1 - self.mantissa)) * 2.0 ** (self.bias + 1)
        return (2.0 - 2.0**-self.mantissa) * 2.0**self.bias

    def __str__(self) -> str:
        return self.name


BOOL: Final = DType(name="bool", kind="bool", bits=8, cxx="bool", numpy="bool")
I8: Final = DType(name="i8", kind="int", bits=8, cxx="int8_t", numpy="int8", computes_in="i32")
I16: Final = DType(name="i16", kind="int", bits=16, cxx="int16_t", numpy="int16", computes_in="i32")
I32: Final = DType(name="i32", kind="int", bits=32, cxx="int32_t", numpy="int32")
I64: Final = DType(name="i64", kind="int", bits=64, cxx="int64_t", numpy="int64")
U8: Final = DType(name="u8", kind="uint", bits=8, cxx="uint8_t", numpy="uint8", computes_in="i32")
U16: Final = DType(name="u16", kind="uint", bits=16, cxx="uint16_t", numpy="uint16", computes_in="i32")
U32: Final = DType(name="u32", kind="uint", bits=32, cxx="uint32_t", numpy="uint32", suffix="u")
U64: Final = DType(name="u64", kind="uint", bits=64, cxx="uint64_t", numpy="uint64", suffix="ull")
F16: Final = DType(
    name="f16",
    kind="float",
    bits=16,
    cxx="f16",
    numpy="float16",
    computes_in="f32",
    mantissa=10,
    exponent=5,
    abi="uint16_t",
)
BF16: Final = DType(
    name="bf16",
    kind="float",
    bits=16,
    cxx="bf16",
    numpy="bfloat16",
    computes_in="f32",
    mantissa=7,
    exponent=8,
    abi="uint16_t",
    is_numpys=False,
)
F32: Final = DType(
    name="f32", kind="float", bits=32, cxx="float", numpy="float32", mantissa=23, exponent=8, suffix="f", letter="f"
)
F64: Final = DType(
    name="f64", kind="float", bits=64, cxx="double", numpy="float64", mantissa=52, exponent=11, letter="d"
)
F8E4M3: Final = DType(
    name="f8e4m3",
    kind="float",
    bits=8,
    cxx="f8e4m3",
    numpy="float8_e4m3fn",
    computes_in="f32",
    mantissa=3,
    exponent=4,
    is_finite=True,
    saturates=True,
    abi="uint8_t",
    is_numpys=False,
)
F8E5M2: Final = DType(
    name="f8e5m2",
    kind="float",
    bits=8,
    cxx="f8e5m2",
    numpy="float8_e5m2",
    computes_in="f32",
    mantissa=2,
    exponent=5,
    saturates=True,
    abi="uint8_t",
    is_numpys=False,
)

ALL: Final = (BOOL, I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64, F8E4M3, F8E5M2)
BY_NAME: Final = {dtype.name: dtype for dtype in ALL}
PYTHON: Final = {"int": I64, "float": F64, "bool": BOOL}


def python_name(dtype: DType) -> str:
    """How a user writes this type: `int`, `float`, `bool` or `native.NAME`."""
    for name, row in PYTHON.items():
        if row is dtype:
            return name
    return f"native.{dtype.name}"


def written_names(mark: str = "") -> str:
    """The types that a user may write, as words of a sentence: `int, float, bool or native.T with T of i8 i16 …`."""
    python = ", ".join(f"{mark}{name}{mark}" for name in PYTHON)
    native = " ".join(dtype.name for dtype in ALL if dtype is not BOOL)
    return f"{python} or {mark}native.T{mark} with T of {mark}{native}{mark}"

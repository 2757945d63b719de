"""The arguments of a launch, matched to the parameters of a kernel: checked and converted before anything runs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from transpile import dtypes
from transpile.dtypes import DType, Number
from transpile.lang.arrays import element_type, open_array, overlap
from transpile.lang.scalars import convert_scalar
from transpile.reference.pointer import PointerValue
from transpile.typing.types import Pointer

if TYPE_CHECKING:
    from transpile.ir import hir, tir
    from transpile.typing.program import Instance


def check_arguments(function: tir.Function, given: Sequence[object]) -> list[Number | PointerValue]:
    """One value for each parameter: numbers of its type, and pointers into whole arrays. Static parameters stay.

    Raises TypeError, ValueError or OverflowError with a message that names the argument.
    """
    name = function.base
    check_count(name, [parameter.name for parameter in function.parameters], given)
    found: list[Number | PointerValue] = []
    for parameter, value in zip(function.parameters, given, strict=True):
        kind = parameter.value.type
        what = f"{name}: argument '{parameter.name}'"
        if isinstance(kind, Pointer):
            found.append(open_array(value, kind.dtype, what, const=kind.const, name=parameter.name))
        else:
            found.append(convert_scalar(value, kind.dtype, what))
    if not function.alias:
        check_apart(name, [value for value in found if isinstance(value, PointerValue)])
    return found


def check_shared(function: tir.Function, values: Sequence[Number | PointerValue]) -> None:
    """Raises ValueError where one of the `values` of the parameters sizes a shared array and is below 0, or more than a
    block has beside the other arrays."""
    if function.kind != "thread":
        return
    from transpile.ir.walk import shared_arrays
    from transpile.typing.memory import MAX_SHARED_BYTES, buffer_bytes

    arrays = shared_arrays(function)
    sizes = [each.count * each.result.type.dtype.bytes for each in arrays if isinstance(each.count, int)]
    fixed = buffer_bytes([*sizes, 0])
    given = {parameter.value: value for parameter, value in zip(function.parameters, values, strict=True)}
    for each in arrays:
        if isinstance(each.count, int):
            continue
        count, dtype = given[each.count], each.result.type.dtype
        most = (MAX_SHARED_BYTES - fixed) // dtype.bytes
        assert isinstance(count, int)
        if not 0 <= count <= most:
            beside = f" beside {fixed} of others" if fixed else ""
            raise ValueError(
                f"{function.base}: argument '{each.count.name}' is {count}, the size of a shared array of {dtype}; "
                f"it must be 0 to {most}: a block has {MAX_SHARED_BYTES} bytes{beside}"
            )


def check_count(name: str, parameters: Sequence[str], given: Sequence[object]) -> None:
    """Raises TypeError unless there is one argument for each parameter."""
    if len(given) > len(parameters):
        takes = f"{len(parameters)} argument" if len(parameters) == 1 else f"{len(parameters)} arguments"
        raise TypeError(f"{name}: takes {takes}, but {len(given)} were given")
    if len(given) < len(parameters):
        raise TypeError(f"{name}: argument '{parameters[len(given)]}' is missing")


def check_apart(name: str, pointers: Sequence[PointerValue]) -> None:
    """Raises ValueError where two arrays share memory and one of them may be written."""
    for place, first in enumerate(pointers):
        for second in pointers[place + 1 :]:
            if not (first.const and second.const) and overlap(first, second):
                raise ValueError(
                    f"{name}: arguments '{first.name}' and '{second.name}' overlap in memory, and the kernel may write "
                    "one of them; pass a copy, or declare the kernel with alias=True"
                )


def instance_values(function: hir.Function, given: Sequence[object]) -> Instance:
    """What tells the instance of a launch: the element type of each type variable, then the static parameters' values.

    Raises TypeError, ValueError or OverflowError.
    """
    from transpile.ir.hir import StaticAnnotation  # a file that only defines kernels does without

    check_count(function.name, [parameter.name for parameter in function.parameters], given)
    statics = tuple(
        int(convert_scalar(value, dtypes.I64, f"{function.name}: argument '{parameter.name}'"))
        for parameter, value in zip(function.parameters, given, strict=True)
        if isinstance(parameter.annotation, StaticAnnotation)
    )
    return (*_chosen_types(function, given), *statics) if function.variables else statics


def _chosen_types(function: hir.Function, given: Sequence[object]) -> tuple[DType, ...]:
    """What the type variables are: the element types of the arrays."""
    from transpile.ir.hir import PointerAnnotation, TypeVariable

    chosen: dict[TypeVariable, DType] = {}
    for parameter, value in zip(function.parameters, given, strict=True):
        annotation = parameter.annotation
        if isinstance(annotation, PointerAnnotation) and isinstance(annotation.dtype, TypeVariable):
            variable, what = annotation.dtype, f"{function.name}: argument '{parameter.name}'"
            known = (chosen[variable],) if variable in chosen else variable.choices
            chosen[variable] = element_type(value, known, what)
    return tuple(chosen[variable] for variable in function.variables)

"""Device functions: scalars in and out, with branches and loops; later ones call earlier ones."""

from __future__ import annotations

from typing import Final

from tests.fuzz.draw import Draw
from tests.fuzz.expressions import DeviceFunction, Variable
from tests.fuzz.kinds import KIND_OF
from tests.fuzz.program import MARK
from tests.fuzz.statements import writer

DTYPES: Final = (
    "float", "int", "native.f32", "bool", "native.i32", "float", "native.u32", "native.u64", "native.f16", "native.u8",
)  # fmt: skip
RESULTS: Final = ("float", "native.f32", "float", "int", "bool", "native.u64", "native.bf16")


def device_functions(draw: Draw) -> tuple[str, tuple[DeviceFunction, ...]]:
    """The text of up to three device functions, and what calls need to know."""
    made: list[DeviceFunction] = []
    texts: list[str] = []
    for number in range(draw.pick((1, 0, 2, 3))):
        dtypes = tuple(draw.pick(DTYPES) for _ in range(draw.integer(1, 3)))
        function = DeviceFunction(f"dev{MARK}_{number}", dtypes, draw.pick(RESULTS))
        texts.append(_device_text(draw, function, tuple(made)))
        made.append(function)
    return "".join(texts), tuple(made)


def _device_text(draw: Draw, function: DeviceFunction, known: tuple[DeviceFunction, ...]) -> str:
    write = writer(draw, "device")
    write.scope.devices = known
    write.returns = function.result
    names = [f"p{place}" for place in range(len(function.parameters))]
    for name, dtype in zip(names, function.parameters, strict=True):
        write.scope.variables.append(Variable(name, KIND_OF[dtype]))
    write.block(draw.integer(0, 4))
    write.line(f"return {write.result()}")
    parameters = ", ".join(f"{name}: {dtype}" for name, dtype in zip(names, function.parameters, strict=True))
    head = f"@cuda.device\ndef {function.name}({parameters}) -> {function.result}:\n"
    return head + "\n".join(write.lines) + "\n\n\n"

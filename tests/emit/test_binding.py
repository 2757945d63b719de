"""The table and the stub of a module, from TIR that is built by hand."""

from __future__ import annotations

import ast
from typing import Final

import pytest

from transpile.backends.backend import Backend
from transpile.backends.cpu import CPU
from transpile.backends.cuda import CUDA
from transpile.dtypes import F32, F64, I64
from transpile.emit.binding import bindings
from transpile.emit.extension import ExtensionUnit, build_extension_unit, render_stub, render_table
from transpile.emit.literals import quoted
from transpile.emit.unit import Provenance
from transpile.ir import tir
from transpile.ir.tir import Parameter, Value
from transpile.typing.types import Pointer, Scalar

EMPTY: Final = tir.Block((), tir.Return())
N: Final = Value(0, Scalar(I64), "n")
A: Final = Value(1, Scalar(F64), "a")
X: Final = Value(2, Pointer(F64, const=True), "x")
Y: Final = Value(3, Pointer(F64), "y")


def function(key: str, kind: tir.FunctionKind, *values: Value, **options: object) -> tir.Function:
    made: dict[str, object] = {"name": key, "base": key, "result": None, "body": EMPTY, **options}
    parameters = tuple(Parameter(value=value) for value in values)
    return tir.Function(key=key, kind=kind, parameters=parameters, **made)  # type: ignore[arg-type]


def launcher(key: str, values: tuple[Value, ...], *ops: tir.Op) -> tir.Function:
    return function(key, "launcher", *values, body=tir.Block(ops, tir.Return()))


def launch(kernel: str, *arguments: Value) -> tir.Launch:
    return tir.Launch(kernel, (N, N, N), (), arguments)


def unit(
    *functions: tir.Function, docstrings: dict[str, str] | None = None, backend: Backend = CPU, options: str = ""
) -> ExtensionUnit:
    module = tir.Module(stem="tiles", functions=functions)
    origin = Provenance(source="tiles.py", stem="tiles", code="5f3c9a1e")
    return build_extension_unit(module, origin, "tiles_ext", backend, options, docstrings or {})


def apart(*functions: tir.Function) -> list[str]:
    """The pairs of the last function."""
    held = bindings(tir.Module(stem="tiles", functions=functions), {})
    return [line for array in held[-1].arrays for line in array if "constexpr pair" in line]


SAXPY: Final = function("saxpy", "tile", N, A, X, Y)
ALIASED: Final = function("aliased", "tile", X, Y, alias=True)
READER: Final = function("reader", "tile", X, Value(9, Pointer(F64, const=True), "other"))

TABLE: Final = """\
// tiles_ext.cpp: what Python sees of the kernels of tiles.py.
// Written by transpile (format FORMAT, code 5f3c9a1e).
// Do not edit: change tiles.py, then `python -m transpile build tiles.py`.
#include "tiles.h"

#include <transpile/table.h>

namespace transpile {
namespace {

int32_t call_saxpy(const value *v, void *stream) {
    return ::tiles_saxpy(v[0].as<int64_t>(), v[1].as<int64_t>(), v[2].as<int64_t>(), v[3].as<int64_t>(),
        v[4].as<double>(), v[5].as<const double *>(), v[6].as<double *>(), stream);
}
constexpr parameter saxpy_parameters[] = {
    {"n", kind::scalar, dtype::i64}, {"a", kind::scalar, dtype::f64},
    {"x", kind::const_pointer, dtype::f64}, {"y", kind::pointer, dtype::f64},
};
constexpr instance saxpy_instances[] = {{{}, call_saxpy}};
constexpr pair saxpy_pairs[] = {{2, 3}};

constexpr function functions[] = {
    {"saxpy", "y += a * x.", role::tile_kernel, block_rule::any, saxpy_parameters, saxpy_instances,
     saxpy_pairs, {}},
};
constexpr module_table table = {table_format, "tiles_ext",
    "The kernels of tiles.py, built for the CPU.", "tiles.py", "5f3c9a1e", "FORMAT", "cpu",
    "" TRANSPILE_MACHINES, functions};

}  // namespace
}  // namespace transpile

TRANSPILE_MODULE(tiles_ext, transpile::table)
"""


def test_a_table() -> None:
    from transpile.emit.unit import FORMAT

    found = render_table(unit(SAXPY, docstrings={"saxpy": "y += a * x."}))
    assert found.split() == TABLE.replace("FORMAT", str(FORMAT)).split()
    assert max(map(len, found.splitlines())) <= 100


def test_a_table_for_a_gpu() -> None:
    made = unit(SAXPY, backend=CUDA, options="--target cuda --lines none")
    text = render_table(made)
    command = "python -m transpile build tiles.py --target cuda --lines none"
    assert f"then `{command}`." in text.replace("\n//     ", " ")
    assert '"cuda", "--target cuda --lines none" TRANSPILE_MACHINES, functions}' in " ".join(text.split())
    assert '"The kernels of tiles.py, built for NVIDIA GPUs."' in text
    assert "_Stream = Any\n" in render_stub(made)


def test_instances_of_static_parameters() -> None:
    size, out = Value(0, Scalar(I64), "size"), Value(1, Pointer(F32), "café")
    instances = [
        tir.Function(
            key=f"fill__{value}",
            name="fill",
            base="fill",
            kind="thread",
            parameters=(Parameter(value=size, static=value), Parameter(value=out)),
            result=None,
            body=EMPTY,
            uses_shuffles=True,
            needs_group_rows=value == 0,
        )
        for value in (4, 8)
    ]
    text = render_table(unit(*instances))
    assert "constexpr int64_t fill__4_statics[] = {4};" in text
    assert "{fill__4_statics, call_fill__4}, {fill__8_statics, call_fill__8}" in text
    assert "::tiles_fill__8(" in text
    assert '{"caf\\303\\251", kind::pointer, dtype::f32}' in text
    assert "v[6].as<float *>(), stream" in text
    assert "role::thread_kernel, block_rule::whole_groups," in text


def test_pointers_of_a_kernel_that_must_be_apart() -> None:
    assert apart(SAXPY) == ["constexpr pair saxpy_pairs[] = {{2, 3}};"]
    assert apart(ALIASED) == []
    assert apart(READER) == []


def test_pointers_of_a_launcher_that_must_be_apart() -> None:
    moved = Value(10, Pointer(F64), "")
    ways = (N, A, X, Y)
    assert apart(SAXPY, launcher("run", ways, launch("saxpy", N, A, X, Y))) == [
        "constexpr pair run_pairs[] = {{2, 3}};"
    ]
    through = launcher("run", ways, tir.Offset(moved, Y, N), launch("saxpy", N, A, Y, moved))
    assert apart(SAXPY, through) == ["constexpr pair run_pairs[] = {{3, 3}};"]
    assert apart(SAXPY, ALIASED, launcher("run", ways, launch("aliased", X, Y))) == []
    assert apart(SAXPY, READER, launcher("run", ways, launch("reader", X, Y))) == []
    assert apart(SAXPY, launcher("run", ways)) == []


def test_a_pointer_that_moves_in_a_loop_or_branch_stays_its_parameters() -> None:
    kind = Pointer(F64)
    carried, moved, result, chosen = (Value(place, kind, "") for place in (10, 11, 12, 13))
    step = tir.Block((tir.Offset(moved, carried, N),), tir.Yield((moved,)))
    loop = tir.For(Value(14, Scalar(I64), ""), N, N, N, (Y,), (carried,), step, (result,))
    branch = tir.If(A, tir.Block((), tir.Return()), tir.Block((), tir.Yield((result,))), (chosen,))
    moving = launcher("run", (N, A, X, Y), loop, branch, launch("saxpy", N, A, X, chosen))
    assert apart(SAXPY, moving) == ["constexpr pair run_pairs[] = {{2, 3}};"]


def test_captured_values_of_callees() -> None:
    result = Value(5, Scalar(F64), "")
    helper = function("shapes.curve", "device", A, captured=(("SCALE", 2.0),), result=Scalar(F64))
    body = tir.Block((tir.Call(result, "shapes.curve", (A,)),), tir.Return())
    kernel = function("grow", "tile", A, body=body, captured=(("LIMIT", 10), ("WIDE", True)))
    text = render_table(unit(helper, kernel))
    assert '{"LIMIT", "10"}, {"WIDE", "True"}, {"shapes.curve:SCALE", "2.0"}' in text
    assert "shapes" not in text.replace("shapes.curve:SCALE", "")


@pytest.mark.parametrize("text", ["", 'say "no"', "a\\n", "line\nline", "é0", "?" * 3, "\0001", "🦔"])
def test_quoted_text_is_plain(text: str) -> None:
    literal = quoted(text)
    assert literal.isascii()
    assert "??" not in literal
    assert ast.literal_eval(f"b{literal}").decode() == text


def test_a_stub_is_python() -> None:
    docstrings = {"saxpy": 'Says "y += a * x"', "run": 'First.\n\n    Has """quotes""" and \\n.'}
    text = render_stub(unit(SAXPY, launcher("run", (N, A, X, Y)), docstrings=docstrings))
    tree = ast.parse(text)
    made = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef | ast.ClassDef)}
    assert list(made) == ["_saxpy", "run"]
    assert ast.get_docstring(made["run"]) == 'First.\n\nHas """quotes""" and \\n.'
    assert "def run(n: int, a: float, x: _Array, y: _Array, *, stream: _Stream = None) -> None:" in text
    assert "_Stream = int | None\n" in text
    assert "def __getitem__(self, sizes: _Sizes, /) -> _Launch: ..." in text
    assert "saxpy: Final[_saxpy]" in text


def test_a_module_without_kernels() -> None:
    assert "constexpr list<function> functions;" in render_table(unit())
    ast.parse(render_stub(unit()))

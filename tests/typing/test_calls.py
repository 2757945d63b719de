"""Calls: signatures, device functions, dialects, launchers and static parameters."""

from __future__ import annotations

import pytest

from tests.typing.kernels import HEAD, check, expect, faults, load, printed, program, type_of
from transpile.diagnostics.core import Sink
from transpile.typing.check import check_module

DEVICE = """\
@cuda.device
def dev(v: float, i: int) -> float:
    return v * i


@cuda.device
def narrow(v: native.f32) -> native.f32:
    return v * 2


"""
KERNELS = """\
@tile.kernel
def ker(n: int, f: float, s: native.static[int], x: native.const_ptr[float], y: native.ptr[float]) -> None:
    lane = tile.arange(s)
    tile.store(y, lane, tile.load(x, lane, lane < n) * f)


@cuda.kernel
def thr(n: native.i32, y: native.ptr[float]) -> None:
    native.store(y, n)


"""


def test_arguments_convert() -> None:
    assert printed("native.store(y, dev(h, b))", before=DEVICE) == expect("""
        %11: f64 = cast %3.h
        %12: i64 = cast %5.b
        %13: f64 = call dev(%11, %12)
        store %7.y[0], %13
    """)


def test_weak_argument_takes_the_type_of_the_parameter() -> None:
    assert printed("native.store(z, narrow(a))", before=DEVICE).startswith("%11: f32 = cast %2.a")


def test_call_works_lane_by_lane() -> None:
    body = "lane = tile.arange(8)\ntile.store(y, lane, dev(i=lane, v=2))\ntile.store(y, lane, tile.map(dev, 2, lane))"
    text = printed(body, "tile", before=DEVICE)
    assert text.count("tile[f64, 8] = call dev(") == 2
    assert type_of("dev(a, 1)", before=DEVICE) == "f64"
    assert type_of("narrow(tile.load(z, tile.arange(8)))", "tile", before=DEVICE) == "tile[f32, 8]"


def test_arguments_that_do_not_convert() -> None:
    body = """
        r = dev(1.0, 2.5)
        s = dev(y, 1)
        t = narrow(native.load(x))
        u = narrow(n)
        v = dev(1.0, 1 << 70)
        o = narrow(h if b else 1)
    """
    assert faults(body, before=DEVICE) == [
        (1, "argument-type"),
        (2, "argument-type"),
        (3, "argument-type"),
        (5, "constant-range"),
    ]


def test_signatures() -> None:
    body = """
        r = dev(1.0)
        s = dev(1.0, 2, 3)
        t = dev(1.0, j=2)
        u = dev(1.0, v=2)
        v = max(n)
        o = round(a, 2)
        c = math.sqrt()
        native.store(y)
        cuda.syncthreads(1)
    """
    assert faults(body, before=DEVICE) == [(line, "call-arguments") for line in range(1, 10)]


def test_what_is_no_value() -> None:
    body = """
        r = dev
        s = float
        t = cuda.syncthreads()
        u = native.store(y, 1.0)
        v = divmod(n, 2)
    """
    assert faults(body, before=DEVICE) == [(line, "not-a-value") for line in range(1, 6)]


def test_dialects() -> None:
    body = """
        r = tile.arange(4)
        s = tile.maximum(a, 1)
        t = tile.program_id()
        thr(w, y)
    """
    assert faults(body, before=KERNELS) == [
        (1, "wrong-dialect"),
        (2, "wrong-dialect"),
        (3, "wrong-dialect"),
        (4, "call-kind"),
    ]
    assert faults("r = cuda.thread_id()\ncuda.syncthreads()", "tile") == [(1, "wrong-dialect"), (2, "wrong-dialect")]
    assert faults("return cuda.thread_id()", "device", parameters="v: int", returns="int") == [(1, "wrong-dialect")]
    assert faults("tile.launch(ker, 1, 1, 2.0, 32, x, y)", "tile", before=KERNELS) == [(1, "wrong-dialect")]


def test_axes() -> None:
    assert faults(
        "r = cuda.thread_id(3)\ns = cuda.thread_id(axis=n)\nt = cuda.block_dim(axis=2)\nu = cuda.grid_dim(-1)"
    ) == [
        (1, "axis"),
        (2, "axis"),
        (4, "axis"),
    ]


def test_global_id_is_spelled_out() -> None:
    assert printed("native.store(q, cuda.global_id(1))") == expect("""
        %11: i64 = block_id 1
        %12: i64 = block_dim 1
        %13: i64 = thread_id 1
        %14: i64 = mul %11, %12
        %15: i64 = add %14, %13
        %16: i32 = cast %15
        store %9.q[0], %16
    """)


def test_reductions() -> None:
    body = """
        r = tile.sum(n)
        s = tile.any(tile.arange(8))
        t = tile.max(tile.arange(8), 0)
    """
    assert faults(body, "tile") == [(1, "reduction-operand"), (2, "reduction-operand"), (3, "call-arguments")]
    assert "reduce any" in printed("tile.store(m, 0, tile.max(tile.arange(8) < n))", "tile")
    assert "reduce all" in printed("tile.store(m, 0, tile.min(tile.arange(8) < n))", "tile")


def test_shuffles() -> None:
    assert faults("r = cuda.shfl_xor(y, 1)\ns = cuda.shfl(a, 1.5)\nt = cuda.shfl_up(b, delta=w)") == [
        (1, "shuffle-operand"),
        (2, "shuffle-operand"),
    ]


def test_casts() -> None:
    assert faults("r = native.cast(n, 3)\ns = native.cast(y, float)\nt = native.cast(300, native.i32)") == [
        (1, "cast-type"),
        (2, "pointer-arithmetic"),
    ]


# ---------------------------------------------------------------- launchers


def test_launch_pads_sizes_and_converts_arguments() -> None:
    body = "tile.launch(ker, ((n + 255) // 256, 2), b, 1, 64, x, y)\ncuda.launch(thr, 1, 32, w, native.offset(y, 4))"
    assert printed(body, "launcher", before=KERNELS) == expect("""
        %11: i64 = const 255
        %12: i64 = add %1.n, %11
        %13: i64 = const 256
        %14: i64 = floordiv %12, %13
        %15: i64 = const 2
        %16: i64 = const 1
        %17: i64 = cast %5.b
        %18: f64 = const 1.0
        launch ker__64 grid (%14, %15, %16) (%17, %18, %6.x, %7.y)
        %20: i64 = const 1
        %21: i64 = const 1
        %22: i64 = const 1
        %23: i64 = const 32
        %24: i64 = const 1
        %25: i64 = const 1
        %26: i64 = const 4
        %27: ptr[f64] = offset %7.y, %26
        launch thr grid (%20, %21, %22) block (%23, %24, %25) (%4.w, %27)
    """)


def test_launches_that_are_refused() -> None:
    body = """
        tile.launch(ker, 1, 1, 2.0)
        tile.launch(ker, (1, 2, 3, 4), 1, 2.0, 32, x, y)
        tile.launch(ker, 2.0, 1, 2.0, 32, x, y)
        tile.launch(ker, 1, 1, 2.0, n, x, y)
        tile.launch(ker, 1, 1.5, 2.0, 32, x, y)
        tile.launch(ker, 1, 1, 2.0, 32, x, x)
        tile.launch(ker, 1, 1, 2.0, 32, x, z)
        tile.launch(ker, 1, x, 2.0, 32, x, y)
        tile.launch(thr, 1, w, y)
        cuda.launch(thr, 1, 32, n, y)
        cuda.launch(n, 1, 32)
    """
    assert faults(body, "launcher", before=KERNELS) == [
        (1, "launch-arguments"),
        (2, "launch-size"),
        (3, "launch-size"),
        (4, "static-argument"),
        (5, "argument-type"),
        (6, "const-argument"),
        (7, "argument-type"),
        (8, "argument-type"),
        (9, "launch-kernel"),
        (10, "argument-type"),
        (11, "launch-kernel"),
    ]


def test_launchers_compute_with_scalars_alone() -> None:
    body = "v = native.load(x)\nnative.store(y, 1.0)\ncuda.syncthreads()\nr = tile.arange(4)"
    assert faults(body + "\ntile.launch(ker, 1, 1, 2.0, 32, x, y)", "launcher", before=KERNELS) == [
        (1, "wrong-dialect"),
        (2, "wrong-dialect"),
        (3, "wrong-dialect"),
        (4, "wrong-dialect"),
    ]


def test_launcher_never_computes_what_python_would_skip() -> None:
    body = "u = n // w if w != 0 else 0\nif n > 0 and n // w > 2:\n    tile.launch(ker, u, 1, 2.0, 32, x, y)"
    text = printed(body, "launcher", before=KERNELS)
    assert text.count("= if ") == 2
    assert "where" not in text


# ---------------------------------------------------------------- static parameters

STATIC = HEAD + KERNELS


def test_instances_come_from_launchers_and_from_outside() -> None:
    text = program("tile.launch(ker, 1, 1, 2.0, SIZE, x, y)", "launcher", before="SIZE = 32\n\n\n" + KERNELS)
    module = check(text, {"ker": [(64,), (32,)]})
    assert [function.key for function in module.functions] == ["ker__32", "ker__64", "thr", "k"]
    assert [function.base for function in module.functions] == ["ker", "ker", "thr", "k"]
    assert [parameter.static for parameter in module.function("ker__64").parameters] == [None, None, 64, None, None]


def test_kernel_without_an_instance_is_left_out() -> None:
    assert [function.key for function in check(STATIC).functions] == ["thr"]


@pytest.mark.parametrize("values", [(), (1, 2)])
def test_instance_with_the_wrong_number_of_values(values: tuple[int, ...]) -> None:
    sink = Sink()
    check_module(load(STATIC, sink), sink, {"ker": [values]})
    assert [found.code for found in sink] == ["static-argument"]


def test_branch_on_a_static_parameter() -> None:
    text = (
        HEAD
        + """\
@tile.kernel
def pick(s: native.static[int], y: native.ptr[float]) -> None:
    if s > 64:
        lane = tile.arange(s // 2)
    else:
        lane = tile.arange(s)
    tile.store(y, lane, 1.0)


def run(y: native.ptr[float]) -> None:
    tile.launch(pick, 1, 64, y)
    tile.launch(pick, 1, 128, y)
"""
    )
    module = check(text)
    assert [function.key for function in module.functions] == ["pick__64", "pick__128", "run"]

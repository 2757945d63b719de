"""Branches, loops and returns as structured SSA, and conditions that short-circuit."""

from __future__ import annotations

from tests.typing.kernels import check, expect, faults, printed, program


def test_branch_merges_what_it_changes() -> None:
    body = """
        v = 1
        u = 2
        if b:
            v = n
            dead = 3
        native.store(q, v + u)
    """
    assert printed(body) == expect("""
        %11.v: i64 = const 1
        %12.u: i64 = const 2
        %14.v: i64 = if %5.b {
          yield %1.n
        } else {
          yield %11.v
        }
        %15: i64 = add %14.v, %12.u
        %16: i32 = cast %15
        store %9.q[0], %16
    """)


def test_what_follows_an_early_return_is_not_nested() -> None:
    assert printed("if b:\n    return\nnative.store(y, 1.0)") == expect("""
        if %5.b {
          return
        } else {
          yield
        }
        %11: f64 = const 1.0
        store %7.y[0], %11
    """)


def test_else_behind_a_return_is_not_nested() -> None:
    assert printed("if b:\n    return\nelse:\n    v = 2.0\nnative.store(y, v)") == expect("""
        if %5.b {
          return
        } else {
          yield
        }
        %11.v: f64 = const 2.0
        store %7.y[0], %11.v
    """)


def test_device_function_that_returns_in_both_arms() -> None:
    text = program("if v > lo:\n    return v\nelse:\n    return lo", "device", "v: float, lo: float", returns="float")
    assert len(check(text).functions) == 1


def test_device_function_that_loops_for_ever() -> None:
    body = """
        while True:
            if v > 100.0:
                return v
            v = v * 2.0
    """
    assert len(check(program(body, "device", "v: float", returns="float")).functions) == 1


def test_break_and_continue_name_what_the_loop_carries() -> None:
    body = """
        acc = 0.0
        for i in range(n):
            if i == 3:
                continue
            acc += native.load(native.offset(x, i))
            if acc > 10.0:
                break
        native.store(y, acc)
    """
    assert printed(body) == expect("""
        %11.acc: f64 = const 0.0
        %12: i64 = const 0
        %13: i64 = const 1
        %23.acc: f64 = for %15.i: i64 in %12, %1.n, %13 carry %14.acc: f64 = %11.acc {
          %16: i64 = const 3
          %17: bool = eq %15.i, %16
          if %17 {
            continue %14.acc
          } else {
            yield
          }
          %18: const_ptr[f64] = offset %6.x, %15.i
          %19: f64 = load %18[0]
          %20.acc: f64 = add %14.acc, %19
          %21: f64 = const 10.0
          %22: bool = gt %20.acc, %21
          if %22 {
            break %20.acc
          } else {
            yield
          }
          yield %20.acc
        }
        store %7.y[0], %23.acc
    """)


def test_while_tests_what_it_carries() -> None:
    assert printed("i = n\nwhile i > 0 and b:\n    i -= 1\nnative.store(q, i)") == expect("""
        %17.i: i64 = while carry %11.i: i64 = %1.n {
          %12: i64 = const 0
          %13: bool = gt %11.i, %12
          %14: bool = and %13, %5.b
          condition %14
        } do {
          %15: i64 = const 1
          %16.i: i64 = sub %11.i, %15
          yield %16.i
        }
        %18: i32 = cast %17.i
        store %9.q[0], %18
    """)


def test_counter_behind_a_loop() -> None:
    body = """
        i = 7
        for i in range(n):
            pass
        native.store(q, i)
    """
    assert "for %13.i: i64 in %14, %1.n, %15 carry" not in printed(body)
    assert ".i: i64 = for" in printed(body)


def test_dead_loops_and_values_go() -> None:
    assert printed("v = 0\nfor i in range(n):\n    v = v + i\nu = v * 2") == ""
    assert "load" in printed("v = native.load(x)"), "a load is checked by the reference"


def test_short_circuit_guards_a_load() -> None:
    assert printed("if n > 0 and native.load(x) > 0.0:\n    native.store(y, 1.0)") == expect("""
        %11: i64 = const 0
        %12: bool = gt %1.n, %11
        %17: bool = if %12 {
          %13: f64 = load %6.x[0]
          %14: f64 = const 0.0
          %15: bool = gt %13, %14
          yield %15
        } else {
          %16: bool = const False
          yield %16
        }
        if %17 {
          %18: f64 = const 1.0
          store %7.y[0], %18
          yield
        } else {
          yield
        }
    """)


def test_chained_comparison_reads_the_middle_once() -> None:
    assert printed("if 2 <= native.load(x) < a:\n    native.store(y, 1.0)").count("load") == 1


def test_cheap_conditional_is_a_selection() -> None:
    assert printed("native.store(q, n + 1 if b else 0)") == expect("""
        %11: i64 = const 1
        %12: i64 = add %1.n, %11
        %13: i64 = const 0
        %14: i64 = where %5.b, %12, %13
        %15: i32 = cast %14
        store %9.q[0], %15
    """)


def test_conditional_with_a_load_branches() -> None:
    assert " = if %5.b {" in printed("native.store(y, native.load(x) if b else 0.0)")


def test_and_or_of_numbers_are_pythons() -> None:
    assert printed("native.store(q, n or 7)") == expect("""
        %11: bool = cast %1.n
        %12: i64 = const 7
        %13: i64 = where %11, %1.n, %12
        %14: i32 = cast %13
        store %9.q[0], %14
    """)


def test_tiles_have_no_truth_value() -> None:
    body = """
        t = tile.arange(8)
        if t > 3:
            pass
        u = t and b
        v = not t
        r = 1 < t < 5
        s = 1 if t else 2
        while t:
            pass
        o = b or t
    """
    assert faults(body, "tile") == [(line, "tile-truth") for line in (2, 4, 5, 6, 7, 8, 10)]


def test_returns() -> None:
    assert faults("return 1.0") == [(1, "return-value")]
    assert faults("if b:\n    return 1.0", "device", parameters="b: bool", returns="float") == [(0, "missing-return")]
    assert faults("return v", "device", parameters="v: float", returns="int") == [(1, "return-value")]
    assert faults("return", "device", parameters="v: float", returns="float") == [(1, "return-value")]
    assert faults("return v", "device", parameters="v: float", returns="native.f32") == []
    assert faults("return 1", "device", parameters="v: float", returns="native.i32") == []
    assert faults("return v", "device", parameters="v: int", returns="native.i32") == [(1, "return-value")]


def test_ranges() -> None:
    assert faults("for i in range(0, n, 0):\n    pass\nfor i in range(a):\n    pass\nfor i in range(b):\n    pass") == [
        (1, "range-step"),
        (3, "range-bound"),
    ]


def test_code_behind_a_return_is_left_out() -> None:
    assert printed("native.store(y, 1.0)\nreturn\nnative.store(y, 2.0)") == expect("""
        %11: f64 = const 1.0
        store %7.y[0], %11
    """)

"""Variables: one type for a name, values on every path, assignments of all forms."""

from __future__ import annotations

from tests.typing.kernels import expect, faults, printed, types


def test_int_that_meets_a_float_is_a_float_from_the_start() -> None:
    body = """
        acc = 0
        half = acc / 2
        for i in range(n):
            acc = acc + native.load(x)
        native.store(y, acc)
    """
    assert types(body) == {"acc": "f64", "half": "f64", "i": "i64"}
    assert printed(body) == expect("""
        %11.acc: f64 = const 0.0
        %13: i64 = const 0
        %14: i64 = const 1
        %19.acc: f64 = for %16.i: i64 in %13, %1.n, %14 carry %15.acc: f64 = %11.acc {
          %17: f64 = load %6.x[0]
          %18.acc: f64 = add %15.acc, %17
          yield %18.acc
        }
        store %7.y[0], %19.acc
    """)


def test_strong_type_wins_over_weak_ones() -> None:
    assert types("v = 0.0\nv = v + native.load(z)") == {"v": "f32"}
    assert types("v = 0\nfor i in range(n):\n    v = v + native.load(q)") == {"v": "i32", "i": "i64"}
    assert types("v = 0\nv = v + n") == {"v": "i64"}
    assert types("v = 5_000_000_000\nv = w") == {"v": "i64"}
    assert types("v = False\nv = 2") == {"v": "weak i64"}
    assert types("v = h\nv = native.load(x)") == {"v": "f64"}
    assert types("v = n\nv = h") == {"v": "f32"}


def test_chain_of_growing_variables_settles() -> None:
    body = """
        p = 0
        q1 = 0
        r = 0
        for i in range(n):
            p = q1
            q1 = r
            r = native.load(x)
    """
    assert types(body) == {"p": "f64", "q1": "f64", "r": "f64", "i": "i64"}


def test_parameters_are_locals() -> None:
    body = """
        n = n - 1
        a += 0.5 * n
        x = native.offset(x, n)
        native.store(y, native.load(x) + a)
    """
    assert printed(body) == expect("""
        %11: i64 = const 1
        %12.n: i64 = sub %1.n, %11
        %13: f64 = const 0.5
        %14: f64 = cast %12.n
        %15: f64 = mul %13, %14
        %16.a: f64 = add %2.a, %15
        %17.x: const_ptr[f64] = offset %6.x, %12.n
        %18: f64 = load %17.x[0]
        %19: f64 = add %18, %16.a
        store %7.y[0], %19
    """)


def test_parameter_widens_at_its_entry() -> None:
    assert printed("native.store(y, n)\nn = 0.5\nnative.store(y, n)").splitlines()[0] == "%11.n: f64 = cast %1.n"


def test_swap_reads_before_it_writes() -> None:
    assert printed("u = n\nv = n + 1\nu, v = v, u\nnative.store(native.offset(q, u), v)") == expect("""
        %11: i64 = const 1
        %12.v: i64 = add %1.n, %11
        %13: ptr[i32] = offset %9.q, %12.v
        %14: i32 = cast %1.n
        store %13[0], %14
    """)


def test_assignments_of_all_forms() -> None:
    body = """
        u = v = n + 1
        c, d = divmod(u, 3)
        e: native.f32 = 1
        e += c
        g: float
        g = d
        u **= 2
    """
    assert types(body) == {"u": "i64", "v": "i64", "c": "i64", "d": "i64", "e": "f32", "g": "f64"}


def test_tuples_that_do_not_pair() -> None:
    assert faults("u, v = n, n, n\nu, v = n\nt = divmod(n, 2)\nu, v = w = n, n") == [
        (1, "tuple-count"),
        (2, "tuple-count"),
        (3, "not-a-value"),
        (4, "not-a-value"),
    ]


def test_annotations_are_exact() -> None:
    assert faults("v: native.i32 = n\nu: native.f32 = a\nu = h * 2\nu = n / 2\nr: int = 1\nr: float = 1.0") == [
        (1, "annotated-type"),
        (4, "annotated-type"),
        (6, "annotated-type"),
    ]


def test_one_name_for_two_kinds() -> None:
    assert faults("v = 1\nv = y\nu = y\nu = z\nr = y\nr = 0.0") == [
        (2, "variable-type"),
        (4, "variable-type"),
        (6, "variable-type"),
    ]
    body = "v = 1.0\nv = tile.arange(4)\nu = tile.arange(4)\nu = tile.arange(8)"
    assert faults(body, "tile") == [(2, "variable-type"), (4, "variable-shape")]


def test_carried_tile_keeps_its_shape() -> None:
    body = """
        t = tile.load(x, tile.arange(64))
        for i in range(4):
            t = tile.load(x, tile.arange(32))
    """
    assert faults(body, "tile") == [(3, "variable-shape")]


def test_const_pointer_makes_its_variable_const() -> None:
    assert faults("p = y\nnative.store(p, 1.0)\np = x") == [(2, "const-store")]


def test_names_without_a_value() -> None:
    body = """
        if b:
            v = 1
        native.store(q, v)
        native.store(q, v)
        for i in range(n):
            u = i
        native.store(q, u)
        native.store(q, i)
        native.store(q, late)
        late = 1
    """
    assert faults(body) == [(3, "maybe-unbound"), (7, "maybe-unbound"), (8, "maybe-unbound"), (9, "unbound-name")]


def test_bound_on_every_path() -> None:
    body = """
        if b:
            v = 1
        elif n > 2:
            v = 2
        else:
            return
        native.store(q, v)
    """
    assert "= if" in printed(body)


def test_loops_that_surely_bind() -> None:
    body = """
        for i in range(3):
            v = i * 2
        native.store(q, v + i)
        while True:
            u = native.load(x)
            if u > 1.0:
                break
        native.store(y, u)
    """
    assert types(body) == {"i": "i64", "v": "i64", "u": "f64"}


def test_break_before_the_assignment_leaves_it_unbound() -> None:
    body = """
        for i in range(3):
            if b:
                break
            v = i
        native.store(q, v)
        while True:
            if b:
                break
            u = 1
        native.store(q, u)
    """
    assert faults(body) == [(5, "maybe-unbound"), (10, "maybe-unbound")]


def test_poison_is_reported_once() -> None:
    body = """
        v = n // 0
        u = v + 1
        if u > 3:
            u = u * v
        native.store(q, u)
        for i in range(v):
            u = i
    """
    assert faults(body) == [(1, "constant-zero-division")]

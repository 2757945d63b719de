"""Pointers, loads, stores and allocations (language.md, Memory)."""

from __future__ import annotations

from tests.typing.kernels import expect, faults, printed, type_of


def test_load_with_mask_gets_its_other() -> None:
    assert printed("t = tile.load(z, tile.arange(8), b)\ntile.store(z, 0, tile.sum(t))", "tile") == expect("""
        %11: tile[i64, 8] = arange 8
        %12: tile[bool, 8] = broadcast %5.b
        %13: f32 = const 0.0
        %14: tile[f32, 8] = broadcast %13
        %15.t: tile[f32, 8] = load %8.z[%11] mask %12 other %14
        %16: f32 = reduce sum %15.t
        %17: i64 = const 0
        store %8.z[%17], %16
    """)


def test_keywords() -> None:
    body = """
        lane = tile.arange(8)
        t = tile.load(offsets=lane, ptr=x, other=-1, mask=lane < n)
        tile.store(y, lane, value=t, mask=lane < 4)
    """
    text = printed(body, "tile")
    assert "load %6.x[%11.lane] mask %13 other %15" in text
    assert "store %7.y[%11.lane], %16.t mask %19" in text


def test_mask_that_is_always_true_is_none() -> None:
    assert "mask" not in printed("tile.store(y, 0, tile.load(x, 1, True, 5.0), True)", "tile")


def test_access_at_one_offset_is_of_one_element() -> None:
    assert printed("tile.store(y, n, tile.load(x, 3, b, 2))", "tile") == expect("""
        %11: i64 = const 3
        %12: f64 = const 2.0
        %13: f64 = load %6.x[%11] mask %5.b other %12
        store %7.y[%1.n], %13
    """)


def test_native_access_in_a_tile_kernel_is_at_offset_zero() -> None:
    assert printed("native.store(y, native.load(native.offset(x, n)))", "tile") == expect("""
        %11: const_ptr[f64] = offset %6.x, %1.n
        %12: i64 = const 0
        %13: f64 = load %11[%12]
        %14: i64 = const 0
        store %7.y[%14], %13
    """)


def test_stores_narrow() -> None:
    assert printed(
        "native.store(q, n)\nnative.store(z, native.load(x))\nnative.store(y, b)\nnative.store(m, b)"
    ) == expect("""
        %11: i32 = cast %1.n
        store %9.q[0], %11
        %12: f64 = load %6.x[0]
        %13: f32 = cast %12
        store %8.z[0], %13
        %14: f64 = cast %5.b
        store %7.y[0], %14
        store %10.m[0], %5.b
    """)


def test_stores_that_want_a_cast() -> None:
    body = """
        native.store(q, a)
        native.store(q, 1.5)
        native.store(m, n)
        native.store(m, 1.0)
        native.store(q, 2 ** 31)
        native.store(y, x)
    """
    assert faults(body) == [
        (1, "store-type"),
        (2, "store-type"),
        (3, "store-type"),
        (4, "store-type"),
        (5, "constant-range"),
        (6, "pointer-arithmetic"),
    ]


def test_i32_offsets_are_widened() -> None:
    assert printed("native.store(native.offset(y, w), 0)").startswith("%11: i64 = cast %4.w")


def test_const_pointers_are_never_written() -> None:
    body = """
        native.store(x, 1.0)
        native.store(native.offset(native.offset(x, 5), -2), 1.0)
        p = native.offset(x, 1)
        native.store(p, 1.0)
    """
    assert faults(body) == [(1, "const-store"), (2, "const-store"), (4, "const-store")]
    assert faults("tile.store(x, tile.arange(8), 1.0)", "tile") == [(1, "const-store")]


def test_each_part_of_an_access_is_told() -> None:
    both = [(1, "const-store"), (1, "undefined-name")]
    assert sorted(faults("tile.store(x, tile.arange(8), missing)", "tile")) == both
    assert sorted(faults("native.store(x, missing)")) == both
    assert sorted(faults("tile.store(x, 1.5, 1.0, 3)", "tile")) == [
        (1, "condition-type"),
        (1, "const-store"),
        (1, "offset-type"),
    ]
    assert faults("tile.store(tile.arange(8), x, 1.0)", "tile") == [(1, "not-a-pointer")]


def test_pointers_of_one_array_join() -> None:
    body = """
        p = y
        if b:
            p = native.offset(y, 4)
        r = native.offset(p, 1) if n > 3 else p
        native.store(r, 0.0)
        for i in range(n):
            p = native.offset(p, 2)
            native.store(p, 1.0)
    """
    assert faults(body) == []


def test_pointers_of_different_arrays_do_not() -> None:
    body = """
        p = y
        if b:
            p = native.offset(x, 1)
        r = y if b else x
        u = y
        v = x
        for i in range(n):
            u, v = v, u
        s = y if b else 1.0
    """
    assert faults(body) == [(2, "pointer-choice"), (4, "pointer-choice"), (7, "pointer-choice"), (9, "pointer-choice")]


def test_reassigned_without_a_branch_is_fine() -> None:
    assert faults("p = x\nv = native.load(p)\np = native.offset(y, 1)\nv = native.load(p)") == []


def test_misuse_of_access() -> None:
    body = """
        r = tile.load(n, 1)
        s = tile.load(x, 1.5)
        u = tile.load(x, tile.arange(8), 1)
        v = tile.load(x, 0, tile.arange(8) < n)
        tile.store(y, 0, tile.arange(8))
        native.store(y, tile.arange(8))
        t = native.offset(x, tile.arange(8))
        o = tile.load(q, tile.arange(8), b, 1.5)
        c = tile.load(x, tile.arange(8), tile.arange(4) < n)
    """
    assert faults(body, "tile") == [
        (1, "not-a-pointer"),
        (2, "offset-type"),
        (3, "condition-type"),
        (4, "access-shape"),
        (5, "access-shape"),
        (6, "access-shape"),
        (7, "offset-type"),
        (8, "store-type"),
        (9, "tile-shape-mismatch"),
    ]


def test_allocations() -> None:
    body = """
        parked = cuda.shared[float, 64]()
        mine = native.stack_alloc[native.i32](SIZE)
        native.store(native.offset(mine, 1), native.load(parked))
    """
    assert faults(body, before="SIZE = 4\n") == [(3, "store-type")]
    assert type_of("cuda.shared[native.f32, 2 * 32]()") == "ptr[f32, shared]"
    assert type_of("native.stack_alloc[bool](3)") == "ptr[bool, local]"


def test_allocations_of_unknown_size_or_place() -> None:
    body = """
        r = cuda.shared[float, 2 * n]()
        s = native.stack_alloc[float](0)
        t = native.stack_alloc[float](1.5)
        u = cuda.device_alloc[float](4)
        v = cuda.shared[float, 4](1)
    """
    assert faults(body) == [
        (1, "allocation-size"),
        (2, "allocation-size"),
        (3, "allocation-size"),
        (4, "allocation-place"),
        (5, "allocation-size"),
    ]
    assert faults("v = cuda.shared[float, 4]()\nu = native.stack_alloc[float](4)", "tile") == [
        (1, "allocation-place"),
        (2, "allocation-place"),
    ]
    launch = "native.stack_alloc[float](4)\ncuda.launch(e, 1, 1)"
    assert faults(launch, "launcher", before="@cuda.kernel\ndef e() -> None:\n    pass\n") == [(1, "allocation-place")]


def test_one_shared_array_is_sized_by_the_launch() -> None:
    assert faults("for k in range(4):\n    u = cuda.shared[float, n]()\nv = cuda.shared[bool, 447]()") == []
    assert faults("size = n\nu = cuda.shared[float, size]()") == []
    assert faults("u = cuda.shared[float, n]()\nv = cuda.shared[float, n]()") == [(2, "allocation-size")]
    assert faults("u = cuda.shared[float, n]()\nn = 3") == [(1, "allocation-size")]
    assert faults("u = native.stack_alloc[float](n)") == [(1, "allocation-size")]
    assert faults("u = cuda.shared[float, 4, n]()") == [(1, "allocation-size")]


def test_shared_memory_adds_up() -> None:
    fits = "u = cuda.shared[float, 29_000]()\nv = cuda.shared[bool, 447]()"
    assert faults(fits) == []
    assert faults("u = cuda.shared[float, 29_000]()\nv = cuda.shared[float, 57]()") == [(2, "shared-limit")]


def test_arrays_of_a_thread_add_up() -> None:
    assert faults("u = native.stack_alloc[float](65_536)") == []
    assert faults("u = native.stack_alloc[float](65_536)\nv = native.stack_alloc[bool](1)") == [(2, "local-limit")]


def test_tile_sizes() -> None:
    body = """
        r = tile.arange(48)
        s = tile.arange(n)
        t = tile.arange(131_072)
        u = tile.arange(0)
        v = tile.arange(65_536)
        o = tile.arange(1)
        c = tile.arange(True)
    """
    assert faults(body, "tile") == [(line, "tile-size") for line in (1, 2, 3, 4, 7)]


def test_shapes_meet() -> None:
    body = """
        t = tile.arange(64)
        u = t + tile.arange(32)
        v = t + tile.arange(1)
        r = tile.where(tile.arange(8) < 3, t, 0)
        s = t + tile.sum(tile.arange(32))
    """
    assert faults(body, "tile") == [(line, "tile-shape-mismatch") for line in (2, 3, 4)]

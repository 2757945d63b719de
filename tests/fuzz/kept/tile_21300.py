# run: {"dialect": "tile", "arrays": {"x0": {"dtype": "float", "size": 33, "seed": 38, "flavour": 1}, "o0": {"dtype": "native.i32", "size": 40, "seed": 455, "flavour": 2}, "o1": {"dtype": "native.i32", "size": 40, "seed": 754, "flavour": 0}, "o2": {"dtype": "bool", "size": 40, "seed": 424, "flavour": 2}}, "steps": [{"function": "tile_N_", "grid": [1, 2, 2], "block": null, "arguments": [Infinity, -9223372036854775808, -9223372036854775808, "x0", "o0", "o1", "o2"]}], "instances": {}}
@cuda.device
def dev_N__0(p0: native.i32) -> bool:
    for k1 in range(((native.cast(p0, int) - SEVEN)) % 6, 0, -2):
        acc2 = 0
        for k3 in range(((~k1)) % 6):
            acc2 = acc2 + (native.cast(p0, native.f32) - native.cast(k1, float))
        w4 = 0
        while w4 < ((k1 * k1)) % 6:
            w4 = w4 + 1
            p0 |= ((p0 // p0) & (-1))
            v5 = ((native.cast(native.cast(w4, bool), native.i32) * k1) + 31)
            v6 = math.copysign(9.3e18, native.where(acc2 == acc2, acc2, 1.0))
            if (not native.cast(p0, bool)):
                continue
        v7 = native.cast(w4, float)
        if ((-v7) >= v7):
            continue
    v8 = native.where((~(native.cast(p0, float) > native.cast(p0, float))), p0, 2147483647)
    return (native.cast(v8, float) <= ((-3.0) - native.cast(v8, float)))


@cuda.device
def dev_N__1(p0: bool, p1: float) -> float:
    if native.cast(native.maximum(0.0, p1), bool):
        p0 = p0
        v1 = native.minimum(native.cast(p0, int), native.cast((native.cast(p1, native.i32) | native.cast(p0, native.i32)), int))
    elif p0:
        v2 = (((-native.cast(p1, native.i32)) != native.cast(p0, native.i32)) ^ native.where((p0 | p0), (native.cast(p1, int) <= native.cast(p0, int)), False))
        v3 = v4 = p1
    return math.sqrt((native.cast(p1, float) * p1))


@cuda.device
def dev_N__2(p0: native.i32) -> float:
    v1 = (native.where((p0 > p0), abs(p0), p0) ** 2)
    for k2 in range(9, (native.cast(p0, int)) % 6, -2):
        v1 *= (native.cast(k2, native.i32) ^ (-2147483648))
        for k3 in range((math.ceil(native.cast(k2, float))) % 6, 4, (math.ceil(native.cast(k2, float))) % 6 - 7):
            v4 = v1
            v5, v6 = divmod(math.copysign(native.fma(native.cast(v1, float), native.cast(v1, float), native.cast(k2, float)), native.where(native.cast(k2, float) == native.cast(k2, float), native.cast(k2, float), 1.0)), ((v1 + (-0.0)) - 3.5e38))
            if ((v4 != v1) if native.where(native.cast(v1, bool), native.cast(v4, bool), native.cast(p0, bool)) else (v4 != v4)):
                continue
    v7 = native.cast(native.cast(p0, int), bool)
    for k8 in range(((~native.cast(p0, int))) % 6, -1, -2):
        v9 = native.cast(v7, int)
        v10 = p0
    return (math.fabs(native.cast(v1, float)) % 0.1)


@tile.kernel
def tile_N_(s0: float, s1: int, s2: int, x0: native.const_ptr[float], o0: native.ptr[native.i32], o1: native.ptr[native.i32], o2: native.ptr[bool]) -> None:
    """Nobody wrote this kernel."""
    pid = tile.program_id()
    flat = pid + tile.num_programs() * (tile.program_id(1) + tile.num_programs(axis=1) * tile.program_id(axis=2))
    base = flat * 10
    lane1 = tile.arange(1)
    v1 = tile.cast(lane1, native.i32)
    v2 = tile.load(x0, ((lane1 - tile.cast(v1, bool))), (((lane1 - tile.cast(v1, bool))) >= 0) & (((lane1 - tile.cast(v1, bool))) < 33), TENTH)
    v3 = tile.load(x0, (s2 & pid) % 33)
    v4 = tile.load(x0, tile.abs(flat) % 33)
    if (math.pi == v3):
        if math.isfinite(tile.nanmin(v2)):
            tile.store(o2, base + 1 + (lane1 ^ 0), tile.cast((((lane1 << lane1) * (-lane1)) ** 2), bool), (lane1 <= tile.copysign(math.pi, tile.where(v2 == v2, v2, 1.0))))
            tile.store(o1, base + 0 + (lane1 ^ 0), (tile.cast(tile.where(tile.cast(v1, bool), lane1, s2), native.i32) // SEVEN))
        elif (~bool(s2)):
            tile.store(o0, base + 7 + lane1, tile.round(v1))
        else:
            v5 = tile.cast(lane1, bool)
        tile.store(o1, base + 6 + ((lane1 * 5 + 3) % 1), (tile.fmax((v1 & v1), v1) + (tile.floor(lane1) // SEVEN)))
    else:
        v6, v7 = divmod((tile.where(tile.cast(s2, bool), v4, s0) % s0), tile.maximum((s0 // s0), (v3 / v4)))
    s0 += ((tile.cast(v4, native.i32) / tile.cast(v3, native.i32)) * (-3.0))
    pass
    v8 = dev_N__2(tile.cast(tile.cast(v2, native.i32), native.i32))
    v9 = tile.nanmin(v8)
    v10 = tile.nanmax(v8 - v9)
    tile.store(o0, base + lane1, v1)
    tile.store(o1, base + lane1, v1)
    tile.store(o2, base + lane1, (~tile.isinf((v1 / v1))))

# run: {"dialect": "tile", "arrays": {"x0": {"dtype": "int", "size": 300, "seed": 197, "flavour": 0}, "o0": {"dtype": "native.i32", "size": 680, "seed": 745, "flavour": 2}, "o1": {"dtype": "float", "size": 680, "seed": 850, "flavour": 0}, "o2": {"dtype": "bool", "size": 680, "seed": 0, "flavour": 0}}, "steps": [{"function": "tile_N_", "grid": [5], "block": null, "arguments": [3.0, Infinity, 3, "x0", "o0", "o1", "o2"]}], "instances": {}}
@cuda.device
def dev_N__0(p0: float, p1: bool, p2: bool) -> float:
    if (math.isfinite(p0) if p1 else True):
        for k1 in range(0, 7, ((native.cast(p2, int) // native.cast(p1, int))) % 6 + 1):
            v2 = native.cast(p2, float)
            v3 = native.minimum(native.maximum((native.cast(p1, native.i32) ^ native.cast(v2, native.i32)), native.cast(p1, native.i32)), (-(~native.cast(p1, native.i32))))
            v4 = v2
        v5 = (p0 // (5e-324 / p0))
    elif (p1 | (native.cast(p0, int) >= native.cast(p1, int))):
        if ((native.cast(p2, int) // native.cast(p2, int)) < (native.cast(p1, int) / native.cast(p0, int))):
            v6 = p1
            v7 = (p0 / ((native.cast(v6, int) * native.cast(p2, int)) / (native.cast(p2, int) * native.cast(p1, int))))
        elif native.where(p1, p1, (native.cast(p2, int) != native.cast(p1, int) != native.cast(p2, int))):
            v8 = native.fma(p0, native.fma((p0 + p0), p0, native.cast(native.cast(p1, int), float)), p0)
        elif p1:
            acc9 = 0
            for k10 in range((native.cast(p2, int)) % 6):
                acc9 = acc9 + p0
            if math.isnan(math.fabs(native.cast(acc9, float))):
                v11 = (native.fmax((native.cast(p0, int) & 63), native.cast(native.cast(p2, native.i32), int)) & (~native.cast(p2, int)))
                p2 = native.cast(native.cast(v11, native.i32), bool)
                v12 = p0
            elif ((native.cast(p1, int) >= acc9) if native.cast(p1, bool) else (False ^ p1)):
                v13: bool = native.cast((int(acc9) > native.cast(p0, int) < native.cast(p1, int)), bool)
            else:
                v14 = ((native.cast(acc9, int) >> (native.cast(p0, int) ** 3)) // 8)
                v15 = (p0 + (-(native.cast(acc9, native.i32) / native.cast(p2, native.i32))))
        else:
            v16 = native.cast(p1, int)
        if (native.maximum(native.cast(p2, int), native.cast(p0, int)) == math.copysign(2.0, native.where(p0 == p0, p0, 1.0))):
            v17 = (-native.minimum((native.cast(p0, int) % 8), (native.cast(p2, int) * native.cast(p2, int))))
        elif native.cast((p0 // p0), bool):
            p0 /= p0
        elif (p0 == (-1.5)):
            v18: int = native.cast(native.cast(p1, int), int)
            p2 = p2
        else:
            if p1:
                return native.where((p1 if p2 else p1), min(p0, p0), (p0 % p0))
            p2 = (native.cast(p2, bool) & (native.cast(p1, int) > (native.cast(p2, int) if p1 else native.cast(p0, int)) > int(p0)))
    elif native.where(p1, (native.cast(p2, native.i32) >= native.cast(p1, native.i32)), (p1 ^ p1)):
        if (~math.isfinite(p0)):
            if (native.cast(p2, int) > native.cast(p2, int)):
                v19: float = native.cast((math.sqrt(float(p1)) - math.sqrt(native.cast(p0, native.f32))), float)
            else:
                v20 = native.where((native.cast(p0, int) <= (-native.cast(p1, int))), p2, (native.cast(p0, int) == round(p0)))
                p0 *= (native.fmax(native.cast(p2, native.i32), native.cast(p1, native.i32)) - p0)
            acc21 = 0
            for k22 in range((native.cast(p2, int)) % 6):
                acc21 = acc21 + p0
        else:
            p1 = p2
            v23, v24 = ((native.cast(p2, int) << 70) + native.cast(p2, int)), ((p2 if p1 else p2) + (64 == native.cast(p1, int)))
    else:
        v25 = math.isfinite(((native.cast(p1, native.i32) / native.cast(p0, native.i32)) // (native.cast(p2, int) / native.cast(p1, int))))
    v26 = ((native.cast(p0, native.i32) if (native.cast(p2, int) > p0) else native.cast(p0, native.i32)) ^ SEVEN)
    v27: float = native.cast(p0, float)
    p1, p2 = p2, p1
    return (p0 * p0)


@tile.kernel
def tile_N_(s0: float, s1: native.f32, s2: native.i32, x0: native.const_ptr[int], o0: native.ptr[native.i32], o1: native.ptr[float], o2: native.ptr[bool]) -> None:
    pid = tile.program_id()
    flat = pid + tile.num_programs() * (tile.program_id(1) + tile.num_programs(axis=1) * tile.program_id(axis=2))
    base = flat * 136
    lane32 = tile.arange(32)
    lane64 = tile.arange(64)
    v1 = tile.cast(lane32, float)
    v2 = tile.cast(s2, bool)
    v3 = v2
    v4 = ((lane32 >> (tile.cast(lane32, bool) + tile.cast(v1, bool))) > (tile.minimum(lane32, lane32) - ((-4) ^ lane32)))
    v5 = (tile.load(x0, lane64, (((-lane64)) % 3 == 0) & (lane64 < 300), other=tile.cast(tile.abs(pid), int)) << 70)
    v6 = lane32
    v4 = (tile.load(native.offset(x0, flat % 8), tile.fmax(lane32, 3) % 292) != 64)
    v7 = tile.load(native.offset(x0, (pid & pid) % 8), tile.where(tile.cast(v5, bool), v5, v5) % 292)
    v8 = tile.sum(v7)
    v9 = tile.sum(v7 - v8)
    tile.store(o1, base + 7 + ((lane32 * 3 + 0) % 32), (((v6 & lane32) & tile.abs(v8)) // tile.cast((-v1), int)), ((v6 ^ v6) != v1))
    s1 += (dev_N__0(s0, v3, v2) // (s0 - (-INF)))
    v10 = v6
    tile.store(o0, base, s2)
    tile.store(o1, base + lane64, (tile.map(dev_N__0, tile.sqrt(tile.cast(v7, float)), (tile.cast(lane64, bool) ^ tile.cast(v5, bool)), tile.cast(tile.cast(lane64, float), bool)) % tile.copysign((tile.cast(lane64, bool) - s0), tile.where(tile.cast(lane64, float) == tile.cast(lane64, float), tile.cast(lane64, float), 1.0))))
    tile.store(o2, base + lane64, (~tile.cast(v5, bool)))

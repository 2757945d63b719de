# run: {"dialect": "thread", "arrays": {"x0": {"dtype": "float", "size": 64, "seed": 416, "flavour": 3}, "x1": {"dtype": "float", "size": 33, "seed": 651, "flavour": 3}, "o0": {"dtype": "native.f32", "size": 512, "seed": 947, "flavour": 2}, "o1": {"dtype": "float", "size": 512, "seed": 910, "flavour": 2}}, "steps": [{"function": "thread_N_", "grid": [2, 2], "block": [32], "arguments": [-2147483648, "x0", "x1", "o0", "o1"]}], "instances": {}}
@cuda.device
def dev_N__0(p0: native.f32) -> int:
    v1 = native.cast(p0, int)
    v2 = (native.cast(math.ceil(p0), bool) + native.cast(p0, bool))
    acc3 = 0
    for k4 in range(((v2 ^ 0)) % 6):
        acc3 = acc3 + ((p0 - p0) // native.cast(native.cast(v1, native.i32), float))
    return (v1 // SEVEN)


@cuda.kernel
def thread_N_(s0: native.i32, x0: native.const_ptr[float], x1: native.const_ptr[float], o0: native.ptr[native.f32], o1: native.ptr[float]) -> None:
    mine = native.stack_alloc[float](6)
    bid = cuda.block_id()
    t = cuda.thread_id()
    first = (bid + cuda.grid_dim() * (cuda.block_id(1) + cuda.grid_dim(1) * cuda.block_id(2))) * 32
    base = (first + t) * 4
    gid = cuda.global_id(0)
    v1 = native.where(native.cast(bid, bool), (+bid), 31)
    v2: bool = native.cast(native.cast((gid * 31), bool), bool)
    w3 = 0
    while w3 < ((native.cast(v2, int) ^ gid)) % 6:
        w3 = w3 + 1
        v4 = (-native.where((bid <= bid), (1 << 62), (bid + v1)))
        v5 = native.load(native.offset(native.offset(x1, v4 % 9), native.where(v2, bid, v1) % 25))
        slot6 = native.offset(o0, base + 2)
        native.store(slot6, ((math.sqrt(v5) ** 6) ** 2))
    w7 = 0
    while w7 < ((native.cast(s0, bool) + native.cast(bid, bool))) % 6:
        w7 = w7 + 1
        v8 = v9 = ((native.cast(native.cast(v1, float), native.i32) << (s0 | s0)) ** 1)
        v10 = native.cast(gid, float)
        step11 = 16
        while step11 > 0:
            v10 = v10 + cuda.shfl_xor(v10, step11)
            step11 = step11 // 2
        native.store(native.offset(o1, base + 1), native.cast(math.copysign(v10, native.where(v10 == v10, v10, 1.0)), native.f32))
        cuda.syncthreads()
        v12 = native.load(native.offset(o1, (first + t % 32) * 4 + 2))
        cuda.syncthreads()
    if (s0 > s0):
        v13: native.f32 = native.cast((native.load(native.offset(x0, v1)) if 0 <= v1 < 64 else native.cast(v1, float)), native.f32)
        native.store(native.offset(o1, base + 3), v13)
        v14 = native.cast(abs((t ^ gid)), native.f32)
    elif (FLAG | (s0 != s0)):
        v1 |= native.cast(v2, int)
    elif native.cast((bid - native.cast(s0, bool)), bool):
        v15 = s0
    else:
        v16 = native.load(native.offset(o0, base + 0))
        v17 = native.load(native.offset(o0, base + 3))
    v1 *= ((native.cast(v1, int) - w7) >> native.where(v2, v1, w3))
    native.store(native.offset(o0, base + 3), native.cast((~(s0 < s0)), native.i32))
    native.store(native.offset(o0, base + 1), ((v1 < (+w7)) & (v1 == gid)))
    v1 <<= t
    native.store(native.offset(o0, base), (math.sqrt(native.cast(w7, float)) + ((w3 * bid) * native.cast(bid, float))))
    native.store(native.offset(o1, base), (((s0 - native.cast(t, float)) / 2.0) + native.fma((native.cast(bid, float) if v2 else native.cast(bid, float)), (native.cast(s0, float) - native.cast(s0, float)), native.cast(v2, float))))

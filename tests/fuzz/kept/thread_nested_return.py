# run: {"dialect": "thread", "arrays": {"x0": {"dtype": "float", "size": 64, "seed": 5, "flavour": 1}, "o0": {"dtype": "native.f32", "size": 128, "seed": 9, "flavour": 0}}, "steps": [{"function": "thread_N_", "grid": [2], "block": [32], "arguments": ["x0", "o0"]}], "instances": {}}
@cuda.device
def dev_N_(p0: bool, p1: float) -> native.f32:
    if p1 > 0.0:
        if p0 ^ True:
            if (native.cast(p0, int) >= native.cast(p0, int)) | p0:
                if not (native.cast(p0, int) > native.cast(p0, int)):
                    return native.cast(p1, native.f32)
                p1 = p1 * 2.0
        elif p1 > 0.5:
            p0 = p1 == 0.75
    return native.cast(p0, native.f32)


@cuda.kernel
def thread_N_(x0: native.const_ptr[float], o0: native.ptr[native.f32]) -> None:
    i = cuda.global_id()
    v = native.load(native.offset(x0, i))
    native.store(native.offset(o0, 2 * i), dev_N_(v > 1.0, v))
    native.store(native.offset(o0, 2 * i + 1), dev_N_(v < 0.3, -v))

# run: {"dialect": "thread", "arrays": {"o0": {"dtype": "native.i8", "size": 396, "seed": 748, "flavour": 0}}, "steps": [{"function": "thread_N_", "grid": [3], "block": [33], "arguments": ["o0"]}], "instances": {}}
@cuda.kernel
def thread_N_(o0: native.ptr[native.i8]) -> None:
    bid = cuda.block_id()
    gid = cuda.global_id(0)
    base = gid * 4
    native.store(native.offset(o0, base), native.fmin(native.fmin((native.cast(gid, native.i32) ** 5), (-native.cast(bid, native.i32))), native.cast(gid, native.i32)))
    native.store(native.offset(o0, base + 1), native.fmax(native.fmax((native.cast(gid, native.i32) ** 5), 0 - native.cast(bid, native.i32)), native.cast(gid, native.i32) * -1))

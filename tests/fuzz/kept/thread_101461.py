# run: {"dialect": "thread", "arrays": {"x0": {"dtype": "native.u8", "size": 64, "seed": 3, "flavour": 0}, "o0": {"dtype": "float", "size": 64, "seed": 4, "flavour": 0}}, "steps": [{"function": "thread_N_", "grid": [1], "block": [32], "arguments": [true, "x0", "o0"]}], "instances": {}}
@cuda.kernel
def thread_N_(s0: bool, x0: native.const_ptr[native.u8], o0: native.ptr[float]) -> None:
    mine = native.stack_alloc[float](4)
    k = cuda.thread_id()
    native.store(native.offset(mine, 2 * (k % 2)), (s0, native.load(native.offset(x0, k))))
    native.store(native.offset(o0, k), native.load(native.offset(mine, k % 4)))

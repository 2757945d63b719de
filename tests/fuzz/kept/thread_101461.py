# run: {"dialect": "thread", "arrays": {"x0": {"dtype": "native.u8", "size": 64, "seed": 3, "flavour": 0}, "o0": {"dtype": "float", "size": 64, "seed": 4, "flavour": 0}, "o1": {"dtype": "int", "size": 64, "seed": 5, "flavour": 0}}, "steps": [{"function": "thread_N_", "grid": [1], "block": [32], "arguments": [true, 7, "x0", "o0", "o1"]}], "instances": {}}
@cuda.kernel
def thread_N_(s0: bool, s1: native.i32, x0: native.const_ptr[native.u8], o0: native.ptr[float], o1: native.ptr[int]) -> None:
    k = cuda.thread_id()
    native.store(native.offset(o0, 2 * k), (s0, native.load(native.offset(x0, k))))
    native.store(native.offset(o1, 2 * k), (s1, k > 3))

"""What the engine does with a description and an image. Takes the path of witness.cpp, compiled."""

import ctypes
import sys

import numpy as np
import pytest

from transpile.build.engine import load_engine

image = f"fake:{sys.argv[1]}".encode()
engine = load_engine()
words = [
    ("flag", "scalar", "boolean"),
    ("i", "scalar", "i32"),
    ("n", "scalar", "i64"),
    ("size", "static_int", "i64"),
    ("a", "scalar", "f32"),
    ("b", "scalar", "f64"),
    ("out", "pointer", "f64"),
]
common = {
    "name": "witness",
    "summary": "Sees.",
    "parameters": words,
    "statics": [7],
    "apart": [],
    "shared": 0,
    "sized": [],
    "symbol": "witness",
    "prints": False,
    "assertions": [],
}
thread = engine.load({**common, "role": "thread_kernel", "rule": "whole_groups", "threads": 0}, {90: image})
tile = engine.load({**common, "role": "tile_kernel", "rule": "any", "threads": 128}, {90: image})
other = engine.load({**common, "role": "tile_kernel", "rule": "any", "threads": 128}, {80: b"x"})
values = (True, -5, 1 << 40, 7, 0.1, -0.1)
out = engine.allocate("cuda", -1, "f64", 11)
host = np.ones(11)
out.copy_out(host)
assert not host.any()
driver = ctypes.CDLL("libcuda.so.1")
driver.fake_own_context.restype = ctypes.c_void_p
own = driver.fake_own_context(0)
primary, after = ctypes.c_void_p(), ctypes.c_void_p()
assert driver.cuCtxGetCurrent(ctypes.byref(primary)) == driver.cuCtxSetCurrent(ctypes.c_void_p(own)) == 0
thread.witness[(1, 1, 1), (32, 1)](*values, out)  # the image is loaded, but not into the caller's own context
assert (driver.cuCtxGetCurrent(ctypes.byref(after)), after.value) == (0, own)
assert driver.cuCtxSetCurrent(primary) == 0
thread.witness[(2, 3, 4), (32, 2)](*values, out)
out.copy_out(host)
assert host.tolist() == [1, -5, 2.0**40, float(np.float32(0.1)), -0.1, 2, 3, 4, 32, 2, 1], host
host[:] = 9
tile.witness[6](*values, host)
assert host.tolist() == [1, -5, 2.0**40, float(np.float32(0.1)), -0.1, 6, 1, 1, 128, 1, 1], host
host[:] = 9
tile.witness[0](*values, host)
assert (host == 9).all()
assert tile.__transpile__["target"] == "cuda"
assert tile.witness.__doc__.endswith("Sees."), tile.witness.__doc__
with pytest.raises(ValueError, match="size=7"):
    tile.witness[1](True, 1, 1, 8, 0.0, 0.0, out)
with pytest.raises(ValueError, match="multiple of 32"):
    thread.witness[1, 33](*values, out)
with pytest.raises(RuntimeError, match=r"witness: .*sm_90"):
    other.witness[1](*values, out)
many = {**common, "role": "thread_kernel", "rule": "any", "threads": 0, "shared": 32, "sized": [2, 8]}
sized = engine.load(many, {90: image})
driver.fake_launches.restype = ctypes.c_char_p
for count, grid in ((0, 1), (100, 2), (29052, 1)):
    sized.witness[grid, 32](True, -5, count, 7, 0.1, -0.1, out)
    assert driver.fake_launches().split()[-1] == str(32 + 8 * count).encode()
for count in (-1, 29053, 1 << 60):
    with pytest.raises(
        ValueError, match=r"^witness: the size that the launch gives a shared array is below 0, or more"
    ):
        sized.witness[1, 32](True, -5, count, 7, 0.1, -0.1, out)
nameless = {**common, "role": "tile_kernel", "rule": "any", "threads": 128, "symbol": "nowhere"}
unnamed = engine.load(nameless, {90: image})
with pytest.raises(RuntimeError, match="CUDA_ERROR_NOT_FOUND"):
    unnamed.witness[1](*values, out)
assert driver.fake_calls(b"cuModuleUnload") == 1
with pytest.raises(ValueError, match="'x' is no word of a description"):
    engine.load({**common, "role": "x", "rule": "any", "threads": 0}, {})
with pytest.raises(ValueError, match="the array has 88 bytes, and the buffer 80"):
    out.copy_in(host[1:])
with pytest.raises(MemoryError, match="too little memory for 9007199254740992 bytes: CUDA_ERROR_OUT_OF_MEMORY"):
    engine.allocate("cuda", -1, "f64", 1 << 50)
engine.synchronize("cuda")
driver.fake_fail(b"cuCtxSynchronize", 1, 700)
with pytest.raises(RuntimeError, match=r"launched before has failed: CUDA_ERROR_ILLEGAL_ADDRESS .*undefined now"):
    out.copy_out(host)
blocks = driver.fake_blocks
before = blocks()
del out
assert blocks() == before - 1
print("done")

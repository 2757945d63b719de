"""The first result of a kernel through the JIT. Started by devices_cold.py, as `transpile run first_jit.py`."""

from array import array

from transpile import native, tile


@tile.kernel
def saxpy(n: int, a: float, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    offsets = tile.program_id() * 256 + tile.arange(256)
    mask = offsets < n
    xs = tile.load(x, offsets, mask)
    ys = tile.load(y, offsets, mask)
    tile.store(y, offsets, a * xs + ys, mask)


n = 1024
x, y = array("d", range(n)), array("d", [1.0]) * n
tile.launch(saxpy, n // 256, n, 2.0, x, y)
print(y[-1], flush=True)

import math

from transpile import cuda, native, tile


@cuda.kernel
def threads(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    t = tile.arange(8)
    u = tile.load(x, 0)
    tile.store(y, 0, 1.0)
    v = tile.program_id()


@tile.kernel
def tiles(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    i = cuda.thread_id()
    cuda.syncthreads()
    tile.launch(tiles2, 1, x, y)


@tile.kernel
def tiles2(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    tile.store(y, 0, 1.0)


@cuda.device
def dev(v: float) -> float:
    return v * cuda.block_id()


def run(x: native.const_ptr[float], y: native.ptr[float]) -> None:
    v = native.load(x)
    cuda.syncwarp()
    w = math.exp(v)
    tile.launch(tiles2, 1, x, y)

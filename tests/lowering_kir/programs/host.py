"""Launchers: arithmetic that Python would refuse is checked, the rest is written as it stands."""

from transpile import cuda, native, tile


@tile.kernel
def fill(value: float, out: native.ptr[float]) -> None:
    tile.store(out, tile.program_id() * 64 + tile.arange(64), value)


@cuda.kernel
def bump(n: int, out: native.ptr[float]) -> None:
    i = cuda.global_id()
    if i < n:
        native.store(native.offset(out, i), native.load(native.offset(out, i)) + 1.0)


def run(n: int, parts: int, out: native.ptr[float]) -> None:
    size = n // parts
    for k in range(parts):
        part = native.offset(out, k * size)
        tile.launch(fill, size // 64, float(k) / size, part)
        if size % 64 != 0:
            cuda.launch(bump, ((size + 31) // 32, 1), 32, size, part)
    while n > 1:
        n = n // 2
        cuda.launch(bump, 1, (32, 2), n, out)

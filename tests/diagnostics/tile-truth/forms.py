from transpile import native, tile


@tile.kernel
def forms(b: bool, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    t = tile.arange(32)
    while t < 3:
        pass
    u = t > 1 and b
    v = b or t > 1
    w = not t
    r = 0 < t < 5
    s = 1.0 if t > 1 else 2.0
    q = b and not (t > 1)

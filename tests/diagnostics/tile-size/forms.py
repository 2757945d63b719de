from transpile import tile


@tile.kernel
def forms(n: int) -> None:
    a = tile.arange(n)
    b = tile.arange(0)
    c = tile.arange(131_072)
    d = tile.arange(3)
    e = tile.arange(2.0)
    f = tile.arange(-8)

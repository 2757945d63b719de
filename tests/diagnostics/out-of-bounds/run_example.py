from transpile import native, tile


@tile.kernel
def clear(x: native.ptr[float]) -> None:
    tile.store(x, tile.program_id() * 32 + tile.arange(32), 0.0)


tile.launch(clear, 2, native.stack_alloc[float](40))

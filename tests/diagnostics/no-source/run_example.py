from transpile import native, tile

text = '''
@tile.kernel
def fill(x: native.ptr[float]) -> None:
    tile.store(x, 0, 1.0)
'''
exec(text)
tile.launch(fill, 1, native.stack_alloc[float](1))

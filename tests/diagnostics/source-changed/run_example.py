import pathlib
import runpy
import tempfile

from transpile import native, tile

TEXT = '''from transpile import native, tile

@tile.kernel
def fill(x: native.ptr[float]) -> None:
    tile.store(x, 0, VALUE)
'''

with tempfile.TemporaryDirectory() as folder:
    path = pathlib.Path(folder, "fills.py")
    path.write_text(TEXT.replace("VALUE", "1.0"))
    fill = runpy.run_path(str(path))["fill"]
    path.write_text(TEXT.replace("VALUE", "2.5"))
    tile.launch(fill, 1, native.stack_alloc[float](1))

"""What tests of the engine on devices share: hand-written kernels as a CUDA module, and arrays that are anyone's."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support import devices
from tests.support.compiling import compile_library
from transpile.build import toolchain
from transpile.build.cache import open_cache
from transpile.build.extension import Sources, build_extension, extension_key
from transpile.build.targets import recipe_for

HERE = Path(__file__).parent
HAND = HERE / "hand"


@pytest.fixture(scope="session")
def modules() -> tuple[str, str]:
    """The files of the modules `gpu_ext` and `tensors`."""
    sources = Sources(
        stem="gpu",
        name="gpu_ext",
        kernels=(devices.FAKE / "fake_kernel.h").read_text() + (HAND / "gpu.cpp").read_text(),
        header=(HAND / "gpu.h").read_text(),
        table=(HAND / "gpu_ext.cpp").read_text(),
    )
    recipe, cache = recipe_for("cpu"), open_cache()
    build_extension(recipe, sources, cache)
    library = cache.find(extension_key(recipe, sources), ".so")
    include = (f"-I{toolchain.runtime_folder()}", f"-I{toolchain.runtime_folder() / 'include'}")
    flags = ("-std=c++17", "-O1", "-fPIC", *include, f"-isystem{toolchain.python_include()}")
    return str(library), str(compile_library((HERE / "tensors.cpp").read_text(), "g++", flags))

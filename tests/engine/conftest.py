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


def hand_module(name: str, target: str) -> str:
    """The file of the hand-written kernels' module under this name, for this target of the stand-in."""
    table = (HAND / "gpu_ext.cpp").read_text().replace("gpu_ext", name).replace('"cuda"', f'"{target}"')
    sources = Sources(
        stem="gpu",
        name=name,
        kernels=(devices.FAKE / "fake_kernel.h").read_text() + (HAND / "gpu.cpp").read_text(),
        header=(HAND / "gpu.h").read_text(),
        table=table,
    )
    recipe, cache = recipe_for("cpu"), open_cache()
    build_extension(recipe, sources, cache)
    return str(cache.find(extension_key(recipe, sources), ".so"))


@pytest.fixture(scope="session")
def modules() -> tuple[str, ...]:
    """The modules `gpu_ext`, `hip_ext` and `tensors`, and their files."""
    include = (f"-I{toolchain.runtime_folder()}", f"-I{toolchain.runtime_folder() / 'include'}")
    flags = ("-std=c++17", "-O1", "-fPIC", *include, f"-isystem{toolchain.python_include()}")
    tensors = compile_library((HERE / "tensors.cpp").read_text(), "g++", flags)
    hand = (f"{name}={hand_module(name, target)}" for name, target in (("gpu_ext", "cuda"), ("hip_ext", "hip")))
    return (*hand, f"tensors={tensors}")

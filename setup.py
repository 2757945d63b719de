"""Packages `transpile`. `runtime_cpp/`, the C++ that built extensions are made with, and `cmake/`, for CMake projects,
travel inside as package data. One extension is compiled, where there are a compiler and pybind11: `transpile._engine`,
which launches kernels that are compiled while a program runs. Elsewhere the package installs without it."""

import sys
from pathlib import Path

from setuptools import Extension, find_packages, setup

ROOT = Path(__file__).resolve().parent
sys.path.insert(0, str(ROOT))  # a build in isolation has no folder of its own there

from transpile.build import engine, linking  # noqa: E402


def folders(root: str) -> list[str]:
    """`root` and the folders in it that hold files."""
    found = sorted({path.parent for path in Path(root).rglob("*") if path.is_file()})
    return [folder.as_posix() for folder in found]


def package(folder: str) -> str:
    return folder.replace("/", ".")


def extensions() -> list[Extension]:
    try:
        import pybind11
    except ImportError:
        return []
    runtime = ROOT / "runtime_cpp"
    return [
        Extension(
            engine.NAME,
            sources=[f"runtime_cpp/{engine.SOURCE}"],
            depends=[path.relative_to(ROOT).as_posix() for path in engine.source_files(runtime)],
            include_dirs=["runtime_cpp/include", pybind11.get_include()],
            define_macros=[engine.macro(runtime)],
            extra_compile_args=[*engine.FLAGS],
            extra_link_args=[*engine.LINK_FLAGS, *linking.LIBRARIES],
            language="c++",
            optional=True,
        )
    ]


templates = [package(folder) for folder in folders("transpile/templates")]
carried = {f"transpile.{package(folder)}": folder for root in ("runtime_cpp", "cmake") for folder in folders(root)}

setup(
    ext_modules=extensions(),
    packages=[*find_packages(include=["transpile", "transpile.*"]), *templates, *carried],
    package_dir=carried,
    package_data={name: ["*"] for name in (*templates, *carried)}
    | {"transpile": ["py.typed"], "transpile.lang": ["*.pyi"]},
    license_files=["LICENSE"],
)

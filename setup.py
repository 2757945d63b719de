"""Packages `transpile`. `runtime_cpp/`, the C++ that built extensions are made with, and `cmake/`, for CMake projects,
travel inside as package data: nothing is compiled when the package is installed, so it needs no compiler."""

from pathlib import Path

from setuptools import find_packages, setup


def folders(root: str) -> list[str]:
    """`root` and the folders in it that hold files."""
    found = sorted({path.parent for path in Path(root).rglob("*") if path.is_file()})
    return [folder.as_posix() for folder in found]


def package(folder: str) -> str:
    return folder.replace("/", ".")


templates = [package(folder) for folder in folders("transpile/templates")]
carried = {f"transpile.{package(folder)}": folder for root in ("runtime_cpp", "cmake") for folder in folders(root)}

setup(
    packages=[*find_packages(include=["transpile", "transpile.*"]), *templates, *carried],
    package_dir=carried,
    package_data={name: ["*"] for name in (*templates, *carried)}
    | {"transpile": ["py.typed"], "transpile.lang": ["*.pyi"]},
    license_files=["LICENSE"],
)

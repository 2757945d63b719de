"""Packages `transpile`. `runtime_cpp/`, the C++ that built extensions are made with, travels inside as package data:
nothing is compiled when the package is installed, so it needs no compiler."""

from pathlib import Path

from setuptools import find_packages, setup


def folders(root: str) -> list[str]:
    """`root` and the folders in it that hold files."""
    found = sorted({path.parent for path in Path(root).rglob("*") if path.is_file()})
    return [folder.as_posix() for folder in found]


def package(folder: str) -> str:
    return folder.replace("/", ".")


templates = [package(folder) for folder in folders("transpile/templates")]
runtime = {f"transpile.{package(folder)}": folder for folder in folders("runtime_cpp")}

setup(
    packages=[*find_packages(include=["transpile", "transpile.*"]), *templates, *runtime],
    package_dir=runtime,
    package_data={name: ["*"] for name in (*templates, *runtime)}
    | {"transpile": ["py.typed"], "transpile.lang": ["*.pyi"]},
    license_files=["LICENSE"],
)

"""Packages `transpile`. `runtime_cpp/`, the C++ that built extensions are made with, travels inside as package data:
nothing is compiled when the package is installed, so it needs no compiler."""

from pathlib import Path

from setuptools import find_packages, setup

RUNTIME = "transpile.runtime_cpp"


def folders(root: str) -> list[str]:
    """`root` and the folders in it that hold files."""
    found = sorted({path.parent for path in Path(root).rglob("*") if path.is_file()})
    return [folder.as_posix() for folder in found]


runtime = {RUNTIME + folder[len("runtime_cpp") :].replace("/", "."): folder for folder in folders("runtime_cpp")}

setup(
    packages=[*find_packages(include=["transpile", "transpile.*"]), *runtime],
    package_dir=runtime,
    package_data={name: ["*"] for name in runtime} | {"transpile": ["py.typed", "templates/*"]},
    license_files=["LICENSE"],
)

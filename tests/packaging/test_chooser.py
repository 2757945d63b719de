"""The module that takes the one for this machine: by device files and libraries, by name, and by what was built."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

import pytest

from transpile.emit.chooser import render_chooser

Chosen = Callable[..., Any]
FILES: Final = {"cuda": "/dev/nvidiactl", "hip": "/dev/kfd"}


@pytest.fixture
def chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Chosen]:
    """Imports the chooser of a package: built for `targets`, with the modules `there`, on a machine with `devices`."""
    (tmp_path / "someones").mkdir()
    (tmp_path / "someones" / "__init__.py").write_text("")
    monkeypatch.syspath_prepend(str(tmp_path))
    for name in ("TRANSPILE", "CUDA_VISIBLE_DEVICES", "HIP_VISIBLE_DEVICES"):
        monkeypatch.delenv(name, raising=False)

    def load(targets: str, there: str, devices: str = "", libraries: str = "cuda hip", **environment: str) -> Any:
        package = tmp_path / "someones"
        for path in package.glob("ops_*"):
            path.unlink()
        for target in there.split():
            text = f"__all__ = ['run']\n__transpile__ = {{'target': '{target}'}}\nrun = 1\nhidden = 2\n"
            (package / f"ops_{target}.py").write_text(text)
        (package / "ops_ext.py").write_text(render_chooser("ops.py", targets.split()))
        files = {FILES[target] for target in devices.split()}

        def open_library(name: str, mode: int) -> object:
            assert mode == os.RTLD_LAZY
            if not any(target in name for target in libraries.split()):
                raise OSError(name)
            return object()

        with monkeypatch.context() as patched:
            for name, value in environment.items():
                patched.setenv(name, value)
            patched.setattr("os.path.exists", lambda path: path in files)
            patched.setattr("_ctypes.dlopen", open_library)
            for name in [name for name in sys.modules if name.startswith("someones")]:
                patched.delitem(sys.modules, name)
            importlib.invalidate_caches()
            return importlib.import_module("someones.ops_ext")

    yield load
    for name in [name for name in sys.modules if name.startswith("someones")]:
        del sys.modules[name]


def target(module: Any) -> str:
    return str(module.__transpile__["target"])


def test_what_the_machine_has(chosen: Chosen) -> None:
    everything = "hip cuda cpu"
    assert target(chosen(everything, everything)) == "cpu"
    assert target(chosen(everything, everything, "cuda")) == "cuda"
    assert target(chosen(everything, everything, "hip")) == "hip"
    assert target(chosen(everything, everything, "cuda hip")) == "hip"
    assert target(chosen("cuda hip cpu", everything, "cuda hip")) == "cuda"
    module = chosen(everything, everything, "cuda")
    assert (module.run, module.__all__, hasattr(module, "hidden")) == (1, ["run"], False)


def test_a_device_without_its_driver(chosen: Chosen) -> None:
    assert target(chosen("cuda cpu", "cuda cpu", "cuda", libraries="")) == "cpu"
    assert target(chosen("hip cpu", "hip cpu", "hip", libraries="cuda")) == "cpu"


@pytest.mark.parametrize("hidden", ["", "-1"])
def test_hidden_devices(chosen: Chosen, hidden: str) -> None:
    assert target(chosen("cuda cpu", "cuda cpu", "cuda", CUDA_VISIBLE_DEVICES=hidden)) == "cpu"
    assert target(chosen("hip cpu", "hip cpu", "hip", HIP_VISIBLE_DEVICES=hidden)) == "cpu"
    assert target(chosen("cuda cpu", "cuda cpu", "cuda", CUDA_VISIBLE_DEVICES="1")) == "cuda"


def test_the_environment_names_one(chosen: Chosen) -> None:
    assert target(chosen("cuda cpu", "cuda cpu", "", TRANSPILE="cuda")) == "cuda"
    assert target(chosen("cuda cpu", "cuda cpu", "cuda", TRANSPILE="cpu")) == "cpu"
    assert target(chosen("cuda cpu", "cuda cpu", "cuda", TRANSPILE="auto")) == "cuda"
    assert target(chosen("cuda cpu", "cuda cpu", "cuda", TRANSPILE="reference")) == "cuda"
    with pytest.raises(ImportError, match=r"TRANSPILE is 'hip', and someones\.ops_ext was built for cuda, cpu"):
        chosen("cuda cpu", "cuda cpu", TRANSPILE="hip")
    with pytest.raises(ModuleNotFoundError, match="ops_cuda"):
        chosen("cuda cpu", "cpu", TRANSPILE="cuda")


def test_a_package_that_was_built_without_a_target(chosen: Chosen) -> None:
    assert target(chosen("cuda cpu", "cpu", "cuda")) == "cpu"
    assert target(chosen("cuda cpu", "cuda", "")) == "cuda"  # its calls say that there is no device
    assert target(chosen("cpu", "cpu", "cuda")) == "cpu"
    with pytest.raises(ImportError, match=r"someones\.ops_ext was built without any of its modules"):
        chosen("cuda cpu", "")


def test_a_broken_module_is_not_passed_over(chosen: Chosen, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen("cuda cpu", "cuda cpu", "")
    (tmp_path / "someones" / "ops_cpu.py").write_text("raise ImportError('undefined symbol')\n")
    for name in [name for name in sys.modules if name.startswith("someones")]:
        monkeypatch.delitem(sys.modules, name)
    importlib.invalidate_caches()
    monkeypatch.setenv("CUDA_VISIBLE_DEVICES", "-1")
    with pytest.raises(ImportError, match="undefined symbol"):
        importlib.import_module("someones.ops_ext")

"""`kernels` in a setup.py: its arguments, what it writes, and the command classes; and what an sdist carries."""

from __future__ import annotations

import ast
import json
import sysconfig
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import pytest
from setuptools import Distribution, Extension, setup
from setuptools.command.build_ext import build_ext

from tests.cli.program import DOUBLE, FAULTY, SOFTMAX
from transpile import pipeline
from transpile.backends.table import BACKENDS
from transpile.build import setuptools as packaging
from transpile.build.cache import open_cache
from transpile.build.carried import PACKAGE, load_manifest
from transpile.build.load import load_extension
from transpile.build.setuptools import BuildKernels, CompleteSdist, kernels
from transpile.build.shipped import Part, Workshop, build
from transpile.build.toolchain import CompilerError, ToolchainMissingError, UnknownProcessorError

ROOT: Final = Path(__file__).parents[2]


@pytest.fixture
def project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with `pkg/double.py`; setup.py's folder is the working one."""
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text("")
    (tmp_path / "pkg" / "double.py").write_text(DOUBLE)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TRANSPILE_TARGETS", raising=False)
    return tmp_path


def carried(monkeypatch: pytest.MonkeyPatch) -> None:
    """As in an sdist, where there is nothing to generate with."""
    monkeypatch.setattr(packaging, "GENERATOR", "transpile.build.nothing")


BAD: Final = [
    ({"sources": "pkg/double.py"}, "kernels: sources is a list, as in sources=['pkg/double.py']"),
    ({"sources": []}, "kernels: sources is empty"),
    ({"sources": ["pkg/gone.py"]}, "kernels: there is no file pkg/gone.py in /"),
    ({"sources": ["/pkg/double.py"]}, "kernels: /pkg/double.py must be below the folder of setup.py"),
    ({"sources": ["../double.py"]}, "kernels: ../double.py must be below the folder of setup.py"),
    ({"sources": ["pkg/my-ops.py"]}, "kernels: pkg/my-ops.py: a Python file is needed whose name is an identifier"),
    (
        {"sources": ["pkg/ops_cpu.py"]},
        "kernels: pkg/ops_cpu.py: rename it, since names that end in _cuda, _hip, _cpu, _ext",
    ),
    ({"targets": "cuda"}, "kernels: targets is a list, as in targets=['cuda']"),
    ({"targets": []}, "kernels: targets is empty"),
    ({"targets": ["gpu"]}, "kernels: targets=['gpu']: name each once, of cuda, hip, cpu"),
    ({"targets": ["cpu", "cpu"]}, "kernels: targets=['cpu', 'cpu']: name each once"),
    ({"arch": ["sm_90"]}, "kernels: arch has 'sm_90', which is no GPU of the targets cpu"),
    ({"targets": ["cuda"], "arch": ["90"]}, "kernels: arch has '90', which is no GPU of the targets cuda"),
    ({"instances": ["triple:n=1"]}, "--instance triple: there is no kernel 'triple' in pkg/double.py"),
]


@pytest.mark.parametrize(("arguments", "said"), BAD)
def test_bad_arguments(project: Path, arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(SystemExit, match=r"^error: ") as ended:
        kernels(**{"sources": ["pkg/double.py"], **arguments})
    assert str(ended.value).startswith(f"error: {said}")
    assert sorted(path.name for path in (project / "pkg").iterdir()) == ["__init__.py", "double.py"]


def test_faults_of_the_kernels(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "pkg" / "double.py").write_text(FAULTY)
    with pytest.raises(SystemExit, match="1"):
        kernels(["pkg/double.py"])
    assert capsys.readouterr().err.count("error[") == 3


def test_shared_memory_is_checked_against_the_gpus(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    text = (
        "from transpile import cuda, native\n\n\n@cuda.kernel\ndef hoard(x: native.ptr[float]) -> None:\n"
        "    held = cuda.shared[float, 12000]()\n    native.store(held, 1.0)\n    native.store(x, native.load(held))\n"
    )
    (project / "pkg" / "double.py").write_text(text)
    assert len(kernels(["pkg/double.py"], targets=["cuda"], arch=["sm_90"])) == 1
    with pytest.raises(SystemExit):
        kernels(["pkg/double.py"], targets=["cuda"], arch=["sm_90", "sm_75"])
    assert "sm_75" in capsys.readouterr().err


def test_what_is_written(project: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    found = kernels(["pkg/double.py"], targets=["cpu", "cuda"], arch=["sm_90", "sm_80"])
    assert [each.name for each in found] == ["pkg.double_cuda", "pkg.double_cpu"]
    assert [each.part.archs for each in found] == [("sm_90", "sm_80"), None]
    generated = project / "_transpiled" / "pkg"
    names = ["double.cpp", "double.cu", "double.h", "double.json", "double_cpu.cpp", "double_cuda.cpp"]
    assert sorted(path.name for path in generated.iterdir()) == names
    for path in ("_transpiled/pkg/double.cu", "_transpiled/transpile/LICENSE", "pkg/double_ext.pyi", "pkg/double.py"):
        assert path in found[0].sources
    assert all((project / path).is_file() for path in found[0].sources)
    times = {path: path.stat().st_mtime_ns for path in project.rglob("*") if path.is_file()}

    kernels(["pkg/double.py"], targets=["cuda", "cpu"], arch=["sm_90", "sm_80"])  # the same
    monkeypatch.setenv("TRANSPILE_TARGETS", "cpu hip")
    (one,) = kernels(["pkg/double.py"], targets=["cuda", "cpu"], arch=["sm_90", "sm_80"])
    assert one.name == "pkg.double_cpu"
    assert {path: path.stat().st_mtime_ns for path in project.rglob("*") if path.is_file()} == times
    monkeypatch.setenv("TRANSPILE_TARGETS", "hip")
    assert kernels(["pkg/double.py"], targets=["cuda", "cpu"]) == []
    said = "pkg/double.py is left out: TRANSPILE_TARGETS has none of its targets, cuda, cpu\n"
    assert capsys.readouterr().err == said
    monkeypatch.setenv("TRANSPILE_TARGETS", "gpu")
    with pytest.raises(SystemExit, match="error: TRANSPILE_TARGETS has 'gpu', and the targets are cuda, hip, cpu"):
        kernels(["pkg/double.py"], targets=["cuda", "cpu"])
    monkeypatch.delenv("TRANSPILE_TARGETS")

    source = project / "pkg" / "double.py"
    source.write_text(DOUBLE.replace("* 2.0", "* 3.0"))
    (generated / "double.h").unlink()
    (project / "_transpiled" / "transpile" / "old.py").write_text("")
    kernels(["pkg/double.py"], targets=["cpu"])
    assert "3.0" in (generated / "double.cpp").read_text()
    assert sorted(path.name for path in generated.iterdir()) == [name for name in names if "cu" not in name]
    assert not (project / "_transpiled" / "transpile" / "old.py").exists()


def test_files_of_others_are_kept(project: Path) -> None:
    own = project / "pkg" / "double_ext.py"
    own.write_text("x = 1\n")
    with pytest.raises(SystemExit, match=r"pkg/double_ext\.py is there and was not written by transpile"):
        kernels(["pkg/double.py"])
    assert own.read_text() == "x = 1\n"


def test_stub_of_a_module_that_was_built_beside_is_written_over(project: Path) -> None:
    loaded, typed = pipeline.load_and_check("pkg/double.py")
    stub = pipeline.emit_stub(loaded, typed, "double_ext", "as built", backend=BACKENDS["cpu"])
    (project / "pkg" / "double_ext.pyi").write_text(stub)
    kernels(["pkg/double.py"])
    assert "as built" not in (project / "pkg" / "double_ext.pyi").read_text()


def test_static_parameters(project: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (project / "pkg" / "double.py").write_text(SOFTMAX)
    with pytest.raises(SystemExit, match="there is no kernel or launcher to build"):
        kernels(["pkg/double.py"])
    assert "total is left out: give --instance total:cols=VALUE" in capsys.readouterr().err
    (found,) = kernels(["pkg/double.py"], instances=["total:cols=2,4"])
    assert found.part.symbols == ("double_total__2", "double_total__4")


def test_where_packages_begin(project: Path) -> None:
    for name in ("src/space/inner", "lib/marked/inner", "plain"):
        (project / name).mkdir(parents=True)
        (project / name / "ops.py").write_text(DOUBLE)
    for name in ("lib/marked", "lib/marked/inner"):
        (project / name / "__init__.py").write_text("")
    (project / "ops.py").write_text(DOUBLE)
    sources = ["src/space/inner/ops.py", "lib/marked/inner/ops.py", "plain/ops.py", "ops.py"]
    wanted = ["space.inner.ops_cpu", "marked.inner.ops_cpu", "plain.ops_cpu", "ops_cpu"]
    assert [each.name for each in kernels(sources)] == wanted


def test_without_transpile(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    made = kernels(["pkg/double.py"])
    carried(monkeypatch)
    again = kernels(["pkg/double.py"])
    assert [(each.name, each.sources, each.part) for each in again] == [(made[0].name, made[0].sources, made[0].part)]
    with pytest.raises(
        SystemExit,
        match=r"error: setup\.py has targets=\['cuda'\] for pkg/double\.py, and _transpiled was made for \['cpu'\]",
    ):
        kernels(["pkg/double.py"], targets=["cuda"])
    (project / "pkg" / "double.py").write_text(DOUBLE.replace("2.0", "3.0"))
    with pytest.raises(SystemExit, match=r"error: pkg/double\.py was changed after _transpiled was made of it"):
        kernels(["pkg/double.py"])
    (project / "pkg" / "double.py").unlink()  # an sdist need not have it
    assert kernels(["pkg/double.py"])[0].name == "pkg.double_cpu"
    (project / "_transpiled" / "pkg" / "double.json").unlink()
    with pytest.raises(SystemExit, match=r"double\.json is missing\. Build from the project's checkout"):
        kernels(["pkg/double.py"])


@pytest.mark.parametrize("text", ["", "{", "[]", '{"format": 1}', '{"format": 99}', '{"format": 1, "wish": 3}'])
def test_a_damaged_manifest_is_none(tmp_path: Path, text: str) -> None:
    path = tmp_path / "x.json"
    path.write_text(text)
    assert load_manifest(path) is None
    path.write_text(json.dumps({"format": 1, "wish": {"source": "x", "targets": 1, "instances": []}}))
    assert load_manifest(path) is None


def test_a_project_may_have_command_classes_of_its_own(project: Path) -> None:
    class Own(build_ext):
        pass

    made = kernels(["pkg/double.py"])
    kernels(["pkg/double.py"])  # once more changes nothing
    distribution = Distribution({"name": "x", "ext_modules": made, "cmdclass": {"build_ext": Own}})
    command = distribution.get_command_class("build_ext")
    assert [each.__name__ for each in command.__mro__[:3]] == ["Own", "BuildKernels", "Own"]
    assert distribution.get_command_class("build_ext") is command
    assert issubclass(distribution.get_command_class("sdist"), CompleteSdist)
    assert not issubclass(distribution.get_command_class("build_py"), BuildKernels)
    for others in (None, [Extension("x", ["x.c"])]):
        other = Distribution({"name": "y", "ext_modules": others, "cmdclass": {"build_ext": Own}})
        assert other.get_command_class("build_ext") is Own


def test_modules_of_an_earlier_build_go(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scratches = []

    def build_nothing(part: Part, made: Path, shop: Workshop) -> None:
        made.write_bytes(b"new")
        scratches.append(shop.scratch)

    monkeypatch.setattr("transpile.build.shipped.build", build_nothing)
    for name in ("ops.py", "pkg/ops.py"):
        (project / name).write_text(DOUBLE)
    made = kernels(["pkg/double.py", "ops.py", "pkg/ops.py"])
    command = Distribution({"name": "x", "packages": ["pkg"], "ext_modules": made}).get_command_obj("build_ext")
    command.inplace = True
    command.ensure_finalized()
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    old = [project / f"{name}_{target}{suffix}" for name in ("pkg/double", "ops") for target in ("cpu", "cuda")]
    old += [Path(command.build_lib, path.relative_to(project)) for path in old]
    for path in (*old, project / f"pkg/other_cuda{suffix}"):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"old")
    command.run()
    assert {path.name: path.read_bytes() for path in old if path.exists()} == {
        f"double_cpu{suffix}": b"new",
        f"ops_cpu{suffix}": b"new",
    }
    assert (project / f"pkg/other_cuda{suffix}").exists()
    assert len(set(scratches)) == 3  # so that they may be compiled at once


FAILURES: Final = [
    (
        ToolchainMissingError("no nvcc was found"),
        "pkg.double_cuda: no nvcc was found\n(to build without cuda, set TRANSPILE_TARGETS to the other targets)",
    ),
    (UnknownProcessorError("it knows sm_75"), "pkg.double_cuda: arch=['sm_12']: it knows sm_75"),
    (
        CompilerError(("nvcc", "a b"), "error: x"),
        "pkg.double_cuda: a compiler refused what transpile wrote: a fault of transpile, not yours.\n"
        "nvcc 'a b'\nerror: x",
    ),
]


@pytest.mark.parametrize(("failure", "said"), FAILURES)
def test_a_build_that_fails(project: Path, monkeypatch: pytest.MonkeyPatch, failure: Exception, said: str) -> None:
    def fail(*arguments: object) -> None:
        raise failure

    monkeypatch.setattr("transpile.build.shipped.build", fail)
    made = kernels(["pkg/double.py"], targets=["cuda"], arch=["sm_12"])
    with pytest.raises(SystemExit) as ended:
        setup(name="x", packages=["pkg"], ext_modules=made, script_args=["-q", "build_ext"])
    assert str(ended.value) == f"error: {said}"


def test_a_compiler_that_knows_no_level(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("transpile.build.shipped.known_levels", tuple)
    part = Part(
        target="cpu",
        name="hand_ext",
        stem="hand",
        folder=ROOT / "tests" / "build" / "hand",
        prefix="hand_",
        symbols=("hand_scale",),
    )
    made = tmp_path / "hand_ext.so"
    build(part, made, Workshop(tmp_path, open_cache()))
    assert load_extension("hand_ext", made).__transpile__["options"] == ""


# ---------------------------------------------------------------- what an sdist carries


def imported(path: Path) -> Iterator[str]:
    """The modules of ours that a file imports as it is imported itself."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        names = []
        if isinstance(node, ast.ImportFrom) and str(node.module).split(".")[0] == "transpile":
            names = [str(node.module), *(f"{node.module}.{alias.name}" for alias in node.names)]
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if alias.name.split(".")[0] == "transpile"]
        for name in names:
            base = ROOT.joinpath(*name.split("."))
            for found in (base.with_suffix(".py"), base / "__init__.py"):
                if found.is_file():
                    yield found.relative_to(ROOT / "transpile").as_posix()


def test_the_carried_modules_import_one_another_alone() -> None:
    needed = {"build/setuptools.py"}
    waiting = ["build/setuptools.py"]
    while waiting:
        path = waiting.pop()
        folders = [f"{parent.as_posix()}/__init__.py".removeprefix("./") for parent in Path(path).parents]
        new = {*imported(ROOT / "transpile" / path), *folders} - needed
        needed |= new
        waiting += new
    assert needed == set(PACKAGE)

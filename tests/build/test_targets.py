"""How a target is compiled for: which compiler is found, which GPUs are chosen, what is said where one is unknown."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.tools import tool
from transpile.build import devices, linking, machine, toolchain
from transpile.build.devices import Device, Driver
from transpile.build.targets import compile_kernels, link, recipe_for
from transpile.build.toolchain import CompilerError, ToolchainMissingError, UnknownProcessorError, find_nvcc

H200 = Device("NVIDIA H200", "sm_90", 1)
OLD = Device("Tesla V100", "sm_70", 1)
MI250 = Device("MI250", "gfx90a", 1)


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    for found in (toolchain.find_compiler, toolchain.find_nvcc, toolchain.find_hipcc):
        found.cache_clear()
    yield
    for found in (toolchain.find_compiler, toolchain.find_nvcc, toolchain.find_hipcc):
        found.cache_clear()


def program(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return path


def fake_toolkit(root: Path, *, known: str = "75 80 86 90 100 120", version: str = "13.0.88") -> Path:
    """A toolkit whose nvcc compiles nothing, but answers."""
    (root / "lib").mkdir(parents=True)
    (root / "lib" / toolchain.CUDART).write_text("")
    answers = f"""\
case "$*" in
*--version*) echo 'Cuda compilation tools, release 13.0, V{version}' ;;
*--list-gpu-code*) printf 'sm_%s\\n' {known} ;;
*code=sm_*) code=${{*#*code=sm_}}; code=${{code%% *}}
    case " {known} " in *" ${{code%a}} "*) ;; *) echo "nvcc fatal : Unsupported gpu architecture"; exit 1 ;; esac ;;
*--dryrun*) echo '#$ TOP={root}/bin/..' ;;
esac"""
    return program(root / "bin" / "nvcc", answers)


@pytest.fixture
def nvcc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = fake_toolkit(tmp_path / "a toolkit")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "a toolkit"))
    return made


def here(monkeypatch: pytest.MonkeyPatch, *, nvidia: tuple[Device, ...] = (), amd: tuple[Device, ...] = ()) -> None:
    monkeypatch.setattr(devices, "nvidia", lambda: Driver(devices=nvidia, fault="" if nvidia else "no NVIDIA driver"))
    monkeypatch.setattr(devices, "amd", lambda: Driver(devices=amd, fault="" if amd else "no AMD driver"))


# ---------------------------------------------------------------- finding


def test_the_order_of_nvccs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    roots = [tmp_path / name for name in ("home", "path", "site/nvidia/cu13", "site/nvidia/cu14", "old", "system")]
    home, cuda_path, packaged, newer, on_path, system = roots
    programs = [str(fake_toolkit(root)) for root in roots]
    for name in ("CUDA_HOME", "CUDA_PATH"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(toolchain, "SYSTEM_CUDA", system)
    monkeypatch.setattr(sys, "path", [str(tmp_path / "site")])
    monkeypatch.setenv("PATH", f"{on_path / 'bin'}:/usr/bin:/bin")
    assert list(toolchain.nvcc_programs()) == [programs[3], programs[2], programs[4], programs[5]]
    monkeypatch.setenv("CUDA_HOME", str(home))
    monkeypatch.setenv("CUDA_PATH", str(cuda_path))
    assert list(toolchain.nvcc_programs())[:2] == programs[:2]
    assert find_nvcc().program == programs[0]
    assert find_nvcc().version == "nvcc 13.0.88"
    assert find_nvcc().libraries == home / "lib"
    assert (packaged, newer) == tuple(reversed(toolchain.packaged_cuda()))


def test_a_toolkit_without_a_runtime(nvcc: Path) -> None:
    (nvcc.parents[1] / "lib" / toolchain.CUDART).unlink()
    with pytest.raises(ToolchainMissingError, match=r"has no libcudart_static.a beside it.*nvidia-cuda-runtime"):
        find_nvcc()


def test_no_gpu_compiler(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("CUDA_HOME", "CUDA_PATH", "ROCM_PATH", "HIP_PATH"):
        monkeypatch.delenv(name, raising=False)
    for name in ("SYSTEM_CUDA", "SYSTEM_ROCM"):
        monkeypatch.setattr(toolchain, name, tmp_path)
    monkeypatch.setattr(sys, "path", [])
    gxx = tool("g++")
    program(tmp_path / "bin" / "g++", f'exec {gxx} "$@"')
    monkeypatch.setenv("PATH", str(tmp_path / "bin"))
    with pytest.raises(ToolchainMissingError, match=r"pip install 'transpile\[cuda\]'"):
        recipe_for("cuda")
    with pytest.raises(ToolchainMissingError, match=r"no hipcc was found.*apt install hipcc"):
        recipe_for("hip")
    (tmp_path / "bin" / "g++").unlink()
    toolchain.find_compiler.cache_clear()
    fake_toolkit(tmp_path / "toolkit")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path / "toolkit"))
    with pytest.raises(ToolchainMissingError, match=r"install g\+\+"):
        recipe_for("cuda")


def test_a_program_that_does_not_run(nvcc: Path) -> None:
    program(nvcc, "echo 'cannot find cicc'; exit 1")
    with pytest.raises(ToolchainMissingError, match=r"nvcc does not run: (.|\n)*cannot find cicc"):
        find_nvcc()


# ---------------------------------------------------------------- choosing


def test_machine_code_for_each_and_ptx_of_the_newest(nvcc: Path) -> None:
    recipe = recipe_for("cuda", archs=["sm_90a", "sm_80", "sm_80"])
    assert [word for word in recipe.kernels if "gencode" in word] == [
        "-gencode=arch=compute_90a,code=sm_90a",
        "-gencode=arch=compute_80,code=sm_80",
        "-gencode=arch=compute_90,code=compute_90",
    ]
    assert recipe.machines == "--arch sm_90a,sm_80"
    assert recipe.remark == ""
    assert "-lineinfo" not in recipe.kernels
    assert "-lineinfo" in recipe_for("cuda", archs=["sm_80"], origin=Path("/")).kernels
    assert "-g1" in recipe_for("cpu", origin=Path("/")).kernels
    assert "-Wl,--strip-all" not in recipe_for("cpu", origin=Path("/")).link
    assert f"-L{nvcc.parents[1] / 'lib'}" in recipe.libraries
    assert recipe.identity != recipe_for("cuda", archs=["sm_80"]).identity


def test_what_the_engine_needs_stands_behind_its_object(nvcc: Path) -> None:
    assert recipe_for("cpu").libraries == linking.LIBRARIES
    assert recipe_for("cuda", archs=["sm_80"]).libraries[-1:] == linking.LIBRARIES


def test_what_nvcc_adds_by_itself_is_part_of_the_key(nvcc: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipe = recipe_for("cuda", archs=["sm_80"])
    before = recipe.identity
    monkeypatch.setenv("NVCC_APPEND_FLAGS", "-use_fast_math")
    assert recipe.identity != before


def test_nvcc_uses_our_compiler_unless_it_is_told_of_one(nvcc: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("NVCC_PREPEND_FLAGS", "NVCC_APPEND_FLAGS", "NVCC_CCBIN"):
        monkeypatch.delenv(name, raising=False)
    kernels = recipe_for("cuda", archs=["sm_80"]).kernels
    assert kernels[1:3] == ("-ccbin", toolchain.find_compiler().command[0])
    for name, value in (("NVCC_PREPEND_FLAGS", "-ccbin=gcc-12"), ("NVCC_CCBIN", "gcc-12"), ("CXX", "g++ -m64")):
        with monkeypatch.context() as context:
            context.setenv(name, value)
            toolchain.find_compiler.cache_clear()
            assert "-ccbin" not in recipe_for("cuda", archs=["sm_80"]).kernels


@pytest.mark.parametrize("arch", ["sm_70", "sm_80a", "compute_80", "90", "native", "sm_80 -o x", "gfx90a"])
def test_a_gpu_that_nvcc_does_not_know(arch: str) -> None:
    tool("nvcc")
    with pytest.raises(
        UnknownProcessorError, match=r"nvcc 1[\d.]+ compiles for no GPU .*; it knows sm_75, sm_80, sm_86"
    ):
        recipe_for("cuda", archs=["sm_90", arch])


@pytest.mark.parametrize(
    ("arch", "words"),
    [("gfx999", "^hipcc [^:]*: invalid target ID"), ("sm_90", "gfx90a"), ("gfx90a -o x", "gfx90a and")],
)
def test_a_gpu_that_hipcc_does_not_know(arch: str, words: str) -> None:
    tool("hipcc")
    with pytest.raises(UnknownProcessorError, match=words):
        recipe_for("hip", archs=[arch])


def test_the_gpus_of_this_machine(nvcc: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here(monkeypatch, nvidia=(H200, OLD, H200))
    recipe = recipe_for("cuda")
    assert sum("code=sm_90" in word for word in recipe.kernels) == 1
    assert recipe.remark == "for sm_90: NVIDIA H200; --arch names others"
    assert recipe.machines == ""


def test_gpus_where_there_is_none(nvcc: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here(monkeypatch)
    chosen = "sm_75, sm_80, sm_90, sm_100, sm_120"
    assert recipe_for("cuda").remark == f"for {chosen}: no NVIDIA driver; --arch names others"
    here(monkeypatch, nvidia=(OLD,))
    assert recipe_for("cuda").remark == f"for {chosen}: nvcc 13.0.88 does not know sm_70; --arch names others"


def test_amd_gpus_of_both_widths_where_there_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    tool("hipcc")
    here(monkeypatch)
    recipe = recipe_for("hip")
    assert {"--offload-arch=gfx90a", "--offload-arch=gfx1030"} <= set(recipe.kernels)
    here(monkeypatch, amd=(MI250,))
    assert [word for word in recipe_for("hip").kernels if "arch" in word] == ["--offload-arch=gfx90a"]


def test_a_hipcc_without_its_libraries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    here(monkeypatch)
    program(tmp_path / "bin" / "hipcc", "echo 'HIP version: 6.1'; echo 'clang: error: cannot find ROCm device library'")
    monkeypatch.setenv("ROCM_PATH", str(tmp_path))
    with pytest.raises(ToolchainMissingError, match=r"hipcc 6.1: cannot find ROCm device library .*rocm-device-libs"):
        recipe_for("hip")


def test_the_target_of_a_machine(nvcc: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    here(monkeypatch)
    assert machine.target_here() == ("cpu", "no NVIDIA driver, no AMD driver")
    here(monkeypatch, nvidia=(H200,))
    assert machine.target_here() == ("cuda", "NVIDIA H200")
    program(tmp_path / "bin" / "hipcc", "exit 1")
    monkeypatch.setenv("ROCM_PATH", str(tmp_path))
    here(monkeypatch, amd=(MI250,))
    assert machine.target_here() == ("hip", "MI250")
    here(monkeypatch, nvidia=(H200,))
    monkeypatch.setattr(machine, "nvcc_programs", lambda: iter(()))
    found, why = machine.target_here()
    assert found == "cpu"
    assert why == "NVIDIA H200 is here but no nvcc (pip install 'transpile[cuda]')"


# ---------------------------------------------------------------- compiling


@pytest.mark.parametrize(
    ("said", "advice"),
    [
        ("error -- unsupported GNU version! gcc versions later than 15", "choose an older one with CXX"),
        ("ptxas fatal   : Unsupported .version 9.5; current version is '9.0'", "different releases"),
    ],
)
def test_an_installation_that_cannot_work(nvcc: Path, tmp_path: Path, said: str, advice: str) -> None:
    recipe = replace(
        recipe_for("cuda", archs=["sm_80"]), kernels=(str(program(tmp_path / "x", f'echo "{said}"; exit 1')),)
    )
    with pytest.raises(ToolchainMissingError, match=advice):
        compile_kernels(recipe, tmp_path / "k.cu", tmp_path / "k.o")
    with pytest.raises(CompilerError):
        compile_kernels(replace(recipe, target="cpu"), tmp_path / "k.cu", tmp_path / "k.o")


def test_debuggers_look_where_the_python_file_is(tmp_path: Path) -> None:
    (tmp_path / "made").mkdir()
    source = tmp_path / "made" / "k.cpp"
    source.write_text('#line 7 "k.py"\nextern "C" int k_one(int x) { return x + 1; }\n')
    for origin, folder in ((tmp_path, tmp_path), (None, None)):
        made = tmp_path / "k.o"
        compile_kernels(recipe_for("cpu", origin=origin), source, made)
        said = toolchain.run([tool("objdump"), "--dwarf=info", str(made)])
        assert (f": {folder}\n" in said) == (origin is not None)
        assert str(source.parent) not in said.replace(f"{source}\n", "")


def test_what_a_module_exports(tmp_path: Path) -> None:
    recipe = recipe_for("cpu")
    source = tmp_path / "k.cpp"
    source.write_text(
        'extern "C" int k_one() { return 1; }\nextern "C" int other() { return 2; }\n'
        'extern "C" int PyInit_k_ext() { return 3; }\n#include <vector>\n'
        "std::vector<int> made(int n) { return std::vector<int>(n); }\n"
    )
    compile_kernels(recipe, source, tmp_path / "k.o")
    link(recipe, [tmp_path / "k.o"], tmp_path / "k.so", name="k_ext", prefix="k_")
    said = toolchain.run([tool("nm"), "-D", "--defined-only", str(tmp_path / "k.so")])
    assert sorted(line.split()[-1] for line in said.splitlines()) == ["PyInit_k_ext", "k_one"]
    assert os.path.getsize(tmp_path / "k.so") < 20_000

"""No product is fused with a sum under the compilers' default flags; without the spelling or the pragma, some are.

The texts hold neither `fma` nor float division nor a remainder, whose own routines are made of fused instructions.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

import pytest

from tests.support.compiling import run_compiler
from tests.support.tools import tool
from tests.toolchains.texts import text_of

FUSED: Final = {
    "ptx": re.compile(r"\bfma\.\w+\.f(?:32|64)|\bmad\.\w*\.?f(?:32|64)"),
    "sass": re.compile(r"\b[FD]FMA\b"),
    "amd": re.compile(r"\bv_(?:pk_)?(?:fma|fmac|mad|mac|fmamk|fmaak)_f(?:32|64)"),
    "x86": re.compile(r"\bvfn?m(?:add|sub)(?:add|sub)?(?:132|213|231)?[ps][sd]"),
}
SPELLING: Final = re.compile(r"__([df])mul_rn\(")
PRAGMA: Final = re.compile(r"^#pragma .*(?:contract|CONTRACT).*$", re.MULTILINE)
GUARD: Final = re.compile(r"^#pragma GCC optimize.*$", re.MULTILINE)
OFF: Final = "-fmad=false"


def has_fma() -> bool:
    return "fma" in Path("/proc/cpuinfo").read_text(encoding="utf-8").split()


def unguarded(text: str) -> str:
    """The text with products spelled plainly and without the pragmas."""
    text, spelled = SPELLING.subn("plain_product(", PRAGMA.sub("", GUARD.sub("", text)))
    plain = "namespace {\ntemplate <typename T> __device__ T plain_product(T a, T b) { return a * b; }"
    return text.replace("namespace {", plain, 1) if spelled else text


def listing(text: str, kind: str, folder: Path, compiler: str, *flags: str) -> str:
    """What the compiler makes of the text with the architecture, and `flags`, alone."""
    source = folder / {"ptx": "k.cu", "sass": "k.cu", "amd": "k.hip", "x86": "k.cpp"}[kind]
    source.write_text(text, encoding="utf-8")
    made = folder / "listing"
    if kind in ("ptx", "sass"):
        form = "-ptx" if kind == "ptx" else "-cubin"
        run_compiler([tool("nvcc"), "-std=c++17", "-arch=sm_90", form, *flags, str(source), "-o", str(made)])
        return run_compiler([tool("nvdisasm"), "-c", str(made)]) if kind == "sass" else made.read_text(encoding="utf-8")
    if kind == "amd":
        command = [tool("hipcc"), "-std=c++17", f"--offload-arch={compiler}", "-S", "--cuda-device-only"]
    else:
        command = [tool(compiler), "-std=c++17", "-O3", "-march=native", "-S"]
    run_compiler([*command, str(source), "-o", str(made)])
    return made.read_text(encoding="utf-8")


CASES: Final = [
    ("cuda", "ptx", "nvcc"),
    ("cuda", "sass", "nvcc"),
    ("hip", "amd", "gfx90a"),
    ("hip", "amd", "gfx1030"),
    ("cpu", "x86", "g++"),
    ("cpu", "x86", "clang++"),
]


@pytest.mark.parametrize(("backend", "kind", "compiler"), CASES, ids=lambda part: str(part))
def test_nothing_is_fused(backend: str, kind: str, compiler: str, tmp_path: Path) -> None:
    if kind == "x86" and not has_fma():
        pytest.skip("this machine has no fused instructions")
    text = text_of("zoo").emitted(backend)
    assert not FUSED[kind].findall(listing(text, kind, tmp_path, compiler))
    assert FUSED[kind].findall(listing(unguarded(text), kind, tmp_path, compiler)), "the test would not see one"


def test_nvcc_fuses_nothing_in_the_functions(tmp_path: Path) -> None:
    """They spell `fma` where they mean it: nvcc's default flags make no more of them than -fmad=false does."""
    text = text_of("functions").emitted("cuda")
    found, meant = (FUSED["sass"].findall(listing(text, "sass", tmp_path, "nvcc", *flags)) for flags in ((), (OFF,)))
    assert len(found) == len(meant) > 100

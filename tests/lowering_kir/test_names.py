"""Any Python name becomes a C++ name; different ones stay different; none is a macro, a word or the text's own."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path
from typing import Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transpile.lowering.names import Names, ascii_name, python_name, symbol
from transpile.lowering.reserved import is_reserved
from transpile.ops.atomic import ATOMICS

TEMPLATES: Final = Path(__file__).parents[2] / "transpile" / "templates"
HEADERS: Final = (
    "cmath cstdint cstdio cstdlib cstring climits limits thread mutex atomic vector algorithm memory sched.h unistd.h"
)
LETTERS: Final = st.text(st.sampled_from("abu_09efé中λ"), min_size=1, max_size=12)


@given(LETTERS)
def test_the_escape_can_be_undone(name: str) -> None:
    escaped = ascii_name(name)
    assert escaped.isascii()
    assert python_name(escaped) == name


@given(st.lists(LETTERS, min_size=2, max_size=8, unique=True))
def test_different_names_have_different_symbols(names: list[str]) -> None:
    assert len({symbol("stem", name) for name in names}) == len(names)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("x", "x"),
        ("int", "int_"),
        ("near", "near_"),
        ("threadIdx", "threadIdx_"),
        ("int64_t", "int64_t_"),
        ("INT32_MAX", "INT32_MAX_"),
        ("NULL", "NULL_"),
        ("unix", "unix_"),
        ("float4", "float4_"),
        ("__hidden", "_hidden"),
        ("_X", "v_X"),
        ("_", "_"),
        ("é", "_ue9_"),
        ("pad", "pad"),
        ("M", "M"),
        ("N", "N"),
        ("BLOCK", "BLOCK"),
    ],
)
def test_names_change_only_where_they_must(name: str, wanted: str) -> None:
    assert Names().variable(name) == wanted


def test_no_name_comes_twice() -> None:
    names = Names()
    assert [names.variable("a") for _ in range(3)] == ["a", "a_2", "a_3"]
    assert names.variable("int") != names.variable("int_")
    assert names.inner().variable("a") == "a_4"


@pytest.mark.skipif(shutil.which("g++") is None, reason="needs g++")
def test_a_number_makes_no_macro() -> None:
    names = Names()
    assert [names.variable(name) for name in ("M_PI", "M_PI", "M", "M")] == ["M_PI_", "vM_PI_2", "M", "M_2"]
    assert Names().variable("M_PI_") == "vM_PI_2"


def test_every_macro_of_the_headers_is_reserved() -> None:
    text = "".join(f"#include <{header}>\n" for header in HEADERS.split())
    command = ["g++", "-std=gnu++17", "-dM", "-E", "-x", "c++", "-"]
    listed = subprocess.run(command, input=text, capture_output=True, text=True, timeout=60, check=True).stdout
    macros = {line.split()[1].partition("(")[0] for line in listed.splitlines() if line.startswith("#define")}
    free = sorted(name for name in macros if not name.startswith("_") and not is_reserved(name))
    assert not free


def test_every_helper_of_the_text_is_reserved() -> None:
    declared: set[str] = set()
    for path in (TEMPLATES / "parts").glob("*.j2"):
        text = path.read_text(encoding="utf-8").replace("{{ helper.device }}", "")
        text = re.sub(r"\{%.*?%\}", "", re.sub(r"\{\{.*?\}\}", "float", text))
        declared |= set(re.findall(r"^(?!return|else)(?:[\w:<>,&*]+\s+)+[*&]?(\w+)\([^;]*\)\s*\{", text, re.MULTILINE))
        declared |= set(re.findall(r"^(?:struct|class|using)\s+(\w+)", text, re.MULTILINE))
    assert {"floor_div", "range", "vec"} <= declared
    declared |= {"atomicAdd", "atomicCAS", *(f"atomic_{name}" for name in ATOMICS)}
    names = Names()
    assert not sorted(name for name in declared if names.function(name) == name)

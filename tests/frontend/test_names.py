"""What names mean: imports, locals, captured values, functions of other files."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from tests.frontend.loading import HEADER, codes, good, kernel, load
from transpile import dtypes
from transpile.ir import hir


def _calls(module: hir.Module) -> list[str]:
    return [
        statement.value.callee.name
        for statement in module.functions[-1].body
        if isinstance(statement, hir.ExpressionStatement)
        and isinstance(statement.value, hir.Call)
        and isinstance(statement.value.callee, hir.Intrinsic)
    ]


@pytest.mark.parametrize(
    ("imports", "store"),
    [
        ("from transpile import native, cuda", "native.store"),
        ("from transpile import cuda as c, native as n, native", "n.store"),
        ("import transpile\nfrom transpile import cuda, native", "transpile.native.store"),
        ("import transpile as t\nfrom transpile import cuda, native", "t.native.store"),
        ("from transpile import cuda, native\nfrom transpile.native import store as put", "put"),
    ],
)
def test_every_way_to_import_the_language(imports: str, store: str) -> None:
    decorator = "@c.kernel" if " as c" in imports else "@cuda.kernel"
    module = good(f"{imports}\n\n\n{decorator}\ndef k(x: native.ptr[float]) -> None:\n    {store}(x, 1.0)\n")
    assert _calls(module) == ["native.store"]


def test_math_by_module_and_by_name() -> None:
    before = "import math\nimport math as m\nfrom math import sqrt, inf as infinity, pi\n"
    module = good(kernel("math.sqrt(1.0)", "m.floor(1.0)", "sqrt(2.0)", "y = infinity * math.pi + pi", before=before))
    assert _calls(module) == ["math.sqrt", "math.floor", "math.sqrt"]
    assert module.functions[0].captured == (("infinity", math.inf), ("pi", math.pi))


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("2**40 * 2**30 // 2**20", 2**50),
        ("(1 << 20) - 1", (1 << 20) - 1),
        ("-7 // 2", -4),
        ("-7 % 3", 2),
        ("7.5 // -2", -4.0),
        ("1 / 4", 0.25),
        ("1.0 / 0.0", math.inf),
        ("-1.0 / 0.0", -math.inf),
        ("1 / -0.0", -math.inf),
        ("2.0 ** 10", 1024.0),
        ("True + True", 2),
        ("True & False", False),
        ("~True", False),
        ("~5", -6),
        ("not 0", True),
        ("3 < 4 <= 4", True),
        ("8 if 2 > 1 else 9", 8),
        ("0 or 5", 5),
        ("max(1, 2.5)", 2.5),
        ("min(3, 1, 2)", 1),
        ("max(0.0, -0.0)", 0.0),
        ("abs(-3)", 3),
        ("len((1, 2, 3))", 3),
        ("len(SIZES) * 2", 4),
        ("float('inf')", math.inf),
        ('float("-inf")', -math.inf),
        ("float(3)", 3.0),
        ("int(2.9)", 2),
        ("int(-1e300)", -(2**63)),
        ("round(2.5)", 2),
        ("math.sqrt(2.0)", math.sqrt(2.0)),
        ("math.tau / 2", math.pi),
        ("0x_ff + 0b11 + 0o7", 265),
        ("1_000.5e1", 10005.0),
        ("A * B", 12),
        ("FIRST", 10),
        ("LAST", 30),
        ("ANNOTATED", 6.5),
        ("CHAINED", 9),
    ],
)
def test_constants_are_computed_without_running_anything(expression: str, value: object) -> None:
    before = (
        "import math\nA = 3\nB = A + 1\nSIZES = (64, 128)\nFIRST, (MID, LAST) = 10, (20, 30)\n"
        f"ANNOTATED: float = 6.5\nOTHER = CHAINED = 9\nVALUE = {expression}\n"
    )
    module = good(kernel("y = VALUE", before=before))
    ((name, found),) = module.functions[0].captured
    assert (name, type(found), found) == ("VALUE", type(value), value)
    assert math.copysign(1.0, found) == math.copysign(1.0, value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "expression", ["float('nan')", "math.nan", "0.0 / 0.0", "1.0 % 0.0", "1.0 // 0.0", "max(1, math.nan)"]
)
def test_constants_that_are_nan(expression: str) -> None:
    module = good(kernel("y = VALUE", before=f"import math\nVALUE = {expression}\n"))
    assert math.isnan(module.functions[0].captured[0][1])


@pytest.mark.parametrize(
    ("constant", "code"),
    [
        ("1 // 0", "constant-zero-division"),
        ("5 % 0", "constant-zero-division"),
        ("1 << -1", "constant-shift"),
        ("1 >> -2", "constant-shift"),
        ("1 << 100000000", "constant-range"),
        ("2 ** 65", "power-exponent"),
        ("2 ** -1", "power-exponent"),
        ("2 ** 0.5", "power-exponent"),
        ("1.5 | 1", "constant-arithmetic"),
        ("float(1 << 2000)", "constant-arithmetic"),
        ("max(1 << 2000, 1.0)", "constant-arithmetic"),
        ("(1 << 2000) / 3", "constant-arithmetic"),
        ("1.0 // 0", "constant-zero-division"),
        ("1.0 * 10 ** 64 * 10**64 * 10**64 * 10**64 * 10**64", ""),
        ("10 ** 64 * 10**64 * 10**64 * 10**64 * 10**64 * 10**64 * 1.0", "constant-arithmetic"),
    ],
)
def test_constant_that_has_no_value_is_refused_at_its_line_once(constant: str, code: str) -> None:
    found = codes(kernel("y = VALUE", "z = VALUE", before=f"VALUE = {constant}\n"))
    assert [(each, line) for each, line, _ in found] == ([(code, 2)] if code else [])


def test_fault_in_a_constant_that_nothing_captures_is_python_s_affair() -> None:
    assert not codes(kernel("pass", before="UNUSED = 1 // 0\n"))


@pytest.mark.parametrize(
    "before",
    [
        "VALUE = 1\nVALUE = 2\n",
        "VALUE = 1\nVALUE += 2\n",
        "if True:\n    VALUE = 1\n",
        "for VALUE in range(3):\n    pass\n",
        "VALUE = 1\ndel VALUE\n",
        "VALUE = 1\ndef host():\n    global VALUE\n    VALUE = 2\n",
        "VALUE = 1\nwith open('f') as VALUE:\n    pass\n",
        "import os\nVALUE = os.getpid()\n",
        "VALUE = LATER\nLATER = 1\n",
        "VALUE = VALUE\n",
        "VALUE, OTHER = divmod(7, 2)\n",
        "VALUE = [1, 2][0]\n",
        "from absent import VALUE\n",
        "from os import *\n",
        "try:\n    VALUE = 1\nexcept NameError:\n    VALUE = 2\n",
        "VALUE = (y := 3)\n",
        "VALUE: int\n",
    ],
)
def test_value_that_the_text_does_not_give(before: str) -> None:
    found = [code for code, _, _ in codes(kernel("y = VALUE", before=before))]
    assert found == ["not-static"]


@pytest.mark.parametrize(
    ("before", "what"),
    [
        ("VALUE = 'text'\n", "a string"),
        ("VALUE = [1]\n", "a list"),
        ("VALUE = {}\n", "a dict"),
        ("VALUE = (1, 2)\n", "a tuple"),
        ("VALUE = None\n", "None"),
        ("VALUE = 2j\n", "a complex number"),
        ("class VALUE:\n    pass\n", "a class"),
    ],
)
def test_captured_value_of_another_type(before: str, what: str) -> None:
    _, faults = load(kernel("y = VALUE", before=before))
    assert [fault.code for fault in faults] == ["captured-type"]
    assert faults[0].message.startswith(f"'VALUE' is {what};")


def test_locals_hide_the_module() -> None:
    before = "n = 5\nk = 6\nmax = 7\n"
    module = good(kernel("k = n", "y = k + max", before=before))
    assert module.functions[0].captured == (("max", 7),)
    assert module.functions[0].locals == ("k", "y")


def test_builtin_hidden_by_the_module_is_the_module_s() -> None:
    found = codes(kernel("y = abs(n)", before="def abs(v):\n    return v\n"))
    assert [code for code, _, _ in found] == ["host-call"]


def test_name_read_before_it_becomes_local() -> None:
    assert codes(kernel("y = SCALE", "SCALE = 2.0", before="SCALE = 1.0\n"))[0][0] == "assign-captured"
    assert not codes(kernel("SCALE = 2.0", "y = SCALE", before="SCALE = 1.0\n"))


def test_dtypes_where_values_stand() -> None:
    module = good(kernel("y = native.cast(n, native.f32)", "z = native.cast(n, bool)"))
    found = [statement.value.arguments[1].value for statement in module.functions[0].body]  # type: ignore[union-attr]
    assert [each.dtype for each in found] == [dtypes.F32, dtypes.BOOL]


@pytest.mark.parametrize(
    ("line", "code"),
    [
        ("y = tile.summ(n)", "undefined-member"),
        ("y = math.tan(1.0)", "undefined-member"),
        ("y = numpy.sqrt(1.0)", "host-call"),
        ("y = numpy.pi", "unsupported-syntax"),
        ("y = sorted", "not-a-value"),
        ("y = tile", "not-a-value"),
        ("y = numpy", "not-a-value"),
        ("y = cuda.thread_id", "not-a-value"),
        ("y = native.ptr[float]", "not-a-value"),
        ("y = isinstance(n, int)", "host-call"),
        ("y = native.f32(n)", "not-callable"),
        ("y = tile(n)", "not-callable"),
        ("y = kernel", "not-a-value"),
        ("y = cuda.kernel(n)", "misplaced-name"),
        ("y = cuda.shared[float](64)", "misplaced-name"),
        ("y = native.stack_alloc[float, 4]()", "misplaced-name"),
        ("y = cuda.shared[str, 4]()", "bad-annotation"),
        ("y = native.load[float](x)", "misplaced-name"),
        ("y = int('7')", "unsupported-syntax"),
        ("y = float('seven')", "unsupported-syntax"),
    ],
)
def test_names_that_cannot_stand_there(line: str, code: str) -> None:
    found = codes(kernel(line, before="import math\nimport numpy\n"))
    assert [each for each, _, _ in found] == [code]


def test_import_from_elsewhere_says_where_the_language_has_it() -> None:
    _, (fault,) = load(kernel("y = sqrt(2.0)", before="from numpy import sqrt\n"))
    assert fault.code == "host-call"
    assert "'numpy'" in fault.message
    assert "`math.sqrt`" in fault.help[0]


# ---------------------------------------------------------------- other files


def _write(folder: Path, **files: str) -> Path:
    for name, text in files.items():
        path = folder / (name.replace("__", "/") + ".py")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return folder


SHAPES = f"{HEADER}\nSCALE = 2.0\n\n\n@cuda.device\ndef curve(v: float) -> float:\n    return v * SCALE\n"
USE = kernel("native.store(x, curve(1.0) * SCALE)", before="from shapes import curve, SCALE\n")


def test_device_function_and_constant_from_a_file_beside(tmp_path: Path) -> None:
    module = good(USE, _write(tmp_path, shapes=SHAPES))
    assert [(each.key, each.name, each.captured) for each in module.functions] == [
        ("shapes.curve", "curve", (("SCALE", 2.0),)),
        ("kernel", "kernel", (("SCALE", 2.0),)),
    ]
    assert [file.name for file in module.files] == ["kernels.py", "shapes.py"]


def test_through_a_third_file_a_package_and_relative_imports(tmp_path: Path) -> None:
    folder = _write(
        tmp_path,
        shapes="from parts.curves import curve as curve\nfrom parts import SCALE\n",
        parts____init__="from .numbers import SCALE\n",
        parts__curves=SHAPES.replace("SCALE = 2.0\n", "from .numbers import SCALE\n"),
        parts__numbers="SCALE = 4.0\n",
    )
    (folder / "parts" / "__init__.py").write_text("from .numbers import SCALE\n")
    module = good(USE, folder)
    assert [each.key for each in module.functions] == ["parts.curves.curve", "kernel"]
    assert module.functions[0].captured == (("SCALE", 4.0),)


@pytest.mark.parametrize(
    ("imports", "key"),
    [
        ("from near import half", "near.half"),
        ("from .near import half", "near.half"),
        ("from library.inner.near import half", "near.half"),
        ("from ..inner.near import half", "near.half"),
        ("from library.far import half", "library.far.half"),
        ("from ..far import half", "library.far.half"),
    ],
)
def test_from_anywhere_in_the_package_of_the_file(tmp_path: Path, imports: str, key: str) -> None:
    inner = tmp_path / "library" / "inner"
    inner.mkdir(parents=True)
    for folder in (inner, inner.parent):
        (folder / "__init__.py").write_text("")
    device = "@cuda.device\ndef half(v: float) -> float:\n    return v * 0.5\n"
    for path in (inner / "near.py", inner.parent / "far.py"):
        path.write_text(f"{HEADER}{device}")
    text = kernel("native.store(x, half(1.0))", before=f"{imports}\n")
    assert [function.key for function in good(text, inner).functions] == [key, "kernel"]


def test_fault_in_the_other_file_is_told_there(tmp_path: Path) -> None:
    _, faults = load(USE, _write(tmp_path, shapes=SHAPES.replace("v * SCALE", "v * SKALE")))
    assert [(fault.code, fault.primary.span.file.name) for fault in faults] == [("undefined-name", "shapes.py")]


def test_other_file_that_is_not_python(tmp_path: Path) -> None:
    _, faults = load(USE, _write(tmp_path, shapes="x = (\n"))
    assert [(fault.code, fault.primary.span.file.name) for fault in faults] == [("syntax-error", "shapes.py")]


def test_name_that_the_other_file_does_not_bind(tmp_path: Path) -> None:
    _, faults = load(USE, _write(tmp_path, shapes="SCALE = 1\n"))
    assert [fault.code for fault in faults] == ["not-static"]


def test_host_function_of_another_file(tmp_path: Path) -> None:
    _, (fault,) = load(USE, _write(tmp_path, shapes="SCALE = 1\n\n\ndef curve(v):\n    return v\n"))
    assert fault.code == "host-call"
    assert fault.secondary[0].span.file.name == "shapes.py"


def test_files_that_import_each_other(tmp_path: Path) -> None:
    folder = _write(tmp_path, shapes="from other import SCALE\n", other="from shapes import SCALE\n")
    found = [code for code, _, _ in codes(kernel("y = SCALE", before="from shapes import SCALE\n"), folder)]
    assert found == ["not-static"]


def test_reading_executes_nothing(tmp_path: Path) -> None:
    mark = tmp_path / "ran"
    text = f"open({str(mark)!r}, 'w')\n"
    good(text + USE, _write(tmp_path, shapes=text + SHAPES))
    assert not mark.exists()

"""Kinds of functions, signatures, statements as HIR, and the order of functions in a module."""

from __future__ import annotations

import pytest

from tests.frontend.loading import HEADER, codes, good, kernel, load
from transpile import dtypes
from transpile.diagnostics.core import Sink
from transpile.frontend.load import load_text
from transpile.ir import hir
from transpile.source import SourceFile
from transpile.typing.check import check_module

SIGNATURE = "n: int, x: native.ptr[float]"


def _launcher(signature: str, body: str = "cuda.launch(kernel, 1, 32, n, x)", returns: str = " -> None") -> str:
    return kernel("pass") + f"\n\ndef run({signature}){returns}:\n    {body}\n"


@pytest.mark.parametrize(
    ("decorator", "result", "kind"),
    [
        ("@tile.kernel", "None", "tile"),
        ("@cuda.kernel", "None", "thread"),
        ("@cuda.device", "float", "device"),
        ("@cuda.kernel()", "None", "thread"),
        ("@tile.kernel(alias=True)", "None", "tile"),
    ],
)
def test_kind_comes_from_the_decorator(decorator: str, result: str, kind: str) -> None:
    body = "return v" if kind == "device" else "pass"
    module = good(f"{HEADER}\n{decorator}\ndef f(v: float) -> {result}:\n    {body}\n")
    assert [function.kind for function in module.functions] == [kind]


def test_options_of_kernels() -> None:
    module = good(
        f"{HEADER}\n@tile.kernel(fast_math=True, alias=False)\ndef f(x: native.ptr[int]) -> None:\n    pass\n"
    )
    assert (module.functions[0].alias, module.functions[0].fast_math) == (False, True)


def test_launcher_by_its_form() -> None:
    module = good(_launcher(SIGNATURE))
    assert [(function.name, function.kind) for function in module.functions] == [
        ("kernel", "thread"),
        ("run", "launcher"),
    ]
    assert module.skipped == ()


@pytest.mark.parametrize(
    ("signature", "body", "returns", "why"),
    [
        ("n: int", "cuda.launch(kernel, 1, 32, n, n)", " -> None", "it has no pointer parameter"),
        ("n, x: native.ptr[float]", "cuda.launch(kernel, 1, 32, n, x)", " -> None", "'n' is not annotated"),
        (
            "n: native.static[int], x: native.ptr[float]",
            "cuda.launch(kernel, 1, 32, n, x)",
            " -> None",
            "'n' is not annotated",
        ),
        (SIGNATURE, "cuda.launch(kernel, 1, 32, n, x)", "", "it is not annotated -> None"),
        (SIGNATURE, "cuda.launch(kernel, 1, 32, n, x)", " -> int", "it is not annotated -> None"),
        (SIGNATURE, "print(n)", " -> None", "it launches no kernel"),
        (SIGNATURE + ", *rest: int", "cuda.launch(kernel, 1, 32, n, x)", " -> None", "any number of arguments"),
    ],
)
def test_other_functions_stay_python(signature: str, body: str, returns: str, why: str) -> None:
    module = good(_launcher(signature, body, returns))
    assert [function.name for function in module.functions] == ["kernel"]
    ((name, reason),) = module.skipped
    assert name == "run"
    assert why in reason


def test_decorated_launcher_stays_python() -> None:
    module = good("import functools\n" + _launcher(SIGNATURE).replace("def run", "@functools.cache\ndef run"))
    assert module.skipped == (("run", "it has a decorator"),)


def test_launcher_must_hold_nothing_unsupported() -> None:
    found = codes(_launcher(SIGNATURE, "cuda.launch(kernel, 1, 32, n, x); print(n)"))
    assert [code for code, _, _ in found] == ["unsupported-syntax"]


def test_launch_names_the_kernel_and_takes_tuples() -> None:
    module = good(_launcher(SIGNATURE, "cuda.launch(kernel, (n, 2), block=(32, 1, 1), n, x)".replace("n, x)", "n=n)")))
    call = module.functions[-1].body[0].value  # type: ignore[union-attr]
    assert isinstance(call, hir.Call)
    kinds = [type(argument.value) for argument in call.arguments]
    assert kinds == [hir.FunctionName, hir.TupleExpression, hir.TupleExpression, hir.Local]


@pytest.mark.parametrize(
    ("annotation", "expected"),
    [
        ("int", hir.ScalarAnnotation(dtypes.I64, python=True)),
        ("float", hir.ScalarAnnotation(dtypes.F64, python=True)),
        ("bool", hir.ScalarAnnotation(dtypes.BOOL, python=True)),
        ("native.f32", hir.ScalarAnnotation(dtypes.F32, python=False)),
        ("native.ptr[int]", hir.PointerAnnotation(dtypes.I64, const=False)),
        ("native.const_ptr[native.i32]", hir.PointerAnnotation(dtypes.I32, const=True)),
        ("native.static[int]", hir.StaticAnnotation()),
    ],
)
def test_annotations(annotation: str, expected: hir.Annotation) -> None:
    module = good(kernel("pass", parameters=f"p: {annotation}"))
    assert module.functions[0].parameters[0].annotation == expected


@pytest.mark.parametrize(
    ("annotation", "code"),
    [
        ("str", "bad-annotation"),
        ("'int'", "bad-annotation"),
        ("list[int]", "bad-annotation"),
        ("native.ptr", "bad-annotation"),
        ("native.ptr[str]", "bad-annotation"),
        ("native.ptr[int, int]", "bad-annotation"),
        ("native.ptr[native.ptr[int]]", "bad-annotation"),
        ("native.static[float]", "bad-annotation"),
        ("native.f23", "undefined-member"),
        ("native.ptr[native.f23]", "undefined-member"),
        ("flaot", "undefined-name"),
        ("int | None", "bad-annotation"),
        ("3", "bad-annotation"),
    ],
)
def test_annotations_that_are_refused(annotation: str, code: str) -> None:
    assert [each for each, _, _ in codes(kernel("pass", parameters=f"p: {annotation}"))] == [code]


def test_caller_of_a_function_with_a_wrong_signature_is_not_blamed() -> None:
    text = f"{HEADER}\n@cuda.device\ndef f(v):\n    return v\n" + kernel(
        "y = f(1.0)", "z = tile.map(f, n)", "native.store(x, f(y))"
    ).removeprefix(HEADER)
    module, faults = load(text)
    assert [fault.code for fault in faults] == ["device-signature", "missing-annotation"]
    assert module is not None
    assert [function.name for function in module.functions] == ["kernel"]
    assert isinstance(module.functions[0].body[0].value, hir.Poison)  # type: ignore[union-attr]


def test_body_under_a_wrong_signature_is_still_checked() -> None:
    sink = Sink()
    text = kernel("y = n + m", "k = m[0]", "native.store(y, 1.0)", "return y", parameters="n: int, m")
    text = text.replace("None", "int")
    module = load_text(SourceFile("kernels.py", text), "kernels", sink, None)
    assert module is not None
    check_module(module, sink)
    assert [fault.code for fault in sink] == ["missing-annotation", "kernel-returns", "unsupported-syntax"]


def test_callees_come_before_callers() -> None:
    device = "\n\n@cuda.device\ndef {}(v: float) -> float:\n    return {}\n"
    text = HEADER + device.format("a", "b(v) + c(v)") + device.format("b", "c(v)") + device.format("c", "v")
    assert [function.name for function in good(text).functions] == ["c", "b", "a"]


def test_circle_of_calls_is_told_once() -> None:
    device = "\n\n@cuda.device\ndef {}(v: float) -> float:\n    return {}\n"
    text = HEADER + device.format("a", "b(v)") + device.format("b", "c(v)") + device.format("c", "a(v)")
    _, faults = load(text)
    assert [(fault.code, fault.notes) for fault in faults] == [("recursion", ("a calls b calls c calls a",))]


# ---------------------------------------------------------------- statements


def _body(*lines: str) -> tuple[hir.Statement, ...]:
    return good(kernel(*lines)).functions[0].body


def test_docstring_is_no_statement() -> None:
    assert [type(each) for each in _body('"""Text."""', "pass")] == [hir.Pass]


def test_several_statements_of_a_line() -> None:
    first, second = _body("a = 1; b = 2")
    assert (first.span.column, second.span.column) == (5, 12)
    assert isinstance(second, hir.Assign)


def test_assignments() -> None:
    chained, pair, listed, typed, declared, added = _body(
        "a = b = n", "a, b = b, a", "[c, d] = (a, b)", "e: native.f32 = 1.0", "f: int", "a **= 2"
    )
    assert isinstance(chained, hir.Assign)
    assert [target.names for target in chained.targets] == [("a",), ("b",)]
    assert isinstance(pair, hir.Assign)
    assert pair.targets[0] == hir.Target(("a", "b"), True, ())
    assert isinstance(listed, hir.Assign)
    assert isinstance(listed.value, hir.TupleExpression)
    assert isinstance(typed, hir.AnnotatedAssign)
    assert typed.annotation == hir.ScalarAnnotation(dtypes.F32, python=False)
    assert isinstance(declared, hir.AnnotatedAssign)
    assert declared.value is None
    assert isinstance(added, hir.AugmentedAssign)
    assert added.op == "pow"


def test_headers_end_at_their_colon() -> None:
    (outer,) = _body("if (n > 1  # :", "        and n < 5", "    ):", "    pass", "elif n: pass", "else:", "    pass")
    assert isinstance(outer, hir.If)
    assert outer.header.text() == "if (n > 1  # :\n            and n < 5\n        ):"
    (inner,) = outer.orelse
    assert isinstance(inner, hir.If)
    assert inner.header.text() == "elif n:"
    loop, turn = _body("for i in range(n):", "    pass", "while (n): break")
    assert isinstance(loop, hir.For)
    assert loop.header.text() == "for i in range(n):"
    assert isinstance(turn, hir.While)
    assert turn.header.text() == "while (n):"


def test_range_bounds() -> None:
    loops = _body("for i in range(n): pass", "for i in range(1, n): pass", "for i in range(n, 0, -2): pass")
    found = [(each.start, each.stop, each.step) for each in loops if isinstance(each, hir.For)]
    local = hir.Local("n", None)  # type: ignore[arg-type]
    assert found == [
        (_literal(0), local, _literal(1)),
        (_literal(1), local, _literal(1)),
        (local, _literal(0), _literal(-2)),
    ]


def _literal(value: float) -> hir.LiteralNumber:
    return hir.LiteralNumber(value, None)  # type: ignore[arg-type]


def test_each_operation_has_its_own_place() -> None:
    (statement,) = _body("y = (n + 1) * 2")
    assert isinstance(statement, hir.Assign)
    product = statement.value
    assert isinstance(product, hir.Binary)
    assert (product.op, product.span.column) == ("mul", 9)
    assert isinstance(product.left, hir.Binary)
    assert product.left.span.column == 10


def test_signs_of_literals_are_theirs() -> None:
    values = [each.value for each in _body("a = -1", "b = -0.0", "c = -2 ** 2", "d = -True")]  # type: ignore[union-attr]
    assert values[0] == _literal(-1)
    assert str(values[1].value) == "-0.0"  # type: ignore[union-attr]
    assert isinstance(values[2], hir.Unary)
    assert isinstance(values[3], hir.Unary)


@pytest.mark.parametrize(
    "written",
    [
        'f"""say "{n}" and "{n}" """',
        'f"""{n}"{n}\\n\\x7b\\x7b{{}}"""',
        r'rf"\d{n}\n{{}}"',
        r'f"\N{BULLET} {n}\\" "b" "\x41{n}"',
    ],
)
def test_texts_are_those_of_python(written: str) -> None:
    (statement,) = _body(f"print({written})")
    assert isinstance(statement, hir.Print)
    assert "".join(part if isinstance(part, str) else "7" for part in statement.parts) == eval(written, {"n": 7}) + "\n"


def test_allocations() -> None:
    shared, stack = _body("a = cuda.shared[float, 2 * 32]()", "b = native.stack_alloc[native.i32](8)")
    assert isinstance(shared, hir.Assign)
    assert isinstance(shared.value, hir.Call)
    callee = shared.value.callee
    assert isinstance(callee, hir.AllocCallee)
    assert (callee.name, callee.dtype, [type(each) for each in callee.counts]) == (
        "cuda.shared",
        dtypes.F64,
        [hir.Binary],
    )
    assert isinstance(stack, hir.Assign)
    assert isinstance(stack.value, hir.Call)
    assert stack.value.callee == hir.AllocCallee("native.stack_alloc", dtypes.I32)


def test_all_faults_of_a_file_in_source_order_each_once() -> None:
    text = kernel(
        "a = missing + [1]",
        "for i in range(3):",
        "    b = lambda: 1",
        "    c = missing",
        "else:",
        "    print(a)",
        "with a: pass",
        "d = a + b + c",
    )
    assert [(code, line) for code, line, _ in codes(text)] == [
        ("undefined-name", 6),
        ("unsupported-syntax", 6),
        ("unsupported-syntax", 8),
        ("undefined-name", 9),
        ("unsupported-syntax", 10),
        ("unsupported-syntax", 12),
    ]


def test_kernels_where_the_text_does_not_reach() -> None:
    inner = "    @tile.kernel\n    def k(x: native.ptr[float]) -> None:\n        pass\n"
    for around in ("def make():\n", "class Kernels:\n", "if True:\n", "for i in range(3):\n", "try:\n"):
        end = "except OSError:\n    pass\n" if around == "try:\n" else ""
        found = codes(f"{HEADER}\n{around}{inner}{end}")
        assert [(code, line) for code, line, _ in found] == [("nested-kernel", 5)], around


@pytest.mark.parametrize(
    "again",
    ["@cuda.kernel\ndef kernel(x: native.ptr[int]) -> None:\n    pass\n", "def kernel():\n    pass\n", "kernel = 3\n"],
)
def test_name_of_a_kernel_bound_twice(again: str) -> None:
    assert [code for code, _, _ in codes(kernel("pass") + "\n\n" + again)] == ["duplicate-function"]

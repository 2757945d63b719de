"""Files as they come: encodings, line ends, tabs, nests, length."""

from __future__ import annotations

import time

import libcst as cst
import pytest

from tests.frontend.loading import HEADER, codes, good, kernel
from transpile.diagnostics.core import Sink
from transpile.frontend.load import load_file
from transpile.frontend.parse import decode

KERNEL = kernel("native.store(x, 1.0)")


def _decoded(data: bytes) -> list[tuple[str, int, int, str]]:
    sink = Sink()
    decode(data, "kernels.py", sink)
    return [(each.code, each.primary.span.line, each.primary.span.column, each.message) for each in sink]


@pytest.mark.parametrize(
    ("data", "line", "column"),
    [
        (b"x = 1\ny = '\xff'\n", 2, 6),
        (b"\xff", 1, 1),
        ("é = '".encode() + b"\xe9'\n", 1, 6),
        (b"# one\r\n# two\r\n\tx\xe9", 3, 3),
        (b"\xef\xbb\xbfx\xe9", 1, 2),
        (b"# coding: ascii\n# \xe9", 2, 3),
    ],
)
def test_byte_that_is_no_text_is_placed(data: bytes, line: int, column: int) -> None:
    ((code, *place, message),) = _decoded(data)
    assert (code, place) == ("bad-encoding", [line, column])
    assert message.startswith("the byte 0x")


@pytest.mark.parametrize("name", ["utf-9", "hex", "rot13"])
def test_unknown_encoding(name: str) -> None:
    ((code, line, column, _),) = _decoded(f"#!/usr/bin/python\n# coding: {name}\n".encode())
    assert (code, line, column) == ("bad-encoding", 2, 3)


def test_declared_encoding_is_obeyed() -> None:
    source = decode("# coding: latin-1\nname = 'é'\n".encode("latin-1"), "kernels.py", Sink())
    assert source is not None
    assert source.line(2) == "name = 'é'"


@pytest.mark.parametrize("ends", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("mark", [b"", b"\xef\xbb\xbf"])
def test_line_ends_and_byte_order_mark_change_nothing(tmp_path, ends, mark) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "kernels.py"
    path.write_bytes(mark + kernel("i = cuda.thread_id()", "y = '''a", "b'''").replace("\n", ends).encode())
    sink = Sink()
    module = load_file(str(path), sink)
    assert module is not None
    assert module.functions[0].name == "kernel"
    assert [(fault.primary.span.line, fault.primary.span.column) for fault in sink] == [(7, 9)]


def test_tab_and_wide_characters_are_one_column() -> None:
    text = f"{HEADER}\n@cuda.kernel\ndef k(x: native.ptr[float]) -> None:\n\t日本 = 'é'; 𝛼 = missing\n"
    assert codes(text) == [("unsupported-syntax", 5, 7), ("undefined-name", 5, 16)]


def test_names_are_normalised_as_python_does() -> None:
    module = good(kernel("ﬁ = n", "native.store(x, 1.0 * fi)"))
    assert module.functions[0].locals == ("fi",)


@pytest.mark.parametrize("text", ["", "\n", "# nothing\n", '"""Only a docstring."""', "\f\n"])
def test_empty_file(text: str) -> None:
    assert good(text).functions == ()


def test_no_newline_at_the_end() -> None:
    assert good(KERNEL.rstrip("\n")).functions[0].body


def test_missing_file_is_an_os_error(tmp_path) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(FileNotFoundError):
        load_file(str(tmp_path / "absent.py"), Sink())


@pytest.mark.parametrize(
    "deep",
    [
        "-" * 100_000 + "1",
        "not " * 5000 + "n",
        "+".join(["1"] * 100_000),
        "+".join(["n"] * 1500),
        "x" + ".a" * 50_000,
        "f" + "()" * 50_000,
        "1 if 1 else " * 6000 + "1",
        "(" * 150 + "-" * 3000 + "1" + ")" * 150,
        "[" * 5000,
        "x" + "[0]" * 20_000,
        "**".join(["n"] * 8000),
    ],
    ids=str.split,
)
def test_deep_nest_is_refused(deep: str) -> None:
    for text in (f"y = {deep}\n", kernel(f"y = {deep}")):
        assert {code for code, _, _ in codes(text)} <= {"too-deep", "syntax-error"}


def test_deep_nest_in_a_host_function_is_nobody_else_s_fault() -> None:
    module = good(KERNEL + f"\ndef host():\n    return {'+'.join(['1'] * 400)}\n")
    assert len(module.functions) == 1


def test_long_elif_chain() -> None:
    chain = ["if n == 0:", "    pass", *(line for i in range(3000) for line in (f"elif n == {i}:", "    pass"))]
    assert [code for code, _, _ in codes(kernel(*chain))] == ["too-deep"]


def test_long_chain_of_constants_is_no_nest() -> None:
    chain = "C0 = 1\n" + "".join(f"C{i + 1} = C{i} + 1\n" for i in range(500))
    module = good(kernel("native.store(x, 1.0 * C500)", before=chain))
    assert module.functions[0].captured == (("C500", 501),)


def test_ten_thousand_lines_take_linear_time() -> None:
    def seconds(count: int) -> float:
        text = HEADER + "".join(
            f"\n\n@cuda.kernel\ndef k{i}(n: int, x: native.ptr[float]) -> None:\n"
            "    i = cuda.global_id()\n    if i < n:\n        native.store(native.offset(x, i), i * 2.0)\n"
            f"\n\ndef host{i}():\n" + f"    print({i})\n" * 15
            for i in range(count)
        )
        start = time.process_time()
        assert len(good(text).functions) == count
        return time.process_time() - start

    seconds(10)
    small, large = seconds(40), seconds(400)
    assert large < 25 * small


def test_syntax_that_only_python_knows_is_told_with_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(text: str) -> cst.Module:
        raise cst.ParserSyntaxError("unknown", lines=text.splitlines(keepends=True), raw_line=2, raw_column=4)

    monkeypatch.setattr(cst, "parse_module", refuse)
    assert codes(KERNEL) == [("syntax-error", 5, 5)]


@pytest.mark.parametrize("feed", ["\f", "\f\n", "  \f\n"])
def test_form_feeds_in_front_of_lines_say_nothing(tmp_path, feed) -> None:  # type: ignore[no-untyped-def]
    path = tmp_path / "kernels.py"
    text = kernel("i = cuda.thread_id()")
    path.write_text(text.replace("@cuda", feed + "@cuda").replace("    i =", "\f    i ="), encoding="utf-8")
    sink = Sink()
    module = load_file(str(path), sink)
    assert not list(sink)
    assert module is not None
    assert module.functions

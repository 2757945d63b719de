"""Lines break where a reader would break them, and comments stay comments."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from transpile.emit.comments import comment
from transpile.emit.doc import SPACE, WIDTH, Group, group, joined, lines


def call(name: str, count: int) -> Group:
    return group(f"{name}(", group(*joined(f"argument_number_{place}" for place in range(count))), ")")


def test_what_fits_stays_on_one_line() -> None:
    assert lines(group("x = ", call("f", 2), ";"), 4) == ("    x = f(argument_number_0, argument_number_1);",)


def test_arguments_fill_lines() -> None:
    written = lines(group("const double total =", SPACE, call("f", 8), ";"), 4)
    assert len(written) > 1
    assert all(len(line) <= WIDTH for line in written)
    assert written[1].startswith("        argument_number_")
    assert written[-1].endswith(");")


def test_the_outermost_operator_breaks_first() -> None:
    inner = group("a" * 40, SPACE, "* ", "b" * 40)
    written = lines(group("x =", SPACE, group(inner, SPACE, "+ ", inner), ";"))
    assert [line.strip()[:2] for line in written] == ["x ", "+ "]


@given(st.text(), st.integers(0, 40))
def test_a_comment_is_a_comment(text: str, indent: int) -> None:
    for line in comment(text, indent):
        assert line.startswith(" " * indent + "//")
        assert len(line) <= WIDTH
        assert not line.endswith("\\")
        assert line.isprintable() or "\t" in line or " " in line
        assert len(line.splitlines()) == 1


def test_a_long_comment_goes_on_below() -> None:
    written = comment("word " * 40, 4)
    assert len(written) == 3
    assert written[1].startswith("    //     word")

"""Python that compiled code does not have: for each construct the user's word for it and what to write instead.

A row is reported once, where the construct stands; nothing inside it is looked at.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import libcst as cst


@dataclass(frozen=True, slots=True)
class Row:
    """`what` completes "a tile kernel cannot hold …"; `key` names the row (and its test)."""

    key: str
    what: str
    instead: str


_BY_INDEX: Final = (
    "`tile.load(x, i)` reads and `tile.store(x, i, value)` writes in a tile kernel; "
    "elsewhere `native.load(native.offset(x, i))` and `native.store(native.offset(x, i), value)`"
)
_OUTSIDE: Final = "do it in Python, around the launch"
_ALTOGETHER: Final = "compute with scalars and tiles; arrays come in as pointers"

LAMBDA: Final = Row("lambda", "a lambda", "write a `@cuda.device` function at the top level")
COMPREHENSION: Final = Row("comprehension", "a comprehension", "write a `for` loop over `range(…)`")
GENERATOR: Final = Row("generator", "a generator expression", "write a `for` loop over `range(…)`")
F_STRING: Final = Row("f-string", "an f-string", _OUTSIDE)
STRING: Final = Row("string", "a string", _OUTSIDE)
LIST: Final = Row("list", "a list", _ALTOGETHER)
DICT: Final = Row("dict", "a dict", _ALTOGETHER)
SET: Final = Row("set", "a set", _ALTOGETHER)
TUPLE: Final = Row(
    "tuple", "a tuple in this place", "a tuple is a grid, a block, or the right side of an assignment to names"
)
NESTED_TUPLE: Final = Row("nested-tuple", "a tuple inside a tuple", "assign the parts one by one")
INDEX: Final = Row("index", "indexing with [ ]", _BY_INDEX)
SLICE: Final = Row("slice", "a slice", "`tile.arange(n)` gives the offsets of a stretch")
STORE_BY_INDEX: Final = Row("store-by-index", "an assignment to an index", _BY_INDEX)
STORE_ATTRIBUTE: Final = Row("store-attribute", "an assignment to an attribute", "assign to a name")
ATTRIBUTE: Final = Row("attribute", "an attribute of a value", "pass sizes and the like as arguments")
MODULE_ATTRIBUTE: Final = Row(
    "module-attribute", "a name reached through its module", "import it by name: `from module import NAME`"
)
METHOD: Final = Row("method", "a method call", "the operations are functions: `tile.sum(x)`, `abs(x)`")
COMPLEX: Final = Row("complex", "a complex number", "keep two floats")
ELLIPSIS: Final = Row("ellipsis", "'...'", "write `pass` for an empty body")
NONE: Final = Row("none", "None", "use a number that cannot occur, or a bool beside the value")
AWAIT: Final = Row("await", "'await'", _OUTSIDE)
YIELD: Final = Row("yield", "'yield'", "store the values through a pointer")
WALRUS: Final = Row("walrus", "':='", "assign in a statement of its own")
STAR_ARGUMENT: Final = Row("star-argument", "a call with * or **", "write the arguments out")
STAR_TARGET: Final = Row("star-target", "a starred name in an assignment", "assign the parts one by one")
STAR_ITEM: Final = Row("star-item", "a starred item", "write the items out")
CALL_OF_CALL: Final = Row("call-of-expression", "a call of something that is not a name", "call a function by its name")
KEYWORD_IN_RANGE: Final = Row("range-keyword", "a keyword in 'range'", "write `range(start, stop, step)`")

RANGE_COUNT: Final = Row(
    "range-count", "'range' with no argument, or more than three", "write `range(start, stop, step)`"
)

FOR_OVER: Final = Row("for-over", "a 'for' loop over anything but 'range'", "write `for i in range(n)` and load by `i`")
FOR_TARGET: Final = Row("for-target", "a 'for' loop that counts in anything but one name", "write `for i in range(n)`")
LOOP_ELSE: Final = Row("loop-else", "'else' on a loop", "set a bool before `break` and test it after the loop")
TRY: Final = Row("try", "'try'", "nothing raises in compiled code: test the condition")
WITH: Final = Row("with", "'with'", _OUTSIDE)
CLASS: Final = Row("class", "a class", "use scalars and device functions")
DEF: Final = Row("def", "a nested function", "move it to the top level and mark it `@cuda.device`")
MATCH: Final = Row("match", "'match'", "write `if` and `elif`")
IMPORT: Final = Row("import", "an import", "import at the top of the file")
GLOBAL: Final = Row("global", "'global'", "write the result through a pointer")
NONLOCAL: Final = Row("nonlocal", "'nonlocal'", "write the result through a pointer")
DEL: Final = Row("del", "'del'", "leave it out: names need no freeing")
ASSERT: Final = Row("assert", "'assert'", "assert in the kernels, or in the function that calls the launcher")
ASSERT_MESSAGE: Final = Row(
    "assert-message", "a message of an assert that is not a literal", "write the text in quotes; `print` shows values"
)
RAISE: Final = Row("raise", "'raise'", "`assert condition` stops a kernel, and its launch raises AssertionError")
TYPE_ALIAS: Final = Row("type-statement", "a type statement", "write the type itself")
ASYNC: Final = Row("async", "'async'", _OUTSIDE)

ASYNC_DEF: Final = Row("async-def", "'async' in front of its def", "write `def`")
TYPE_PARAMETERS: Final = Row("type-parameters", "type parameters", "write one function for each type")
DEFAULT: Final = Row("default", "a default value of a parameter", "pass every argument")
KEYWORD_ONLY: Final = Row("keyword-only", "a keyword-only parameter", "take the `*` out: arguments go by position")
POSITIONAL_ONLY: Final = Row("positional-only", "a positional-only mark", "take the `/` out")
STAR_PARAMETER: Final = Row("star-parameter", "a parameter with * or **", "name every parameter")
DECORATOR: Final = Row(
    "decorator", "another decorator", "keep one decorator, `@tile.kernel`, `@cuda.kernel` or `@cuda.device`"
)

EXPRESSIONS: Final[Mapping[type[cst.CSTNode], Row]] = {
    cst.Lambda: LAMBDA,
    cst.ListComp: COMPREHENSION,
    cst.SetComp: COMPREHENSION,
    cst.DictComp: COMPREHENSION,
    cst.GeneratorExp: GENERATOR,
    cst.FormattedString: F_STRING,
    cst.SimpleString: STRING,
    cst.ConcatenatedString: STRING,
    cst.List: LIST,
    cst.Dict: DICT,
    cst.Set: SET,
    cst.Tuple: TUPLE,
    cst.Imaginary: COMPLEX,
    cst.Ellipsis: ELLIPSIS,
    cst.Await: AWAIT,
    cst.Yield: YIELD,
    cst.NamedExpr: WALRUS,
    cst.StarredElement: STAR_ITEM,
}
STATEMENTS: Final[Mapping[type[cst.CSTNode], Row]] = {
    cst.Try: TRY,
    cst.TryStar: TRY,
    cst.With: WITH,
    cst.ClassDef: CLASS,
    cst.FunctionDef: DEF,
    cst.Match: MATCH,
    cst.Import: IMPORT,
    cst.ImportFrom: IMPORT,
    cst.Global: GLOBAL,
    cst.Nonlocal: NONLOCAL,
    cst.Del: DEL,
    cst.Assert: ASSERT,
    cst.Raise: RAISE,
    cst.TypeAlias: TYPE_ALIAS,
}
IDENTITY: Final = Row("is", "'is'", "compare numbers with `==` and `!=`")
MEMBERSHIP: Final = Row("in", "'in'", "compare with `==` and join with `or`")
MATRIX: Final = Row("matrix-product", "'@'", "write the sums out")
OPERATORS: Final[Mapping[type[cst.CSTNode], Row]] = {
    cst.Is: IDENTITY,
    cst.IsNot: IDENTITY,
    cst.In: MEMBERSHIP,
    cst.NotIn: MEMBERSHIP,
    cst.MatrixMultiply: MATRIX,
    cst.MatrixMultiplyAssign: MATRIX,
}
# Builtins that people reach for; any other one is a host function like all the rest.
PRINT: Final = Row("print", "'print'", "print in the kernels, or in the function that calls the launcher")
PRINT_VALUE: Final = Row("print-value", "'print' in an expression", "write `print(…)` as a statement of its own")
TEXT_OPERATION: Final = Row(
    "text-operation", "an operation on text", '`print` takes values between its texts, `print("n:", n)`, and f-strings'
)
PRINT_WORD: Final = Row("print-word", "a `sep` or `end` that is not a literal", "write the text in quotes")
PRINT_KEYWORD: Final = Row(
    "print-keyword",
    "a `print` with `file` or `flush`",
    "leave it out: the text goes to the standard output, and is all there when the launch was waited for",
)
CONVERSION: Final = Row("conversion", "a conversion in an f-string", "leave it out: numbers have one form")
NESTED_FORMAT: Final = Row("nested-format", "a form with values inside it", "write the width and precision as digits")
NULL_IN_TEXT: Final = Row("null-in-text", "a null character in a text", "leave it out: it would end the text")
SURROGATE_IN_TEXT: Final = Row("surrogate", "half of a surrogate pair in a text", "write the whole character")
BYTES: Final = Row("bytes", "a string of bytes", "leave the `b` out")
SUM: Final = Row("builtin-sum", "the builtin 'sum'", "`tile.sum(x)` sums a tile; otherwise write a loop")
LEN: Final = Row("len", "'len' of anything but a constant", "pass the length as an argument")
ITERATION: Final = Row("iteration", "an iteration helper", "write `for i in range(n)` and load by `i`")
RANGE: Final = Row(
    "range", "'range' outside of a 'for' loop", "write `for i in range(n)`, or `tile.arange(n)` for a tile"
)
BUILTINS: Final[Mapping[str, Row]] = {
    "print": PRINT_VALUE,
    "sum": SUM,
    "enumerate": ITERATION,
    "zip": ITERATION,
    "map": ITERATION,
    "filter": ITERATION,
    "reversed": ITERATION,
    "sorted": ITERATION,
    "iter": ITERATION,
    "next": ITERATION,
    "list": LIST,
    "tuple": TUPLE,
    "dict": DICT,
    "set": SET,
    "str": STRING,
    "repr": STRING,
    "format": STRING,
    "complex": COMPLEX,
}


def all_rows() -> tuple[Row, ...]:
    """Every row once, by key: for the tests and the documentation."""
    rows = {value.key: value for value in globals().values() if isinstance(value, Row)}
    return tuple(rows[key] for key in sorted(rows))

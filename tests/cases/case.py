"""What a case file says: inputs as arrays and numbers, and whether an outcome is the right one. See `README.md`."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tests.support.bits import explain, same_bits

FOLDER: Final = Path(__file__).parent
DTYPES: Final = {
    "float": np.float64,
    "int": np.int64,
    "bool": np.bool_,
    "f32": np.float32,
    "i32": np.int32,
    "u8": np.uint8,
}
# `later` cases whose spellings the language has already.
SUPPORTED_LATER: Final = ("047", "049", "053", "055")
Array = NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What a launch did: the arrays after it and, where it was refused, the stage, the message and the place.
    `others` are the arrays after the same launch in other settings: each must be right."""

    arrays: Mapping[str, Array]
    others: Sequence[Mapping[str, Array]] = ()
    stage: str = ""
    message: str = ""
    line: int = 0
    column: int = 0

    @property
    def is_refusal(self) -> bool:
        return self.stage != ""


@dataclass(frozen=True, slots=True)
class Job:
    """Steps for one process: `{"launch": …}` of the module `stem` on `inputs` (or, with `"trial"`, on the values of
    these expressions), `{"set_global": …}`."""

    stem: str
    target: str
    steps: Sequence[dict[str, Any]]
    inputs: Mapping[str, Any]


def load_cases() -> list[dict[str, Any]]:
    """Every case file, by number."""
    return [json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("[0-9]*.json"))]


def skip_reason(case: dict[str, Any]) -> str:
    """Why the case is not run yet, or an empty string."""
    if case["level"] == "base" or case["id"] in SUPPORTED_LATER:
        return ""
    return f"later: needs {', '.join(case['needs'])}"


def number(text: object) -> Any:
    """JSON's numbers, with the strings that stand for what JSON lacks."""
    return float(text) if isinstance(text, str) else text


def make_input(spec: dict[str, Any]) -> Any:
    """A number, or an array of the pointer's element type."""
    kind = spec["type"]
    if not kind.startswith("ptr["):
        return number(spec["value"])
    dtype = DTYPES[kind[4:-1]]
    if "values" in spec:
        values = [number(value) for value in spec["values"]]
    elif "each" in spec:
        names = {"inf": math.inf, "nan": math.nan, "float": float, "int": int, "__builtins__": {}}
        code = compile(spec["each"], "each", "eval")
        values = [eval(code, {**names, "i": i}) for i in range(spec["length"])]
    else:
        values = [number(spec["fill"])] * spec["length"]
    for place, value in spec.get("set", {}).items():
        values[int(place)] = number(value)
    return np.array(values, dtype)


def trial_argument(text: str) -> Any:
    """The value of a trial's Python expression."""

    def ro(array: Array) -> Array:
        copy = np.array(array)
        copy.flags.writeable = False
        return copy

    return eval(text, {"np": np, "ro": ro})


def arrays_of(inputs: Mapping[str, Any]) -> dict[str, Array]:
    """Copies of the arrays, in the machine's byte order: a pickle does not keep another."""
    arrays = {name: value for name, value in inputs.items() if isinstance(value, np.ndarray)}
    return {name: array.astype(array.dtype.newbyteorder("=")) for name, array in arrays.items()}


def complaint(expect: dict[str, Any], outcome: Outcome, before: Mapping[str, Array]) -> str:
    """What is wrong with the outcome, or an empty string."""
    kind = expect["kind"]
    if kind == "refusal":
        return refusal_complaint(expect.get("refusal", expect), outcome, before)
    if kind == "values_or_refusal" and outcome.is_refusal:
        return refusal_complaint(expect["refusal"], outcome, before)
    if outcome.is_refusal:
        return f"refused at {outcome.stage}: {outcome.message}"
    problems = (values_complaint(expect, arrays, before) for arrays in (outcome.arrays, *outcome.others))
    return next((problem for problem in problems if problem), "")


def refusal_complaint(expect: dict[str, Any], outcome: Outcome, before: Mapping[str, Array]) -> str:
    if not outcome.is_refusal:
        return "it ran, and must be refused"
    wrong = [f"does not mention {word!r}" for word in expect.get("mentions", ()) if word not in outcome.message]
    if expect["stage"] not in (outcome.stage, "compile_or_launch"):
        wrong.append(f"refused at {outcome.stage}, not {expect['stage']}")
    if expect.get("lines") and outcome.line not in expect["lines"]:
        wrong.append(f"at line {outcome.line}, not {expect['lines']}")
    if "column" in expect and outcome.column != expect["column"] + 1:
        wrong.append(f"at column {outcome.column}, not {expect['column'] + 1}")
    wrong += [f"{name} was written" for name, array in before.items() if not same_bits(array, outcome.arrays[name])]
    return f"{'; '.join(wrong)}: {outcome.message}" if wrong else ""


def values_complaint(expect: dict[str, Any], after: Mapping[str, Array], before: Mapping[str, Array]) -> str:
    for name, array in before.items():
        got = after[name]
        want = expect["outputs"].get(name)
        if want is None:
            if not same_bits(array, got):
                return f"{name} was written"
            continue
        problem = buffer_complaint(name, want, got, expect.get("compare", "bits"))
        if problem:
            return problem
    return ""


def buffer_complaint(name: str, want: dict[str, Any], got: Array, compare: str) -> str:
    if "one_of" in want:
        allowed = [[number(value) for value in choices] for choices in want["one_of"]]
        bad = [i for i, choices in enumerate(allowed) if float(got[i]) not in choices]
        return f"{name}[{bad[0]}] is {got[bad[0]]!r}" if bad else ""
    if want.get("all_lanes_same_bits") and not same_bits(got, np.full_like(got, got[0])):
        return f"{name}: its elements differ"
    if "values" not in want and "fill" not in want:
        return ""
    values = want["values"] if "values" in want else [want["fill"]] * want["length"]
    expected = np.array([number(value) for value in values], got.dtype)
    if "abs_tolerance" in want:
        close = np.allclose(got, expected, rtol=0, atol=want["abs_tolerance"], equal_nan=True)
        return "" if close else f"{name}: {got} is not near {expected}"
    if compare == "value" and np.array_equal(got, expected, equal_nan=got.dtype.kind == "f"):
        return ""
    return "" if same_bits(expected, got) else explain(name, expected, got, "paper", "this target")

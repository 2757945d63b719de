"""Scalars, grids, statuses, and how a built module looks from Python."""

from __future__ import annotations

import inspect
import subprocess
import sys
import threading
import time
from typing import Any

import numpy as np
import pytest


def run(hand: Any, n: Any = 4, a: Any = 2.0) -> list[float]:
    y = np.zeros(8)
    hand.run(n, a, np.ones(8), y)
    return y[:4].tolist()


def scale(hand: Any, a: Any = 1.0, negate: Any = False, shift: Any = 0) -> float:
    y = np.zeros(32, np.float32)
    hand.scale[1, 32](a, negate, shift, np.full(32, 1.0, np.float32), y)
    return float(y[0])


@pytest.mark.parametrize("n", [4, np.int8(4), np.uint64(4), np.array(4), np.array(4, ">u8"), np.array(4, object)])
@pytest.mark.parametrize("a", [2, 2.0, np.float32(2), np.float64(2), np.float16(2), np.int16(2), np.array(2.0)])
def test_numbers_convert(hand: Any, n: Any, a: Any) -> None:
    assert run(hand, n, a) == [2.0] * 4


def test_bool_is_an_int_and_a_float(hand: Any) -> None:
    assert run(hand, True, True) == [1.0, 0.0, 0.0, 0.0]
    assert run(hand, np.bool_(True), np.bool_(True)) == [1.0, 0.0, 0.0, 0.0]


@pytest.mark.parametrize("n", [4.0, np.float32(4), np.array(4.0), np.array([4]), np.array("4", object), None, 4j])
def test_an_int_takes_no_float(hand: Any, n: Any) -> None:
    with pytest.raises(TypeError, match="argument 'n' must be an int, not"):
        run(hand, n)


@pytest.mark.parametrize("a", ["2", None, 2j, [2.0], np.array([2.0])])
def test_a_float_takes_numbers(hand: Any, a: Any) -> None:
    with pytest.raises(TypeError, match="argument 'a' must be a float, not"):
        run(hand, 4, a)


@pytest.mark.parametrize("negate", [1, 0, 1.0, np.int8(1), None, np.array(1)])
def test_a_bool_takes_bools(hand: Any, negate: Any) -> None:
    with pytest.raises(TypeError, match="argument 'negate' must be a bool, not"):
        scale(hand, 1.0, negate)


def test_bools_of_numpy(hand: Any) -> None:
    assert scale(hand, 2.0, np.bool_(True)) == -2.0
    assert scale(hand, 2.0, np.array(False)) == 2.0


@pytest.mark.parametrize("n", [2**63, -(2**63) - 1, np.uint64(2**63)])
def test_outside_of_int64(hand: Any, n: Any) -> None:
    with pytest.raises(OverflowError, match=r"argument 'n' .*outside of int64"):
        run(hand, n)


def test_a_message_does_not_print_thousands_of_digits(hand: Any) -> None:
    with pytest.raises(OverflowError, match=r"^run: argument 'n' is outside of int64$"):
        run(hand, 10**5000)


def test_outside_of_int32_and_float32(hand: Any) -> None:
    assert scale(hand, 0.0, False, -(2**31)) == -(2.0**31)
    for shift in (2**31, -(2**31) - 1):
        with pytest.raises(OverflowError, match=r"argument 'shift' .*outside of int32"):
            scale(hand, 0.0, False, shift)
    for a in (1e39, -1e39, 10**39, np.float64(1e39), 10**400):
        with pytest.raises(OverflowError, match=r"argument 'a' .*outside of float32"):
            scale(hand, a)
    assert scale(hand, float("inf")) == float("inf")
    with pytest.raises(OverflowError, match=r"argument 'a' .*outside of float64"):
        run(hand, 4, 10**400)


@pytest.mark.parametrize(
    ("whole", "rounded"),
    [
        (2**63 + 2**39 + 1, 2.0**63 + 2.0**40),  # just above the middle of two floats: rounding twice would lose it
        (2**63 + 2**39, 2.0**63),
        (2**63 + 3 * 2**39 - 1, 2.0**63 + 2.0**40),
        (-(2**63) - 2**39 - 1, -(2.0**63) - 2.0**40),
        (2**53 + 2**29 + 1, 2.0**53 + 2.0**30),
        (2**100, 2.0**100),
    ],
)
def test_integers_round_to_float32_once(hand: Any, whole: int, rounded: float) -> None:
    assert scale(hand, whole) == rounded


def test_static_parameters_choose_the_instance(hand: Any) -> None:
    out = np.zeros(8)
    hand.fill[1](4, out)
    assert out.tolist() == [4.0] * 4 + [0.0] * 4
    hand.fill[1](out=out, size=np.int64(8))
    assert out.tolist() == [8.0] * 8
    with pytest.raises(ValueError, match=r"fill: was not built for size=5 \(built: size=4; size=8\)"):
        hand.fill[1](5, out)
    with pytest.raises(TypeError, match="argument 'size' must be an int"):
        hand.fill[1](4.0, out)


def test_keywords(hand: Any) -> None:
    y = np.zeros(4, np.float32)
    x = np.ones(64, np.float32)
    y = np.zeros(64, np.float32)
    hand.scale[(2, 1), 32](shift=1, ý=y, x=x, negate=False, a=2.0, stream=None)
    assert y.tolist() == [3.0] * 64
    with pytest.raises(TypeError, match="has no parameter 'z'"):
        hand.run(4, 2.0, x, y, z=1)
    with pytest.raises(TypeError, match="argument 'x' is given twice"):
        hand.run(4, 2.0, np.zeros(4), np.zeros(4), x=np.zeros(4))
    with pytest.raises(TypeError, match="argument 'y' is missing"):
        hand.run(4, 2.0, np.zeros(4))
    with pytest.raises(TypeError, match="takes 4 arguments, but 5 were given"):
        hand.run(4, 2.0, np.zeros(4), np.zeros(4), 1)
    with pytest.raises(TypeError, match="stream must be None or an int"):
        hand.run(4, 2.0, np.zeros(4), np.zeros(4), stream="s")


@pytest.mark.parametrize("grid", [0, (0,), (1, 0), (2, 1, 0), np.int32(0)])
def test_an_empty_grid_still_checks_arguments(hand: Any, grid: Any) -> None:
    y = np.zeros(4)
    with pytest.raises(TypeError, match="argument 'x'"):
        hand.saxpy[grid](4, 1.0, None, y)


@pytest.mark.parametrize(
    ("grid", "message"),
    [
        (-1, "grid's x is -1; it must be 0 to 2147483647"),
        (2**31, "grid's x is 2147483648"),
        (2**80, "grid's x is outside of int64"),
        ((1, 65536), "grid's y is 65536; it must be 0 to 65535"),
        ((1, 1, -5), "grid's z is -5"),
        ((1, 1, 1, 1), "up to three ints, not of 4"),
        ((), "up to three ints, not of 0"),
        (1.5, "x is 1.5"),
        ((1, None), "y is None"),
        ([1], r"x is \[1\]"),
        ("1", "x is '1'"),
    ],
)
def test_bad_grids(hand: Any, grid: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        hand.saxpy[grid]


@pytest.mark.parametrize(
    ("block", "message"),
    [
        (0, "block's x is 0; it must be 1 to 1024"),
        (1025, "block's x is 1025"),
        ((64, 32), "the block has 2048 threads; it may have 1024"),
        ((1, 1, 128), "block's z is 128; it must be 1 to 64"),
        (33, "the block has 33 threads; a kernel that shuffles needs a multiple of 32"),
        ((16, 2), "the block is 16 x 2 x 1; .*x to be a multiple of 32, or y and z to be 1"),
    ],
)
def test_bad_blocks(hand: Any, block: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        hand.scale[1, block]


def test_a_thread_kernel_needs_a_block(hand: Any) -> None:
    for key in (1, (1, 2, 3), (1,)):
        with pytest.raises(ValueError, match=r"scale\[grid, block\]"):
            hand.scale[key]
    with pytest.raises(TypeError, match=r"a kernel needs its grid: saxpy\[grid\]"):
        hand.saxpy(1)


@pytest.mark.parametrize(
    ("status", "error", "message"),
    [
        (1, OverflowError, "an integer operation left its type"),
        (2, ZeroDivisionError, "integer division or modulo by zero"),
        (3, ValueError, "a grid must be 0 to 2147483647 in x"),
        (4, ValueError, "a block must be 1 to 1024 threads"),
        (5, RuntimeError, "the launch failed"),
    ],
)
def test_statuses(hand: Any, status: int, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        run(hand, -status)


def test_more_arguments_than_a_call_keeps_off_the_heap(hand: Any) -> None:
    pointers = [np.full(1, float(k)) for k in range(8)]
    out = np.zeros(1)
    hand.many(*pointers, out, *range(8))
    assert out[0] == 56.0
    named = dict(zip("hgfedcba", range(8), strict=True))
    hand.many(*pointers, out=out, **named)
    assert out[0] == 56.0
    with pytest.raises(ValueError, match="arguments 'x7' and 'out' overlap"):
        hand.many(*pointers, pointers[7], *range(8))


def test_the_module_tells_what_it_is(hand: Any) -> None:
    assert hand.__doc__ == "Kernels written by hand."
    assert hand.__all__ == ["saxpy", "scale", "fill", "flags", "wait", "many", "run"]
    about = hand.__transpile__
    assert (about["source"], about["code"], about["format"], about["target"]) == ("hand.py", "5f3c9a1e", "1", "cpu")
    assert about["functions"]["scale"]["captures"] == {"SCALE": "2.0"}
    assert about["functions"]["fill"]["instances"] == ((4,), (8,))
    assert about["functions"]["run"]["role"] == "launcher"


def test_signatures_and_docstrings(hand: Any) -> None:
    assert str(inspect.signature(hand.run)) == "(n, a, x, y, *, stream=None)"
    typed = "(n: int, a: float, x: native.const_ptr[float], y: native.ptr[float], *, stream=None)"
    assert hand.run.__doc__ == f"run{typed}\n\nRuns saxpy."
    assert hand.saxpy.__doc__ == f"saxpy[grid]{typed}\n\ny += a * x."
    assert hand.saxpy.__name__ == "saxpy"
    assert repr(hand.saxpy) == f"<kernel saxpy[grid]{typed}>"
    assert "size: native.static[int]" in repr(hand.fill)


def test_the_gil_is_released_while_a_call_runs(hand: Any) -> None:
    out = np.zeros(1)
    thread = threading.Thread(target=hand.wait, args=(400, out))
    thread.start()
    started = time.perf_counter()
    while time.perf_counter() - started < 0.1:
        pass
    assert out[0] == 0.0  # this thread ran while the call waited
    thread.join()
    assert out[0] == 1.0


ENDING = """
import sys, threading, time
import numpy as np
from transpile.build.load import load_extension
from pathlib import Path

class Slow:
    def __del__(self, sleep=time.sleep):
        sleep(0.6)

hand, slow = load_extension("hand_ext", Path(sys.argv[1])), Slow()
threading.Thread(target=hand.wait, args=(300, np.zeros(1)), daemon=True).start()
time.sleep(0.1)
"""


ENDING_AT_A_LOOK = """
import sys, threading, time
import numpy as np
from transpile.build.load import load_extension
from pathlib import Path

class Number:
    def __index__(self):
        time.sleep(0.001)
        return 0

def work():
    while True:
        hand.run(Number(), 1.0, x, y)

hand, x, y = load_extension("hand_ext", Path(sys.argv[1])), np.zeros(1), np.zeros(1)
for _ in range(4):
    threading.Thread(target=work, daemon=True).start()
time.sleep(0.1)
"""

FIRST_SUBSCRIPT = """
import gc, sys, threading
from transpile.build.load import load_extension
from pathlib import Path

class Garbage:
    def __del__(self):
        collected.set()
        subscripted.wait(20)

def other():
    collected.wait()
    hand.saxpy[1]
    subscripted.set()

collected, subscripted = threading.Event(), threading.Event()
threading.Thread(target=other, daemon=True).start()
hand = load_extension("hand_ext", Path(sys.argv[1]))
gc.disable()
held = Garbage()
held.itself = held
del held
gc.set_threshold(1, 1, 1)
gc.enable()
hand.saxpy[1]
"""

OTHER_INTERPRETER = """
import sys, _xxsubinterpreters as interpreters
from transpile.build.load import load_extension
from pathlib import Path

load_extension("hand_ext", Path(sys.argv[1]))
other = interpreters.create()
interpreters.run_string(other, f'''
import sys
sys.path = {sys.path}
from transpile.build.load import load_extension
from pathlib import Path
try:
    load_extension("hand_ext", Path({sys.argv[1]!r}))
except ImportError as error:
    assert str(error) == "hand_ext: it can be imported in the main interpreter alone", error
else:
    raise AssertionError("it was imported")
''')
"""


def at_its_end(hand: Any, program: str) -> tuple[int, str]:
    done = subprocess.run([sys.executable, "-c", program, hand.__file__], capture_output=True, text=True, timeout=60)
    return done.returncode, done.stderr


def test_a_call_may_outlast_python(hand: Any) -> None:
    assert at_its_end(hand, ENDING) == (0, "")


def test_python_may_end_while_an_argument_is_looked_at(hand: Any) -> None:
    assert at_its_end(hand, ENDING_AT_A_LOOK) == (0, "")


def test_no_thread_waits_for_another_that_makes_a_type(hand: Any) -> None:
    assert at_its_end(hand, FIRST_SUBSCRIPT) == (0, "")


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="Python itself refuses it")
def test_another_interpreter_is_refused(hand: Any) -> None:
    assert at_its_end(hand, OTHER_INTERPRETER) == (0, "")


def test_calls_from_several_threads(hand: Any) -> None:
    def work(at: int) -> None:
        for _ in range(200):
            hand.run(4, 1.0, ones, results[at])

    ones = np.ones(4)
    results = [np.zeros(4) for _ in range(4)]
    threads = [threading.Thread(target=work, args=(at,)) for at in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(result.tolist() == [200.0] * 4 for result in results)

"""What nvcc makes of many quotients by one number: one division for all, and a product and two fused steps for each."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from tests.support.compiling import run_compiler
from tests.support.everywhere import Text
from tests.support.tools import tool

LANES: Final = 8  # a thread's
TEXT: Final = Text(
    """
from transpile import native, tile


@tile.kernel
def shares(x: native.const_ptr[float], y: native.ptr[float], b: float) -> None:
    tile.store(y, tile.arange(2048), tile.load(x, tile.arange(2048)) / b)
""",
    "shares",
)


def test_a_thread_divides_once(tmp_path: Path) -> None:
    source, made = tmp_path / "shares.cu", tmp_path / "shares.ptx"
    source.write_text(TEXT.emitted("cuda"), encoding="utf-8")
    run_compiler([tool("nvcc"), "-std=c++17", "-arch=sm_90", "-ptx", str(source), "-o", str(made)])
    listing = made.read_text(encoding="utf-8")
    names = ("rcp.rn.f64", "div.rn.f64", "fma.rn.f64", "setp.ge.f64", "call.uni")
    # The division is in a function of its own, for quotients that are too small for the other way.
    assert {name: listing.count(name) for name in names} == dict(
        zip(names, (1, 1, 2 * LANES, LANES, LANES), strict=True)
    )

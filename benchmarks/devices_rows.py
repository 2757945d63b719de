"""Rows of narrow floats on the device: softmax of f16 and layer normalisation of bf16, as examples/norms.py has them.

    python benchmarks/devices.py rows

2^27 elements in rows of 1024, 4096 and 8192, and in rows of 5000, which no tile has as many lanes as. Against torch, a
Triton kernel with one row a program, as its tutorials write them, and a copy, which moves the same bytes. Times are the
device's: by events around launches that were queued behind a busy stream, over two sets of arrays in turn. Results are
checked against float64 first; ours round as the language says, the same bits everywhere, and sum in its order.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any, Final

from devices_modules import ROW_SIZES, module
from devices_rounds import Contestant, Table, main, optional, race

ELEMENTS: Final = 1 << 27
COLUMNS: Final = (1024, 4096, 8192, 5000)
WARPS: Final = {1024: 2, 4096: 8, 8192: 16}  # the best of 1 to 16 for Triton, by lanes
SETS: Final = 2
BATCH: Final = 8
BUSY_CYCLES: Final = 2_000_000
COPY: Final = "copy"
OURS: Final = "ours"
Call = Callable[[Any, Any], object]


class Rows:
    """Two sets of arrays of one type, and what a kernel of them has to give."""

    def __init__(self, cols: int, kind: str) -> None:
        import torch

        self.torch, self.cols, self.count = torch, cols, ELEMENTS // cols
        dtype = getattr(torch, kind)
        self.pairs = [self._pair(dtype) for _ in range(SETS)]
        self.scale = torch.linspace(0.5, 2, cols, device="cuda").to(dtype)
        self.shift = torch.linspace(-1, 1, cols, device="cuda").to(dtype)
        self.lanes = next(size for size in ROW_SIZES if size >= cols)

    def _pair(self, dtype: Any) -> tuple[Any, Any]:
        x = self.torch.randn(self.count, self.cols, device="cuda", dtype=self.torch.float32).to(dtype)
        return x, self.torch.full_like(x, float("nan"))

    def check(self, call: Call, wanted: Callable[[Any], Any]) -> Callable[[], None]:
        def checks() -> None:
            x, out = self.pairs[0]
            out.fill_(float("nan"))
            told = call(x, out)
            got = told if isinstance(told, self.torch.Tensor) else out
            self.torch.testing.assert_close(got[:64].double(), wanted(x[:64].double()), rtol=2e-2, atol=1e-2)

        return checks

    def batch(self, call: Call) -> Callable[[], float]:
        """Seconds of a batch of calls."""

        def run() -> float:
            begin, end = (self.torch.cuda.Event(enable_timing=True) for _ in range(2))
            self.torch.cuda._sleep(BUSY_CYCLES)
            begin.record()
            for turn in range(BATCH):
                call(*self.pairs[turn % SETS])
            end.record()
            end.synchronize()
            return float(begin.elapsed_time(end)) / 1e3

        return run


def softmax_calls(rows: Rows, options: argparse.Namespace) -> dict[str, Callable[[], Call]]:
    torch, cols, lanes = rows.torch, rows.cols, rows.lanes

    def ours() -> Call:
        kernel = module(options.modules, "norms_ext").softmax[rows.count]
        return lambda x, out: kernel(lanes, cols, x, out)

    def triton() -> Call:
        import devices_triton as kernels

        kernel, warps = kernels.softmax[(rows.count,)], WARPS[lanes]
        return lambda x, out: kernel(cols, x, out, BLOCK=lanes, num_warps=warps)

    return {OURS: ours, "torch.softmax": lambda: lambda x, out: torch.softmax(x, -1), "Triton": triton}


def layer_norm_calls(rows: Rows, options: argparse.Namespace) -> dict[str, Callable[[], Call]]:
    torch, cols, lanes, scale, shift = rows.torch, rows.cols, rows.lanes, rows.scale, rows.shift

    def ours() -> Call:
        kernel = module(options.modules, "norms_ext").layer_norm[rows.count]
        return lambda x, out: kernel(lanes, cols, x, scale, shift, out)

    def triton() -> Call:
        import devices_triton as kernels

        kernel, warps = kernels.layer_norm[(rows.count,)], WARPS[lanes]
        return lambda x, out: kernel(cols, x, scale, shift, out, BLOCK=lanes, num_warps=warps)

    normal = torch.nn.functional.layer_norm
    return {OURS: ours, "torch layer_norm": lambda: lambda x, out: normal(x, (cols,), scale, shift), "Triton": triton}


def contestants(
    table: Table, rows: Rows, calls: dict[str, Callable[[], Call]], wanted: Callable[[Any], Any]
) -> Iterator[Contestant]:
    yield Contestant(COPY, rows.batch(lambda x, out: out.copy_(x)), BATCH)
    for name, make in calls.items():
        for call in optional(table, name, lambda make=make: [make()]):  # type: ignore[misc]
            yield Contestant(name, rows.batch(call), BATCH, check=rows.check(call, wanted))


def measure(options: argparse.Namespace) -> list[Table]:
    import torch

    tables = []
    for cols in COLUMNS:
        for title, kind, calls_of in (
            ("Softmax of f16", "float16", softmax_calls),
            ("Layer normalisation of bf16", "bfloat16", layer_norm_calls),
        ):
            rows = Rows(cols, kind)
            scale, shift = rows.scale.double(), rows.shift.double()

            def wanted(x: Any, kind: str = kind, scale: Any = scale, shift: Any = shift) -> Any:
                if kind == "float16":
                    return torch.softmax(x, -1)
                return torch.nn.functional.layer_norm(x, (x.shape[-1],), scale, shift)

            table = Table(f"{title}, {rows.count} rows of {cols}: time on the device", "us", COPY)
            race(table, list(contestants(table, rows, calls_of(rows, options), wanted)), options.rounds)
            tables.append(table)
            del rows
            torch.cuda.empty_cache()
    return tables


if __name__ == "__main__":
    main(measure, "Rows of narrow floats on the device")

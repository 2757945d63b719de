"""Kernels over rows of narrow floats: softmax of f16 and layer normalisation of bf16, one row a program.

To see it:
    python examples/norms.py
    python -m transpile run examples/norms.py --target cpu
    python -m transpile emit cuda examples/norms.py
"""

from transpile import native, tile


@tile.kernel
def softmax(size: native.static[int], cols: int, x: native.const_ptr[native.f16], out: native.ptr[native.f16]) -> None:
    lane = tile.arange(size)
    inside = lane < cols
    at = tile.program_id() * cols + lane
    xs = tile.load(x, at, inside, float("-inf"))
    powers = tile.exp(xs - tile.max(xs))
    tile.store(out, at, powers / tile.sum(powers), inside)


@tile.kernel
def layer_norm(
    size: native.static[int],
    cols: int,
    x: native.const_ptr[native.bf16],
    scale: native.const_ptr[native.bf16],
    shift: native.const_ptr[native.bf16],
    out: native.ptr[native.bf16],
) -> None:
    lane = tile.arange(size)
    inside = lane < cols
    at = tile.program_id() * cols + lane
    xs = tile.load(x, at, inside)
    away = tile.where(inside, xs - tile.sum(xs) / cols, 0.0)
    normal = away / tile.sqrt(tile.sum(away * away) / cols + 1e-5)
    tile.store(out, at, normal * tile.load(scale, lane, inside) + tile.load(shift, lane, inside), inside)


def run(rows: int, cols: int, x: native.const_ptr[native.f16], out: native.ptr[native.f16]) -> None:
    tile.launch(softmax, rows, 1024, cols, x, out)


def main() -> None:
    rows, cols = 4, 1000
    x = native.stack_alloc[native.f16](rows * cols)
    out = native.stack_alloc[native.f16](rows * cols)
    for i in range(rows * cols):
        native.store(native.offset(x, i), (i * 37 % 101) / 16)
    run(rows, cols, x, out)
    print([native.load(native.offset(out, i)) for i in (0, 1, 1000, 3999)])
    y = native.stack_alloc[native.bf16](rows * cols)
    normal = native.stack_alloc[native.bf16](rows * cols)
    ones = native.stack_alloc[native.bf16](cols)
    for i in range(rows * cols):
        native.store(native.offset(y, i), (i * 37 % 101) / 16)
    for i in range(cols):
        native.store(native.offset(ones, i), 1.0)
    tile.launch(layer_norm, rows, 1024, cols, y, ones, ones, normal)
    print([native.load(native.offset(normal, i)) for i in (0, 1, 1000, 3999)])
    print(f"# ran on: {tile.target(softmax)}; compiled: {tile.compiled(softmax)}")


if __name__ == "__main__":
    main()

"""Row statistics and a shaded relief of a real elevation model, through a built extension.

    python -m transpile build examples/terrain.py -o examples
    python examples/terrain.py relief.png

The data is the digital elevation model of Jacksboro, Tennessee, that matplotlib ships as sample data: 344 rows of 403
heights in metres. Every result is compared with NumPy: elementwise work bit for bit, sums with a halving sum.
"""

import sys

import numpy as np

from transpile import native, tile

WIDTH = 512  # lanes of a row's tile: the power of two above the model's 403 columns


@tile.kernel
def row_stats(
    columns: int,
    heights: native.const_ptr[float],
    lowest: native.ptr[float],
    highest: native.ptr[float],
    mean: native.ptr[float],
    variance: native.ptr[float],
) -> None:
    row = tile.program_id()
    column = tile.arange(WIDTH)
    inside = column < columns
    h = tile.load(heights, row * columns + column, inside)
    average = tile.sum(h) / columns
    off = tile.where(inside, h - average, 0.0)
    tile.store(lowest, row, tile.min(tile.where(inside, h, float("inf"))))
    tile.store(highest, row, tile.max(tile.where(inside, h, float("-inf"))))
    tile.store(mean, row, average)
    tile.store(variance, row, tile.sum(off * off) / columns)


@tile.kernel
def normalise(
    columns: int,
    heights: native.const_ptr[float],
    mean: native.const_ptr[float],
    variance: native.const_ptr[float],
    out: native.ptr[float],
) -> None:
    row = tile.program_id()
    column = tile.arange(WIDTH)
    inside = column < columns
    at = row * columns + column
    h = tile.load(heights, at, inside)
    tile.store(out, at, (h - tile.load(mean, row)) / tile.sqrt(tile.load(variance, row)), inside)


@tile.kernel
def shade(
    rows: int, columns: int, scale: float, heights: native.const_ptr[float], out: native.ptr[float]
) -> None:
    """The cosine between the ground's normal and a light from the north-west, 45 degrees up."""
    row = tile.program_id()
    column = tile.arange(WIDTH)
    inside = column < columns
    north = max(row - 1, 0) * columns
    south = min(row + 1, rows - 1) * columns
    west = tile.maximum(column - 1, 0)
    east = tile.minimum(column + 1, columns - 1)
    dx = (tile.load(heights, row * columns + east, inside) - tile.load(heights, row * columns + west, inside)) * scale
    dy = (tile.load(heights, south + column, inside) - tile.load(heights, north + column, inside)) * scale
    light = (dx * 0.5 + dy * 0.5 + 0.7071067811865476) / tile.sqrt(dx * dx + dy * dy + 1.0)
    tile.store(out, row * columns + column, tile.maximum(light, 0.0), inside)


def relief(
    rows: int,
    columns: int,
    scale: float,
    heights: native.const_ptr[float],
    lowest: native.ptr[float],
    highest: native.ptr[float],
    mean: native.ptr[float],
    variance: native.ptr[float],
    flat: native.ptr[float],
    shaded: native.ptr[float],
) -> None:
    tile.launch(row_stats, rows, columns, heights, lowest, highest, mean, variance)
    tile.launch(normalise, rows, columns, heights, mean, variance, flat)
    tile.launch(shade, rows, rows, columns, scale, heights, shaded)


def halving_sum(rows: np.ndarray) -> np.ndarray:
    """The sums of the rows of a (rows, columns) array, padded with zeros to `WIDTH`, in the language's order."""
    v = np.zeros((rows.shape[0], WIDTH))
    v[:, : rows.shape[1]] = rows
    n = WIDTH
    while n > 1:
        n //= 2
        v = v[:, :n] + v[:, n:]
    return v[:, 0]


def shade_in_numpy(h: np.ndarray, scale: float) -> np.ndarray:
    padded = np.pad(h, 1, mode="edge")
    dx = (padded[1:-1, 2:] - padded[1:-1, :-2]) * scale
    dy = (padded[2:, 1:-1] - padded[:-2, 1:-1]) * scale
    light = (dx * 0.5 + dy * 0.5 + 0.7071067811865476) / np.sqrt(dx * dx + dy * dy + 1.0)
    return np.where(light > 0.0, light, 0.0)


def draw(path: str, flat: np.ndarray, shaded: np.ndarray) -> None:
    """Writes the shaded relief beside the normalised one as a PNG."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(11, 4.8), layout="constrained")
    left.imshow(shaded, cmap="gray")
    left.set_title("shaded relief")
    image = right.imshow(flat, cmap="terrain")
    right.set_title("deviations from the row's mean")
    figure.colorbar(image, ax=right, shrink=0.8)
    figure.savefig(path, dpi=110)


def main(path: str) -> None:
    from matplotlib import cbook

    import terrain_ext

    heights = np.ascontiguousarray(cbook.get_sample_data("jacksboro_fault_dem.npz")["elevation"], dtype=np.float64)
    rows, columns = heights.shape
    scale = 1.0 / 60.0  # about 30 m a sample, slopes over two of them
    lowest, highest, mean, variance = (np.empty(rows) for _ in range(4))
    flat, shaded = np.empty_like(heights), np.empty_like(heights)
    terrain_ext.relief(rows, columns, scale, heights, lowest, highest, mean, variance, flat, shaded)

    expected_mean = halving_sum(heights) / columns
    off = heights - expected_mean[:, None]
    expected_variance = halving_sum(off * off) / columns
    checks = {
        "lowest": (lowest, heights.min(axis=1)),
        "highest": (highest, heights.max(axis=1)),
        "mean": (mean, expected_mean),
        "variance": (variance, expected_variance),
        "normalised": (flat, off / np.sqrt(expected_variance)[:, None]),
        "shaded": (shaded, shade_in_numpy(heights, scale)),
    }
    for name, (got, expected) in checks.items():
        same = np.array_equal(got.view(np.int64), expected.view(np.int64))
        print(f"{name:<11}{'equals NumPy bit for bit' if same else 'DIFFERS FROM NumPy'}")
        if not same:
            raise SystemExit(1)
    print(f"{rows} x {columns} heights from {lowest.min():.0f} to {highest.max():.0f} m")
    draw(path, flat, shaded)
    print(f"# ran on: {terrain_ext.__transpile__['target']}; drew {path}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "relief.png")

"""Row statistics and a shaded relief of a real elevation model, through a built extension.

    python -m transpile build examples/terrain.py -o examples
    python examples/terrain.py relief.png

The data is the elevation model of the land around Jacksboro, Tennessee, that matplotlib ships as sample data: 344 rows,
from north to south, of 403 heights in metres, 3 seconds of arc apart. Every result is compared with NumPy: elementwise
work bit for bit, sums with a halving sum.
"""

import sys

import numpy as np

from transpile import native, tile

WIDTH = 512  # lanes of a row's tile: the power of two above the model's 403 columns
METRES_PER_DEGREE = 111_200.0  # of latitude
STEEPER = 2.0  # what the shading takes slopes times, to be seen


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
    rows: int,
    columns: int,
    east_scale: float,
    south_scale: float,
    heights: native.const_ptr[float],
    out: native.ptr[float],
) -> None:
    """The cosine between the ground's normal and a light from the north-west, 45 degrees up.

    A scale makes a slope of the difference between the heights on both sides.
    """
    row = tile.program_id()
    column = tile.arange(WIDTH)
    inside = column < columns
    north = max(row - 1, 0) * columns
    south = min(row + 1, rows - 1) * columns
    west = tile.maximum(column - 1, 0)
    east = tile.minimum(column + 1, columns - 1)
    rise_east = tile.load(heights, row * columns + east, inside) - tile.load(heights, row * columns + west, inside)
    rise_south = tile.load(heights, south + column, inside) - tile.load(heights, north + column, inside)
    dx = rise_east * east_scale
    dy = rise_south * south_scale
    light = (dx * 0.5 + dy * 0.5 + 0.7071067811865476) / tile.sqrt(dx * dx + dy * dy + 1.0)
    tile.store(out, row * columns + column, tile.maximum(light, 0.0), inside)


def relief(
    rows: int,
    columns: int,
    east_scale: float,
    south_scale: float,
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
    tile.launch(shade, rows, rows, columns, east_scale, south_scale, heights, shaded)


def halving_sum(rows: np.ndarray) -> np.ndarray:
    """The sums of the rows of a (rows, columns) array, padded with zeros to `WIDTH`, in the language's order."""
    v = np.zeros((rows.shape[0], WIDTH))
    v[:, : rows.shape[1]] = rows
    n = WIDTH
    while n > 1:
        n //= 2
        v = v[:, :n] + v[:, n:]
    return v[:, 0]


def shade_in_numpy(h: np.ndarray, east_scale: float, south_scale: float) -> np.ndarray:
    padded = np.pad(h, 1, mode="edge")
    dx = (padded[1:-1, 2:] - padded[1:-1, :-2]) * east_scale
    dy = (padded[2:, 1:-1] - padded[:-2, 1:-1]) * south_scale
    light = (dx * 0.5 + dy * 0.5 + 0.7071067811865476) / np.sqrt(dx * dx + dy * dy + 1.0)
    return np.where(light > 0.0, light, 0.0)


def draw(path: str, size: tuple[float, float], flat: np.ndarray, shaded: np.ndarray) -> None:
    """Writes the shaded relief beside the normalised one as a PNG; `size` is what they show, in km east and north."""
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    figure, (left, right) = pyplot.subplots(1, 2, figsize=(10.5, 5.4), layout="constrained", sharey=True)
    extent = (0.0, size[0], 0.0, size[1])
    left.imshow(shaded, cmap="gray", vmin=0.0, vmax=1.0, extent=extent)
    left.set_title(f"shaded relief, light from the north-west, slopes x {STEEPER:g}")
    left.set_ylabel("km to the north")
    image = right.imshow(flat, cmap="terrain", extent=extent)
    right.set_title("height, normalised in each west-east row")
    for axes in (left, right):
        axes.set_xlabel("km to the east")
    figure.colorbar(image, ax=right, shrink=0.8, label="standard deviations above the row's mean")
    figure.savefig(path, dpi=110)


def main(path: str) -> None:
    import terrain_ext
    from matplotlib import cbook

    data = cbook.get_sample_data("jacksboro_fault_dem.npz")
    heights = np.ascontiguousarray(data["elevation"], dtype=np.float64)
    rows, columns = heights.shape
    south_step = METRES_PER_DEGREE * float(data["dy"])
    east_step = METRES_PER_DEGREE * float(data["dx"]) * float(np.cos(np.radians(data["ymin"])))
    scales = STEEPER / (2.0 * east_step), STEEPER / (2.0 * south_step)
    lowest, highest, mean, variance = (np.empty(rows) for _ in range(4))
    flat, shaded = np.empty_like(heights), np.empty_like(heights)
    terrain_ext.relief(rows, columns, *scales, heights, lowest, highest, mean, variance, flat, shaded)

    expected_mean = halving_sum(heights) / columns
    off = heights - expected_mean[:, None]
    expected_variance = halving_sum(off * off) / columns
    checks = {
        "lowest": (lowest, heights.min(axis=1)),
        "highest": (highest, heights.max(axis=1)),
        "mean": (mean, expected_mean),
        "variance": (variance, expected_variance),
        "normalised": (flat, off / np.sqrt(expected_variance)[:, None]),
        "shaded": (shaded, shade_in_numpy(heights, *scales)),
    }
    for name, (got, expected) in checks.items():
        same = np.array_equal(got.view(np.int64), expected.view(np.int64))
        print(f"{name:<11}{'equals NumPy bit for bit' if same else 'DIFFERS FROM NumPy'}")
        if not same:
            raise SystemExit(1)
    print(f"{rows} x {columns} heights from {lowest.min():.0f} to {highest.max():.0f} m")
    draw(path, (columns * east_step / 1000.0, rows * south_step / 1000.0), flat, shaded)
    print(f"# ran on: {terrain_ext.__transpile__['target']}; drew {path}")


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "relief.png")

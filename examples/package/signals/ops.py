"""The kernels of this package. They are compiled when the package is built: nothing here runs where it is installed."""

from transpile import native, tile


@tile.kernel
def smooth_block(n: int, weight: float, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    """Moves each element towards the mean of its neighbours; at an end the element is its own neighbour."""
    assert 0.0 <= weight <= 1.0, "the weight is a share"
    here = tile.program_id() * 256 + tile.arange(256)
    inside = here < n
    centre = tile.load(x, here, inside)
    left = tile.where(here > 0, tile.load(x, here - 1, inside & (here > 0)), centre)
    right = tile.where(here < n - 1, tile.load(x, here + 1, here < n - 1), centre)
    tile.store(y, here, centre + weight * ((left + right) * 0.5 - centre), inside)


@tile.kernel
def measure_block(n: int, x: native.const_ptr[float], energy: native.ptr[float], peak: native.ptr[float]) -> None:
    """The sum of the squares of 1,024 elements, and the largest of them."""
    block = tile.program_id()
    here = block * 1024 + tile.arange(1024)
    values = tile.load(x, here, here < n)
    tile.store(energy, block, tile.sum(values * values))
    tile.store(peak, block, tile.max(tile.where(here < n, values, float("-inf"))))


def smooth(n: int, weight: float, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    """y becomes x, smoothed."""
    tile.launch(smooth_block, (n + 255) // 256, n, weight, x, y)


def measure(n: int, x: native.const_ptr[float], energy: native.ptr[float], peak: native.ptr[float]) -> None:
    """Energy and peak of each 1,024 elements of x."""
    tile.launch(measure_block, (n + 1023) // 1024, n, x, energy, peak)

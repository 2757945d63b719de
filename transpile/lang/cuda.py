"""Thread kernels: what one thread of a launch does. Groups of 32 threads exchange values, on every target.

from transpile import cuda, native

@cuda.kernel
def saxpy(n: int, a: float, x: native.const_ptr[float], y: native.ptr[float]) -> None:
    i = cuda.global_id()
    if i < n:
        slot = native.offset(y, i)
        native.store(slot, a * native.load(native.offset(x, i)) + native.load(slot))

cuda.launch(saxpy, (n + 255) // 256, 256, n, 2.0, x, y)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final, ParamSpec, TypeVar, overload

from transpile.lang import launch as launches
from transpile.lang.allocate import device_array
from transpile.lang.dtype_names import dtype_named
from transpile.lang.kernel import DeviceFunction, Kernel
from transpile.lang.outside import intrinsic, outside_of_kernels

if TYPE_CHECKING:
    from transpile.lang.geometry import Sizes
    from transpile.lang.tiles import Pointer

_P = ParamSpec("_P")
_R = TypeVar("_R")
_T = TypeVar("_T")


@overload
def kernel(function: Callable[..., None], /) -> Kernel: ...
@overload
def kernel(*, alias: bool = False, fast_math: bool = False) -> Callable[[Callable[..., None]], Kernel]: ...
def kernel(
    function: Callable[..., None] | None = None, /, *, alias: bool = False, fast_math: bool = False
) -> Kernel | Callable[[Callable[..., None]], Kernel]:
    """Makes a thread kernel of a function whose parameters are all annotated and that returns None.

    `alias=True` lets its arrays overlap: loads and stores happen as written. `fast_math=True` gives up the promise of
    the same bits everywhere: a GPU fuses products with sums and takes its own functions of `f32`.
    """
    if function is not None:
        return Kernel(function, "thread", alias=alias, fast_math=fast_math)
    return lambda function: Kernel(function, "thread", alias=alias, fast_math=fast_math)


def device(function: Callable[_P, _R]) -> DeviceFunction[_P, _R]:
    """Makes a device function: typed scalars in and out, called from kernels of both kinds and from ordinary Python.

    On tiles it applies lane by lane.
    """
    return DeviceFunction(function)


def launch(kernel: Kernel, grid: Sizes, block: Sizes, *args: Any, stream: Any = None) -> None:
    """Runs `kernel` once for each thread of each block of `grid`; both are an int or a tuple of up to three.

    On a device it is queued on `stream` (an int, a stream of torch, CuPy or cuda.core), by itself on the current stream
    of whoever made the arrays.

    A 0 in the grid runs nothing. Raises CompileError for what is wrong with the kernel; TypeError, ValueError or
    OverflowError for a bad argument, grid or block, before anything runs; KernelFault for an access out of bounds, and
    for a barrier or shuffle that only some threads reach.
    """
    launches.launch(kernel, "thread", grid, block, args, stream)


def synchronize() -> None:
    """Waits until the current device has done all that was launched, of both kinds of kernel; in host memory all is
    done when a launch returns.

    Raises AssertionError where an assertion of a kernel has failed, RuntimeError where a kernel has faulted.
    """
    from transpile import live

    try:
        live.synchronize()
    except (AssertionError, RuntimeError) as error:
        raise error.with_traceback(None) from None


def compiled(kernel: Kernel) -> bool:
    """Whether compiled code ran at the last launch of `kernel` (or would run now, if it was never launched)."""
    return launches.ran(kernel, "thread") != "reference"


def target(kernel: Kernel) -> str:
    """The target that the last launch of `kernel` ran on (or would run on now, if it was never launched)."""
    return launches.ran(kernel, "thread")


# ---------------------------------------------------------------- where, how many


@intrinsic
def thread_id(axis: int = 0) -> int:
    """This thread's place in its block along `axis` (0 to 2)."""
    raise NotImplementedError


@intrinsic
def block_id(axis: int = 0) -> int:
    """This block's place in the grid along `axis` (0 to 2)."""
    raise NotImplementedError


@intrinsic
def block_dim(axis: int = 0) -> int:
    """Threads of a block along `axis` (0 to 2)."""
    raise NotImplementedError


@intrinsic
def grid_dim(axis: int = 0) -> int:
    """Blocks of the grid along `axis` (0 to 2)."""
    raise NotImplementedError


@intrinsic
def global_id(axis: int = 0) -> int:
    """This thread's place in the whole launch along `axis`: block_id * block_dim + thread_id."""
    raise NotImplementedError


# ---------------------------------------------------------------- memory


class _Shared:
    """`cuda.shared[T, N]()`: one array of N elements for each block; its contents are undefined at the start.

    `cuda.shared[T, ROWS, COLS]()` has rows, one behind another: `native.offset(array, row, column)` points into it.
    N is a constant or a `native.static[int]` parameter; for one array of a kernel it may be an `int` parameter, which
    the kernel never assigns to: then the launch says the size, from 0 to what a block of the device has.
    """

    def __getitem__(self, key: tuple[type[_T], int] | tuple[type[_T], int, int]) -> Callable[[], Pointer[_T]]:
        if not isinstance(key, tuple) or len(key) not in (2, 3):
            raise TypeError("cuda.shared wants a type and a size: cuda.shared[float, 64]()")
        dtype_named(key[0])

        def shared() -> Pointer[_T]:
            raise outside_of_kernels("cuda.shared")

        return shared

    def __repr__(self) -> str:
        return "cuda.shared"


class _DeviceAlloc:
    """`cuda.device_alloc[T](n)`: an array of n zeros on the device of the target; host memory for reference and CPU.

    `native.load` and `native.store` reach it through a copy in host memory, which follows at launches, and wait.
    """

    def __getitem__(self, dtype: type[_T]) -> Callable[[int], Pointer[_T]]:
        return device_array("cuda.device_alloc", dtype)

    def __repr__(self) -> str:
        return "cuda.device_alloc"


shared: Final = _Shared()
device_alloc: Final = _DeviceAlloc()


# ---------------------------------------------------------------- between threads


@intrinsic
def syncthreads() -> None:
    """Waits for every thread of the block; all of them must come here."""
    raise NotImplementedError


@intrinsic
def syncwarp() -> None:
    """Waits for every thread of the group of 32; all of them must come here."""
    raise NotImplementedError


@intrinsic
def shfl_xor(value: _T, mask: int) -> _T:
    """The `value` of the thread whose number in the group is this one's xor `mask`, modulo 32."""
    raise NotImplementedError


@intrinsic
def shfl(value: _T, lane: int) -> _T:
    """The `value` of thread `lane`, modulo 32, of the group."""
    raise NotImplementedError


@intrinsic
def shfl_up(value: _T, delta: int) -> _T:
    """The `value` of the thread `delta`, modulo 32, below this one in the group; its own where there is none."""
    raise NotImplementedError


@intrinsic
def shfl_down(value: _T, delta: int) -> _T:
    """The `value` of the thread `delta`, modulo 32, above this one in the group; its own where there is none."""
    raise NotImplementedError


# ---------------------------------------------------------------- atomics


@intrinsic
def atomic_add(ptr: Pointer[_T], value: _T) -> _T:
    """Adds `value` to the element as one access and gives what it was. The order of several is open."""
    raise NotImplementedError


@intrinsic
def atomic_max(ptr: Pointer[_T], value: _T) -> _T:
    """Leaves the larger of the element and `value` and gives what it was; any NaN gives NaN, +0 is above -0."""
    raise NotImplementedError


@intrinsic
def atomic_min(ptr: Pointer[_T], value: _T) -> _T:
    """Leaves the smaller of the element and `value` and gives what it was; any NaN gives NaN, +0 is above -0."""
    raise NotImplementedError


@intrinsic
def atomic_exch(ptr: Pointer[_T], value: _T) -> _T:
    """Leaves `value` in the place of the element and gives what it was."""
    raise NotImplementedError


@intrinsic
def atomic_cas(ptr: Pointer[_T], compare: _T, value: _T) -> _T:
    """Leaves `value` where the element has the bits of `compare`, and gives what it was."""
    raise NotImplementedError


@intrinsic
def atomic_and(ptr: Pointer[int], value: int) -> int:
    """Leaves the bits that the element and `value` both have and gives what it was."""
    raise NotImplementedError


@intrinsic
def atomic_or(ptr: Pointer[int], value: int) -> int:
    """Leaves the bits that the element or `value` has and gives what it was."""
    raise NotImplementedError


@intrinsic
def atomic_xor(ptr: Pointer[int], value: int) -> int:
    """Leaves the bits that one of the element and `value` has and gives what it was."""
    raise NotImplementedError

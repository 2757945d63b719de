"""Arrays on a device as ordinary Python sees them: through a copy in host memory, which is brought up to date when it
is looked at. Each copy moves the whole array, and waits.
"""

from __future__ import annotations

from typing import Any, Protocol

from transpile.dtypes import DType
from transpile.lang.pointers import Array, HostPointer, Memory, zeros


class DeviceArray(Protocol):
    """What the engine allocates."""

    def __len__(self) -> int: ...

    def copy_in(self, buffer: object, /) -> None: ...

    def copy_out(self, buffer: object, /) -> None: ...

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]: ...

    def __dlpack__(self, **_: Any) -> object: ...

    def __dlpack_device__(self) -> tuple[int, int]: ...


class Mirror:
    """One array on a device, and its copy here. At most one of the two is newer than the other."""

    __slots__ = ("_array", "_dtype", "_host", "_is_ahead", "_is_behind", "_is_shared")

    def __init__(self, array: DeviceArray, dtype: DType) -> None:
        self._array = array
        self._dtype = dtype
        self._host: Memory | None = None  # made when it is first looked at
        self._is_ahead = False  # the copy here is newer
        self._is_behind = True
        self._is_shared = False  # others have the address, and may write at any time

    @property
    def count(self) -> int:
        return len(self._array)

    def read(self) -> Memory:
        """The copy here, as the device has it."""
        if self._host is None:
            self._host = zeros(len(self._array), self._dtype)
        if self._is_behind or (self._is_shared and not self._is_ahead):
            self._array.copy_out(self._host)
            self._is_behind = False
        return self._host

    def write(self) -> Memory:
        """The copy here, which the device gets before it is used there again."""
        host = self.read()
        self._is_ahead = True
        return host

    def use(self) -> DeviceArray:
        """The array on the device, for a kernel that may write it."""
        if self._is_ahead:
            self._array.copy_in(self._host)
            self._is_ahead = False
        self._is_behind = True
        return self._array

    def share(self) -> DeviceArray:
        """The array on the device, for good."""
        self._is_shared = True
        return self.use()


class DevicePointer(HostPointer):
    """A place in an array on a device. Other packages take it in place, by `__cuda_array_interface__` or DLPack.

    `numpy.asarray(pointer)` is a copy of the rest of the array from there, not to be written.
    """

    __slots__ = ("_mirror",)

    def __init__(self, mirror: Mirror, dtype: DType, offset: int = 0) -> None:
        self._mirror = mirror
        self._dtype = dtype
        self._offset = offset

    @property
    def __transpile_pointer__(self) -> tuple[object, int]:
        return self._mirror.use(), self._offset

    @property
    def __cuda_array_interface__(self) -> dict[str, Any]:
        whole = self._mirror.share().__cuda_array_interface__
        address, is_read_only = whole["data"]
        moved = address + self._inside() * self._dtype.bytes
        return {**whole, "shape": (len(self),), "data": (moved, is_read_only)}

    def __dlpack__(self, **options: Any) -> object:
        if self._offset != 0:
            raise BufferError("DLPack passes whole arrays, and this pointer does not point to the beginning of its own")
        return self._mirror.share().__dlpack__(**options)

    def __dlpack_device__(self) -> tuple[int, int]:
        return self._mirror.share().__dlpack_device__()

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Array:
        if copy is False:
            raise ValueError("the array is on a device: without a copy NumPy cannot have it")
        found = super().__array__(dtype, copy=True)
        found.flags.writeable = copy is True
        return found

    def _count(self) -> int:
        return self._mirror.count

    def _read(self) -> Memory:
        return self._mirror.read()

    def _write(self) -> Memory:
        return self._mirror.write()

    def _at(self, offset: int) -> HostPointer:
        return DevicePointer(self._mirror, self._dtype, offset)

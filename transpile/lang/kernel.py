"""What the decorators make of a function: an object that holds it and its typed programs, and never runs its body."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, NoReturn, ParamSpec, TypeVar, cast

from transpile.diagnostics.raised import CompileError
from transpile.lang.captured import Snapshot, Watch, fingerprint, reached

if TYPE_CHECKING:
    from transpile.ir import hir, tir
    from transpile.typing.program import Instance

_P = ParamSpec("_P")
_R = TypeVar("_R")
_KEPT: Final = 64  # typed programs of one function: captured values and static parameters may change again and again


@dataclass(frozen=True, slots=True)
class TypedProgram:
    """One kernel or device function with what it calls, for one state of what it captures and its instance."""

    loaded: hir.Module
    module: tir.Module
    function: tir.Function


class Decorated:
    """A function that only its typed program runs; `function` is what was decorated."""

    def __init__(self, function: Callable[..., Any], word: str) -> None:
        if not isinstance(function, FunctionType):
            raise TypeError(f"{word} decorates a function, not {type(function).__name__}")
        functools.update_wrapper(cast("Any", self), function)
        self.function: FunctionType = function
        self._watch: Watch | None = None
        self._loaded: dict[Snapshot, hir.Module] = {}
        self._typed: dict[tuple[Snapshot, Instance], TypedProgram] = {}

    @property
    def name(self) -> str:
        return self.function.__name__

    def captured(self) -> Snapshot:
        """What is captured now; the same object while nothing changes."""
        if self._watch is None or not self._watch.holds():
            self._watch = Watch(self.function, _function_of)
        return self._watch.snapshot

    def fingerprint(self) -> str:
        """What is captured now and the code, in words that another process has too."""
        return fingerprint(self.function, _function_of)

    def files(self) -> tuple[str, ...]:
        """The files that the function and every device function that it may call stand in."""
        return tuple(dict.fromkeys(each.__code__.co_filename for each in reached(self.function, _function_of)))

    def program(self, arguments: Sequence[object]) -> TypedProgram:
        """The typed program for the values that are captured now, and the instance that the arguments choose.

        Checked once for each. Raises CompileError.
        """
        captured = self.captured()
        loaded = self._loaded.get(captured)
        if loaded is None:
            from transpile import live

            loaded = _keep(self._loaded, captured, live.load(self.function))
        function = loaded.functions[-1]
        from transpile.lang.arguments import instance_values  # not of a launch that finds its kernel compiled

        instance = instance_values(function, arguments)
        typed = self._typed.get((captured, instance))
        if typed is None:
            from transpile import live

            module = live.check(loaded, {function.key: [instance]} if instance else {})
            typed = TypedProgram(loaded, module, module.functions[-1])
            _keep(self._typed, (captured, instance), typed)
        return typed


class Kernel(Decorated):
    """A kernel, to be launched. Calling or subscripting it raises TypeError."""

    def __init__(
        self, function: Callable[..., Any], kind: Literal["tile", "thread"], *, alias: bool, fast_math: bool
    ) -> None:
        super().__init__(function, f"@{_dialect(kind)}.kernel")
        self.kind: Final = kind
        self.alias = alias
        self.fast_math = fast_math
        self.ran: str | None = None
        self.launches: dict[str, Callable[..., None]] = {}  # by target, what compiles it for that and launches it
        self.compiled: dict[object, Any] = {}  # what `transpile.build` keeps of it

    def __call__(self, *_: object, **__: object) -> NoReturn:
        raise TypeError(f"{self.name} is a {self.kind} kernel and cannot be called; {self._how}")

    def __getitem__(self, _: object) -> NoReturn:
        raise TypeError(f"{self.name}[…] is for kernels of a built module; {self._how}")

    @property
    def _how(self) -> str:
        shape = "grid" if self.kind == "tile" else "grid, block"
        return f"launch it: {_dialect(self.kind)}.launch({self.name}, {shape}, …)"

    def __repr__(self) -> str:
        return f"<{self.kind} kernel {self.name}>"


class DeviceFunction(Decorated, Generic[_P, _R]):
    """A device function. Kernels call it, and so may ordinary Python: with numbers, for a number."""

    def __init__(self, function: Callable[_P, _R]) -> None:
        super().__init__(function, "@cuda.device")

    def __call__(self, *args: _P.args, **kwargs: _P.kwargs) -> _R:
        from transpile.lang.arguments import check_arguments
        from transpile.reference.interpreter import call_device  # NumPy is only paid for by what runs
        from transpile.reference.pointer import PointerValue

        try:
            given = _positional(self.function, args, kwargs)
            typed = self.program(given)
            values = check_arguments(typed.function, given)
            assert not any(isinstance(value, PointerValue) for value in values)
            return cast("_R", call_device(typed.module, typed.function.key, values))
        except (CompileError, AssertionError, TypeError, OverflowError) as error:
            raise error.with_traceback(None) from None

    def __repr__(self) -> str:
        return f"<device function {self.name}>"


def _positional(function: FunctionType, args: tuple[object, ...], kwargs: dict[str, Any]) -> list[object]:
    """The arguments in the order of the parameters."""
    names = function.__code__.co_varnames[: function.__code__.co_argcount]
    given = list(args)
    for name in names[len(args) :]:
        if name not in kwargs:
            raise TypeError(f"{function.__name__}: argument '{name}' is missing")
        given.append(kwargs[name])
    for name in kwargs:
        if name not in names:
            raise TypeError(f"{function.__name__}: has no parameter '{name}'")
        if name in names[: len(args)]:
            raise TypeError(f"{function.__name__}: argument '{name}' is given twice")
    return given


def _function_of(value: object) -> FunctionType | None:
    return value.function if isinstance(value, DeviceFunction) else None


_K = TypeVar("_K")
_V = TypeVar("_V")


def _keep(held: dict[_K, _V], key: _K, value: _V) -> _V:
    if len(held) >= _KEPT:
        held.pop(next(iter(held)), None)
    held[key] = value
    return value


def _dialect(kind: Literal["tile", "thread"]) -> str:
    return "tile" if kind == "tile" else "cuda"

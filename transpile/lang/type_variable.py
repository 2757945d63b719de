"""`native.TypeVar`: an element type that each instance of a generic kernel chooses."""

from __future__ import annotations

from transpile.lang.dtype_names import dtype_named


class TypeVar:
    """`T = native.TypeVar("T", native.f16, native.f32)`: in a kernel's annotations and casts, one of these types.

    A kernel with pointers to T is compiled once for each type; a launch takes the one of its arrays. Raises TypeError
    for a name that is no text and for what is no element type, ValueError where a type is given twice or none is.
    """

    def __init__(self, name: str, *types: object) -> None:
        if not isinstance(name, str):
            raise TypeError(f"native.TypeVar wants its name in quotes first, not {type(name).__name__}")
        rows = tuple(dtype_named(each) for each in types)
        if not rows:
            raise ValueError(f"native.TypeVar('{name}') wants the types that it stands for: native.f16, native.f32")
        for row in rows:
            if rows.count(row) > 1:
                raise ValueError(f"native.TypeVar('{name}'): {row.name} is given twice")
        self.__name__ = name
        self.dtypes = tuple(row.name for row in rows)
        self.__qualname__ = repr(self)  # by which a kernel that was compiled is known again

    def __repr__(self) -> str:
        return f"native.TypeVar('{self.__name__}', {', '.join(self.dtypes)})"

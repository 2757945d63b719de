"""Which values are those of a type for storage, widened: made narrow and wide again they are what they were."""

from __future__ import annotations

from typing import Final

from transpile.dtypes import DType
from transpile.ir import tir
from transpile.ir.tir import Value

_CHOOSING: Final = frozenset({"max", "min", "nanmax", "nanmin"})  # folds that give one of the lanes


class Storage:
    """Follows the casts of one function, in order."""

    def __init__(self) -> None:
        self._narrow: dict[int, DType] = {}  # of a wide value, the type of which it has a number
        self._wide: dict[int, Value] = {}  # of a narrow value, the wide one that it was made of without loss

    def same(self, op: tir.Op) -> Value | None:
        """The value that `op` gives anew, if there is one already."""
        match op:
            case tir.Cast():
                return self._cast(op)
            case tir.Broadcast() | tir.Reduce() if op.operand.id in self._narrow:
                if isinstance(op, tir.Broadcast) or op.op in _CHOOSING:
                    self._narrow[op.result.id] = self._narrow[op.operand.id]
            case _:
                pass
        return None

    def _cast(self, op: tir.Cast) -> Value | None:
        source, to = op.operand.type.dtype, op.result.type.dtype
        stops_short = source.saturates and not source.is_finite  # made narrow again an infinity is the largest number
        # Of a generic kernel both types may be one, where other instances make it narrow here or wide.
        if self._narrow.get(op.operand.id) is to:
            self._wide[op.result.id] = op.operand
        elif source.computing is to and not stops_short:
            self._narrow[op.result.id] = source
            return self._wide.get(op.operand.id)
        return None

"""Threads that meet: shuffles in groups of 32, barriers and folds in the block."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.lowering_kir.values import Run, WrongError, fold, scan
from transpile.ir import kir

GROUP = 32


def schedule(threads: list[Run]) -> None:
    waiting: dict[int, tuple[Any, ...]] = {}

    def resume(number: int, value: Any = None) -> None:
        try:
            waiting[number] = threads[number].send(value)
        except StopIteration:
            waiting.pop(number, None)

    for number in range(len(threads)):
        resume(number)
    while waiting:
        if not any(_meet_group(waiting, group, len(threads), resume) for group in range(0, len(threads), GROUP)):
            _meet_block(waiting, len(threads), resume)


def _meet_group(waiting: dict[int, tuple[Any, ...]], start: int, count: int, resume: Callable[..., None]) -> bool:
    members = range(start, min(start + GROUP, count))
    asked = [waiting.get(member) for member in members]
    requests = [request for request in asked if request is not None]
    if len(requests) != len(asked) or any(request[0] not in ("shuffle", "warp") for request in requests):
        return False
    kinds = {request[:2] for request in requests}
    if len(kinds) > 1:
        raise WrongError(f"threads of a group meet at different exchanges: {kinds}")
    for lane, member in enumerate(members):
        if requests[lane][0] == "warp":
            resume(member)
            continue
        _, kind, _, amount = requests[lane]
        source = {"xor": lane ^ (amount % GROUP), "idx": amount % GROUP}.get(kind)
        if source is None:
            source = lane - amount % GROUP if kind == "up" else lane + amount % GROUP
        source = source if 0 <= source < GROUP else lane
        resume(member, requests[source][2])
    return True


def _meet_block(waiting: dict[int, tuple[Any, ...]], count: int, resume: Callable[..., None]) -> None:
    if len(waiting) != count or len({request[0] for request in waiting.values()}) != 1:
        raise WrongError(
            f"not all threads reach an exchange: {len(waiting)} of {count}, {set(map(str, waiting.values()))}"
        )
    requests = [waiting[number] for number in range(count)]
    values: list[Any] = [None] * count
    match requests[0]:
        case ("fold", kir.Fold() as node, _):
            values = [fold(node, [request[2] for request in requests])] * count
        case ("scan", kir.Scan() as node, _):
            values = scan(node, [request[2] for request in requests])
        case ("share", _):
            values = [requests[0][1]] * count
        case ("block",):
            pass
        case request:
            raise WrongError(f"{request} is no exchange of the block")
    for number in range(count):
        resume(number, values[number])

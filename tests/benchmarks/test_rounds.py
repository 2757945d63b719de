"""The device benchmarks' rounds, goals and tables, with contestants that need no device."""

from __future__ import annotations

import pytest

from benchmarks.devices_rounds import Contestant, Series, Table, from_json, markdown, optional, race, to_json


def made(**times: tuple[float, ...]) -> Table:
    return Table("saxpy", "us", "C", [Series(name, rounds) for name, rounds in times.items()])


def test_rounds_are_interleaved_in_changing_orders() -> None:
    ran: list[str] = []
    table = made()
    race(table, [Contestant(name, lambda name=name: ran.append(name)) for name in "abc"], 20, rest=0.0)
    rounds = [tuple(ran[at : at + 3]) for at in range(3, len(ran), 3)]  # the first three are the untimed calls
    assert len(rounds) == 20
    assert all(sorted(each) == ["a", "b", "c"] for each in rounds)
    assert len(set(rounds)) > 3
    assert [len(each.rounds) for each in table.series] == [20, 20, 20]


def test_a_contestant_may_time_itself_and_counts_by_unit() -> None:
    table = made()
    race(table, [Contestant("own clock", lambda: 3.0, units=2), Contestant("ours", lambda: object())], 5, rest=0.0)
    own, ours = table.series
    assert own.rounds == (1.5,) * 5
    assert 0.0 < ours.median < 0.1


def test_what_fails_is_named_and_left_out() -> None:
    def wrong() -> None:
        raise ValueError("first line\nwrong | result")

    def missing() -> list[Contestant]:
        raise ModuleNotFoundError("No module named 'peer'")

    table = made()
    assert optional(table, "peer", missing) == []
    race(table, [Contestant("a", lambda: None, check=wrong), Contestant("b", lambda: None)], 2, rest=0.0)
    assert [each.name for each in table.series] == ["b"]
    assert table.notes == [
        "peer: not measured: ModuleNotFoundError: No module named 'peer'",
        "a: not measured: ValueError: wrong / result",
    ]


def test_goals_take_medians_or_best_rounds() -> None:
    table = made(C=(2.0, 1.0, 4.0), ours=(3.0, 1.5, 2.5), peer=(8.0, 6.0, 5.0), other=(9.0, 9.0, 9.0))
    table.compare("against C", "ours", "C", 1.2)
    table.compare("best round against C", "ours", "C", 1.4, by="best")
    table.compare("peers are slower", "ours", ["peer", "other", "absent"], 2.5, slower=True)
    table.compare("against nobody", "ours", "absent", 1.0)
    table.limit("weight", 299.0, 300.0, "KB")
    assert [(goal.seen, goal.is_met) for goal in table.goals] == [
        (pytest.approx(1.25), False),
        (pytest.approx(1.5), False),
        (pytest.approx(2.4), False),
        (299.0, True),
    ]
    assert table.notes == ["not decided: against nobody (absent was not measured)"]
    table.compare("within", "ours", "C", 1.25)
    table.compare("slow enough", "ours", "peer", 2.4, slower=True)
    assert [goal.is_met for goal in table.goals[-2:]] == [True, True]


def test_tables_travel_as_json_and_print_as_markdown() -> None:
    table = made(C=(2e-6, 1e-6, 4e-6), ours=(3e-6, 1e-6, 5e-6))
    table.compare("against C", "ours", "C", 1.3)
    (again,) = from_json(to_json([table]))
    assert again == table
    assert markdown(again).splitlines() == [
        "### saxpy",
        "",
        "| | median, us | best, us | worst, us | median / C | best / C |",
        "| --- | --- | --- | --- | --- | --- |",
        "| C | 2 | 1 | 4 | 1.000 | 1.000 |",
        "| ours | 3 | 1 | 5 | 1.500 | 1.000 |",
        "",
        "- against C: **1.5 x**, goal at most 1.3 x: MISSED",
    ]

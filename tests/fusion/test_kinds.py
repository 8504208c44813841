"""Open or closed values are told apart."""

import pytest

from howsure.fusion.closed_values import MOST_CELLS
from howsure.fusion.kinds import VoteCounts, choose_kind, decide_kind
from howsure.fusion.votes import read_votes


def table(items: int, values: list[object]) -> list[tuple[int, str, object]]:
    return [
        (item, source, values[(item + len(source)) % len(values)]) for item in range(items) for source in ("a", "bb")
    ]


@pytest.mark.parametrize(
    ("rows", "kind", "reason"),
    [
        (table(40, ["yes", "no"]), "closed", "2 values for 40 items"),
        (table(40, [0, 1, 2]), "closed", "3 values"),
        (table(10, ["yes", "no"]), "closed", "each value is given for 10 items"),
        (table(9, ["yes", "no"]), "open", "own candidates"),
        (table(40, list(range(40))), "open", "own candidates"),
        (table(400, list(range(60))), "open", "own candidates"),
        (table(40, ["yes"]), "open", "nothing contradicts"),
        (table(40, ["A", "B", "C"]), "open", "letters of options"),
        (table(40, ["A", "B"]), "closed", "2 values"),
    ],
)
def test_auto_decides_and_says_why(rows: list[tuple[int, str, object]], kind: str, reason: str) -> None:
    chosen, why = choose_kind(read_votes(rows))
    assert chosen == kind
    assert reason in why


def test_a_kind_can_be_asked_for() -> None:
    assert choose_kind(read_votes(table(4, ["yes", "no"])), "closed")[0] == "closed"
    assert choose_kind(read_votes(table(40, ["yes", "no"])), "open")[0] == "open"


def test_closed_values_that_would_take_too_large_tables_are_open() -> None:
    sources = MOST_CELLS // 4
    assert decide_kind(VoteCounts(10, sources, 2, (), 0.0), "closed")[0] == "closed"
    assert decide_kind(VoteCounts(10, sources + 1, 2, (), 0.0), "closed")[0] == "open"

"""Sums of decisions by day, agent and time."""

import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st

from howsure.errors import InputError
from howsure.shapes import DAY
from howsure.shapes.encode import encode
from howsure.store.backends.database import Transaction
from howsure.store.ledger_tables import decision_statistics
from howsure.store.ledger_tables import decisions as decision_table
from howsure.store.ledger_tables.decision_statistics import calibration_bins, count_deferrals, count_shadow, sums_by_day
from howsure.store.ledger_tables.decisions import OUTCOMES, DecisionFilter, Outcome
from howsure.store.ledger_tables.history_window import WindowCounts, count_window
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import NOW, Clock

HOUR = 3600.0


def decide(sure: Sure, at: float, *, good: bool = True, agent: str = "a", **about: Any) -> str:
    """Have an answer judged, and return the id of the record."""
    score = 1.0 if good else 0.1
    return sure.responses.check(agent=agent, knowledge=score, code=score, history=score, now=at, **about).id


def plain(rows: list[tuple[float, bool, str | None]], since: float, until: float) -> WindowCounts:
    """Count by hand."""
    inside = [row for row in rows if since <= row[0] <= until]
    known = [outcome for _, _, outcome in inside if outcome]
    return WindowCounts(sum(met for _, met, _ in inside), len(inside), known.count("right"), len(known))


moments = st.integers(-8 * 24 * 4, 8).map(lambda quarter: NOW + quarter * 900.0)


decisions = st.lists(st.tuples(moments, st.booleans(), st.sampled_from([None, None, "right", "wrong", "corrected"])))


@hypothesis_settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    rows=decisions,
    length=st.sampled_from([0.0, 900.0, HOUR, 5400.0, DAY, 7 * DAY, 7 * DAY + 1]),
    shift=st.integers(-9, 9),
)
def test_the_history_of_an_agent_is_counted_correctly(
    rows: Any, length: float, shift: int, tmp_path_factory: Any
) -> None:
    address = str(tmp_path_factory.mktemp("ledger") / "store.db")
    with open_store(address, clock=lambda: NOW) as sure:
        for at, good, outcome in rows:
            one = decide(sure, at, good=good)
            if outcome:
                sure.ledger.outcome(one, "wrong")
                sure.ledger.outcome(one, outcome)
        decide(sure, NOW, agent="another")
        until = NOW + shift * 450.0
        with sure.session.database.read() as transaction:
            found = count_window(transaction, "a", "response", until - length, until)
        assert found == plain(rows, until - length, until)
        stats = sure.ledger.stats(agent="a", since=until - length, until=until)
        assert (stats.all.met, stats.all.total, stats.all.right, stats.all.outcomes) == tuple(found)
        assert sum(day.total for day in stats.days) == found.total


def test_the_history_of_an_agent_is_the_same_on_both_stores(sure: Sure) -> None:
    chance = random.Random(5)
    rows: list[tuple[float, bool, str | None]] = []
    for _ in range(300):
        at, good = NOW - chance.random() * 3 * DAY, chance.random() < 0.7
        outcome: Outcome | None = chance.choice([None, *OUTCOMES])
        one = decide(sure, at, good=good)
        if outcome:
            sure.ledger.outcome(one, outcome)
        rows.append((at, good, outcome))
    for _ in range(60):
        since = NOW - chance.random() * 3 * DAY
        until = since + chance.random() * 2 * DAY
        with sure.session.database.read() as transaction:
            assert count_window(transaction, "a", "response", since, until) == plain(rows, since, until)
    stats = sure.ledger.stats(since=NOW - 3 * DAY, until=NOW, by="agent")
    assert (stats.all.total, stats.groups[0].name, stats.groups[0].threshold) == (300, "a", 0.8)
    known = [(1.0 if good else 0.1, float(outcome == "right")) for _, good, outcome in rows if outcome]
    assert stats.calibration.outcomes == len(known)
    assert stats.calibration.brier == pytest.approx(sum((s - r) ** 2 for s, r in known) / len(known))
    apart = sum(abs(sum(s - r for s, r in known if s == score)) for score in (1.0, 0.1)) / len(known)
    assert stats.calibration.expected_error == pytest.approx(apart)


def test_statistics_can_be_grouped(sure: Sure, clock: Clock) -> None:
    decide(sure, NOW - 60, agent="a", agent_type="planner", project="web", task_id="t1")
    decide(sure, NOW - 50, agent="a", agent_type="planner", project="api", task_id="t2", good=False)
    decide(sure, NOW - 40, agent="b", agent_type="clerk", project="web", task_id="t1")
    sure.responses.check("Certainly.", agent="b", agent_type="clerk", history=1.0, certainty=1.0, now=NOW - 30)
    for by, expected in {
        "agent": {"a": (2, 1, 1, 0), "b": (2, 2, 0, 1)},
        "agent_type": {"planner": (2, 1, 1, 0), "clerk": (2, 2, 0, 1)},
        "project": {"web": (2, 2, 0, 0), "api": (1, 0, 1, 0), "": (1, 1, 0, 1)},
        "task_id": {"t1": (2, 2, 0, 0), "t2": (1, 0, 1, 0), "": (1, 1, 0, 1)},
    }.items():
        for hours in (0.5, 24):
            group_by: Any = by
            stats = sure.ledger.stats(since=NOW - hours * HOUR, by=group_by)
            assert {g.name: (g.total, g.met, g.blocked, g.reviewed) for g in stats.groups} == expected
    assert sure.ledger.stats(task_id="t1").all.total == 2
    assert sure.ledger.stats(agent="nobody").all.success_rate is None
    assert {g.name: g.threshold for g in sure.ledger.stats(by="agent").groups} == {"a": 0.75, "b": 0.70}
    assert {g.name: g.threshold for g in sure.ledger.stats(by="project").groups} == {"web": None, "api": 0.75, "": 0.70}
    assert {g.threshold for g in sure.ledger.stats(by="task_id").groups} == {None}
    needed = [sure.ledger.stats(agent=agent).all.threshold for agent in (None, "a", "nobody")]
    assert needed == [None, 0.75, 0.80]
    assert sure.ledger.stats(model="document").all.threshold is None
    with pytest.raises(InputError, match="by: cannot group by 'agnet'.*did you mean agent"):
        sure.ledger.stats(by="agnet")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="agnet"):
        sure.ledger.stats(agnet="x")  # type: ignore[call-arg]


def test_statistics_take_a_ledger_that_is_empty(sure: Sure) -> None:
    found = sure.ledger.stats()
    assert (found.all.total, found.days, found.calibration.brier) == (0, (), None)
    assert encode(found)["calibration"]["bins"] == []


WANTED = DecisionFilter(agent="a", model="response", since=0.0, until=NOW * 2)


@pytest.mark.parametrize(
    ("read", "index"),
    [
        (lambda tx: decision_table.find(tx, WANTED._replace(decision="block"), 5), "decisions_stopped_by_agent"),
        (lambda tx: decision_table.find(tx, WANTED._replace(decision="block", agent=None), 5), "decisions_stopped"),
        (
            lambda tx: decision_table.find(tx, DecisionFilter(model="response", with_outcome=False), 5),
            "decisions_by_time",
        ),
        (lambda tx: count_shadow(tx, WANTED), "decisions_in_shadow"),
        (lambda tx: count_deferrals(tx, WANTED), "decisions_deferred"),
        (
            lambda tx: sums_by_day(tx, WANTED._replace(agent=None, since=NOW + 1, until=NOW + 60), "agent"),
            "decisions_by_time",
        ),
    ],
)
def test_few_decisions_are_found_by_an_index_that_holds_little_else(
    read: Callable[[Transaction], object], index: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_store(str(tmp_path / "s.db")) as sure, sure.session.database.read() as transaction:
        rows = type(transaction).rows
        plans: list[str] = []

        def watch(self: Transaction, sql: str, parameters: Any = ()) -> list[Any]:
            plans.extend(step[3] for step in rows(self, f"EXPLAIN QUERY PLAN {sql}", parameters))
            return rows(self, sql, parameters)

        monkeypatch.setattr(type(transaction), "rows", watch)
        read(transaction)
    assert any(f"SEARCH d USING INDEX {index} (" in step for step in plans), plans


def test_calibration_is_the_same_from_outcomes_and_from_decisions(sure: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(12):
        decision = sure.responses.check(f"Test {number} passed.", agent="ab"[number % 2], knowledge=number / 12).id
        if number % 3:
            sure.ledger.outcome(decision, "right" if number % 4 else "wrong")
    found = []
    for few in (True, False) if sure.session.database.dialect.name == "sqlite" else (False, False):
        monkeypatch.setattr(decision_statistics, "_has_few_outcomes", lambda *_, few=few: few)
        with sure.session.database.read() as transaction:
            found += [
                calibration_bins(transaction, wanted, 10) for wanted in (DecisionFilter(), DecisionFilter(agent="a"))
            ]
    assert found[:2] == found[2:]
    assert [sum(one.outcomes for one in bins) for bins in found[:2]] == [8, 4]

"""Decisions are found by what names them, and delays are medians."""

import random
import time
from statistics import median

import pytest

from howsure.shapes import DAY
from howsure.store.check import check
from howsure.store.ledger_tables.decisions import OUTCOMES, DecisionFilter, OutcomeSource
from howsure.store.ledger_tables.outcomes import find_decisions, outcomes_by_source
from howsure.sure import Sure
from tests.conftest import NOW


def decide(sure: Sure, at: float, **about: str) -> str:
    return sure.responses.check("It works.", knowledge=0.9, now=at, **about).id  # type: ignore[arg-type]


def test_a_trace_means_the_latest_decision_of_each_agent_and_model(sure: Sure) -> None:
    decide(sure, NOW - 40, agent="ann", trace_id="t", task_id="x")
    second = decide(sure, NOW - 30, agent="ann", trace_id="t", task_id="y")
    third = decide(sure, NOW - 20, agent="bob", trace_id="t")
    case = {"results": [{"confidence": 0.9, "content": "yes"}]}
    other = sure.models.record("overall", case, agent="ann", trace_id="t", now=NOW - 15).id
    late = decide(sure, NOW - 10, agent="ann", trace_id="t")
    decide(sure, NOW - 5, agent="ann", trace_id="another")

    def found(until: float, **about: str | None) -> list[str]:
        names = {"id_": None, "task_id": None, "trace_id": None} | about
        with sure.session.database.read() as transaction:
            return [one.id for one in find_decisions(transaction, **names, until=until)]

    assert found(NOW, trace_id="t") == [third, other, late]
    assert found(NOW - 12, trace_id="t") == [second, third, other]
    assert found(NOW, trace_id="t", task_id="y") == [second]
    assert found(NOW, task_id="y") == [second]
    assert found(NOW - 100, id_=late) == [late]
    assert found(NOW - 100, trace_id="t") == found(NOW, trace_id="nothing") == []


def test_delays_are_medians_of_the_outcomes_that_count(sure: Sure) -> None:
    chance = random.Random(7)
    kinds: tuple[OutcomeSource, ...] = ("person", "ci", "commit", "thumbs", "file")
    expected: dict[str, list[tuple[float, bool]]] = {}
    for _ in range(60):
        at = NOW - chance.random() * 5 * DAY
        one = decide(sure, at, agent="ann")
        said = []
        for _ in range(chance.randrange(4)):
            delay = chance.random() * 4 * 3600.0
            source, outcome = chance.choice(kinds), chance.choice(OUTCOMES)
            sure.ledger.outcome(one, outcome, source=source, at=at + delay, now=NOW + DAY)
            said.append((at + delay, source, outcome))
        if said:
            known_at, source, outcome = max(said, key=lambda item: item[0])
            expected.setdefault(source, []).append((known_at - at, outcome == "right"))
            decision = sure.ledger.get(one)
            assert (decision.outcome, decision.outcome_source, decision.outcome_at) == (outcome, source, known_at)
    wanted = DecisionFilter(agent="ann")
    with sure.session.database.read() as transaction:
        by_source = outcomes_by_source(transaction, wanted, together=False)
        (together,) = outcomes_by_source(transaction, wanted, together=True)
    for row in by_source:
        delays = [delay for delay, _ in expected[row.source]]
        rights = sum(right for _, right in expected[row.source])
        assert row[:3] == (row.source, len(delays), rights)
        assert row.median_delay == pytest.approx(median(delays))
    assert {row.source for row in by_source} == set(expected)
    everything = [delay for own in expected.values() for delay, _ in own]
    assert together.outcomes == len(everything)
    assert together.median_delay == pytest.approx(median(everything))
    stats = sure.ledger.stats(since=NOW - 6 * DAY, until=NOW)
    assert stats.median_delay == pytest.approx(median(everything))
    assert sum(row.outcomes for row in stats.outcome_sources) == stats.calibration.outcomes == len(everything)
    assert check(sure.session) == []


def test_without_outcomes_there_is_no_delay(sure: Sure) -> None:
    decide(sure, NOW, agent="ann")
    stats = sure.ledger.stats()
    assert (stats.median_delay, stats.outcome_sources) == (None, ())


def test_many_reports_of_an_agent_about_one_decision_do_not_slow_down_reading(sure: Sure) -> None:
    one = decide(sure, NOW, agent="ann")
    sure.ledger.outcome(one, "wrong", now=NOW)
    with sure.session.write() as transaction:
        (key,) = transaction.rows("SELECT key FROM decisions WHERE id = ?", [one])[0]
        rows = [(key, NOW + number, "right", "ann", "agent") for number in range(5000)]
        transaction.load("outcomes", "decision, at, outcome, actor, source", rows)
    start = time.perf_counter()
    assert [found.outcome for found in sure.ledger.find().decisions] == ["wrong"]
    assert time.perf_counter() - start < 1.0, "5 s if each report looks through all of them"

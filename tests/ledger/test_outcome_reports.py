"""Reports of outcomes: words, times, and which report counts."""

from typing import Any

import pytest

from howsure.errors import InputError, NotFoundError
from howsure.ledger.outcome_reports import read_moment, read_outcome
from howsure.store.check import check
from howsure.sure import Sure
from tests.conftest import NOW, Clock


def decide(sure: Sure, **about: str) -> str:
    return sure.responses.check("It works.", agent="ann", knowledge=0.9, **about).id  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("words", "outcome"),
    [
        (("right", " Right ", True, 1, 1.0, "1", "true", "TRUE", "up", "👍", "yes", "passed"), "right"),
        (("wrong", False, 0, 0.0, "0", "false", "down", "👎", "no", "failed"), "wrong"),
        (("corrected", "Corrected"), "corrected"),
    ],
)
def test_outcomes_are_written_in_many_ways(words: tuple[bool | float | str, ...], outcome: str) -> None:
    assert {read_outcome(word) for word in words} == {outcome}


@pytest.mark.parametrize("word", ["", "good", "2", 0.5, "nan", "right!"])
def test_unknown_outcomes_are_refused(word: float | str) -> None:
    with pytest.raises(InputError, match="outcome: .* is not an outcome .right, wrong, corrected"):
        read_outcome(word)


@pytest.mark.parametrize("word", ["yesterday", "2027-13-01", "", "nan", "inf", 1e300])
def test_invalid_times_are_refused(word: float | str) -> None:
    with pytest.raises(InputError, match="at: "):
        read_moment(word)


def test_the_outcome_that_became_known_last_counts(sure: Sure, clock: Clock) -> None:
    one = decide(sure)
    clock.now = NOW + 1000
    sure.ledger.outcome(one, "wrong", at=NOW + 500)
    told = sure.ledger.outcome(one, "right", at=NOW + 100, source="ci")
    assert (told.source, told.delay) == ("ci", 100)
    assert (sure.ledger.get(one).outcome, sure.ledger.get(one).outcome_source) == ("wrong", "person")
    assert sure.ledger.stats(until=NOW + 1000).all.right == 0
    sure.ledger.outcome(one, "right", at=NOW + 500)
    assert (sure.ledger.get(one).outcome, sure.ledger.stats(until=NOW + 1000).all.right) == ("right", 1)
    assert [round(float(row.delay or 0)) for row in sure.ledger.explain(one).outcomes] == [100, 500, 500]
    assert check(sure.session) == []


def test_the_last_outcome_of_a_person_counts_even_if_the_clock_went_back(sure: Sure, clock: Clock) -> None:
    one = decide(sure)
    clock.now = NOW + 1000
    sure.ledger.outcome(one, "wrong")
    clock.now = NOW + 10
    sure.ledger.outcome(one, "right")
    assert sure.ledger.get(one).outcome == "right"


def test_an_outcome_is_neither_of_the_future_nor_older_than_its_decision(sure: Sure) -> None:
    one = decide(sure)
    with pytest.raises(InputError, match="at: .* is in the future"):
        sure.ledger.outcome(one, "right", at=NOW + 301)
    with pytest.raises(InputError, match="at: the outcome is older than the decision"):
        sure.ledger.outcome(one, "right", at=NOW - 301)
    assert sure.ledger.outcome(one, "right", at=NOW + 299).at == NOW  # clocks differ a little
    assert sure.ledger.outcome(one, "right", at=NOW - 299).delay == 0


def test_a_report_says_which_decision_it_means(sure: Sure) -> None:
    one = decide(sure, trace_id="t", task_id="k")
    reports: list[dict[str, Any]] = [
        {"outcome": "up"},
        {"outcome": "up", "trace_id": "nothing"},
        {"outcome": "up", "trace_id": "t", "task_id": "other"},
        {"outcome": "down", "trace_id": "t", "source": "thumbs"},
        {"outcome": True, "task_id": "k", "at": "2027-01-15T08:00:00Z"},
        {"outcome": "up", "id": one, "sorce": "ci"},
    ]
    recorded, errors = sure.ledger.outcomes(reports)
    assert recorded == 2
    assert [error.partition(":")[0] for error in errors] == ["line 1", "line 2", "line 3", "line 6"]
    assert "which decision it belongs to" in errors[0]
    assert "there is no decision with trace_id 'nothing'" in errors[1]
    assert "unknown field 'sorce'" in errors[3]
    with pytest.raises(NotFoundError, match="there is no decision with trace_id 'nothing'"):
        sure.ledger.ci_result("passed", trace_id="nothing")

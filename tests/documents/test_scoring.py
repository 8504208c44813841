"""Scoring: what the numbers of a document come from, worked out by hand."""

from datetime import date

import pytest

from howsure.compat.confidence_scorer import ConfidenceScorer
from howsure.documents.content.facts import Facts
from howsure.documents.document import MONTH, Document
from howsure.documents.lifecycle import next_milestone
from howsure.documents.repository.git import FileHistory
from howsure.documents.scoring import FileContext, Scorer, add_months
from howsure.errors import InputError
from tests.documents.scans import start_of_day

NOW = start_of_day(date(2026, 11, 15))
SCORER = Scorer(NOW)


def score(facts: Facts, known: FileContext | None = None, kind: str = "content", path: str = "a.md") -> Document:
    return SCORER.score(path, kind, facts, known or FileContext())  # type: ignore[arg-type]


def ago(months: float, **more: int) -> FileHistory:
    return FileHistory(NOW - round(months * MONTH / 86400) * 86400, 0.0, ("ann",), 3, more.get("refactored", 0))


def test_a_page_without_evidence_has_the_base_score_and_unknown_age() -> None:
    found = score(Facts())
    assert found.score == pytest.approx(0.6)
    assert (found.action, found.months, found.milestone) == ("unknown", None, "M1")


def test_sources_compound_and_age_counts() -> None:
    found = score(Facts(sources=((1.0, 1.0), (0.8, 0.5))), FileContext(ago(10)))
    top = 0.5**0.5
    one = 0.6 + 0.2 * (top - 0.6) - 0.1 * 0.1
    two = one + 0.2 * 0.8 * 0.5 * (top - one) - 0.1 * (one - 0.5)
    assert found.score == pytest.approx(two - 0.001 * 304 * 12 / 365.25)
    assert (found.action, found.sources, found.confirmed) == ("human_validation", 2, 1)
    assert found.authors == ("ann",)


def test_everything_adds_up_and_nothing_counts_twice() -> None:
    events = (("visit", 1.0), ("confirm", 1.0), ("test", 1.0))
    facts = Facts(boost=0.08, bonus=0.05, validated="2026-11-15")
    found = score(facts, FileContext(None, new=True, tested=True, events=events), "code", "a.py")
    # M3 base 0.68, patterns 0.13, events 0.05 + 0.05 + 0.004, new -0.01; validation and tests are earned already.
    assert found.score == pytest.approx(0.68 + 0.13 + 0.104 - 0.01)
    assert (found.milestone, found.state) == ("M3", "INTEGRATE")


def test_a_new_page_costs_nothing_and_a_new_program_does() -> None:
    assert score(Facts(), FileContext(new=True)).score == pytest.approx(0.6)
    assert score(Facts(), FileContext(new=True), "code", "a.py").score == pytest.approx(0.59)


def test_refactoring_counts_once_and_for_programs_alone() -> None:
    many = ago(0, refactored=5)
    assert score(Facts(), FileContext(many), "code", "a.py").score == pytest.approx(0.603)
    assert score(Facts(), FileContext(many)).score == pytest.approx(0.6)


@pytest.mark.parametrize(
    ("months", "action"), [(2.9, "none"), (3.1, "review"), (6.1, "human_validation"), (12.1, "refresh_or_remove")]
)
def test_data_lose_a_thousandth_a_month(months: float, action: str) -> None:
    found = score(Facts(metadata={}), FileContext(ago(months)), "data", "_data/a.csv")
    assert found.score == pytest.approx(1 - 0.001 * round(months * 365.25 / 12) * 12 / 365.25)
    assert (found.action, found.age_from) == (action, "git")


def test_data_of_unknown_age_have_no_score() -> None:
    found = score(Facts(), kind="data")
    assert (found.score, found.action) == (None, "unknown")
    assert found.problems == ("no data_metadata",)
    assert found.gains[0].words == "add a validation date to data_metadata"


def test_the_validation_date_wins_over_creation_and_git() -> None:
    facts = Facts(metadata={"created": "2026-01-15", "validated": "2026-08-15"}, validated="2026-08-15")
    assert score(facts, FileContext(ago(1)), "data").age_from == "validated"
    assert score(Facts(metadata={"created": "2026-01-15"}), FileContext(ago(1)), "data").age_from == "created"


def test_a_future_date_is_not_evidence() -> None:
    facts = Facts(metadata={"validated": "2027-01-01"}, validated="2027-01-01")
    found = score(facts, FileContext(ago(7)), "data")
    assert (found.age_from, found.action) == ("git", "human_validation")
    assert found.problems == ("validated: 2027-01-01 is in the future",)


def test_a_document_can_set_the_date_of_its_review() -> None:
    facts = Facts(metadata={"validated": "2026-10-15", "next_review": "2026-11-01"}, validated="2026-10-15")
    found = score(facts, kind="data")
    assert (found.action, found.due) == ("review", date(2026, 11, 1))
    usual = score(Facts(metadata={"validated": "2026-10-15"}, validated="2026-10-15"), kind="data")
    assert (usual.action, usual.due) == ("none", date(2027, 4, 15))


def test_listed_improvements_raise_the_score_by_their_gain() -> None:
    found = score(Facts(sources=((1.0, 0.0),)), FileContext(ago(5)))
    gains = {gain.words: gain.gain for gain in found.gains}
    confirmed = score(Facts(sources=((1.0, 1.0),)), FileContext(ago(5)))
    assert gains["confirm its source"] == pytest.approx((confirmed.score or 0) - (found.score or 0))
    validated = score(Facts(sources=((1.0, 0.0),), validated="2026-11-15"), FileContext(ago(5)))
    assert gains["validate it"] == pytest.approx((validated.score or 0) - (found.score or 0))
    assert sorted(gains.values(), reverse=True) == [gain.gain for gain in found.gains]


@pytest.mark.parametrize(
    ("state", "words"),
    [
        ("INIT", "M2 after visit, then confirm"),
        ("OBSERVE", "M2 after confirm"),
        ("VALIDATE", "M3 after test"),
        ("INTEGRATE", "M4 after merge"),
        ("REFRESH", "M4 is the last one"),
    ],
)
def test_the_missing_steps_to_the_next_milestone_are_listed(state: str, words: str) -> None:
    assert next_milestone(state) == words


def test_months_later_is_the_same_day_or_the_last_one() -> None:
    assert add_months(date(2024, 8, 31), 6) == date(2025, 2, 28)
    assert add_months(date(2023, 8, 29), 6) == date(2024, 2, 29)
    assert add_months(date(2026, 12, 1), 1) == date(2027, 1, 1)


def test_a_validation_that_is_still_to_come_earns_nothing() -> None:
    found = score(Facts(validated="2099-01-01"))
    assert found.score == pytest.approx(0.6)
    assert found.problems == ("validated: 2099-01-01 is in the future",)
    assert score(Facts(validated="2026-11-15")).score == pytest.approx(0.65)
    assert score(Facts(validated="yes")).score == pytest.approx(0.65)


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ((float("nan"), 1.0), "nan"),
        ((2.0, 1.0), "2.0"),
        ((1.0, 1.0, 0.5), "alpha: 0.5"),
        ((1.0, 1.0, 0.2, 0.9), "delta"),
    ],
)
def test_the_source_documents_own_class_refuses_what_is_out_of_range(given: tuple[float, ...], told: str) -> None:
    scorer = ConfidenceScorer()
    with pytest.raises(InputError, match=told):
        scorer.add_evidence(*given)
    with pytest.raises(InputError, match="data_decay: nan"):
        scorer.apply_modifiers(data_decay=float("nan"))
    with pytest.raises(InputError, match="base: 7"):
        ConfidenceScorer(7)
    assert scorer.confidence == 0.5


@pytest.mark.parametrize("now", [-1e12, 1e12])
def test_a_page_is_scored_at_moments_beyond_the_calendar(now: float) -> None:
    known = FileContext(FileHistory(now, now, ("ann",), 1, 0))
    found = Scorer(now).score("a.md", "content", Facts(), known)
    assert (found.months, found.action) == (0.0, "none")

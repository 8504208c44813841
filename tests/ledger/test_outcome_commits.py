"""Outcomes from git: right after some days, wrong after a revert, and never twice."""

from pathlib import Path

import pytest

from howsure.errors import InputError
from howsure.ledger.outcome_commits import CommitOutcomes
from howsure.shapes import DAY
from howsure.store.check import check
from howsure.sure import Sure
from tests.conftest import NOW, Clock
from tests.ledger.test_commits import Repository


def decide(sure: Sure, **about: str) -> str:
    return sure.responses.check("It works.", agent="ann", knowledge=0.9, **about).id  # type: ignore[arg-type]


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "repo")


def test_commits_become_outcomes_once(sure: Sure, clock: Clock, repository: Repository) -> None:
    kept, gone, first = decide(sure), decide(sure), decide(sure, trace_id="t")
    clock.now = NOW + 60
    last = decide(sure, trace_id="t")
    repository.day = 1
    repository.commit(f"Keep\n\nHowsure-Decision: {kept}")
    bad = repository.commit(f"Break\n\nHowsure-Decision: {gone}\nHowsure-Decision: a0")
    repository.commit("Trace\n\nHowsure-Trace: t")
    repository.day = 2
    repository.revert(bad)
    later = decide(sure, trace_id="t", task_id="later")

    def outcomes(day: float, days: float = 7) -> CommitOutcomes:
        clock.now = NOW + day * DAY
        return sure.ledger.outcomes_from_git(repository.folder, days=days)

    clock.now = NOW + 3 * DAY
    result = outcomes(3)
    assert (result.commits, result.recorded, result.waiting, result.unmatched) == (3, 1, 2, 1)
    assert result.errors[0].endswith("there is no decision 'a0' (howsure ledger list shows them)")
    wrong = sure.ledger.get(gone)
    assert (wrong.outcome, wrong.outcome_source, wrong.outcome_by) == ("wrong", "commit", "git")
    assert wrong.outcome_at == NOW + 2 * DAY
    assert f"commit {bad[:12]} was reverted by" in sure.ledger.explain(gone).outcomes[0].note
    result = outcomes(9)
    assert (result.recorded, result.unchanged, result.waiting) == (2, 1, 0)
    assert (sure.ledger.get(kept).outcome, sure.ledger.get(kept).outcome_at) == ("right", NOW + 8 * DAY)
    assert [sure.ledger.get(id_).outcome for id_ in (first, last, later)] == [None, None, "right"]
    again = outcomes(20, days=3)
    assert (again.recorded, again.unchanged) == (0, 3)
    assert check(sure.session) == []


def test_decisions_after_a_commit_are_not_its_own(sure: Sure, clock: Clock, repository: Repository) -> None:
    before = decide(sure, trace_id="t")
    repository.day = 1
    repository.commit("Trace\n\nHowsure-Trace: t")
    clock.now = NOW + 2 * DAY
    after = decide(sure, trace_id="t")
    clock.now = NOW + 20 * DAY
    assert sure.ledger.outcomes_from_git(repository.folder).recorded == 1
    assert [sure.ledger.get(id_).outcome for id_ in (before, after)] == ["right", None]


def test_a_revert_that_is_fetched_late_counts(sure: Sure, clock: Clock, repository: Repository) -> None:
    one = decide(sure)
    bad = repository.commit(f"Break\n\nHowsure-Decision: {one}")
    clock.now = NOW + 8 * DAY
    assert sure.ledger.outcomes_from_git(repository.folder).recorded == 1
    assert sure.ledger.get(one).outcome == "right"
    repository.day = 5
    repository.revert(bad)
    assert sure.ledger.outcomes_from_git(repository.folder).recorded == 1
    assert sure.ledger.get(one).outcome == "wrong"


def test_a_later_outcome_of_a_person_counts(sure: Sure, clock: Clock, repository: Repository) -> None:
    one = decide(sure)
    repository.commit(f"Fix\n\nHowsure-Decision: {one}")
    clock.now = NOW + 8 * DAY
    sure.ledger.outcome(one, "wrong")
    for day in (9, 10):
        clock.now = NOW + day * DAY
        sure.ledger.outcomes_from_git(repository.folder)
    assert sure.ledger.get(one).outcome == "wrong"
    assert [row.source for row in sure.ledger.explain(one).outcomes] == ["commit", "person"]


def test_one_of_several_commits_that_is_reverted_decides(sure: Sure, clock: Clock, repository: Repository) -> None:
    one = decide(sure, task_id="k")
    repository.commit("First part\n\nHowsure-Task: k")
    bad = repository.commit("Second part\n\nHowsure-Task: k")
    repository.revert(bad)
    clock.now = NOW + 30 * DAY
    result = sure.ledger.outcomes_from_git(repository.folder)
    assert (result.commits, result.recorded, sure.ledger.get(one).outcome) == (2, 1, "wrong")


def test_an_empty_ledger_and_wrong_days(sure: Sure, repository: Repository) -> None:
    repository.commit("Fix\n\nHowsure-Decision: a0")
    assert sure.ledger.outcomes_from_git(repository.folder).recorded == 0
    with pytest.raises(InputError, match="days: -1"):
        sure.ledger.outcomes_from_git(repository.folder, days=-1)

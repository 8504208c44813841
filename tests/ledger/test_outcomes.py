"""Outcomes by thumbs and CI runs."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from howsure.errors import HowsureError, InputError, NotFoundError
from howsure.shapes import DAY
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import NOW, Clock
from tests.documents.scans import git


def decide(sure: Sure, **about: str) -> str:
    return sure.responses.check("It works.", agent="ann", knowledge=0.9, **about).id  # type: ignore[arg-type]


def junit(path: Path, *cases: str) -> Path:
    path.write_text(f"<testsuites><testsuite>{''.join(cases)}</testsuite></testsuites>")
    return path


def test_a_thumb_is_an_outcome(sure: Sure, clock: Clock) -> None:
    one = decide(sure)
    clock.now = NOW + 60
    up = sure.ledger.thumbs(one, "up", note="great")
    assert (up.outcome, up.source, up.by, up.note, up.delay) == ("right", "thumbs", "tester", "great", 60)
    assert sure.ledger.thumbs(one, "down", by="eve").outcome == "wrong"
    assert sure.ledger.get(one).outcome_by == "eve"
    with pytest.raises(InputError, match="thumb: 'sideways'"):
        sure.ledger.thumbs(one, "sideways")  # type: ignore[arg-type]
    with pytest.raises(NotFoundError):
        sure.ledger.thumbs("a0", "up")


def test_test_results_are_outcomes_of_a_trace(sure: Sure, clock: Clock, tmp_path: Path) -> None:
    decide(sure, trace_id="t")
    clock.now += 10
    one = decide(sure, trace_id="t")
    clock.now += 3600
    good = junit(tmp_path / "good.xml", '<testcase name="a"/>', '<testcase name="b"><skipped/></testcase>')
    result = sure.ledger.outcomes_from_ci(good, trace_id="t", by="build 7")
    assert (result.outcome, result.decisions, result.recorded, result.note) == ("right", [one], 1, "1 test passed")
    decision = sure.ledger.get(one)
    assert (decision.outcome_source, decision.outcome_by, decision.outcome_at) == ("ci", "build 7", clock.now)
    assert sure.ledger.outcomes_from_ci(good, trace_id="t", by="build 7").recorded == 0
    bad = junit(tmp_path / "bad.xml", '<testcase name="a"/>', '<testcase name="b"><error/></testcase>')
    result = sure.ledger.outcomes_from_ci(str(bad), trace_id="t", by="build 8")
    assert (result.outcome, result.recorded, result.note) == ("wrong", 1, "1 of 2 tests failed")
    assert len(sure.ledger.explain(one).outcomes) == 2
    assert sure.ledger.outcomes_from_ci(status="passed", decision_id=one).outcome == "right"


@pytest.mark.parametrize(
    ("content", "problem"),
    [
        ("<testsuites/>", "no test ran"),
        ("<testsuite><testcase><skipped/></testcase></testsuite>", "no test ran"),
        ("<html/>", "its root element is 'html'"),
        ("<testsuite>", "is not JUnit XML"),
        (f"<!--{'x' * 20_000}--><!DOCTYPE a [<!ENTITY b 'c'>]><testsuite/>", "declares a document type"),
        ("<testsuite>" * 200, "nested too deep"),
    ],
)
def test_reports_without_tests_are_refused(sure: Sure, tmp_path: Path, content: str, problem: str) -> None:
    one = decide(sure)
    path = tmp_path / "results.xml"
    for encoding in ("utf-8", "utf-16"):
        path.write_text(content, encoding)
        with pytest.raises(HowsureError, match=problem):
            sure.ledger.outcomes_from_ci(path, decision_id=one)
    assert sure.ledger.get(one).outcome is None


def test_a_run_has_a_file_or_a_status(sure: Sure, tmp_path: Path) -> None:
    one = decide(sure)
    with pytest.raises(InputError, match="either a file of test results or a status"):
        sure.ledger.outcomes_from_ci(decision_id=one)
    with pytest.raises(InputError, match="either a file of test results or a status"):
        sure.ledger.outcomes_from_ci(tmp_path / "x.xml", status="passed", decision_id=one)
    with pytest.raises(InputError, match="status: 'green'"):
        sure.ledger.ci_result("green", decision_id=one)  # type: ignore[arg-type]
    with pytest.raises(HowsureError, match="x.xml cannot be read"):
        sure.ledger.outcomes_from_ci(tmp_path / "x.xml", decision_id=one)


def test_a_commit_says_which_decisions_were_tested(tmp_path: Path) -> None:
    repository = tmp_path / "repo"
    repository.mkdir()
    with open_store(str(tmp_path / "s.db"), clock=lambda: NOW) as sure:
        one, other = decide(sure, trace_id="t"), decide(sure, task_id="k")
        git(repository, "init", "-q", "-b", "main")
        git(repository, "commit", "-q", "--allow-empty", "-m", "Plain")
        message = f"Fix\n\nHowsure-Trace: t\nHowsure-Task: k\nHowsure-Decision: {one}"
        git(repository, "commit", "-q", "--allow-empty", "-m", message)
        result = sure.ledger.outcomes_from_ci(status="failed", commit="HEAD", repository=repository)
        assert (result.outcome, sorted(result.decisions), result.recorded) == ("wrong", sorted([one, other]), 2)
        with pytest.raises(InputError, match="commit: the commit HEAD~1 names no decision"):
            sure.ledger.outcomes_from_ci(status="failed", commit="HEAD~1", repository=repository)
        for name in ("nowhere", "--output=x", "HEAD:file"):
            with pytest.raises(InputError, match="there is no commit"):
                sure.ledger.outcomes_from_ci(status="failed", commit=name, repository=repository)
    assert [path.name for path in repository.iterdir()] == [".git"]


def test_history_files_keep_when_an_outcome_became_known(tmp_path: Path, clock: Clock) -> None:
    with open_store(str(tmp_path / "a.db"), clock=clock) as sure:
        one = decide(sure)
        clock.now += DAY
        sure.ledger.thumbs(one, "up")
        sure.ledger.export(tmp_path / "out")
        before = sure.ledger.get(one)
    with open_store(str(tmp_path / "b.db"), clock=clock) as sure:
        sure.ledger.import_(tmp_path / "out")
        assert sure.ledger.get(one) == before


def test_many_outcomes_are_read_before_the_lock_and_written_in_parts(
    sure: Sure, monkeypatch: pytest.MonkeyPatch
) -> None:
    """4.9 million lines held one write transaction for 63 s, while nobody else could write."""
    monkeypatch.setattr("howsure.ledger.outcomes.PART", 100)
    one = decide(sure)

    def lines() -> Iterator[Any]:
        for number in range(250):
            if number % 50 == 0:  # the caller may write meanwhile: no transaction is open
                sure.claims.add(f"Line {number}", source="a:b")
            yield {"id": one, "outcome": "right" if number % 2 else "wrong", "note": f"{number}"}
        yield from [b"1"] * 5000

    recorded, errors = sure.ledger.outcomes(lines())
    assert recorded == 250
    assert len(errors) == 101
    assert errors[0].startswith("line 251: ")
    assert errors[-1] == "and 4,900 more"
    assert sure.ledger.get(one).outcome == "right"
    assert len(sure.claims.find().claims) == 5

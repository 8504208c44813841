"""The ledger: what was decided, what became of it, and how quickly one can look back."""

import json
from pathlib import Path
from typing import Any

import pytest

from howsure.errors import InputError, NotFoundError
from howsure.settings import Settings
from howsure.shapes import DAY
from howsure.shapes.encode import encode
from howsure.store.ledger_tables import tool_calls
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import NOW, Clock, close


def decide(sure: Sure, at: float, *, good: bool = True, agent: str = "a", **about: Any) -> str:
    """Have an answer judged, and return the id of the record."""
    score = 1.0 if good else 0.1
    return sure.responses.check(agent=agent, knowledge=score, code=score, history=score, now=at, **about).id


def test_old_decisions_are_deleted_when_the_ledger_is_first_used(address: str, clock: Clock) -> None:
    with open_store(address, clock=clock) as sure:
        for days in (100, 95, 91, 89, 1):
            decide(sure, NOW - days * DAY)
        kept = decide(sure, NOW)
        sure.ledger.outcome(kept, "right")
    with open_store(address, clock=clock) as sure:
        assert [round((NOW - record.at) / DAY) for record in sure.ledger.find().decisions] == [0, 1, 89]
        assert sure.ledger.stats(since=NOW - 200 * DAY).all.total == 3
        decide(sure, NOW - 95 * DAY)
    with open_store(address, clock=clock) as sure:  # not again on the same day
        assert len(sure.ledger.find().decisions) == 4
        assert [action.action for action in sure.clean(dry_run=True)] == ["trim"]
        sure.clean()
        assert len(sure.ledger.find().decisions) == 3
        assert sure.clean() == []


def test_a_clock_that_jumps_does_not_empty_the_ledger(address: str, clock: Clock) -> None:
    with open_store(address, clock=clock) as sure:
        for day in range(80):
            decide(sure, NOW - day * DAY)
    clock.now = NOW + 5 * 365 * DAY
    with open_store(address, clock=clock) as sure:
        assert len(sure.ledger.find(limit=1000).decisions) >= 49
    clock.now = 0.0
    with open_store(address, clock=clock) as sure:
        count = len(sure.ledger.find(limit=1000).decisions)
        found = sure.responses.check(agent="a", knowledge=1.0, policy="nlnh")
        assert found.factors[3].why.startswith("no records")
        assert len(sure.ledger.find(limit=1000).decisions) == count + 1
    clock.now = NOW
    with open_store(address, clock=clock) as sure:
        again = sure.responses.check(agent="a", knowledge=1.0, policy="nlnh")
        assert again.factors[3].why.startswith("2 of 2")


def test_outcomes_belong_to_decisions(sure: Sure, clock: Clock) -> None:
    one = decide(sure, NOW)
    assert (sure.ledger.get(one).outcome, sure.ledger.find(with_outcome=True).decisions) == (None, [])
    sure.ledger.outcome(one, "wrong", by="ann")
    sure.ledger.outcome(one, "right", by="bob", note="ann was mistaken")
    assert (sure.ledger.get(one).outcome, sure.ledger.get(one).outcome_by) == ("right", "bob")
    assert sure.ledger.stats().calibration.right == 1
    for id_, outcome, error in ((one, "good", InputError), ("a0", "right", NotFoundError), (one, None, InputError)):
        with pytest.raises(error):
            sure.ledger.outcome(id_, outcome)  # type: ignore[arg-type]
    lines = [b'{"id": "%s", "outcome": "wrong"}' % one.encode(), b'{"id": "a0", "outcome": "right"}', b"{", b"5"]
    taken, errors = sure.ledger.outcomes(lines)
    assert (taken, [error[:6] for error in errors]) == (1, ["line 2", "line 3", "line 4"])
    assert sure.ledger.get(one).outcome == "wrong"


SEED = {
    "timestamp": "2027-01-15T07:30:00Z",
    "agent_name": "archon-patcher-1",
    "agent_type": "patcher",
    "task_id": "task-123",
    "composite_confidence": 0.875,
    "confidence_level": "MODERATE",
    "agent_threshold": 0.80,
    "threshold_met": True,
    "should_block": False,
    "factors": {
        "knowledge_base_score": 1.0,
        "code_validation_score": 0.85,
        "response_certainty_score": 0.7,
        "agent_history_score": 0.9,
    },
}


def test_the_files_of_the_source_document_can_be_read(sure: Sure, tmp_path: Path) -> None:
    file = tmp_path / "confidences-2027-01-15.jsonl"
    lines = [json.dumps(SEED), json.dumps(SEED), json.dumps(SEED | {"threshold_met": False, "should_block": True})]
    file.write_text("\n".join(lines) + "\n")
    (tmp_path / "notes.txt").write_text("not ours")
    assert sure.ledger.import_(tmp_path) == (3, [])
    assert sure.ledger.import_(tmp_path) == (0, [])
    assert sure.ledger.import_(file) == (0, [])
    first = sure.ledger.find().decisions[-1]
    assert (first.agent, first.score, first.decision, first.at) == ("archon-patcher-1", 0.875, "pass", 1_799_998_200.0)
    found = sure.responses.check(agent="archon-patcher-1", knowledge=1.0, policy="nlnh")
    assert found.factors[3].why == "2 of 3 answers met their threshold"


@pytest.mark.parametrize(
    "bad", ["{", '{"timestamp": "x"}', "[1]", json.dumps(SEED | {"composite_confidence": 2}), "\x00"]
)
def test_a_bad_line_is_named_and_what_is_before_it_is_kept(sure: Sure, tmp_path: Path, bad: str) -> None:
    file = tmp_path / "confidences-2027-01-15.jsonl"
    file.write_text("\n".join([json.dumps(SEED), "", bad, json.dumps(SEED)]))
    taken, errors = sure.ledger.import_(tmp_path)
    assert taken == 1
    assert errors[0].startswith("confidences-2027-01-15.jsonl, line 3: ")
    assert errors[0].endswith("imported up to there")


def test_an_export_can_be_imported_without_loss(sure: Sure, tmp_path: Path) -> None:
    for number in range(5):
        one = decide(
            sure, NOW + number * DAY / 2, good=number % 2 == 0, agent=f"agent {number}", task_id="t", project="p"
        )
        if number < 3:
            sure.ledger.outcome(one, "right", by="ann")
    sure.responses.check("Perhaps.", agent="b", history=1.0, certainty=1.0, trace_id="x", now=NOW)
    sure.models.record("overall", {"results": [{"confidence": 0.9, "content": "yes"}]}, now=NOW)
    assert sure.ledger.export(tmp_path / "out") == 7
    names = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert names == ["confidences-2027-01-15.jsonl", "confidences-2027-01-16.jsonl", "confidences-2027-01-17.jsonl"]
    line = json.loads((tmp_path / "out" / names[0]).read_text().splitlines()[0])
    assert set(SEED) <= set(line)
    with open_store(str(tmp_path / "other.db"), clock=lambda: NOW) as other:
        assert other.ledger.import_(tmp_path / "out") == (7, [])
        assert other.ledger.find().decisions == sure.ledger.find().decisions
        ours, theirs = (encode(one.ledger.stats(until=NOW + 9 * DAY, since=0)) for one in (sure, other))
        assert close(ours, theirs)


def test_purged_records_are_deleted(tmp_path: Path, address: str) -> None:
    settings = Settings({}, (("howsure.toml", {"ledger.keep": "all"}),))
    with open_store(address, settings=settings, clock=lambda: NOW) as sure:
        for number in range(3):
            found = sure.responses.check(
                f"The vault is behind picture {number} zebrafish", agent=f"a{number}", task_id="t"
            )
            sure.ledger.outcome(found.id, "right")
        with sure.session.write() as transaction:
            tool_calls.insert(transaction, "", NOW, [{"tool": "grep"}])
        assert sure.ledger.purge(agent="a1").purged == 1
        with sure.session.database.read() as transaction:
            assert tool_calls.count(transaction, "") == 1
        assert [record.agent for record in sure.ledger.find().decisions] == ["a2", "a0"]
        assert (
            sure.ledger.stats().all.total,
            sure.ledger.stats().all.right,
            sure.ledger.stats(agent="a1").all.total,
        ) == (2, 2, 0)
        with pytest.raises(InputError, match="no condition says what to purge"):
            sure.ledger.purge()
        with pytest.raises(InputError, match="no condition says what to purge"):
            sure.ledger.purge(agent=None)
        assert (sure.ledger.purge(agent="a2", dry_run=True).purged, len(sure.ledger.find().decisions)) == (1, 2)
        assert sure.ledger.purge(everything=True).purged == 2
        assert sure.ledger.stats().all.total == 0
        if not address.startswith("postgres"):
            assert not any(b"zebrafish" in path.read_bytes() for path in tmp_path.iterdir() if path.is_file())


@pytest.mark.parametrize(
    ("condition", "gone"),
    [
        ({"agent": "a", "before": NOW}, {"of a"}),  # `of both` still has the decision about b
        ({"trace_id": "open", "before": NOW - DAY}, {"open, old"}),
        ({"agent": "a", "trace_id": "open"}, set()),
        ({"trace_id": "open"}, {"open, old", "open, new"}),
        ({"before": NOW - DAY}, {"open, old", "of a", "of both"}),
    ],
)
def test_tool_calls_are_purged_by_the_given_conditions_alone(
    address: str, clock: Clock, condition: dict[str, Any], gone: set[str]
) -> None:
    calls = {
        "of a": ("trace-a", NOW - 3 * DAY),
        "of both": ("both", NOW - 3 * DAY),
        "open, old": ("open", NOW - 3 * DAY),
        "open, new": ("open", NOW - DAY / 2),
    }
    with open_store(address, clock=clock) as sure:
        for agent, trace in (("a", "trace-a"), ("a", "both"), ("b", "both")):
            decide(sure, NOW - 2 * DAY, agent=agent, trace_id=trace)
        with sure.session.write() as transaction:
            for name, (trace, at) in calls.items():
                tool_calls.insert(transaction, trace, at, [{"tool": name}])
        sure.ledger.purge(**condition)
        with sure.session.database.read() as transaction:
            traces = {trace for trace, _ in calls.values()}
            left = {call["tool"] for trace in traces for call in tool_calls.load(transaction, trace)}
        assert left == set(calls) - gone

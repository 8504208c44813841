"""Lines of history files that could not be read again are refused."""

import json
from pathlib import Path
from typing import Any

import pytest

from howsure.sure import Sure
from howsure.sure import open as open_store

GOOD = {"timestamp": "2027-01-15T07:30:00Z", "agent_name": "a", "composite_confidence": 0.9, "agent_threshold": 0.8,
        "threshold_met": True}  # fmt: skip


@pytest.mark.parametrize(
    "bad",
    [
        {"howsure": {"at": "x"}},
        {"howsure": {"at": 1e300}},
        {"howsure": {"spec": [1]}},
        {"howsure": {"spec": {"x": 1}}},
        {"howsure": {"digest": {}}},
        {"howsure": {"content": [1]}},
        {"howsure": {"content": "a\x00b"}},
        {"howsure": {"detail": [1]}},
        {"howsure": {"detail": {"answer": 5}}},
        {"howsure": {"outcome": "great"}},
        {"howsure": {"unheard_of": 1}},
        {"timestamp": "9999-12-31T23:59:59-23:59"},
        {"agent_name": "x" * 700},
    ],
)
def test_a_line_that_could_not_be_read_again_is_refused(sure: Sure, tmp_path: Path, bad: dict[str, Any]) -> None:
    file = tmp_path / "confidences-2027-01-15.jsonl"
    file.write_text(json.dumps(GOOD) + "\n" + json.dumps(GOOD | bad) + "\n")
    taken, errors = sure.ledger.import_(file)
    assert (taken, errors[0].startswith("confidences-2027-01-15.jsonl, line 2: ")) == (1, True)
    sure.ledger.export(tmp_path / "out")
    assert len(sure.ledger.find().decisions) == 1


def test_damaged_decisions_do_not_keep_others_from_being_imported(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "s.db")) as sure:
        ids = [sure.responses.check("It works.", agent="a", knowledge=0.9).id for _ in range(3)]
        sure.models.record("overall", {"results": []})
        with sure.session.write() as transaction:
            transaction.run("UPDATE decisions SET detail = '{' WHERE id = ?", [ids[0]])
            transaction.run("UPDATE specs SET content = '{' WHERE content LIKE '%overall%'")
        sure.ledger.export(tmp_path / "out")
    with open_store(str(tmp_path / "other.db")) as other:
        assert other.ledger.import_(tmp_path / "out") == (4, [])
        assert other.ledger.get(ids[0]).agent == "a"
        assert other.ledger.get(ids[1]).answer["knowledge_base"] == 0.9


def test_of_two_lines_with_one_id_the_first_counts(sure: Sure, tmp_path: Path) -> None:
    file = tmp_path / "confidences-2027-01-15.jsonl"
    lines = [GOOD | {"agent_name": name, "howsure": {"id": "a1"}} for name in ("ann", "bob")]
    file.write_text("\n".join(map(json.dumps, lines)))
    assert sure.ledger.import_(file) == (1, [])
    assert sure.ledger.get("a1").agent == "ann"


def test_decisions_beyond_the_calendar_are_exported_and_imported(tmp_path: Path) -> None:
    moments = [1e12 - 2e5, 1e12]
    for at in moments:
        with open_store(str(tmp_path / "s.db"), clock=lambda at=at: at) as sure:  # type: ignore[misc]
            sure.responses.check("It works.", agent="a")
            assert sure.ledger.export(tmp_path / "out") == moments.index(at) + 1
    with open_store(str(tmp_path / "other.db")) as other:
        assert other.ledger.import_(tmp_path / "out") == (2, [])
        assert sorted(one.at for one in other.ledger.stream()) == moments

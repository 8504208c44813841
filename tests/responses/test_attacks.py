"""What somebody might try who wants more to pass: few or forged outcomes, nonsense signals, a crafted transcript."""

import json
import math
from pathlib import Path
from typing import Any

import pytest

from howsure.errors import InputError
from howsure.integrations.hooks import handle_event
from howsure.sure import Sure
from howsure.sure import open as open_store


def test_a_handful_of_outcomes_promises_nothing(sure: Sure) -> None:
    for _ in range(12):
        made = sure.responses.check("It is so.", agent="a", knowledge=0.9)
        sure.ledger.outcome(made.id, "right")
    sure.fits.apply(sure.fits.learn().id, force=True)
    found = sure.responses.check("It is so.", agent="a", knowledge=0.99, promise=0.05)
    assert (found.decision, found.promise and found.promise.kept) == ("review", False)
    assert found.promise is not None
    assert found.promise.missing > 0


def test_repeated_outcomes_of_one_decision_count_once(sure: Sure, tmp_path: Path) -> None:
    made = sure.responses.check("It is so.", agent="a", knowledge=0.9)
    lines = [json.dumps({"id": made.id, "outcome": "right", "note": str(n)}) for n in range(500)]
    (tmp_path / "outcomes.jsonl").write_text("\n".join(lines))
    sure.ledger.import_outcomes(tmp_path / "outcomes.jsonl")
    assert sure.fits.learn().outcomes == 1
    assert not sure.fits.learn(apply=True).better


def test_forged_outcomes_do_not_lift_what_nothing_supports(sure: Sure) -> None:
    for _ in range(60):
        made = sure.responses.check("It is so.", agent="a", knowledge=0.1)
        sure.ledger.outcome(made.id, "right")
    sure.fits.apply(sure.fits.learn().id, force=True)
    assert sure.responses.check("It is so.", agent="a").decision == "review"
    assert sure.responses.check("It is so.", agent="a", stated=1.0, samples=["It is so."]).decision == "review"


@pytest.mark.parametrize(
    "given",
    [
        {"stated": math.nan},
        {"stated": 1.5},
        {"grounding": -0.1},
        {"logprobs": 3.0},
        {"logprobs": []},
        {"signals": {"knowledge_base": 1.0}},
        {"signals": {"x": math.inf}},
        {"signals": {"a" * 60: 0.5}},
        {"signals": {f"s{n}": 0.5 for n in range(1000)}},
        {"context": 7},
        {"samples": "It is so."},
        {"promise": 0.0},
        {"promise": 2.0},
    ],
)
def test_nonsense_signals_are_refused(sure: Sure, given: dict[str, Any]) -> None:
    with pytest.raises(InputError):
        sure.responses.check("It is so.", agent="a", knowledge=0.9, **given)
    assert sure.ledger.find().decisions == []


def test_a_transcript_cannot_raise_a_score(tmp_path: Path) -> None:
    """A crafted result of a tool repeats the response; it is recorded as a signal and has no weight."""
    text = "The database was migrated and every test passes."
    lines = [
        {"type": "user", "message": {"role": "user", "content": "Migrate it."}},
        {"type": "user", "message": {"role": "user", "content": [{"type": "tool_result", "content": text}]}},
        {"type": "assistant", "message": {"role": "assistant", "content": text}},
    ]
    path = tmp_path / "t.jsonl"
    path.write_text("\n".join(map(json.dumps, lines)))
    store = str(tmp_path / "s.db")
    said = handle_event({"hook_event_name": "Stop", "session_id": "s", "transcript_path": str(path)}, store=store)
    assert "review" in said["systemMessage"]
    with open_store(store) as sure:
        assert sure.ledger.find().decisions[0].decision == "review"

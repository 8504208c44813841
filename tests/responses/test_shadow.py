"""Shadow mode: the real decision is recorded, and everything is let through."""

from pathlib import Path
from typing import Any

import pytest

from howsure.errors import InputError
from howsure.integrations.hooks import handle_event
from howsure.responses.quality import quality_gate
from howsure.settings import Settings
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import Clock, Run, trust_folder

SHADOW = Settings({}, (("howsure.toml", {"gate.shadow": True}),))


def test_the_decision_is_real_and_lets_the_response_through(sure: Sure) -> None:
    found = sure.responses.check("It is so.", agent="a", knowledge=0.1, shadow=True)
    assert (found.decision, found.shadow, found.passed, found.should_block, found.message) == (
        "block", True, True, False, "",
    )  # fmt: skip
    assert found.lifts
    kept = sure.ledger.get(found.id)
    assert (kept.decision, kept.shadow, kept.met) == ("block", True, False)
    real = sure.responses.check("It is so.", agent="a", knowledge=0.1)
    assert (real.shadow, real.passed, sure.ledger.get(real.id).shadow) == (False, False, False)
    mistaken: Any = "false"
    with pytest.raises(InputError, match="shadow"):
        sure.responses.check("It is so.", knowledge=0.1, shadow=mistaken)


def test_the_setting_holds_unless_a_call_says_otherwise(address: str, clock: Clock) -> None:
    with open_store(address, clock=clock, settings=SHADOW) as sure:
        assert sure.responses.check("It is so.", knowledge=0.1).passed
        assert not sure.responses.check("It is so.", knowledge=0.1, shadow=False).passed

        @sure.responses.gate(agent="a")
        def answer() -> str:
            return "It is so."

        @sure.responses.require(agent="a")
        def required() -> str:
            return "It is so."

        assert answer() == required() == "It is so."


def test_statistics_say_what_would_have_been_stopped_and_how_often_rightly(sure: Sure) -> None:
    assert sure.ledger.stats().shadow == (0, 0, 0, 0)
    stopped = [sure.responses.check("It is so.", agent="a", knowledge=0.1, shadow=True).id for _ in range(4)]
    sure.responses.check("It is so.", agent="a", shadow=True)  # held for review
    passed = sure.responses.check("It is so.", agent="b", knowledge=0.9, shadow=True).id
    enforced = sure.responses.check("It is so.", agent="a", knowledge=0.1).id
    for id_, outcome in zip(
        [*stopped[:3], passed, enforced], ["wrong", "corrected", "right", "wrong", "wrong"], strict=True
    ):
        sure.ledger.outcome(id_, outcome)  # type: ignore[arg-type]
    sure.ledger.outcome(stopped[0], "right")
    assert sure.ledger.stats().shadow == (6, 5, 3, 1)
    assert sure.ledger.stats(agent="b").shadow == (1, 0, 0, 0)


def test_hooks_do_not_block_and_say_so(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "howsure.toml").write_text("[gate]\nshadow = true\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "config"))
    trust_folder(tmp_path, tmp_path / "config")
    monkeypatch.chdir(tmp_path)
    used = {"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "Grep", "tool_input": {"pattern": "x"}}
    handle_event(used | {"tool_response": "No matches found"}, store=address)
    event = {"hook_event_name": "Stop", "session_id": "s", "last_assistant_message": "It is so."}
    for _ in range(2):
        found = handle_event(event, store=address)
        assert found["systemMessage"].startswith("howsure: shadow mode: this response would not have been sent (block)")
    (tmp_path / "howsure.toml").write_text("")
    assert handle_event(event, store=address)["decision"] == "block", "nothing was sent back before"


def test_the_command_line_exits_with_0(howsure: Run, tmp_path: Path) -> None:
    given = ("gate", "-", "--knowledge", "0.1", "--agent", "a", "--store", str(tmp_path / "s.db"))
    done = howsure(*given, "--shadow", stdin=b"It is so.")
    assert (done.returncode, b"Decision: block (shadow mode: it is let through)" in done.stdout) == (0, True)
    assert howsure(*given, stdin=b"It is so.").returncode == 1
    assert howsure(*given, stdin=b"It is so.", HOWSURE_GATE_SHADOW="true").returncode == 0
    told = howsure("stats", "--store", str(tmp_path / "s.db")).stdout.decode()
    assert "Shadow mode: 2 of 2 would have been blocked or held for review." in told


def test_the_quality_gate_warns(sure: Sure, tmp_path: Path) -> None:
    sure.responses.check("It is so.", agent="ann", knowledge=0.1, shadow=True)
    checks: dict[str, Any] = {one.rule: one for one in quality_gate(sure, folder=tmp_path, agent="ann").checks}
    assert checks["CONFIDENCE_REQUIREMENTS"].status == "WARNING"


def test_shadow_survives_export_and_import(sure: Sure, tmp_path: Path) -> None:
    sure.responses.check("It is so.", agent="a", knowledge=0.1, shadow=True)
    sure.responses.check("It is so.", agent="a", knowledge=0.1)
    sure.ledger.export(tmp_path / "out")
    with open_store(str(tmp_path / "other.db")) as other:
        other.ledger.import_(tmp_path / "out")
        assert other.ledger.find().decisions == sure.ledger.find().decisions


def test_a_decision_warns_of_shadow_mode_by_the_settings(address: str, clock: Clock) -> None:
    with open_store(address, clock=clock, settings=SHADOW) as sure:
        warned = "the gate is loosened: every response is let through: gate.shadow = True (howsure.toml)"
        assert sure.responses.check("It is so.", knowledge=0.1).warnings == (warned,)
        for chosen in (True, False):
            assert sure.responses.check("It is so.", knowledge=0.1, shadow=chosen).warnings == ()

"""Edges of the gate and the ledger: hostile texts, odd files, closed pipes, and numbers that nearly agree."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from howsure.agents.evidence import derive_factors, load_tool_calls, record_tool_calls, summarize_tool_call
from howsure.agents.outputs.tool_output import read_output
from howsure.errors import InputError
from howsure.formulas.decay import DAY
from howsure.integrations.hooks import handle_event
from howsure.ledger.redact import keep, redact_secrets
from howsure.responses.code_checks import blocks, syntax_valid
from howsure.settings import Settings
from howsure.store import check as upkeep
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import Clock, Run

SECRETS = [
    "DB_PASSWORD=hunter2secret",
    "AWS_SECRET_ACCESS_KEY=abcd1234efgh",
    "export GITHUB_TOKEN=abcd1234efgh",
    "OPENAI_API_KEY: abcd1234efgh",
    "client_secret: abcd1234efgh",
    'password: "my pass phrase"',
    "redis://:abcd1234@host/0",
    "github_pat_abcd1234efgh",
    "glpat-abcd1234efgh",
    "AIzaabcd1234efghabcd1234efgh",
    "ASIAABCD1234EFGH5678",
    "Authorization: Basic abcd1234efgh==",
    "Authorization: Bearer abcd1234efgh",
    "eyJabcd1234efgh.abcd1234efgh.sig",
    "-----BEGIN PGP PRIVATE KEY BLOCK-----\nabcd1234\n",
    "sk-abcd1234efgh",
]


@pytest.mark.parametrize("secret", SECRETS)
def test_what_looks_like_a_secret_is_never_kept(secret: str) -> None:
    found = redact_secrets(f"before {secret} after")
    for part in ("hunter2secret", "abcd1234", "ABCD1234", "pass phrase"):
        assert part not in found
    assert found.startswith("before ")
    assert (
        redact_secrets("The key idea: a token of thanks, basic as it is.")
        == "The key idea: a token of thanks, basic as it is."
    )


def test_half_a_secret_at_the_edge_is_not_kept() -> None:
    for size in range(19_960, 20_001):
        assert "BBBB" not in (keep("sk-" + "a" * size + " sk-" + "B" * 40, "start").content or "")


def test_secrets_in_what_a_tool_was_asked_are_not_kept(sure: Sure) -> None:
    for tool, given in (
        ("Bash", {"command": "grep -r 'password=Hunter2Secret' ."}),
        ("Grep", {"pattern": "api_key=Hunter2Secret"}),
        ("Read", {"file_path": "/home/u/ACME-4711/x.txt"}),
    ):
        record_tool_calls(sure.session, "s", summarize_tool_call(tool, given, "found it", redact=(r"ACME-\d+",)))
    assert "Hunter2Secret" not in str(load_tool_calls(sure.session, "s"))
    assert "ACME-4711" not in str(load_tool_calls(sure.session, "s"))


HOSTILE = {
    "blank lines": ("\n" * 200_000, "pytest"),
    "blanks": (" " * 200_000 + "x", "grep x"),
    "fences": ("```a\n" * 50_000, "cat x"),
    "tokens": ("-eyJ" * 50_000, "cat x"),
    "colons": ("a:" * 100_000, "cat x"),
    "keys": ("key_" * 50_000, "cat x"),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_no_text_takes_more_than_linear_time(name: str) -> None:
    text, command = HOSTILE[name]
    redact_secrets(text)
    blocks(text)
    summarize_tool_call("Bash", {"command": command}, text)
    read_output(text).judge_check("test")
    for language, content in (
        ("yaml", "[" * 100_000),
        ("toml", "a." * 100_000 + "b = 1"),
        ("toml", "a = " + "[" * 100_000),
    ):
        assert syntax_valid(language, content) is None


NEVER = [
    ("pytest -q > log.txt 2>&1 &", ""),
    ("nohup pytest -q & echo started", "started"),
    ("pytest >/dev/null 2>&1 || echo '1 passed'", "1 passed"),
    ("pytest -q > x; echo '5 passed in 0.1s'", "5 passed in 0.1s"),
    ("false && pytest; echo OK", "OK"),
    ("true || pytest", ""),
    ("make --dry-run test", "pytest"),
    ("pytest --fixtures", "x"),
    ("ruff rule E501", "line too long"),
]


@pytest.mark.parametrize(("command", "stdout"), NEVER)
def test_a_check_that_did_not_run_or_end_has_not_passed(command: str, stdout: str) -> None:
    assert [
        call
        for call in summarize_tool_call("Bash", {"command": command}, {"stdout": stdout})
        if call["category"] == "verification"
    ] == []


def test_what_passed_before_an_edit_was_other_code() -> None:
    calls = [
        *summarize_tool_call("Bash", {"command": "pytest"}, "3 passed"),
        *summarize_tool_call("Edit", {"file_path": "a.py"}, "done"),
    ]
    _, code = derive_factors(calls)
    assert code is not None
    assert code.tests_pass is None
    _, broken = derive_factors(
        [
            *summarize_tool_call("Bash", {"command": "pytest"}, "1 failed"),
            *summarize_tool_call("Edit", {"file_path": "a.py"}, "done"),
        ]
    )
    assert broken is not None
    assert broken.tests_pass is False


def test_agents_of_one_session_are_told_apart(address: str) -> None:
    def stop(**more: Any) -> dict[str, Any]:
        event = {"hook_event_name": "SubagentStop", "session_id": "s", "last_assistant_message": "Perhaps it works."}
        return handle_event(event | more, store=address)

    used = {"hook_event_name": "PostToolUse", "session_id": "s", "tool_name": "Grep", "tool_input": {"pattern": "x"}}
    handle_event(used | {"tool_response": "No matches found"}, store=address)
    assert stop(agent_id="a")["decision"] == "block"
    assert stop(agent_id="b")["decision"] == "block"
    assert "let go" in stop(agent_id="a")["systemMessage"]
    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(lambda _: stop(agent_id="c"), range(4)))
    assert sum("decision" in one for one in found) == 2


def test_a_hook_keeps_to_the_project_that_is_set(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "howsure.toml").write_text('project = "payments"\n')
    monkeypatch.chdir(tmp_path)
    event = {"hook_event_name": "Stop", "session_id": "s", "last_assistant_message": "Done.", "cwd": "/srv/repo"}
    handle_event(event, store=address)
    with open_store(address) as sure:
        assert [record.project for record in sure.ledger.find().decisions] == ["payments"]


def test_a_purge_takes_what_tools_returned_too(sure: Sure, clock: Clock) -> None:
    for trace in ("t1", "t2"):
        record_tool_calls(sure.session, trace, [{"tool": "Read", "category": "read", "target": f"record of {trace}"}])
        sure.responses.check(agent=trace, trace_id=trace, knowledge=1.0)
    with pytest.raises(InputError, match="no condition says"):
        sure.ledger.purge(everything=False)
    sure.ledger.purge(agent="t1")
    assert (load_tool_calls(sure.session, "t1"), len(load_tool_calls(sure.session, "t2"))) == ([], 1)
    sure.ledger.purge(everything=True)
    assert load_tool_calls(sure.session, "t2") == []


def test_calls_without_decisions_get_old_too(address: str, clock: Clock) -> None:
    with open_store(address, clock=clock) as sure:
        record_tool_calls(sure.session, "t", [{"tool": "Read", "category": "read"}])
    clock.now += 100 * DAY
    with open_store(address, clock=clock) as sure:
        assert load_tool_calls(sure.session, "t") == []


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


def test_statistics_know_the_thresholds_that_apply(address: str, clock: Clock) -> None:
    settings = Settings({}, (("howsure.toml", {"thresholds.projects": {"web": 0.5}}),))
    with open_store(address, clock=clock, settings=settings) as sure:
        for kind, project in (("planner", ""), ("validator", ""), ("odd", "web")):
            sure.responses.check(agent="ann", agent_type=kind, project=project, knowledge=1.0)
        sure.responses.check(agent="cy", agent_type="odd", project="web", knowledge=1.0)
        assert sure.ledger.stats(agent="ann", agent_type="planner").all.threshold == 0.75
        assert {g.name: g.threshold for g in sure.ledger.stats(by="agent").groups} == {"ann": None, "cy": 0.5}
        assert {g.name: g.threshold for g in sure.ledger.stats(by="agent_type").groups} == {
            "planner": 0.75,
            "validator": 0.85,
            "odd": 0.5,
        }
        assert sure.ledger.stats(agent="nobody").all.threshold == 0.8


def test_numbers_that_nearly_agree_are_told_apart(sure: Sure) -> None:
    found = sure.responses.check(agent="a", knowledge=0.796, code=0.796, certainty=0.796, history=0.796)
    assert found.reason.startswith("0.796 is below the threshold 0.800")
    assert "my confidence is 79.6%, and 80.0% is needed" in found.message


@pytest.mark.parametrize("column", ["blocked", "reviewed", "scores", "outcomes"])
def test_every_sum_is_checked(sure: Sure, column: str) -> None:
    sure.responses.check(agent="a", knowledge=0.9)
    with sure.session.write() as transaction:
        transaction.run(f"UPDATE hours SET {column} = 99")
    assert len(upkeep.check(sure.session)) == 1


def test_models_that_are_made_for_one_score_each_are_not_kept_for_ever(sure: Sure) -> None:
    from howsure.ledger import recorder

    for _ in range(200):
        sure.models.record("overall", {"results": []})
    assert len(recorder._FINGERPRINTS) <= 65


def test_what_an_agent_writes_does_not_steer_the_terminal(howsure: Run, tmp_path: Path) -> None:
    store = str(tmp_path / "s.db")
    with open_store(store) as sure:
        found = sure.responses.check("\x1b]0;PWNED\x07\x1b[2J text", agent="ev\x1b[31mil\nagent")
        claim = sure.claims.add("\x1b[2J claim", source="u:a")
    for command in (
        ("ledger", "list"),
        ("ledger", "show", found.id),
        ("stats",),
        ("claim", "find"),
        ("claim", "show", claim.id),
    ):
        done = howsure(*(str(word) for word in command), "--store", store)
        assert done.returncode == 0
        assert b"\x1b" not in done.stdout


def test_a_decision_does_not_depend_on_who_reads_it(tmp_path: Path) -> None:
    def run(*arguments: str, **more: Any) -> int:
        read, write = os.pipe()
        os.close(read)
        command = [sys.executable, "-m", "howsure", *arguments, "--store", str(tmp_path / "s.db")]
        done = subprocess.run(command, stdout=write, stderr=subprocess.PIPE, check=False, cwd=tmp_path, **more)
        os.close(write)
        assert b"Traceback" not in done.stderr
        return done.returncode

    for form in ((), ("--json",)):
        assert run("gate", "--knowledge", "0.1", "--history", "0", *form) == 1
        assert run("gate", "--knowledge", "1", "--code", "1", "--history", "1", *form) == 0
        assert run("quality-gate", "--test-command", "false", *form) == 1
    narrow = {"env": os.environ | {"PYTHONIOENCODING": "ascii"}}
    assert run("gate", "--agent", "é", "--knowledge", "1", "--code", "1", "--history", "1", **narrow) == 0


@pytest.mark.parametrize(
    "arguments",
    [
        ("ledger", "list", "--agent", "\udcff"),
        ("ledger", "show", "\udcff"),
        ("stats", "--agent", "\udcff"),
        ("stats", "--last", "²d"),
        ("outcome", "\udcff", "right"),
        ("ledger", "purge", "--before", "yesterday", "--yes"),
    ],
)
def test_what_cannot_be_understood_exits_2(howsure: Run, tmp_path: Path, arguments: tuple[str, ...]) -> None:
    done = howsure(*arguments, "--store", str(tmp_path / "s.db"))
    assert (done.returncode, done.stdout, b"Traceback" in done.stderr) == (2, b"", False)


def test_a_commit_waits_for_the_disk_whatever_the_server_is_set_to(postgres_address: str) -> None:
    from howsure.store.address import connect

    database = connect(f"{postgres_address}&options=-c%20synchronous_commit%3Doff")
    with database.write() as transaction:
        assert transaction.value("SHOW synchronous_commit") == "on"
    database.close()

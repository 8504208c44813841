"""howsure claim, janitor and store, as a person or a script uses them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from howsure.store.schema import newest
from tests.conftest import Run

Claim = Callable[..., Any]


@pytest.fixture
def run(howsure: Run, tmp_path: Path) -> Claim:
    """Run a command on a store of its own, and return what it says; JSON where that is asked for."""

    def call(*arguments: str, code: int = 0, stdin: bytes = b"") -> Any:
        done = howsure(*arguments, stdin=stdin, HOWSURE_STORE=str(tmp_path / "s.db"), HOWSURE_ACTOR="tester")
        assert done.returncode == code, (done.stdout, done.stderr)
        assert b"Traceback" not in done.stderr
        if "--json" in arguments and code == 0:
            try:
                return [json.loads(line) for line in done.stdout.splitlines()]
            except json.JSONDecodeError:
                return json.loads(done.stdout)
        return (done.stdout + done.stderr).decode()

    return call


def _add(run: Claim, text: str, *more: str) -> dict[str, Any]:
    options = more or ("--source", "user_input:ann", "--contribution", "0.8")
    (found,) = run("claim", "add", text, *options, "--json")
    return dict(found)


def test_the_life_of_a_claim(run: Claim) -> None:
    sky = _add(run, "The sky is blue")
    assert (sky["outcome"], sky["lower"], sky["upper"]) == ("created", pytest.approx(0.8 * 2 / 3), 0.8)
    again = _add(run, "the sky is blue.", "--source", "extraction:doc", "--contribution", "0.5")
    assert (again["outcome"], again["id"], again["sources"]) == ("corroborated", sky["id"], 2)
    (challenged,) = run(
        "claim", "challenge", sky["id"], "--statement", "The sky is green", "--source", "log:x", "--json"
    )
    assert challenged["claim"]["id"] == sky["id"]
    found = run("claim", "find", "sky", "--json")
    assert [claim["statement"] for claim in found] == ["The sky is blue", "The sky is green"]
    assert "resolve that first" in run("claim", "promote", sky["id"], code=1)
    run("claim", "resolve", sky["id"], "--uphold", "--note", "I looked")
    assert "promoted" in run("claim", "promote", sky["id"])
    assert "project" in run("claim", "show", sky["id"], "--json")[0]["tier"]
    assert "task" in run("claim", "demote", sky["id"])
    (day,) = run("claim", "derive", "It is day", "--from", sky["id"], "--confidence", "0.9", "--json")
    assert day["upper"] <= found[0]["upper"] + 0.2
    assert "counts no more in 1 claims" in run("claim", "invalidate", "user_input:ann")
    assert "counts again in 1 claims" in run("claim", "invalidate", "user_input:ann", "--undo")
    history = run("claim", "history", sky["id"], "--json")
    assert [event["action"] for event in history[:3]] == ["created", "corroborated", "challenged"]
    assert {event["actor"] for event in history} == {"tester"}
    assert "is forgotten" in run("claim", "forget", sky["id"])
    assert "forgotten already" in run("claim", "forget", sky["id"])
    assert "is deleted" in run("claim", "purge", sky["id"], "--yes")
    assert "unknown claim" in run("claim", "show", sky["id"], code=2)


def test_purging_asks_first(run: Claim) -> None:
    claim = _add(run, "precious")
    run("claim", "purge", claim["id"], code=1, stdin=b"n\n")
    assert run("claim", "show", claim["id"], "--json")[0]["statement"] == "precious"


def test_intervals_are_drawn(run: Claim) -> None:
    assert "No claims fit" in run("claim", "find")
    _add(run, "The sky is blue")
    _add(run, "Nobody said this", "--tier", "project")
    shown = run("claim", "find")
    assert "━" in shown
    assert "[0.53, 0.80]" in shown
    assert "(no sources: unknown, not false)" in " ".join(shown.split())
    assert "2 claims in all" in run("claim", "reflect")


def test_finding_takes_the_library_s_options(run: Claim) -> None:
    _add(run, "weak", "--source", "user_input:ann", "--contribution", "0.2", "--namespace", "a/b")
    _add(run, "strong", "--source", "user_input:ann", "--contribution", "0.9", "--stale-at", "2020-01-01")
    assert [c["statement"] for c in run("claim", "find", "--now", "2020-01-01", "--json")] == ["strong", "weak"]
    assert [c["statement"] for c in run("claim", "find", "--json")] == ["weak", "strong"]
    assert [c["statement"] for c in run("claim", "find", "--namespace", "a/*", "--json")] == ["weak"]
    assert [c["statement"] for c in run("claim", "find", "--min-lower", "0.1", "--json")] == ["weak"]
    first, cursor = run("claim", "find", "--limit", "1", "--formula", "beta", "--json")
    (second,) = run("claim", "find", "--limit", "1", "--cursor", cursor["cursor"], "--json")
    assert {first["statement"], second["statement"]} == {"weak", "strong"}
    assert "No claims fit" in run("claim", "find", "--as-of", "2020-01-01")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["claim", "add", "x", "--tier", "permanent"], "tier: 'permanent' is not one of"),
        (["claim", "add", "x", "--contribution", "0.5"], "a contribution needs a source"),
        (["claim", "find", "--order", "beauty"], "order: 'beauty' is not one of"),
        (["claim", "find", "--min-lower", "7"], "min_lower: 7.0 is not between 0 and 1"),
        (["claim", "find", "--limit", "0"], "limit: 0 is not between 1 and 1000"),
        (["claim", "find", "--formula", "overall"], "overall is not a claim formula"),
        (["claim", "find", "--status", "happy"], "'happy' is not one of"),
        (["claim", "find", "--as-of", "lately"], "'lately' is not a time"),
        (["claim", "promote", "nobody", "--to", "heaven"], "to: 'heaven' is not one of"),
        (["claim", "explain", "nobody"], "unknown claim 'nobody'"),
        (["claim", "invalidate", "ann"], "is not TYPE:ID"),
        (["claim", "learn", "no/such/file.jsonl"], "no such file"),
        (["claim", "learn", "-", "--conflicts", "maybe"], "is not flag, quiet or reject"),
        (["claim", "import", "-"], "the export is empty"),
        (["janitor", "--every", "often"], "invalid duration 'often'"),
        (["store", "restore", "nothing.db"], "no such file"),
        (["store", "stats", "--store", "/proc/x/y.db"], "cannot make the folder"),
    ],
)
def test_bad_calls_are_told_clearly(run: Claim, arguments: list[str], message: str) -> None:
    assert message in run(*arguments, code=2)


def test_explaining_shows_steps_words_and_changes(run: Claim) -> None:
    claim = _add(run, "The sky is blue")
    shown = " ".join(run("claim", "explain", claim["id"]).split())
    assert "diversity" in shown
    assert '"The sky is blue" stands at [0.53, 0.80] by noisy_or' in shown
    assert "What would change it" in shown
    assert run("claim", "explain", claim["id"], "--formula", "beta", "--json")


def test_learning_from_files_of_each_kind(run: Claim, tmp_path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [{"statement": f"row {n}", "source": "file:a", "contribution": 0.5} for n in range(3)]
    lines = tmp_path / "a.jsonl"
    lines.write_text("\n".join(json.dumps(row) for row in rows) + "\nnot json\n\n" + '{"statement": ""}\n')
    said = run("claim", "learn", str(lines), code=2)
    assert "5 read, 3 created, 0 corroborated, 0 conflicting, 0 rejected, 2 failed" in said
    assert "line 4: not JSON" in said
    assert "line 6: statement: the statement is empty" in said
    table = tmp_path / "b.csv"
    table.write_text("statement,source_type,source_id,contribution,subject\nrow 0,file,b,0.4,\nrow 9,file,b,0.4,x\n")
    assert "2 read, 1 created, 1 corroborated" in run("claim", "learn", str(table))
    frame = tmp_path / "c.parquet"
    pq.write_table(pa.Table.from_pylist(rows), frame)
    assert "3 corroborated" in run("claim", "learn", str(frame), "--trust", "0.5")
    piped = json.dumps({"statement": "piped"}).encode()
    assert "1 created" in run("claim", "learn", "-", stdin=piped)


def test_a_table_in_another_encoding_is_told(run: Claim, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("statement\nSch\u00f6n\n".encode("latin-1"))
    assert "is not a CSV file in UTF-8" in run("claim", "learn", str(tmp_path / "a.csv"), code=2)


@pytest.mark.parametrize(("policy", "outcome"), [("flag", "challengers"), ("quiet", "nothing"), ("reject", "left out")])
def test_learning_what_contradicts(run: Claim, tmp_path: Path, policy: str, outcome: str) -> None:
    _add(run, "The sky is blue", "--subject", "sky", "--predicate", "colour", "--object", "blue", "--source", "u:a")
    lines = tmp_path / "a.jsonl"
    lines.write_text(
        json.dumps(
            {"statement": "It is green", "subject": "sky", "predicate": "colour", "object": "green", "source": "f:x"}
        )
    )
    run("claim", "learn", str(lines), "--conflicts", policy)
    claims = {claim["statement"]: claim for claim in run("claim", "find", "--json")}
    assert ("It is green" in claims) is (outcome != "left out")
    assert (claims["The sky is blue"]["upper"] < 0.5) is (outcome == "challengers")


def test_an_export_can_be_imported_elsewhere(run: Claim, howsure: Run, tmp_path: Path) -> None:
    _add(run, "one")
    _add(run, "two")
    exported = run("claim", "export")
    other = str(tmp_path / "other.db")
    done = howsure("claim", "import", "-", "--store", other, stdin=exported.encode())
    assert done.stdout.decode().startswith("2 claims, 0 skipped")
    assert howsure("claim", "export", "--store", other).stdout.decode() == exported
    run("claim", "export", str(tmp_path / "file.jsonl"))
    assert (tmp_path / "file.jsonl").read_text() == exported


def test_the_janitor_tells_before_it_acts(run: Claim) -> None:
    claim = _add(run, "short-lived", "--ttl", "1", "--source", "u:a")
    later = "2100-01-01"
    would = run("janitor", "--dry-run", "--now", later)
    assert f"would expire {claim['id']}" in would
    assert run("claim", "show", claim["id"], "--json")[0]["status"] == "active"
    assert f"expire {claim['id']}" in run("janitor", "--now", later)
    assert run("claim", "show", claim["id"], "--json")[0]["status"] == "forgotten"
    (collected,) = run("janitor", "--now", "2100-03-01", "--json")
    assert (collected["action"], collected["done"]) == ("collect", True)
    assert "nothing to do" in run("janitor")


def test_the_store_is_kept_up(run: Claim, howsure: Run, tmp_path: Path) -> None:
    _add(run, "one")
    assert "is sound" in run("store", "check")
    assert f"schema {newest()}, as before" in run("store", "migrate")
    assert json.loads(howsure("store", "stats", "--json", HOWSURE_STORE=str(tmp_path / "s.db")).stdout)["claims"] == 1
    for name in ("copy.db", "copy.jsonl"):
        run("store", "backup", str(tmp_path / name))
        target = str(tmp_path / f"restored-{name}.db")
        assert howsure("store", "restore", str(tmp_path / name), "--store", target).stdout.startswith(b"1 claims")
        assert json.loads(howsure("store", "check", "--store", target, "--json").stdout)["sound"]
    assert "exists already" in run("store", "backup", str(tmp_path / "copy.db"), code=2)
    assert "already has 1 claims" in run("store", "restore", str(tmp_path / "copy.db"), code=2)


def test_damage_is_found(run: Claim, tmp_path: Path) -> None:
    import sqlite3

    claim = _add(run, "one")
    with sqlite3.connect(tmp_path / "s.db") as connection:
        connection.execute("UPDATE claims SET doubt = 0.1, status = 'deprecated'")
    connection.close()
    said = run("store", "check", code=1)
    assert f"{claim['id']}: its folds do not match" in said
    assert f"{claim['id']} is deprecated, but its history says active" in said

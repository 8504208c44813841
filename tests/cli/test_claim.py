"""howsure claim, janitor and store, as a person or a script uses them."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import Call, add_claim
from tests.conftest import Run


def test_the_life_of_a_claim(run: Call) -> None:
    sky = add_claim(run, "The sky is blue")
    assert (sky["outcome"], sky["lower"], sky["upper"]) == ("created", pytest.approx(0.8 * 2 / 3), 0.8)
    again = add_claim(run, "the sky is blue.", "--source", "extraction:doc", "--contribution", "0.5")
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
    assert "counts no more in 1 claim\n" in run("claim", "invalidate", "user_input:ann")
    assert "counts again in 1 claim\n" in run("claim", "invalidate", "user_input:ann", "--undo")
    history = run("claim", "history", sky["id"], "--json")
    assert [event["action"] for event in history[:3]] == ["created", "corroborated", "challenged"]
    assert {event["actor"] for event in history} == {"tester"}
    assert "is forgotten" in run("claim", "forget", sky["id"])
    assert "forgotten already" in run("claim", "forget", sky["id"])
    assert "is deleted" in run("claim", "purge", sky["id"], "--yes")
    assert "unknown claim" in run("claim", "show", sky["id"], code=2)


def test_a_source_that_no_claim_has_is_named(howsure: Run, tmp_path: Path) -> None:
    store = ("--store", str(tmp_path / "s.db"))
    howsure("claim", "add", "The sky is blue", "--source", "web:a", *store)
    done = howsure("claim", "invalidate", "web:zzz", *store)
    assert (done.returncode, b"no claim has the source web:zzz" in done.stderr) == (0, True)
    assert howsure("claim", "invalidate", "web:a", *store).stderr == b""


def test_purging_asks_for_confirmation(run: Call) -> None:
    claim = add_claim(run, "precious")
    run("claim", "purge", claim["id"], code=1, stdin=b"n\n")
    assert run("claim", "show", claim["id"], "--json")[0]["statement"] == "precious"


def test_finding_takes_the_library_s_options(run: Call) -> None:
    add_claim(run, "weak", "--source", "user_input:ann", "--contribution", "0.2", "--namespace", "a/b")
    add_claim(run, "strong", "--source", "user_input:ann", "--contribution", "0.9", "--stale-at", "2020-01-01")
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
        (["store", "stats", "--store", "/proc/x/y.db"], "the folder of the store /proc/x/y.db does not exist"),
        (["store", "migrate", "--create", "--store", "/proc/x/y.db"], "cannot make the folder"),
    ],
)
def test_bad_calls_are_reported_clearly(run: Call, arguments: list[str], message: str) -> None:
    assert message in run(*arguments, code=2)


def test_learning_from_files_of_each_kind(run: Call, tmp_path: Path) -> None:
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


def test_what_a_deprecated_claim_gains_is_told(run: Call) -> None:
    claim = add_claim(run, "The cache is on")
    run("claim", "refute", claim["id"], "--source", "user_input:bob", "--note", "a bell:\a")
    said = run("claim", "add", "The cache is on", "--source", "user_input:eve")
    assert "it stays deprecated (refuted: user_input:bob: a bell:\ufffd), so find leaves it out; verify it" in said
    record = json.dumps({"statement": "The cache is on"}).encode()
    assert "1 claim stays deprecated, so find" in run("claim", "learn", "-", stdin=record)
    assert "fresh until" in run("claim", "verify", claim["id"], "--source", "user_input:eve")
    assert len(run("claim", "find", "cache", "--json")) == 1


@pytest.mark.parametrize(("ttl", "seconds"), [("12h", 43_200), ("7d", 604_800), ("90", 90), ("1e3", 1000)])
def test_a_time_to_live_has_a_unit(run: Call, ttl: str, seconds: float) -> None:
    claim = add_claim(run, "The cache is on", "--source", "user_input:ann", "--ttl", ttl)
    (derived,) = run("claim", "derive", "It is fast", "--from", claim["id"], "--ttl", ttl, "--json")
    for one in (claim, derived):
        assert one["expires_at"] - one["created_at"] == pytest.approx(seconds)


@pytest.mark.parametrize("ttl", ["-1", "nan", "1e13", "12 parsecs", "h"])
def test_a_time_to_live_that_is_none_is_refused(run: Call, ttl: str) -> None:
    assert "howsure: ttl: " in run("claim", "add", "The cache is on", f"--ttl={ttl}", code=2)


def test_a_table_in_another_encoding_is_reported(run: Call, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("statement\nSch\u00f6n\n".encode("latin-1"))
    assert "is not a CSV file in UTF-8" in run("claim", "learn", str(tmp_path / "a.csv"), code=2)


@pytest.mark.parametrize(("policy", "outcome"), [("flag", "challengers"), ("quiet", "nothing"), ("reject", "left out")])
def test_contradictions_are_found_while_learning(run: Call, tmp_path: Path, policy: str, outcome: str) -> None:
    add_claim(
        run, "The sky is blue", "--subject", "sky", "--predicate", "colour", "--object", "blue", "--source", "u:a"
    )
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

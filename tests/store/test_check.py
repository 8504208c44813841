"""Upkeep: checks that tell all they find, and copies that are whole."""

import io
import sqlite3
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from howsure.errors import InputError, StoreError
from howsure.store import transfer
from howsure.store.check import check
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import NOW, ROOT, Clock, wait_until_read


@pytest.mark.parametrize(("start", "end", "told"), [(5, 7, "SQLite: "), (12, 20, "malformed")])
def test_damage_in_one_place_does_not_hide_what_is_wrong_elsewhere(
    tmp_path: Path, start: int, end: int, told: str
) -> None:
    path = tmp_path / "store.db"
    with open_store(str(path)) as sure:
        for number in range(200):
            sure.claims.add(f"claim {number} " + "x" * 200, source=f"user:{number}")
        with sure.session.write() as transaction:
            transaction.run("UPDATE claims SET status = 'deprecated' WHERE key = 5")
            page = transaction.value("SELECT rootpage FROM sqlite_master WHERE name = 'sources'")
            size = transaction.value("PRAGMA page_size")
    content = bytearray(path.read_bytes())
    content[(page - 1) * size + start : (page - 1) * size + end] = b"\xff" * (end - start)
    path.write_bytes(content)
    with open_store(str(path)) as sure:
        problems = check(sure.session)
    assert any(told in problem for problem in problems), problems
    assert any("is deprecated, but its history says active" in problem for problem in problems)


def test_a_lost_depth_is_reported(sure: Sure) -> None:
    first = sure.claims.add("a", source="user:ann").id or ""
    derived = sure.claims.derive("b", [first]).id
    assert check(sure.session) == []
    with sure.session.write() as transaction:
        transaction.run("UPDATE claims SET depth = 0")
    assert any(f"{derived} has depth 0" in problem for problem in check(sure.session))


def test_two_backups_to_one_name_are_both_whole(sure: Sure, tmp_path: Path) -> None:
    for number in range(300):
        sure.claims.add(f"claim {number}", source="user:ann")
    target = tmp_path / "copies" / "copy.jsonl"
    target.parent.mkdir()
    failed: list[BaseException] = []

    def write() -> None:
        try:
            transfer.backup(sure.session, target)
        except InputError as error:  # the other one was there first
            failed.append(error)

    threads = [threading.Thread(target=write) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(failed) < 4
    assert [path.name for path in target.parent.iterdir()] == ["copy.jsonl"]
    with open_store(str(tmp_path / "other.db")) as other:
        assert transfer.restore(other.session, target).claims == 300


def test_claims_can_be_added_while_others_are_exported(sure: Sure) -> None:
    for number in range(3):
        sure.claims.add(f"claim {number}")
    records = []
    for record in sure.claims.export():
        records.append(record)
        sure.claims.add(f"another {len(records)}")
    assert (records[0]["claims"], len(records)) == (3, 4)


def test_writing_within_reading_is_refused(sure: Sure) -> None:
    with sure.session.database.read() as transaction:
        with pytest.raises(StoreError, match=r"finish (that|reading)"):
            sure.claims.add("x")
        assert transaction.value("SELECT COUNT(*) FROM claims") == 0
    sure.claims.add("x")


@pytest.mark.parametrize("now", [float("nan"), float("inf"), -float("inf"), "yesterday"])
def test_an_invalid_moment_is_refused(sure: Sure, now: float) -> None:
    for call in (sure.claims.add, sure.claims.get, sure.claims.forget):
        with pytest.raises(InputError, match=r"^now: "):
            call("x", now=now)
    with pytest.raises(InputError, match=r"^as_of: "):
        sure.claims.find(as_of=now)
    with pytest.raises(InputError, match=r"^now: "):
        sure.clean(now=now)


def test_an_explanation_of_the_past_knows_what_was_known_then(sure: Sure, clock: Clock) -> None:
    claim = sure.claims.add("The sky is blue", source="user:ann", contribution=0.6).id or ""
    clock.now += 10
    sure.claims.add("The sky is blue", source="paper:p1", contribution=0.7)
    sure.claims.invalidate_source("user", "ann")
    clock.now += 10
    then, now = (sure.claims.explain(claim, as_of=moment) for moment in (NOW + 5, None))
    for found, at, name in ((then, NOW + 5, "ann"), (now, None, "p1")):
        read = sure.claims.get(claim, as_of=at)
        assert found.score["upper"] == pytest.approx(read.interval.upper)
        assert [entry.source_id for entry in found.evidence.sources] == [name]
        assert found.claim.sources == read.sources == 1
    assert [c.sources for c in sure.claims.find(as_of=NOW + 5, order="sources").claims] == [1]
    assert [len(found.sources) for found in (then, now)] == [1, 2]


def test_an_import_waiting_for_input_does_not_lock_the_store(tmp_path: Path) -> None:
    address = str(tmp_path / "store.db")
    with open_store(str(tmp_path / "first.db")) as first:
        first.claims.add("from elsewhere")
        export = io.BytesIO()
        transfer.backup(first.session, tmp_path / "export.jsonl")
        export.write((tmp_path / "export.jsonl").read_bytes())
    with (
        open_store(address) as sure,
        subprocess.Popen(
            [sys.executable, "-m", "howsure", "claim", "import", "-", "--store", address],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
        ) as process,
    ):
        assert process.stdin is not None
        half = len(export.getvalue()) // 2
        process.stdin.write(export.getvalue()[:half])
        wait_until_read(process)
        sure.claims.add("meanwhile")
        process.communicate(export.getvalue()[half:], timeout=60)
        assert {claim.statement for claim in sure.claims.find().claims} == {"meanwhile", "from elsewhere"}


def test_a_row_without_its_parent_is_reported(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "store.db")) as sure:
        sure.claims.add("a", source="user:ann")
        sure.ledger.outcome(sure.responses.check("It works.", agent="a").id, "right")
    with sqlite3.connect(tmp_path / "store.db") as connection:
        connection.execute("DELETE FROM sources WHERE claim = 1")
        connection.execute("INSERT INTO sources VALUES (9, 0, 'user', 'ann', 0.5, 0, 0, '', NULL, NULL)")
        connection.execute("DELETE FROM decisions")
    with open_store(str(tmp_path / "store.db")) as sure:
        problems = check(sure.session)
    assert "outcomes: row 1 belongs to a decision that does not exist" in problems
    assert "sources: a row belongs to a claim that does not exist" in problems

"""Processes that are killed or interrupted: what they acknowledged is there, and nothing is half there."""

import json
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from itertools import accumulate, islice
from pathlib import Path
from typing import Any

import pytest

from howsure.claims.learn import BATCH, batch_sizes
from howsure.errors import HowsureError, InputError, StoreError
from howsure.store import check as upkeep
from howsure.store import transfer
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import Run, hear_ctrl_c
from tests.store.children import result, sound

STORMS = [(3, 10), pytest.param((8, 125), marks=pytest.mark.soak)]
"""Writers and rounds: every writer of every round is killed, so that the long one kills a thousand."""


def _exported(address: str) -> list[dict[str, Any]]:
    with open_store(address) as sure:
        assert upkeep.check(sure.session) == []
        return list(sure.claims.export())


@pytest.mark.parametrize("storm", STORMS, ids=lambda storm: f"{storm[0] * storm[1]} kills")
def test_acknowledged_writes_survive_kill_minus_9(address: str, tmp_path: Path, storm: tuple[int, int]) -> None:
    writers, rounds = storm
    folder = tmp_path / "said"
    folder.mkdir()
    result("storm", address, folder, writers, rounds, random.randrange(10**6), timeout=3600)
    # Whoever is killed while saying something has said half a line: what was acknowledged ends with a new line.
    said = [json.loads(line) for path in folder.iterdir() for line in path.read_text().split("\n")[:-1]]
    assert [words for words in said if words[0] == "error"] == []
    assert len(said) > 5 * rounds
    records = _exported(address)
    claims = {record["claim"]["id"]: record["claim"] for record in records if "claim" in record}
    related = {tuple(record["relation"].values())[:3] for record in records if "relation" in record}
    for claim in claims.values():
        assert claim["sources"]
        assert [event["action"] for event in claim["events"]].count("created") == 1
    for what, one, other in said:
        if what == "add":
            assert claims[one]["statement"] == other
            assert {entry["source_type"] for entry in claims[one]["sources"]} >= {"agent", "log"}
        elif what == "corroborate":
            assert [entry["source_id"] for entry in claims[one]["sources"]].count(other) == 1
        elif what == "relate":
            assert ("supports", one, other) in related
            assert "related" in {event["action"] for event in claims[one]["events"]}
        else:
            assert ("contradicts", other, one) in related
            assert claims[one]["status"] == "challenged"
            assert ("challenge", other) in {(e["source_type"], e["source_id"]) for e in claims[one]["sources"]}


def _begun(*arguments: str) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "howsure", *arguments]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, preexec_fn=hear_ctrl_c)  # noqa: PLW1509


def _wait(until: Callable[[], Any], process: "subprocess.Popen[bytes]") -> None:
    deadline = time.monotonic() + 120
    while not until():
        assert process.poll() is None, "it was over too soon"
        assert time.monotonic() < deadline
        time.sleep(0.002)


@pytest.mark.parametrize(("sent", "codes"), [(signal.SIGINT, [130]), (signal.SIGTERM, [143, -15])])
def test_learning_can_be_interrupted(address: str, tmp_path: Path, sent: signal.Signals, codes: list[int]) -> None:
    file = tmp_path / "many.jsonl"
    total = 15 * BATCH
    with file.open("w") as lines:
        for number in range(total):
            lines.write(f'{{"statement": "claim {number}", "source": "log:{number % 7}"}}\n')
    with open_store(address) as sure, _begun("claim", "learn", str(file), "--store", address) as process:
        _wait(lambda: upkeep.stats(sure.session).claims, process)
        time.sleep(0.05)
        process.send_signal(sent)
        out, errors = process.communicate(timeout=120)
        assert process.returncode in codes
        assert (out, errors.strip()) == (b"", b"")
        claims = upkeep.stats(sure.session).claims
        assert 0 < claims < total
        assert claims in accumulate(islice(batch_sizes(), 20))
        assert upkeep.check(sure.session) == []


def _fill(sure: Sure, count: int) -> None:
    sure.claims.learn({"statement": f"claim {number}", "source": f"log:{number % 7}"} for number in range(count))


def test_a_backup_that_is_killed_leaves_nothing_under_its_name(address: str, tmp_path: Path) -> None:
    with open_store(address) as sure:
        _fill(sure, 2000)
        for kind in ("jsonl", "db") if sure.session.database.dialect.name == "sqlite" else ("jsonl",):
            path = tmp_path / f"copy.{kind}"

            def begun(kind: str = kind) -> bool:
                return any(part.stat().st_size for part in tmp_path.glob(f".copy.{kind}.*.part"))

            with _begun("store", "backup", str(path), "--store", address) as process:
                _wait(begun, process)
                process.kill()
            assert not path.exists()
            transfer.backup(sure.session, path)
            assert list(tmp_path.glob("copy*")) == [path]
            with open_store(str(tmp_path / f"restored from {kind}.db")) as copy:
                assert transfer.restore(copy.session, path).claims == 2000
                assert upkeep.check(copy.session) == []
            path.unlink()


def test_a_backup_while_others_write_is_of_one_moment(sure: Sure, tmp_path: Path) -> None:
    said: list[str] = []
    going = True

    def write() -> None:
        while going:
            one = sure.claims.add(f"claim {len(said)}", source="log:a").id
            sure.claims.challenge(str(one), statement=f"not {len(said)}", source="log:b")
            said.append(str(one))

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for number, kind in enumerate(("jsonl", "db")):
            path = tmp_path / f"{number}.{kind}"
            if kind == "db" and sure.session.database.dialect.name != "sqlite":
                continue
            while len(said) < 30 * (number + 1):
                time.sleep(0.005)
            known = set(said)
            transfer.backup(sure.session, path)
            with open_store(str(tmp_path / f"copy {number}.db")) as copy:
                transfer.restore(copy.session, path)
                assert upkeep.check(copy.session) == []
                found = copy.claims.find(limit=None).claims
                challenged = {claim.id for claim in found if claim.status == "challenged"}
                assert known <= challenged
                assert upkeep.stats(copy.session).relations == len(challenged)
    finally:
        going = False
        writer.join()


def test_a_store_that_holds_claims_is_not_restored_into(address: str, tmp_path: Path, howsure: Run) -> None:
    with open_store(address) as sure:
        sure.claims.add("x")
        transfer.backup(sure.session, tmp_path / "copy.jsonl")
        sure.claims.add("y")
        with pytest.raises(InputError, match="already has 2 claims"):
            transfer.restore(sure.session, tmp_path / "copy.jsonl")
    done = howsure("store", "restore", str(tmp_path / "copy.jsonl"), "--store", address)
    assert (done.returncode, done.stderr.count(b"\n")) == (2, 1)
    assert sorted(sound(address).values()) == ["x", "y"]


@pytest.mark.parametrize("kind", ["db", "jsonl"])
def test_restoring_leaves_the_backup_as_it_is(tmp_path: Path, kind: str) -> None:
    """It may lie on a disk that cannot be written to, and it may be the last one."""
    path = tmp_path / f"copy.{kind}"
    with open_store(str(tmp_path / "one.db")) as sure, open_store(str(tmp_path / "two.db")) as other:
        sure.claims.add("x")
        transfer.backup(sure.session, path)
        before = path.read_bytes()
        assert transfer.restore(other.session, path).claims == 1
    assert path.read_bytes() == before


def test_a_store_in_use_is_restored_from_as_a_whole(tmp_path: Path) -> None:
    """What was acknowledged may stand in the log beside the file only, as it does after a crash."""
    with open_store(str(tmp_path / "one.db")) as sure, open_store(str(tmp_path / "two.db")) as other:
        sure.claims.add_many([{"statement": f"claim {number}"} for number in range(20)])
        assert transfer.restore(other.session, tmp_path / "one.db").claims == 20


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> list[bytes]:
    """Give an export of 3 claims, a relation and an invalidation, line by line."""
    folder = tmp_path_factory.mktemp("whole")
    path = folder / "whole.jsonl"
    with open_store(str(folder / "whole.db")) as sure:
        one, two, _ = (str(sure.claims.add(text, source="log:a").id) for text in ("one", "two", "three"))
        sure.claims.relate(one, "supports", two)
        sure.claims.invalidate_source("log", "a")
        transfer.backup(sure.session, path)
    return path.read_bytes().splitlines(keepends=True)


@pytest.mark.parametrize("lost", ["half a line", "a line", "two lines", "all but the head", "everything"])
def test_nothing_is_imported_from_a_truncated_file(address: str, tmp_path: Path, whole: list[bytes], lost: str) -> None:
    lines = whole
    left = {
        "half a line": [*lines[:-1], lines[-1][: len(lines[-1]) // 2]],
        "a line": lines[:-1],
        "two lines": lines[:-2],
        "all but the head": lines[:1],
        "everything": [],
    }
    path = tmp_path / "part.jsonl"
    path.write_bytes(b"".join(left[lost]))
    with open_store(address) as sure:
        with pytest.raises(InputError):
            transfer.restore(sure.session, path)
        assert upkeep.stats(sure.session).claims == 0


BROKEN = [[1], {}, 5, None, {"claim": None}, {"claim": {"tier": "nonsense"}}, {"claim": {"status": "nonsense"}}]
BROKEN += [{"claim": {"statement": 5}}, {"claim": {"created_at": "x"}}, {"claim": {"base_lower": None}}]
BROKEN += [{"claim": {"statement": "\0"}}, {"claim": {"events": []}}, {"relation": {"kind": "nonsense"}}]


def _broken(records: list[Any], broken: Any) -> list[Any]:
    """Change what a dictionary names in the last record of its kind, or put anything else among the records."""
    if not isinstance(broken, dict) or not broken:
        return [*records[:2], broken, *records[2:]]
    ((kind, changes),) = broken.items()
    place = max(number for number, record in enumerate(records) if kind in record)
    changed = {kind: None if changes is None else records[place][kind] | changes}
    return [*records[:place], changed, *records[place + 1 :]]


def test_nothing_is_imported_from_a_broken_file(address: str, whole: list[bytes]) -> None:
    records = list(map(json.loads, whole))
    otherwise = {}
    with open_store(address) as sure:
        for broken in BROKEN:
            try:
                sure.claims.import_(_broken(records, broken))
                otherwise[str(broken)] = "imported"
            except InputError as error:
                assert "nothing was imported" in str(error)  # noqa: PT017 - others are told below
            except Exception as error:  # noqa: BLE001 - they are told, all together
                otherwise[str(broken)] = repr(error)
            for claim in sure.claims.find(limit=None, statuses=["active", "challenged", "forgotten"]).claims:
                sure.claims.purge(claim.id)
    assert otherwise == {}


def test_an_import_beside_other_claims_leaves_the_store_sound(address: str, whole: list[bytes]) -> None:
    records = list(map(json.loads, whole))
    with open_store(address) as sure:
        sure.claims.add("another", source="log:a")  # whose source is invalid from now on
        assert sure.claims.import_(records).claims == 3
        assert upkeep.check(sure.session) == []


def test_a_newer_export_of_the_same_claims_is_imported_whole(address: str, tmp_path: Path) -> None:
    """A claim that is there already may have been derived from others since."""
    with open_store(str(tmp_path / "source.db")) as source, open_store(address) as copy:
        weak = str(source.claims.add("weak", source="log:a", contribution=0.1).id)
        strong = str(source.claims.add("strong", source="log:b", contribution=0.9).id)
        copy.claims.import_(list(source.claims.export()))
        source.claims.relate(strong, "derived_from", weak)
        copy.claims.import_(list(source.claims.export()))
        wanted, found = (list(store.claims.get(strong, now=0.0).interval) for store in (source, copy))
        assert found == pytest.approx(wanted)
        assert upkeep.check(copy.session) == []


def test_an_import_of_claims_known_under_another_id_works(address: str, whole: list[bytes]) -> None:
    records = list(map(json.loads, whole))
    with open_store(address) as sure:
        sure.claims.add("two", source="log:b")
        try:
            sure.claims.import_(records)
        except HowsureError:
            assert upkeep.stats(sure.session).claims == 1
        assert upkeep.check(sure.session) == []


def _is_locked(sure: Sure) -> bool:
    """Return whether somebody else is writing."""
    try:
        with sure.session.database.write(wait=False):
            return False
    except StoreError:
        return True


def test_an_import_that_is_killed_imports_nothing(address: str, tmp_path: Path) -> None:
    path = tmp_path / "copy.jsonl"
    with open_store(str(tmp_path / "source.db")) as source:
        _fill(source, 3000)
        total = upkeep.stats(source.session).claims
        transfer.backup(source.session, path)
    with open_store(address) as sure, _begun("claim", "import", str(path), "--store", address) as process:
        while process.poll() is None and not _is_locked(sure):
            time.sleep(0.002)
        process.kill()
        process.communicate()
        assert upkeep.stats(sure.session).claims in (0, total)  # a busy machine may kill it only after the commit
        assert upkeep.check(sure.session) == []

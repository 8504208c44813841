"""Decisions under fault: killed processes, full disks, many writers. What was said is in the ledger."""

import json
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from howsure.errors import StoreError
from howsure.store import transfer
from howsure.store.check import check, repair
from howsure.sure import open as open_store
from tests.conftest import ROOT, Clock, Run

DECIDE = """
import sys
from howsure.sure import open as open_store
with open_store(sys.argv[1]) as sure:
    for number in range(int(sys.argv[2])):
        found = sure.responses.check("It is confirmed.", agent=sys.argv[3], knowledge=0.95, code=0.9)
        sys.stdout.write(f"{found.id} {found.decision}\\n")
        sys.stdout.flush()
"""


def deciding(address: str, count: int, agent: str) -> "subprocess.Popen[str]":
    command = [sys.executable, "-c", DECIDE, address, str(count), agent]
    return subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


@pytest.mark.parametrize("rounds", [5, pytest.param(60, marks=pytest.mark.soak)])
def test_decisions_survive_a_killed_process(address: str, rounds: int) -> None:
    open_store(address).close()
    dice = random.Random(7)
    said = []
    for turn in range(rounds):
        processes = [deciding(address, 100_000, f"agent {number}") for number in range(3)]
        for process in processes:
            assert process.stdout is not None
            said += [process.stdout.readline() for _ in range(4)]  # it has begun
        time.sleep(dice.random() * 0.3)
        for process in processes:
            process.send_signal(signal.SIGKILL)
            assert process.stdout is not None
            assert process.stderr is not None
            out = process.stdout.read()  # what was read ahead is in its buffer, of which `communicate` knows nothing
            assert process.stderr.read() == "", turn
            process.wait()
            process.stdout.close()
            process.stderr.close()
            said += [line for line in out.splitlines(keepends=True) if line.endswith("\n")]
    with open_store(address) as sure:
        assert check(sure.session) == []
        kept = {record.id: record.decision for record in sure.ledger.stream()}
        assert len(said) > 10 * rounds
        for line in said:
            id_, decision = line.split()
            assert kept[id_] == decision
        assert sure.ledger.stats().all.total == len(kept)


def test_eight_processes_lose_nothing(address: str) -> None:
    open_store(address).close()
    processes = [deciding(address, 40, f"agent {number % 2}") for number in range(8)]
    outs = [process.communicate(timeout=120) for process in processes]
    assert [errors for _, errors in outs] == [""] * 8
    ids = {line.split()[0] for out, _ in outs for line in out.splitlines()}
    with open_store(address) as sure:
        assert {record.id for record in sure.ledger.find(limit=1000).decisions} == ids
        assert (len(ids), sure.ledger.stats().all.total, sure.ledger.stats(agent="agent 0").all.total) == (
            320,
            320,
            160,
        )
        assert check(sure.session) == []


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits of Linux")
def test_a_full_disk_lets_no_response_pass(tmp_path: Path) -> None:
    import resource

    address = str(tmp_path / "store.db")
    with open_store(address) as sure:
        before = sure.responses.check(agent="a", knowledge=1.0, code=1.0).id
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)
        handler = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        try:
            resource.setrlimit(resource.RLIMIT_FSIZE, (Path(f"{address}-wal").stat().st_size, limits[1]))
            refused = 0
            for _ in range(5):
                with pytest.raises(StoreError, match=r"nothing was half written"):
                    sure.responses.check("x" * 5000, agent="a", knowledge=1.0, code=1.0)
                refused += 1
            allowed = sure.responses.check(agent="a", knowledge=1.0, code=1.0, on_ledger_error="allow")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            signal.signal(signal.SIGXFSZ, handler)
        assert (refused, allowed.recorded, allowed.decision) == (5, False, "pass")
        assert "could not be recorded" in "".join(allowed.warnings)
        assert [record.id for record in sure.ledger.find().decisions] == [before]
        after = sure.responses.check(agent="a", knowledge=1.0, code=1.0, policy="nlnh")
        assert after.factors[3].why == "1 of 1 answers met their threshold"
        assert check(sure.session) == []


def test_a_gate_whose_store_cannot_be_opened_judges_nothing(howsure: Run, tmp_path: Path) -> None:
    (tmp_path / "store.db").mkdir()
    done = howsure("gate", "--agent", "a", "--knowledge", "1", "--store", str(tmp_path / "store.db"))
    assert (done.returncode, done.stdout) == (2, b"")
    assert done.stderr.count(b"\n") == 1


def test_a_ledger_is_carried_with_the_store(address: str, tmp_path: Path) -> None:
    with open_store(address) as sure:
        for number in range(5):
            found = sure.responses.check(f"Answer {number}.", agent="a", knowledge=0.9, trace_id="t")
            if number % 2:
                sure.ledger.outcome(found.id, "wrong")
                sure.ledger.outcome(found.id, "right", by="ann", note="after all")
        sure.claims.add("beside", source="u:a")
        transfer.backup(sure.session, tmp_path / "copy.jsonl")
        with open_store(str(tmp_path / "other.db")) as other:
            counts = transfer.restore(other.session, tmp_path / "copy.jsonl")
            assert (counts.claims, counts.decisions) == (1, 5)
            assert other.ledger.find().decisions == sure.ledger.find().decisions
            assert other.ledger.stats().all == sure.ledger.stats().all
            assert check(other.session) == []
            assert other.claims.import_(sure.claims.export()).decisions == 0
            with pytest.raises(Exception, match="already"):
                transfer.restore(other.session, tmp_path / "copy.jsonl")
    lines = (tmp_path / "copy.jsonl").read_text().splitlines()
    assert json.loads(lines[0])["outcomes"] == 4


def test_inconsistent_sums_are_reported_and_repaired(address: str, clock: Clock) -> None:
    def hours() -> list[Any]:
        with sure.session.database.read() as transaction:
            return transaction.rows("SELECT * FROM hours ORDER BY agent, model, hour, agent_type, project")

    with open_store(address, clock=clock) as sure:
        for number in range(5):
            checked = sure.responses.check(agent=f"a{number % 2}", knowledge=0.2 * number, project="p" * number)
            sure.ledger.outcome(checked.id, "right" if number % 3 else "wrong")
            clock.now += 1800.0
        assert check(sure.session) == []
        before, history = hours(), sure.responses.history("a1")
        for change in ("UPDATE hours SET total = 5", "DELETE FROM hours", "UPDATE hours SET agent = 'b'"):
            with sure.session.write() as transaction:
                transaction.run(change)
            assert any("do not match its decisions (howsure store check --repair" in one for one in check(sure.session))
            (repaired,) = repair(sure.session)
            assert repaired.startswith("counted the decisions of all hours again: ")
            assert check(sure.session) == repair(sure.session) == []
            assert (hours(), sure.responses.history("a1")) == (before, history)

"""Two servers on one store: what each answers is true, whatever the other does."""

import threading
from pathlib import Path
from typing import Any

import psycopg
import pytest

from howsure.claims import learn as learning
from howsure.errors import StoreError
from howsure.ledger import outcomes as outcomes_module
from howsure.serve.desk import OWNER, Desk
from howsure.serve.errors import describe_error
from howsure.serve.operations import operation
from howsure.store.backends import checkpoints
from howsure.store.backends.database import Database, PartsDone
from howsure.store.check import check
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.serve.serving import Client, serving


def test_a_purge_says_what_is_true_while_others_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It answered "nothing was changed" when the claim was gone, because the log could not be truncated."""
    monkeypatch.setattr(checkpoints, "SETTLE_TIMEOUT", 0.05)
    path, stop, wrong = str(tmp_path / "shared.db"), threading.Event(), []
    with open_store(path) as one, open_store(path) as two, serving(one) as first, serving(two) as second:
        ids = [str(one.claims.add(f"The part {number} is safe", source="doc:a").id) for number in range(24)]
        with one.session.database.read(separate=True) as old:  # a reader of an older state, as an export is
            old.value("SELECT COUNT(*) FROM claims")
            answer = first.do("claims.purge", {"claim": ids[0]})
            assert (answer.status_code, answer.json()) == (200, {"id": ids[0], "erased": False})
            kept = one.session.database.unsettled
        assert kept

        def reading() -> None:
            while not stop.is_set():
                second.get("/v1/claims?limit=1000")

        def purging(client: Client, mine: list[str]) -> None:
            for id_ in mine:
                answer = client.do("claims.purge", {"claim": id_})
                gone = client.get(f"/v1/claims/{id_}").status_code == 404
                if (answer.status_code == 200) != gone or answer.status_code not in (200, 503):
                    wrong.append((answer.status_code, answer.text, gone))

        threads = [threading.Thread(target=purging, args=args) for args in ((first, ids[1:12]), (second, ids[12:]))]
        threads.append(threading.Thread(target=reading))
        for thread in threads:
            thread.start()
        for thread in threads[:2]:
            thread.join()
        stop.set()
        threads[2].join()
        assert not wrong
        Desk(one, requires_tokens=False).maintain()  # erases what could not be erased before
        assert not one.session.database.unsettled
        assert b"The part" not in Path(path).read_bytes() + Path(f"{path}-wal").read_bytes()
        assert check(one.session) == []


def _purge(sure: Sure) -> Any:
    decision = sure.responses.check("It is tested.", agent="ann", knowledge=0.9).id
    return {"decision_id": decision}


def test_a_purge_of_decisions_says_what_is_true(sure: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    given = _purge(sure)

    def fail(_: Database) -> None:
        raise StoreError("busy")

    monkeypatch.setattr(type(sure.session.database), "settle", fail)
    answer = Desk(sure, requires_tokens=False).run(OWNER, operation("ledger.purge"), given).result
    assert answer == {"purged": 1, "erased": False}


@pytest.mark.parametrize("name", ["claims.learn", "ledger.outcomes"])
def test_a_failure_after_a_part_says_so(sure: Sure, monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(learning, "BATCH", 2)
    monkeypatch.setattr(outcomes_module, "PART", 2)
    ids = [sure.responses.check("It is tested.", agent="ann", knowledge=0.9).id for _ in range(5)]
    data: dict[str, Any] = {
        "claims.learn": {"records": [{"statement": f"Part {id_}", "source": "a:b"} for id_ in ids]},
        "ledger.outcomes": {"outcomes": [{"id": id_, "outcome": "right"} for id_ in ids]},
    }[name]
    real, begun = sure.session.write, []

    def write(**options: Any) -> Any:
        begun.append(1)
        if len(begun) == 3:
            raise StoreError("the disk is full")
        return real(**options)

    monkeypatch.setattr(sure.session, "write", write)
    with pytest.raises(StoreError) as caught:
        Desk(sure, requires_tokens=False).run(OWNER, operation(name), data)
    assert caught.value.done == "some"
    assert "a part was done" in describe_error(caught.value)[1]["hint"]
    monkeypatch.undo()
    there = len(sure.claims.find().claims) + len(sure.ledger.find(with_outcome=True).decisions)
    assert there == 4


def test_errors_before_a_commit_say_that_nothing_was_changed(sure: Sure) -> None:
    sure.claims.add("The sky is blue", source="a:b")  # committed before
    with pytest.raises(StoreError) as caught, PartsDone():
        raise StoreError("locked")
    assert caught.value.done == "nothing"
    assert "nothing was changed" in describe_error(caught.value)[1]["hint"]


@pytest.mark.parametrize("address", ["postgres"], indirect=True)
def test_a_connection_that_breaks_during_the_commit_leaves_it_unknown(address: str) -> None:
    with open_store(address) as sure, psycopg.connect(address, autocommit=True) as other:
        sure.claims.add("The sky is blue", source="a:b")
        with pytest.raises(StoreError, match="broke during the commit") as caught, sure.session.write() as transaction:
            other.execute("SELECT pg_terminate_backend(%s)", [transaction.value("SELECT pg_backend_pid()")])
        assert caught.value.done == "unknown"
        assert "may have been done" in describe_error(caught.value)[1]["hint"]
        with pytest.raises(StoreError) as caught, sure.session.write() as transaction:
            transaction.rows("SELECT pg_terminate_backend(pg_backend_pid())")
        assert caught.value.done == "nothing"
        assert len(sure.claims.find().claims) == 1

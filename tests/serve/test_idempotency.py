"""Idempotency keys: a request that is sent twice is done once."""

import sqlite3
import threading
import time
from contextlib import closing, nullcontext
from pathlib import Path
from typing import Any

import pytest

from howsure.errors import InputError, StoreError
from howsure.ledger.recorder import Recorder
from howsure.serve.desk import OWNER, Desk
from howsure.serve.errors import IdempotencyKeyError
from howsure.serve.http import Capacity
from howsure.serve.idempotency import Backlog, run_once
from howsure.serve.operations import operation
from howsure.store.backends import sqlite
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import Clock
from tests.serve.serving import Client, serving

CHECK = {"text": "It is tested.", "agent": "ann", "knowledge": 0.9}


def _check(client: Client, key: str, **more: Any) -> Any:
    return client.do("responses.check", CHECK | more, **{"Idempotency-Key": key})


def test_a_request_with_a_key_runs_once_and_repeats_its_result(client: Client) -> None:
    first, again = _check(client, "k1"), _check(client, "k1")
    assert first.status_code == again.status_code == 200
    assert first.content == again.content
    assert "idempotency-replayed" not in first.headers
    assert again.headers["idempotency-replayed"] == "true"
    assert _check(client, "k2").json()["id"] != first.json()["id"]
    assert len(client.get("/v1/ledger").json()["decisions"]) == 2


def test_a_key_belongs_to_one_request(client: Client) -> None:
    _check(client, "k")
    other = _check(client, "k", agent="bob")
    assert (other.status_code, other.json()["error"]["code"]) == (422, "key_reused")
    elsewhere = client.do("claims.add", {"statement": "x", "source": "a:b"}, **{"Idempotency-Key": "k"})
    assert elsewhere.json()["error"]["code"] == "key_reused"
    assert len(client.get("/v1/ledger").json()["decisions"]) == 1


def test_failed_requests_can_be_retried(client: Client) -> None:
    for _ in range(2):
        wrong = _check(client, "k", threshold=7)
        assert wrong.status_code == 400
    assert _check(client, "k").status_code == 200


@pytest.mark.parametrize("key", ["x" * 201, "ä", "\t"])
def test_keys_are_short_printable_ascii(sure: Sure, key: str) -> None:
    with pytest.raises(InputError, match="invalid key"):
        run_once(sure.session, "", key, operation("claims.add"), {}, lambda: None)


def test_a_running_request_is_not_started_again(sure: Sure) -> None:
    add = operation("claims.add")

    def inner() -> str:
        with pytest.raises(IdempotencyKeyError, match="still running") as caught:
            run_once(sure.session, "", "k", add, {}, lambda: "twice")
        assert caught.value.pending
        return "once"

    assert run_once(sure.session, "", "k", add, {}, inner) == ("once", False)
    assert run_once(sure.session, "", "k", add, {}, inner) == ("once", True)
    assert run_once(sure.session, "t1", "k", add, {}, lambda: "another's") == ("another's", False)


def test_concurrent_requests_with_a_key_run_once(sure: Sure) -> None:
    desk = Desk(sure, requires_tokens=False)
    check, done, refused = operation("responses.check"), [], []

    def ask() -> None:
        try:
            done.append(desk.run(OWNER, check, CHECK, "k").result["id"])
        except IdempotencyKeyError:
            refused.append(True)

    threads = [threading.Thread(target=ask) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(set(done)) == 1
    assert len(done) + len(refused) == 8
    assert len(sure.ledger.find().decisions) == 1


def test_repeated_results_are_kept_for_a_day_and_deleted_by_a_purge(sure: Sure, clock: Clock) -> None:
    desk = Desk(sure, requires_tokens=False)
    add, purge = operation("claims.add"), operation("claims.purge")
    claim = {"statement": "Ann lives in Bonn", "source": "user:bob"}
    id_ = desk.run(OWNER, add, claim, "k").result["id"]
    assert desk.run(OWNER, add, claim, "k").replayed

    def kept() -> str:
        with sure.session.database.read() as transaction:
            return str(transaction.rows("SELECT * FROM requests"))

    assert "Bonn" in kept()
    desk.run(OWNER, purge, {"claim": id_})
    assert kept() == "[]"
    assert not desk.run(OWNER, add, claim, "k").replayed
    clock.now += 86_401
    desk.run(OWNER, add, claim | {"statement": "Bob does"}, "k2")
    assert "Ann" not in kept()


def test_the_result_of_a_timed_out_request_is_returned_on_retry(store: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    held, real = threading.Event(), Recorder.keep

    def slow(*given: Any, **named: Any) -> Any:
        held.wait(30)
        return real(*given, **named)

    monkeypatch.setattr(Recorder, "keep", slow)
    with serving(store, capacity=Capacity(timeout=0.3)) as client:
        assert _check(client, "k").json()["error"]["code"] == "timeout"
        while (waiting := _check(client, "k")).status_code == 504:
            pass  # a busy machine may not tell within the 0.3 s that it is under way
        assert (waiting.status_code, waiting.json()["error"]["code"]) == (409, "in_progress")
        assert waiting.headers["retry-after"] == "1"
        held.set()
        deadline = time.monotonic() + 60
        while (again := _check(client, "k")).status_code != 200:
            assert time.monotonic() < deadline
            time.sleep(0.02)
        assert again.headers["idempotency-replayed"] == "true"
        assert [record.id for record in store.ledger.find().decisions] == [again.json()["id"]]


@pytest.mark.parametrize("succeeds", [True, False])
def test_the_end_of_a_request_waits_while_the_store_is_locked(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, succeeds: bool
) -> None:
    monkeypatch.setattr(sqlite, "WRITE_TIMEOUT", 0.05)
    path = str(tmp_path / "locked.db")
    add, claim = operation("claims.add"), {"statement": "The sky is blue", "source": "a:b"}
    with open_store(path) as sure, closing(sqlite3.connect(path, isolation_level=None)) as other:
        backlog = Backlog()

        def work() -> str:
            other.execute("BEGIN IMMEDIATE")  # nobody else can write now
            if not succeeds:
                raise StoreError("the store is locked")
            return "done"

        with nullcontext() if succeeds else pytest.raises(StoreError, match="is locked"):
            run_once(sure.session, "", "k", add, claim, work, backlog)
        other.execute("ROLLBACK")
        if succeeds:  # by the maintenance of the server, for other servers
            backlog.flush(sure.session)
        again = run_once(sure.session, "", "k", add, claim, lambda: "again", backlog)
        assert again == (("done", True) if succeeds else ("again", False))
        assert run_once(sure.session, "", "k", add, claim, lambda: "third", Backlog()) == (again[0], True)


def test_a_key_stays_taken_if_something_was_done(sure: Sure) -> None:
    add = operation("claims.add")

    def half() -> None:
        error = StoreError("broke during the commit")
        error.done = "unknown"
        raise error

    with pytest.raises(StoreError):
        run_once(sure.session, "", "k", add, {}, half)
    with pytest.raises(IdempotencyKeyError, match="interrupted"):
        run_once(sure.session, "", "k", add, {}, lambda: "twice")

"""Connections to PostgreSQL: lost, refused, or never made. A store is told by its address, never by its password."""

import threading
import time
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from howsure.errors import HowsureError, StoreError
from howsure.store.backends.deadline import deadline
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import Run


@pytest.fixture
def remote(postgres_address: str) -> Iterator[str]:
    """Give the address of an empty store in PostgreSQL."""
    with psycopg.connect(postgres_address, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA remote")
        yield f"{postgres_address}&options=-c%20search_path%3Dremote"
        connection.execute("DROP SCHEMA remote CASCADE")


def _cut(sure: Sure, server: str) -> None:
    """Let the server end the connection of this thread."""
    with sure.session.database.read() as transaction:
        process = transaction.value("SELECT pg_backend_pid()")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("SELECT pg_terminate_backend(%s, 5000)", [process])


def test_a_connection_that_was_lost_is_opened_anew(remote: str, postgres_address: str) -> None:
    with open_store(remote) as sure:
        one = str(sure.claims.add("one").id)
        _cut(sure, postgres_address)
        assert sure.claims.get(one).statement == "one"
        _cut(sure, postgres_address)
        assert sure.claims.add("two").outcome == "created"
        _cut(sure, postgres_address)
        sure.claims.purge(one)
        _cut(sure, postgres_address)


def test_losing_a_separate_read_leaves_the_connection_of_the_thread(remote: str, postgres_address: str) -> None:
    def read() -> None:
        with sure.session.database.read(separate=True) as transaction:
            process = transaction.value("SELECT pg_backend_pid()")
            with psycopg.connect(postgres_address, autocommit=True) as other:
                other.execute("SELECT pg_terminate_backend(%s, 5000)", [process])
            transaction.rows("SELECT 1")

    with open_store(remote) as sure:
        one = str(sure.claims.add("one").id)
        with sure.session.write() as transaction:
            transaction.run("UPDATE claims SET tier = 'project'")
            with pytest.raises(StoreError, match=r"failed: .*\(try again\)"):
                read()
            transaction.run("UPDATE claims SET subject = 'it'")
        claim = sure.claims.get(one)
        assert (claim.tier, claim.subject) == ("project", "it")


def test_a_lost_connection_is_reported(remote: str, postgres_address: str) -> None:
    with open_store(remote) as sure:
        one = str(sure.claims.add("one").id)

        def change() -> None:
            with sure.session.write() as transaction:
                transaction.run("UPDATE claims SET tier = 'project'")
                _cut(sure, postgres_address)
                transaction.run("UPDATE claims SET tier = 'project'")

        with pytest.raises(StoreError, match=r"the store postgresql://\S* failed: .*\(try again\)"):
            change()
        assert sure.claims.get(one).tier == "task"
        assert [event.action for event in sure.claims.history(one)] == ["created"]


@pytest.mark.parametrize("good", [True, False])
def test_an_import_whose_connection_is_lost_imports_nothing(remote: str, postgres_address: str, good: bool) -> None:
    with open_store(remote) as sure:
        sure.claims.add_many([{"statement": "one"}, {"statement": "two"}])
        records = list(sure.claims.export())
        for claim in sure.claims.find().claims:
            sure.claims.purge(claim.id)

        def given() -> Iterator[Any]:
            yield from records[:2]
            _cut(sure, postgres_address)
            yield records[2] if good else {"claim": "nonsense"}

        with pytest.raises(HowsureError):
            sure.claims.import_(given())
        assert sure.claims.find().claims == []
        assert sure.claims.import_(records).claims == 2


@pytest.mark.parametrize("setting", ["default_transaction_read_only%3Don", "statement_timeout%3D1", "role%3Dnobody"])
def test_refusals_of_the_server_are_reported(remote: str, postgres_address: str, setting: str, howsure: Run) -> None:
    with psycopg.connect(postgres_address, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS nobody")
        connection.execute("CREATE ROLE nobody")
    done = howsure("claim", "add", "x", "--store", f"{remote}%20-c%20{setting}")
    assert done.returncode == 2
    assert (done.stderr[:9], done.stderr.count(b"\n")) == (b"howsure: ", 1)


@pytest.mark.parametrize(
    "address",
    [
        "postgresql://ann:secret@127.0.0.1:1/claims",
        "postgresql://127.0.0.1:1/claims?user=ann&password=secret",
        "postgresql://ann:secret@127.0.0.1:port/claims",
        "postgresql://ann:secret@[::1/claims",
        "postgresql://ann:secret/secret@127.0.0.1:1/claims",
        "postgresql://ann:secret#secret@127.0.0.1:1/claims",
        "postgresql://ann:secret?secret@127.0.0.1:1/claims",
        "postgresql://ann:secret%zz@127.0.0.1:1/claims",
        "postgresql://ann:my@secret@127.0.0.1:1/claims",
        "postgresql://127.0.0.1:1/claims?user=ann&pasword=secret",
    ],
)
def test_an_unreachable_server_is_reported_without_the_password(address: str) -> None:
    with pytest.raises(StoreError) as caught:
        open_store(address)
    assert "secret" not in str(caught.value)
    assert "is the address right?" in str(caught.value)


def test_the_reason_for_an_unreachable_server_is_reported(howsure: Run) -> None:
    done = howsure("store", "check", "--store", "postgresql://ann:secret@127.0.0.1:1/claims")
    assert (done.returncode, done.stdout, done.stderr.count(b"\n")) == (2, b"", 1)
    assert b"refused" in done.stderr


def test_a_writer_does_not_wait_for_ever(remote: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Another may have been stopped (Ctrl-Z), or cut off, while it was writing."""
    monkeypatch.setattr("howsure.store.backends.postgres.WRITE_TIMEOUT", 0.2, raising=False)
    problems: list[BaseException] = []
    with open_store(remote) as sure, open_store(remote) as stopped:

        def write() -> None:
            try:
                sure.claims.add("x")
            except BaseException as error:  # noqa: BLE001 - whatever it is, it is told below
                problems.append(error)

        writer = threading.Thread(target=write)
        with stopped.session.database.write():
            writer.start()
            writer.join(timeout=60)
            waiting = writer.is_alive()
        writer.join()
        assert not waiting
        assert [type(problem) for problem in problems] == [StoreError]
        assert sure.claims.add("x").outcome == "created"


def test_a_commit_waits_for_the_disk_whatever_the_server_is_set_to(postgres_address: str) -> None:
    from howsure.store.backends.database import connect

    database = connect(f"{postgres_address}&options=-c%20synchronous_commit%3Doff")
    with database.write() as transaction:
        assert transaction.value("SHOW synchronous_commit") == "on"
    database.close()


def test_a_claim_is_read_by_plans_that_are_made_once(remote: str) -> None:
    """Planning takes longer than reading a claim, and PostgreSQL makes a new plan for each of the first ten reads."""
    with open_store(remote) as sure:
        claim = sure.claims.add("The sky is blue", source="user_input:ann").id
    with open_store(remote) as sure:  # on a new connection
        for _ in range(3):
            sure.claims.get(claim)
        with sure.session.database.read() as transaction:
            plans = "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement LIKE ?"
            assert transaction.rows(plans, ["%claims c%"]) == [(3, 0)]


@pytest.mark.parametrize("superuser", [True, False])
def test_a_bulk_load_needs_no_superuser_and_leaves_the_foreign_keys_on(
    remote: str, postgres_address: str, superuser: bool
) -> None:
    with psycopg.connect(postgres_address, autocommit=True) as connection:
        connection.execute("DROP ROLE IF EXISTS plain")
        connection.execute("CREATE ROLE plain")
        connection.execute("GRANT USAGE, CREATE ON SCHEMA remote TO plain")
        try:
            with open_store(remote if superuser else remote + "%20-c%20role%3Dplain", clock=lambda: 5) as sure:
                records = [{"statement": f"claim {n}", "source": f"log:{n}", "tier": "project"} for n in range(30)]
                assert sure.claims.learn(records).created == 30
                orphans = [(-1, number, "log", "x", 0.5, None, 5, "") for number in range(30)]
                columns = "claim, position, source_type, source_id, contribution, at, recorded_at, context"
                with pytest.raises(StoreError), sure.session.write() as transaction:
                    transaction.load("sources", columns, orphans)
                keys = "SELECT key FROM claims ORDER BY key"
                with sure.session.write() as transaction:  # a load that needs no check, and after it one that does
                    more = [(row[0], 1, *orphans[0][2:]) for row in transaction.rows(keys)]
                    transaction.load("sources", columns, more, verified=True)
                    with pytest.raises(psycopg.errors.ForeignKeyViolation), transaction.savepoint():
                        transaction.load("sources", columns, orphans)
                with sure.session.database.read() as transaction:
                    assert transaction.value("SELECT COUNT(*) FROM sources") == 60
                    assert transaction.value("SELECT SUM(claims) FROM claim_sums") == 30
        finally:
            connection.execute("DROP OWNED BY plain CASCADE")
            connection.execute("DROP ROLE plain")


def test_a_claim_is_read_by_one_query_that_is_planned_once(remote: str) -> None:
    with open_store(remote, clock=lambda: 1e9) as sure:
        one, two = (sure.claims.add(text, source="log:a", contribution=0.8).id for text in ("one", "two"))
        sure.claims.relate(one, "supports", two)
        alone = [sure.claims.get(two) for _ in range(7)]
        with sure.session.database.read() as transaction:
            assert transaction.value("SHOW plan_cache_mode") == "auto"
            assert sure.claims.get(two) == alone[0], "within a transaction it is part of that"
            plans = (
                "SELECT generic_plans, custom_plans FROM pg_prepared_statements WHERE statement LIKE '%WHERE id = $%'"
            )
            assert (7, 0) in transaction.rows(plans)
        with sure.session.write() as transaction:
            assert transaction.value("SHOW plan_cache_mode") == "auto"
        with deadline(time.monotonic() + 600):  # in a transaction, which has the time limit
            assert alone == [sure.claims.get(two)] * 7
        assert alone[0].interval.upper > sure.claims.get(one).interval.upper, "it is supported"
        three = sure.claims.derive("three", [one, two]).id  # what it rests on is read in a transaction
        assert sure.claims.get(three) == sure.claims.find("three").claims[0]
        assert sure.claims.get(three[:-1]).id == sure.claims.get("@last").id == three

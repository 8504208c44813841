"""A store behind pgbouncer in transaction mode: each transaction may run on another connection to the server."""

import os
import pwd
import subprocess
import uuid
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import psycopg
import pytest

from howsure.store.backends.postgres import PostgresDatabase, PostgresTransaction
from howsure.store.check import check
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import NOW, find_server, free_port, wait_for_port

CONNECTIONS = 3
"""Connections of pgbouncer to the server, fewer than the threads that write."""


@pytest.fixture(scope="module")
def database(postgres_address: str) -> Iterator[str]:
    """Yield the name of a database of our own: pgbouncer does not pass on a search path."""
    name = f"d{uuid.uuid4().hex}"
    with psycopg.connect(postgres_address, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')
        yield name
        connection.execute(f'DROP DATABASE "{name}" WITH (FORCE)')


@pytest.fixture(scope="module")
def pooled(postgres_address: str, database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Start pgbouncer in transaction mode and yield the address of the database behind it."""
    program = find_server("pgbouncer")
    parts = urlsplit(postgres_address)
    host = parse_qs(parts.query).get("host", [parts.hostname or "127.0.0.1"])[0]
    server = f"host={host} port={parts.port or 5432} user={parts.username or 'postgres'}"
    folder = tmp_path_factory.mktemp("pgbouncer")
    port = free_port()
    (folder / "pgbouncer.ini").write_text(
        f"[databases]\n{database} = {server} dbname={database}\n"
        f"[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = {port}\nunix_socket_dir =\nauth_type = any\n"
        f"pool_mode = transaction\ndefault_pool_size = {CONNECTIONS}\nmax_client_conn = 100\n"
    )
    command = [program, str(folder / "pgbouncer.ini")]
    if os.geteuid() == 0:  # it refuses to run as root, and only the user of the server may reach its socket
        user = Path(host).owner()
        command = [program, "-u", user, str(folder / "pgbouncer.ini")]
        _let_in(folder, user)
    with (folder / "log").open("w") as log, subprocess.Popen(command, stdout=log, stderr=log) as process:
        wait_for_port(port, process, folder / "log")
        yield f"postgresql://any@127.0.0.1:{port}/{database}"
        process.terminate()


def _let_in(folder: Path, user: str) -> None:
    """Let another user read a folder of the tests."""
    os.chown(folder, pwd.getpwnam(user).pw_uid, -1)
    for parent in folder.parents:
        if parent.stat().st_uid == os.geteuid() and not parent.stat().st_mode & 0o001:
            parent.chmod(parent.stat().st_mode | 0o011)


@pytest.fixture
def behind(pooled: str) -> Iterator[Sure]:
    """Yield an open store behind pgbouncer."""
    with open_store(pooled, actor="tester") as sure:
        yield sure


def test_many_writers_share_few_connections(behind: Sure) -> None:
    def write(number: int) -> list[str]:
        return [
            str(behind.claims.add(f"Worker {number} did step {step}", source=f"agent:{number}").id)
            for step in range(12)
        ]

    with ThreadPoolExecutor(CONNECTIONS * 3) as threads:
        ids = [id_ for found in threads.map(write, range(9)) for id_ in found]
    assert len(set(ids)) == 9 * 12
    with ThreadPoolExecutor(CONNECTIONS * 3) as threads:
        statements = {claim.statement for claim in threads.map(behind.claims.get, ids)}
    assert len(statements) == 9 * 12
    assert len(behind.claims.find("worker", limit=1000).claims) == 9 * 12


def test_everything_that_a_store_does_works(behind: Sure, tmp_path: Path) -> None:
    claim = behind.claims.add("The cache is safe", source="user:ann", contribution=0.8).claim
    for number in range(8):
        behind.claims.challenge(claim.id, statement=f"It loses write {number}", source="agent:7")
        decision = behind.responses.check("I think so.", agent="ann")
        behind.ledger.outcome(str(decision.id), "right")
        behind.investigations.record("s1", "grep", {"pattern": "Cache"}, 3)
    assert behind.ledger.stats(agent="ann").all.total == 8
    lines = [{"statement": f"Loaded {number}", "source": "a:b"} for number in range(300)]
    assert behind.claims.learn(lines).created == 300
    exported = list(behind.claims.export())
    assert len(exported) > 300
    behind.claims.purge(claim.id)
    assert check(behind.session) == []


def test_statements_are_prepared_only_without_a_pooler(pooled: str, postgres_address: str) -> None:
    def prepares(address: str) -> bool:
        database = PostgresDatabase(address)
        with closing(database), database.read() as transaction:
            assert isinstance(transaction, PostgresTransaction)
            return transaction.connection.prepare_threshold is not None

    assert (prepares(pooled), prepares(postgres_address)) == (False, True)


def test_tables_behind_a_pooler_are_scored(behind: Sure, pooled: str, tmp_path: Path) -> None:
    with psycopg.connect(pooled, autocommit=True, prepare_threshold=None) as connection:
        connection.execute("CREATE TABLE bulk_claims AS SELECT 'c' || n AS id FROM generate_series(1, 20) n")
        connection.execute(
            "CREATE TABLE bulk_evidence AS SELECT id AS claim, 'a' AS source_type, id AS source_id, "
            "0.5::float8 AS contribution FROM bulk_claims"
        )
    for _ in range(3):
        sources = f"{pooled}::bulk_evidence"
        scores = behind.bulk.score(f"{pooled}::bulk_claims", sources=sources, engine="postgres", now=NOW)
        assert scores.table.num_rows == 20

"""Intervals for any SQL client: views, and the query behind them."""

import csv
import shutil
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

import duckdb
import psycopg
import pytest

from howsure.claims.rows import write_rows
from howsure.formulas import catalog
from howsure.formulas.beta import Beta
from howsure.store.session import claim_formula
from howsure.store.views import COLUMNS, create, drop, interval_rows, statement
from howsure.sure import Sure
from tests.bulk.stores import DAY, fill, intervals
from tests.conftest import Clock, Run


@contextmanager
def client(address: str) -> Iterator[Any]:
    """Yield a connection that knows nothing of howsure, as another program has it."""
    connect: Any = psycopg.connect if address.startswith("postgresql://") else sqlite3.connect
    with closing(connect(address)) as connection:
        yield connection


def bounds(rows: Any) -> dict[str, tuple[float, float]]:
    named = [dict(zip(COLUMNS, row, strict=True)) for row in rows]
    return {row["id"]: (row["lower"], row["upper"]) for row in named}


def test_the_query_gives_the_intervals_of_find(sure: Sure, address: str, clock: Clock) -> None:
    fill(sure, clock, 3)
    dialect = sure.session.database.dialect
    now = dialect._replace(now=dialect.number(clock.now))
    for name in catalog.formulas():
        with client(address) as connection:
            found = bounds(connection.execute(statement(claim_formula(name), now)).fetchall())
        expected = intervals(sure, formula=name, now=clock.now)
        assert found.keys() == expected.keys()
        for claim, pair in expected.items():
            assert found[claim] == pytest.approx(pair, abs=1e-9)


def test_the_shells_of_databases_and_duckdb_read_the_views(
    sure: Sure, address: str, clock: Clock, tmp_path: Path
) -> None:
    clock.now = time.time()
    fill(sure, clock, 4)
    create(sure.session, [claim_formula("beta")])
    query = "SELECT id, lower, upper FROM intervals_beta ORDER BY id"
    shell = ["psql", address, "--csv", "-tc"] if address.startswith("postgresql://") else ["sqlite3", "-csv", address]
    program = shutil.which(shell[0])
    if program is None:
        pytest.skip(f"{shell[0]} is not installed")
    printed = subprocess.run([program, *shell[1:], query], check=True, capture_output=True, text=True).stdout
    expected = intervals(sure, formula="beta", now=time.time())
    rows = {row[0]: (float(row[1]), float(row[2])) for row in csv.reader(printed.splitlines())}
    assert rows.keys() == expected.keys()
    assert all(rows[claim] == pytest.approx(pair, abs=1e-3) for claim, pair in expected.items())
    file = tmp_path / "claims.parquet"
    write_rows(sure.session, sure.session.read_options(time.time(), None, "beta"), "parquet", file)
    exported = duckdb.connect().execute(f"SELECT id, lower, upper FROM '{file}'").fetchall()
    assert {id_: pytest.approx((lower, upper), abs=1e-3) for id_, lower, upper in exported} == rows


def test_views_give_the_intervals_of_the_present(sure: Sure, address: str, clock: Clock) -> None:
    clock.now = time.time()
    fill(sure, clock, 4)
    formulas = [claim_formula(name) for name in catalog.formulas()]
    assert create(sure.session, formulas) == [f"intervals_{name}" for name in catalog.formulas()]
    for name in catalog.formulas():
        with client(address) as connection:
            found = bounds(connection.execute(f"SELECT * FROM intervals_{name}").fetchall())
        expected = intervals(sure, formula=name, now=time.time())
        assert found.keys() == expected.keys()
        for claim, pair in expected.items():
            assert found[claim] == pytest.approx(pair, abs=1e-3)


def test_views_are_replaced_and_dropped(sure: Sure, address: str) -> None:
    sure.claims.add("The sky is blue", source="user_input:ann", contribution=0.8)
    create(sure.session, [Beta()])
    create(sure.session, [Beta(z=0.1)])
    with client(address) as connection:
        lower, upper = connection.execute("SELECT lower, upper FROM intervals_beta").fetchone()
    (claim,) = sure.claims.find(formula=Beta(z=0.1)).claims
    assert (lower, upper) == pytest.approx((claim.interval.lower, claim.interval.upper), abs=1e-9)
    sure.claims.add("The sea is blue", source="user_input:ann", contribution=0.8)  # the store works as before
    assert drop(sure.session) == ["intervals_beta"]
    assert drop(sure.session) == []


def test_rows_are_those_of_find(sure: Sure, clock: Clock) -> None:
    fill(sure, clock, 6)
    for past in (None, clock.now - 1.5 * DAY, clock.now - 40 * DAY):
        options = sure.session.read_options(clock.now, past, "beta")
        with sure.session.database.read() as transaction:
            found = bounds(interval_rows(transaction, options))
        expected = intervals(sure, formula="beta", now=clock.now, as_of=past)
        assert found.keys() == expected.keys()
        for claim, pair in expected.items():
            assert found[claim] == pytest.approx(pair, abs=1e-9)


def test_views_by_command(howsure: Run, tmp_path: Path) -> None:
    store = str(tmp_path / "s.db")
    howsure("claim", "add", "The sky is blue", "--source", "user:ann", "--contribution", "0.8", "--store", store)
    done = howsure("store", "views", "--store", store, "-f", "beta", "-f", "noisy_or", "-s", "z=2")
    assert (done.returncode, done.stdout) == (0, b"created intervals_beta, intervals_noisy_or\n")
    with client(store) as connection:
        (row,) = connection.execute("SELECT statement, upper FROM intervals_noisy_or").fetchall()
    assert row == ("The sky is blue", pytest.approx(0.8))
    assert howsure("store", "check", "--store", store).returncode == 0
    done = howsure("store", "views", "--store", store, "--drop", "--json")
    assert done.stdout == b'{"dropped":["intervals_beta","intervals_noisy_or"]}\n'
    assert howsure("store", "views", "--store", store, "-f", "beat").returncode == 2

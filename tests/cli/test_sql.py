"""howsure sql: the SQL of a formula."""

import json
import sqlite3
from pathlib import Path

import duckdb
import pytest

from tests.conftest import Run


def test_the_sql_of_a_store_runs_in_any_client(howsure: Run, tmp_path: Path) -> None:
    store = str(tmp_path / "s.db")
    howsure("claim", "add", "The sky is blue", "--source", "user:ann", "--contribution", "0.8", "--store", store)
    done = howsure("sql", "noisy_or")
    assert done.returncode == 0, done.stderr
    connection = sqlite3.connect(store)
    cursor = connection.execute(done.stdout.decode())
    names = [column[0] for column in cursor.description]
    (row,) = cursor.fetchall()
    assert dict(zip(names, row, strict=True))["upper"] == pytest.approx(0.8)
    connection.close()


def test_the_sql_of_tables_runs_in_duckdb(howsure: Run) -> None:
    done = howsure("sql", "noisy_or", "-d", "duckdb", "--set", "penalty_factor=0.5", "--json")
    said = json.loads(done.stdout)
    assert (said["formula"], said["dialect"]) == ("noisy_or", "duckdb")
    with duckdb.connect() as connection:
        none = "NULL::DOUBLE AS stale_at, NULL::DOUBLE AS valid_from, NULL::DOUBLE AS valid_until"
        connection.execute(f"CREATE TABLE claims AS SELECT 1 AS id, 'task' AS tier, 'active' AS status, {none}")
        connection.execute(
            "CREATE TABLE sources AS SELECT 1 AS claim, 'a' AS source_type, 'b' AS source_id, 0.8 AS contribution"
        )
        connection.execute(
            "CREATE TABLE relations AS SELECT 'supports' AS kind, 1 AS source, 2 AS target, 1.0 AS strength WHERE 1 = 0"
        )
        (row,) = connection.execute(said["sql"]).fetchall()
    assert row[0:2] == (1, 1)
    assert row[3] == pytest.approx(0.8)


@pytest.mark.parametrize("arguments", [["noisy_xor"], ["noisy_or", "-d", "oracle"], ["response"]])
def test_what_has_no_sql(howsure: Run, arguments: list[str]) -> None:
    done = howsure("sql", *arguments)
    assert (done.returncode, done.stdout) == (2, b"")
    for wanted in ([*arguments[:1], "--tables"],):
        assert howsure("sql", *wanted).returncode == (0 if arguments[0] == "noisy_or" else 2)


def test_formula_and_parameters_of_the_settings_are_used(howsure: Run, tmp_path: Path) -> None:
    store, out = str(tmp_path / "s.db"), tmp_path / "scores.jsonl"
    settings = {"HOWSURE_FORMULA": "beta"}
    howsure("claim", "add", "The sky is blue", "--source", "user:ann", "--contribution", "0.8", "--store", store)
    done = howsure("bulk", "score", store, "--out", str(out), "--now", "2030-01-01", **settings)
    assert done.returncode == 0, done.stderr
    done = howsure("claim", "find", "--now", "2030-01-01", "--json", "--store", store, **settings)
    found, scored = json.loads(done.stdout), json.loads(out.read_text())
    assert (scored["lower"], scored["upper"]) == pytest.approx((found["lower"], found["upper"]), abs=1e-9)

"""Claims as a table: one row per claim with its interval."""

import csv
import io
import json
from pathlib import Path

import pytest
from pyarrow import parquet

from howsure.claims.rows import write_rows
from howsure.errors import InputError
from howsure.store.views import COLUMNS
from howsure.sure import Sure
from tests.bulk.stores import fill, intervals
from tests.conftest import Clock, Run


def test_each_format_has_the_intervals_of_find(sure: Sure, clock: Clock, tmp_path: Path) -> None:
    fill(sure, clock, 7)
    options = sure.session.read_options(clock.now)
    expected = intervals(sure, now=clock.now)
    places = {kind: tmp_path / f"claims.{kind}" for kind in ("csv", "jsonl", "parquet")}
    for kind, place in places.items():
        assert write_rows(sure.session, options, kind, place) == len(expected)  # type: ignore[arg-type]
    with places["csv"].open(newline="") as file:
        cells = list(csv.DictReader(file))
    assert tuple(cells[0]) == COLUMNS
    lines = [json.loads(line) for line in places["jsonl"].read_text().splitlines()]
    table = parquet.read_table(places["parquet"])
    assert {str(table.schema.field(name).type) for name in ("stale_at", "lower", "sources")} == {"double", "int64"}
    for rows in (cells, lines, table.to_pylist()):
        found = {row["id"]: (float(row["lower"]), float(row["upper"])) for row in rows}
        assert found.keys() == expected.keys()
        for name, pair in expected.items():
            assert found[name] == pytest.approx(pair, abs=1e-9)


def test_a_cell_is_never_a_formula(sure: Sure) -> None:
    sure.claims.add("=HYPERLINK(A1)", source="user:ann", contribution=0.5)
    out = io.BytesIO()
    write_rows(sure.session, sure.session.read_options(), "csv", out)
    assert ",'=HYPERLINK(A1)," in out.getvalue().decode()


def test_an_empty_store_is_an_empty_table(sure: Sure, tmp_path: Path) -> None:
    assert write_rows(sure.session, sure.session.read_options(), "parquet", tmp_path / "x.parquet") == 0
    assert parquet.read_table(tmp_path / "x.parquet").column_names == list(COLUMNS)
    with pytest.raises(InputError, match="exists already"):
        write_rows(sure.session, sure.session.read_options(), "parquet", tmp_path / "x.parquet")


def test_export_by_command(howsure: Run, tmp_path: Path) -> None:
    store = ("--store", str(tmp_path / "s.db"))
    howsure("claim", "add", "The sky is blue", "--source", "user:ann", "--contribution", "0.8", *store)
    done = howsure("claim", "export", "--format", "jsonl", "--formula", "beta", "--now", "2100-01-01", *store)
    (row,) = [json.loads(line) for line in done.stdout.splitlines()]
    assert (row["statement"], row["sources"], row["upper"]) == ("The sky is blue", 1, 1.0)
    assert row["lower"] < 0.01
    out = tmp_path / "claims.csv"
    assert howsure("claim", "export", str(out), *store).returncode == 0  # by its name
    assert out.read_text().splitlines()[0] == ",".join(COLUMNS)
    assert json.loads(howsure("claim", "export", *store).stdout.splitlines()[0])["howsure"] == 1  # the whole store
    done = howsure("claim", "export", "--formula", "beta", *store)
    assert (done.returncode, b"the whole store has no intervals" in done.stderr) == (2, True)
    assert howsure("claim", "export", "--format", "xls", *store).returncode == 2

"""howsure fuse reads votes and writes values and sources."""

import csv
import json
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from howsure.cli import fuse as module
from tests.conftest import Run

VOTES = "item,source,value\ncapital,ann,Bern\ncapital,bob,Bern\ncapital,eve,Zurich\nriver,ann,Aare\nriver,eve,Rhine\n"


@pytest.fixture
def votes(tmp_path: Path) -> str:
    path = tmp_path / "votes.csv"
    path.write_text(VOTES)
    return str(path)


@pytest.mark.parametrize("suffix", ["jsonl", "csv", "parquet"])
def test_values_and_sources_are_written(suffix: str, votes: str, tmp_path: Path, howsure: Run) -> None:
    out, sources = tmp_path / f"out.{suffix}", tmp_path / f"sources.{suffix}"
    done = howsure("fuse", votes, "--out", str(out), "--sources-out", str(sources))
    assert done.returncode == 0, done.stderr
    assert "open: 4 values for 2 items" in done.stdout.decode()

    def read(path: Path) -> list[dict[str, object]]:
        if suffix == "parquet":
            rows: list[dict[str, object]] = parquet.read_table(path).to_pylist()
            return rows
        with path.open() as file:
            return list(csv.DictReader(file)) if suffix == "csv" else [json.loads(line) for line in file]

    values = read(out)
    assert list(values[0]) == ["item", "value", "probability", "lower", "upper"]
    assert [(row["item"], row["value"]) for row in values][:2] == [("capital", "Bern"), ("capital", "Zurich")]
    assert list(read(sources)[0]) == ["source", "reliability", "lower", "upper", "group"]
    assert [row["source"] for row in read(sources)] == ["ann", "bob", "eve"]


def test_verified_items_and_kind(votes: str, tmp_path: Path, howsure: Run) -> None:
    known = tmp_path / "known.csv"
    known.write_text("item,value\ncapital,Zurich\n")
    done = howsure("fuse", votes, "--kind", "open", "--verified", str(known), "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["kind"] == "open"
    assert found["values"][0] == {"item": "capital", "value": "Zurich", "probability": 1.0, "lower": 1.0, "upper": 1.0}
    assert found["sources"][2]["source"] == "eve"


def test_people_see_tables(votes: str, howsure: Run) -> None:
    done = howsure("fuse", votes)
    assert done.returncode == 0, done.stderr
    assert "likeliest values" in done.stdout.decode()
    assert "Bern" in done.stdout.decode()


def test_mistakes_are_told(votes: str, tmp_path: Path, howsure: Run) -> None:
    for arguments, problem in (
        ((votes, "--out", "out.xls"), "unknown file type '.xls'"),
        ((votes, "--kind", "opne"), "unknown kind 'opne'"),
        ((str(tmp_path / "missing.csv"),), "there is no such file"),
        ((votes, "--out", str(tmp_path / "no" / "out.csv")), "does not exist"),
    ):
        done = howsure("fuse", *arguments)
        assert done.returncode == 2
        assert problem in done.stderr.decode()


def test_no_file_is_written_over_one_that_is_in_use(votes: str, tmp_path: Path, howsure: Run) -> None:
    done = howsure("fuse", votes, "--out", votes)
    assert (done.returncode, done.stderr.decode()) == (
        2,
        "howsure: out: votes.csv is also the file of votes (write to another file)\n",
    )
    assert Path(votes).read_text() == VOTES
    out = str(tmp_path / "out.csv")
    assert b"out.csv is also the file of out" in howsure("fuse", votes, "--out", out, "--sources-out", out).stderr


def test_engine_duckdb_gives_the_numbers_of_arrays(votes: str, howsure: Run) -> None:
    options = ("fuse", votes, "--kind", "open", "--json")
    expected = json.loads(howsure(*options, "--no-copies").stdout)
    done = howsure(*options, "--engine", "duckdb")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert "learned by duckdb" in found["reason"]
    for rows, key in (("values", "value"), ("sources", "source")):
        wanted = {row[key]: row for row in expected[rows]}
        assert [row[key] for row in found[rows]] == list(wanted)
        for row in found[rows]:
            assert list(row) == list(wanted[row[key]])
            numbers = {name: cell for name, cell in row.items() if isinstance(cell, float)}
            assert numbers == pytest.approx({name: wanted[row[key]][name] for name in numbers}, abs=1e-6)


def test_engine_writes_files(votes: str, tmp_path: Path, howsure: Run) -> None:
    out, sources = tmp_path / "out.csv", tmp_path / "sources.parquet"
    done = howsure(
        "fuse", votes, "--kind", "open", "--engine", "duckdb", "--out", str(out), "--sources-out", str(sources)
    )
    assert done.returncode == 0, done.stderr
    assert "2 items, 3 sources" in done.stdout.decode()
    assert out.read_text().startswith("item,value,probability,lower,upper\ncapital,Bern,")
    assert parquet.read_table(sources).column_names == ["source", "reliability", "lower", "upper", "group"]


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        (("--engine", "duckbd"), "unknown engine 'duckbd' (did you mean duckdb?)"),
        (("--engine", "duckdb", "--kind", "clsoed"), "unknown kind 'clsoed' (did you mean closed?)"),
        (("--engine", "duckdb", "--kind", "open", "--verified", "known.csv"), "duckdb reads no verified items"),
    ],
)
def test_what_an_engine_cannot_do_is_refused(options: tuple[str, ...], problem: str, votes: str, howsure: Run) -> None:
    done = howsure("fuse", votes, *options)
    assert done.returncode == 2
    assert problem in done.stderr.decode()


def test_large_files_of_open_values_go_to_duckdb(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "votes.csv"
    path.write_text(VOTES)
    assert module._choose_engine(str(path), verified=None) == "arrays"
    monkeypatch.setattr(module, "LARGE", 10)
    assert module._choose_engine(str(path), verified=None) == "duckdb"
    assert module._choose_engine(str(path), verified="known.csv") == "arrays"
    path.write_text("item,source,value,weight\n" + "i,a,x,0.5\n" * 5)
    assert module._choose_engine(str(path), verified=None) == "arrays"
    parquet.write_table(
        pa.table({"item": ["i"], "source": ["a"], "value": ["x"], "kind": ["k"]}), tmp_path / "v.parquet"
    )
    assert module._choose_engine(str(tmp_path / "v.parquet"), verified=None) == "arrays"

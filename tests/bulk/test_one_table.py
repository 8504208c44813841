"""One table in which each row is a claim with its source, columns of other names, and columns that are copied."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from howsure.bulk import api as bulk
from howsure.errors import InputError
from tests.conftest import NOW, Run

ROWS: list[dict[str, Any]] = [
    {"id": "a", "statement": "The sky is blue", "source": "user:ann", "confidence": 0.8, "rank": 3},
    {"id": "b", "statement": "The sea, too", "source": "book: a:b", "confidence": 0.5, "rank": 1},
    {"id": "c", "statement": "It's late", "source": "almanac", "confidence": 0.25, "rank": 2},
    {"id": "d", "statement": "Perhaps", "source": None, "confidence": None, "rank": 4},
]
MAPPING = {"confidence": "contribution"}
SOURCES = [
    {"claim": "a", "source_type": "user", "source_id": "ann", "contribution": 0.8},
    {"claim": "b", "source_type": "book", "source_id": " a:b", "contribution": 0.5},
    {"claim": "c", "source_type": "source", "source_id": "almanac", "contribution": 0.25},
]
ENGINES = ("duckdb", "arrays")


def by_id(table: pa.Table) -> dict[str, dict[str, Any]]:
    return {row["id"]: row for row in table.to_pylist()}


def write(rows: list[dict[str, Any]], path: Path) -> str:
    table = pa.Table.from_pylist(rows)
    if path.suffix == ".parquet":
        parquet.write_table(table, path)
    elif path.suffix == ".csv":
        from pyarrow import csv

        csv.write_csv(table, path)
    else:
        import orjson

        path.write_bytes(b"".join(orjson.dumps(row) + b"\n" for row in rows))
    return str(path)


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("suffix", ["frame", ".csv", ".jsonl", ".parquet"])
def test_a_row_is_a_claim_with_one_source(suffix: str, engine: Any, tmp_path: Path) -> None:
    table: Any = ROWS if suffix == "frame" else write(ROWS, tmp_path / f"t{suffix}")
    found = bulk.score(table, mapping=MAPPING, keep=["rank", "statement"], now=NOW, engine=engine)
    expected = bulk.score([{"id": row["id"]} for row in ROWS], sources=SOURCES, now=NOW)
    rows = by_id(found.table)
    for name, row in by_id(expected.table).items():
        assert {key: value for key, value in rows[name].items() if key in row} == row
    assert {row["id"]: (str(row["rank"]), row["statement"]) for row in rows.values()} == {
        row["id"]: (str(row["rank"]), row["statement"]) for row in ROWS
    }
    assert (found.counts.unused, found.counts.without_sources) == ({}, False)


def test_a_row_is_a_claim_with_one_source_in_postgres(postgres_address: str) -> None:
    import psycopg

    with psycopg.connect(postgres_address, autocommit=True) as connection:
        connection.execute("DROP TABLE IF EXISTS one_table")
        connection.execute(
            "CREATE TABLE one_table (id TEXT, statement TEXT, source TEXT, confidence REAL, rank INT, at TIMESTAMP)"
        )
        for row in ROWS:
            cells = [*row.values(), "2026-01-01"]
            connection.execute("INSERT INTO one_table VALUES (%s, %s, %s, %s, %s, %s)", cells)
    place = f"{postgres_address}::one_table"
    found = bulk.score(place, mapping=MAPPING, keep=["rank", "at"], now=NOW)
    assert found.engine == "postgres"
    assert found.counts.unused == {"claims": ("statement",)}
    expected = by_id(bulk.score(ROWS, mapping=MAPPING, now=NOW).table)
    for name, row in by_id(found.table).items():
        assert row["upper"] == pytest.approx(expected[name]["upper"], abs=1e-7)  # REAL has 24 bits
        assert row["at"] == "2026-01-01 00:00:00"
    assert by_id(bulk.score(place, mapping=MAPPING, keep=["rank"], engine="duckdb").table)["b"]["rank"] == 1


def test_source_type_and_id_come_before_source() -> None:
    rows = [row | {"source_type": "agent", "source_id": "7", "contribution": 0.5} for row in ROWS]
    found = bulk.score(rows, now=NOW, columns=["id", "sources", "upper"])
    assert {(row["sources"], row["upper"]) for row in found.table.to_pylist()} == {(1, 0.5)}
    assert found.counts.unused == {"claims": ("statement", "confidence", "rank")}
    assert bulk.sweep(rows, now=NOW).sources[0].source == "agent:7"


def test_a_contribution_without_a_source_is_the_row_s_own() -> None:
    rows = [{"id": 1, "contribution": 0.5}, {"id": 2, "contribution": 0.25}]
    assert {row["id"]: row["upper"] for row in bulk.score(rows, now=NOW).table.to_pylist()} == {1: 0.5, 2: 0.25}


def test_a_table_of_sources_comes_first() -> None:
    rows = [row | {"contribution": 0.9} for row in ROWS]
    found = bulk.score(rows, sources=SOURCES, now=NOW)
    assert by_id(found.table)["a"]["upper"] == pytest.approx(0.8)
    assert "contribution" in found.counts.unused["claims"]


@pytest.mark.parametrize("engine", ENGINES)
def test_a_wrong_cell_is_named(engine: Any, tmp_path: Path) -> None:
    for suffix in (".csv", ".parquet"):
        wrong = [*ROWS, {**ROWS[0], "id": "e", "confidence": 1.7}]
        with pytest.raises(InputError, match=r"row 5: .*1\.7.*not between 0 and 1"):
            bulk.score(write(wrong, tmp_path / f"w{suffix}"), mapping=MAPPING, engine=engine)
    with pytest.raises(InputError, match=r"row 5: must not be empty"):
        bulk.score([*ROWS, {**ROWS[0], "id": "e", "source": None}], mapping=MAPPING, engine=engine)


def test_fields_of_every_table_can_be_mapped() -> None:
    claims = [{"key": 1, "level": "project"}, {"key": 2, "level": "task"}]
    sources = [{"of": 1, "kind_of": "a", "name": "b", "p": 0.5}, {"of": 2, "kind_of": "a", "name": "b", "p": 0.75}]
    relations = [{"sort": "supports", "a": 1, "b": 2}]
    mapping = {"key": "id", "level": "tier", "of": "claim", "kind_of": "source_type", "name": "source_id"}
    mapping |= {"p": "contribution", "sort": "kind", "a": "source", "b": "target"}
    found = bulk.score(claims, sources=sources, relations=relations, mapping=mapping, now=NOW, columns=["id", "upper"])
    assert {row["id"]: row["upper"] for row in found.table.to_pylist()} == {1: 0.5, 2: pytest.approx(0.75 * 1.05)}
    assert found.counts.unused == {}
    with pytest.raises(InputError, match=r"relations\.b: .* row 1: 1: a claim cannot relate to itself"):
        bulk.score(claims, sources=sources, relations=[{"sort": "supports", "a": 1, "b": 1}], mapping=mapping)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"mapping": {"confidence": "contribtion"}}, "unknown field 'contribtion'"),
        ({"mapping": {"confidnce": "contribution"}}, "no table has a column confidnce"),
        ({"mapping": {"confidence": "strength"}}, "no table has a column confidence for strength"),
        ({"mapping": {"a": "tier", "b": "tier"}}, "more than one column is mapped to tier"),
        ({"keep": ["statment"]}, "has no column statment"),
        ({"keep": ["id"]}, "id is both copied from the claims and computed"),
    ],
)
def test_what_cannot_be_mapped_or_kept(options: Any, problem: str) -> None:
    with pytest.raises(InputError, match=problem):
        bulk.score(ROWS, **options)


def test_kept_columns_are_written_in_partitions(tmp_path: Path) -> None:
    for engine in ENGINES:
        out = tmp_path / f"{engine}.parquet"
        options: Any = {"keep": ["rank"], "columns": ["upper"], "engine": engine, "partitions": 3}
        bulk.score(ROWS, mapping=MAPPING, now=NOW, out=out, **options)
        rows = parquet.read_table(out).to_pylist()
        assert {row["rank"]: row["upper"] for row in rows} == {1: 0.5, 2: 0.25, 3: pytest.approx(0.8), 4: 0.0}


def test_claims_without_evidence_are_no_silent_zeros(howsure: Run, tmp_path: Path) -> None:
    table, out = write(ROWS, tmp_path / "t.csv"), str(tmp_path / "out.csv")
    done = howsure("bulk", "score", table, "--out", out)
    said = done.stderr.decode()
    assert done.returncode == 0
    assert "unused columns of the claims: statement, source, confidence, rank" in said
    assert "no claim has evidence" in said
    assert "--map confidence=contribution" in said
    options = ["--map", "confidence=contribution", "--keep", "statement,rank", "--replace"]
    done = howsure("bulk", "score", table, "--out", out, *options)
    assert (done.returncode, done.stderr) == (0, b"")
    assert Path(out).read_text().splitlines()[0].endswith("upper,lower,statement,rank")
    done = howsure("bulk", "sweep", table, "--map", "confidence=contribution")
    assert "unused columns of the claims: statement, rank" in done.stderr.decode()
    done = howsure("bulk", "score", table, "--out", out, "--map", "confidence")
    assert (done.returncode, b"is not COLUMN=FIELD" in done.stderr) == (2, True)


def test_sources_of_unknown_claims_are_no_evidence() -> None:
    strangers = [{**row, "claim": "x"} for row in SOURCES]
    assert bulk.score(ROWS, sources=strangers, now=NOW).counts.without_sources
    nothing = [{**row, "contribution": 0.0} for row in SOURCES]
    assert bulk.score(ROWS, sources=nothing, now=NOW).counts.without_sources

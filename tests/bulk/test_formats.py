"""Every kind of table is read and written with the same numbers."""

import gzip
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd  # type: ignore[import-untyped]
import polars as pl
import psycopg
import pyarrow as pa
import pyarrow.csv
import pytest
from pyarrow import ipc, parquet

from howsure.bulk import api as bulk
from howsure.bulk.choose import EngineName
from howsure.errors import InputError
from howsure.formulas.noisy_or import NoisyOr
from tests.bulk.clusters import in_postgres
from tests.bulk.worlds import NOW, World, differences, world

NAMES = ("claims", "sources", "relations")
FORMULA = NoisyOr()
MADE = world(2, derived=True)
EXPECTED = MADE.expected(FORMULA)


def tables(made: World = MADE) -> dict[str, pa.Table]:
    return {name: pa.Table.from_pylist(getattr(made, name)) for name in NAMES}


def as_files(folder: Path, kind: str) -> dict[str, Any]:
    places = {}
    for name, table in tables().items():
        file = folder / f"{name}.{kind}"
        if kind == "parquet":
            parquet.write_table(table, file)
        elif kind == "csv":
            pyarrow.csv.write_csv(table, file)
        elif kind == "jsonl":
            lines = [{key: value for key, value in row.items() if value is not None} for row in table.to_pylist()]
            file.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
        elif kind == "json":
            file.write_text(json.dumps(table.to_pylist()))
        elif kind == "arrow":
            with ipc.new_file(file, table.schema) as writer:
                writer.write_table(table)
        else:
            with ipc.new_stream(file, table.schema) as writer:
                writer.write_table(table)
        places[name] = file
    return places


def checked(places: dict[str, Any], **options: Any) -> Any:
    found = bulk.score(**places, now=NOW, **options)
    assert not differences(found.table, EXPECTED)
    return found


@pytest.mark.parametrize("kind", ["parquet", "csv", "jsonl", "json", "arrow", "ipc"])
@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
def test_files_of_every_kind(kind: str, engine: EngineName, tmp_path: Path) -> None:
    checked(as_files(tmp_path, kind), engine=engine)


def test_folders_patterns_and_compressed_files(tmp_path: Path) -> None:
    places = as_files(tmp_path, "parquet")
    half = len(MADE.sources) // 2
    folder = tmp_path / "sources"
    folder.mkdir()
    parquet.write_table(tables()["sources"].slice(0, half), folder / "a.parquet")
    parquet.write_table(tables()["sources"].slice(half), folder / "b.parquet")
    checked(places | {"sources": folder})
    checked(places | {"sources": f"{folder}/*.parquet"})
    pa.csv.write_csv(tables()["sources"], pa.CompressedOutputStream(str(tmp_path / "sources.csv.gz"), "gzip"))
    checked(places | {"sources": tmp_path / "sources.csv.gz"})  # ids of all tables are then compared as text
    (tmp_path / "nothing").mkdir()
    with pytest.raises(InputError, match="the folder nothing contains no table"):
        bulk.score(tmp_path / "nothing")


def test_a_folder_is_read_whole_but_for_what_is_hidden(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("id\n1\n")
    with gzip.open(tmp_path / "b.csv.gz", "wt") as file:
        file.write("id\n2\n")
    (tmp_path / ".scores.csv.parts").mkdir()
    (tmp_path / ".scores.csv.parts" / "part-00000.csv").write_text("id\n1\n")
    found = bulk.score(tmp_path, now=NOW, columns=["id"]).table
    assert sorted(found["id"].to_pylist()) == ["1", "2"]


@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
def test_fields_missing_in_a_json_line_have_their_defaults(engine: EngineName, tmp_path: Path) -> None:
    (tmp_path / "claims.jsonl").write_text('{"id": 1}\n{"id": 2}\n')
    (tmp_path / "relations.jsonl").write_text(
        '{"kind": "supports", "source": 1, "target": 2, "strength": 0.5}\n'
        '{"kind": "contradicts", "source": 1, "target": 2}\n'
    )
    given = [{"claim": n, "source_type": "a", "source_id": "b", "contribution": 0.5} for n in ("1", "2")]
    places: Any = {"claims": tmp_path / "claims.jsonl", "relations": tmp_path / "relations.jsonl"}
    found = bulk.score(**places, sources=given, now=NOW, engine=engine, columns=["id", "support", "contradiction"])
    rows = {row["id"]: (row["support"], row["contradiction"]) for row in found.table.to_pylist()}
    assert rows == {"1": (0.0, 0.5), "2": (0.25, 0.5)}
    with pytest.raises(InputError, match="relations.jsonl has no column recorded_at, which as_of needs"):
        bulk.score(**places, as_of=NOW, engine=engine)


@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
def test_ids_of_different_kinds_are_compared_as_text(engine: EngineName) -> None:
    claims = pa.table({"id": pa.array([2**64 - 1, 3], pa.uint64())})
    relations = pa.table({"kind": ["supports"] * 2, "source": [3, 3], "target": [str(2**64 - 1), "x"]})
    found = bulk.score(claims, relations=relations, now=NOW, engine=engine, columns=["id"])
    assert sorted(found.table["id"].to_pylist()) == [str(2**64 - 1), "3"]
    assert found.counts.unknown_relations == 1
    with pytest.raises(InputError, match="row 1: '3': a claim cannot relate to itself"):
        bulk.score(claims, relations=relations.set_column(2, "target", pa.array(["3", "x"])), engine=engine)


def test_no_records_are_a_table_without_rows(tmp_path: Path) -> None:
    assert bulk.score([], sources=[], relations=[], now=NOW).rows == 0
    (tmp_path / "sources.json").write_text("[]")
    found = bulk.score([{"id": 1}], sources=tmp_path / "sources.json", relations=[], now=NOW)
    assert (found.rows, found.counts.sources) == (1, 0)


@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
def test_frames_of_every_library(engine: EngineName) -> None:
    found = tables()
    checked(dict(found), engine=engine)
    checked({name: table.to_pandas() for name, table in found.items()}, engine=engine)
    checked({name: pl.from_arrow(table) for name, table in found.items()}, engine=engine)
    checked({name: pl.from_arrow(table).lazy() for name, table in found.items()}, engine=engine)  # type: ignore[union-attr]
    checked({name: getattr(MADE, name) for name in NAMES}, engine=engine)
    checked({name: table.to_pydict() for name, table in found.items()}, engine=engine)
    with duckdb.connect() as connection:  # below 1.5, relations do not keep it open
        checked({name: connection.from_arrow(table) for name, table in found.items()}, engine=engine)


def test_frames_with_times_categories_and_small_numbers() -> None:
    claims = tables()["claims"].to_pandas()
    for name in ("stale_at", "valid_from", "valid_until"):
        claims[name] = pd.to_datetime(claims[name], unit="s", utc=True)
    claims["tier"] = claims["tier"].astype("category")
    claims["id"] = claims["id"].astype("int32")
    sources = pl.from_arrow(tables()["sources"])
    assert isinstance(sources, pl.DataFrame)
    sources = sources.with_columns(pl.col("source_type").cast(pl.Categorical))
    checked({"claims": claims, "sources": sources, "relations": tables()["relations"]})


def test_times_in_text_are_read(tmp_path: Path) -> None:
    claims = tables()["claims"].to_pylist()
    for row in claims:
        for name in ("stale_at", "valid_from", "valid_until"):
            if row[name] is not None:
                row[name] = datetime.fromtimestamp(row[name], UTC).isoformat()
    file = tmp_path / "claims.csv"
    pyarrow.csv.write_csv(pa.Table.from_pylist(claims), file)
    checked({"claims": file, "sources": tables()["sources"], "relations": tables()["relations"]})


@pytest.mark.parametrize(
    "content",
    [
        "\ufeffid,tier\n1,task\n2,task\n",
        "id;tier\r\n1;task\r\n2;task\r\n",
        'id\ttier\n"1"\ttask\n2\ttask',
        "tier,id\ntask,1\ntask,2\n",
    ],
)
def test_csv_as_people_write_it(content: str, tmp_path: Path) -> None:
    (tmp_path / "claims.csv").write_bytes(content.encode())
    found = bulk.score(tmp_path / "claims.csv", now=NOW, columns=["id"]).table
    assert sorted(found["id"].to_pylist()) == ["1", "2"]


@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
def test_tables_without_rows(engine: EngineName, tmp_path: Path) -> None:
    for kind in (pa.int64(), pa.string()):
        claims = pa.table({"id": pa.array([], kind)})
        assert bulk.score(claims, now=NOW, engine=engine).table.num_rows == 0
        out = tmp_path / f"{kind}.parquet"
        assert bulk.score(claims, now=NOW, engine=engine, out=out, partitions=2).rows == 0


@pytest.mark.parametrize("engine", ["duckdb", "arrays", "auto"])
def test_tables_of_databases(engine: EngineName, tmp_path: Path, postgres_address: str) -> None:
    file = tmp_path / "world.duckdb"
    with duckdb.connect(str(file)) as database:
        for name, table in tables().items():
            database.register("given", table)
            database.execute(f'CREATE TABLE "{name} of ours" AS SELECT * FROM given')
    checked({name: f"{file}::{name} of ours" for name in NAMES}, engine=engine)
    with psycopg.connect(postgres_address, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS bulk_formats CASCADE; CREATE SCHEMA bulk_formats")
        address = f"{postgres_address}&options=-c%20search_path%3Dbulk_formats"
        found = checked(in_postgres(MADE, address), engine=engine)
        assert found.engine == ("postgres" if engine == "auto" else engine)
        connection.execute("DROP SCHEMA bulk_formats CASCADE")


def read(place: str) -> pa.Table:
    if place.endswith(".parquet"):
        return parquet.read_table(place)
    if place.endswith(".csv"):
        return pyarrow.csv.read_csv(place)
    if place.endswith(".jsonl"):
        return pa.Table.from_pylist([json.loads(line) for line in Path(place).read_text().splitlines()])
    if place.endswith(".tsv"):
        return pyarrow.csv.read_csv(place, parse_options=pyarrow.csv.ParseOptions(delimiter="\t"))
    if place.endswith(".json"):
        return pa.Table.from_pylist(json.loads(Path(place).read_text()))
    if place.endswith(".arrow"):
        return ipc.open_file(place).read_all()
    file, _, table = place.partition("::")
    with duckdb.connect(file) as database:
        return database.sql(f"FROM {table}").to_arrow_table()


@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
@pytest.mark.parametrize("out", ["s.parquet", "s.csv", "s.tsv", "s.jsonl", "s.json", "s.arrow", "s.duckdb::scores"])
def test_scores_are_written_to_every_kind_of_output(out: str, engine: EngineName, tmp_path: Path) -> None:
    given: Any = dict(tables()) | {"engine": engine, "now": NOW, "out": f"{tmp_path}/{out}"}
    found = bulk.score(**given)
    assert (found.rows, found.out) == (len(MADE.claims), f"{tmp_path}/{out}")
    assert not differences(read(given["out"]), EXPECTED)
    with pytest.raises(InputError, match="already exists"):
        bulk.score(**given)
    bulk.score(**given, replace=True, columns=["lower", "id"])
    assert read(given["out"]).column_names == ["lower", "id"]
    assert len(list(tmp_path.iterdir())) == 1


@pytest.mark.parametrize("engine", ["duckdb", "postgres"])
def test_scores_go_into_postgres(engine: EngineName, postgres_address: str, tmp_path: Path) -> None:
    with psycopg.connect(postgres_address, autocommit=True) as connection:
        connection.execute("DROP SCHEMA IF EXISTS bulk_out CASCADE; CREATE SCHEMA bulk_out")
        address = f"{postgres_address}&options=-c%20search_path%3Dbulk_out"
        places: Any = in_postgres(MADE, address) if engine == "postgres" else tables()
        given: Any = dict(places) | {"engine": engine, "now": NOW, "out": f"{address}::scores"}
        assert bulk.score(**given).rows == len(MADE.claims)
        with pytest.raises(InputError, match="the PostgreSQL table scores already exists"):
            bulk.score(**given)
        bulk.score(**given, replace=True)
        rows = connection.execute("SELECT id, lower, upper FROM bulk_out.scores").fetchall()
        table = pa.table(dict(zip(("id", "lower", "upper"), zip(*rows, strict=True), strict=True)))
        assert not differences(table, EXPECTED)
        if engine == "postgres":
            assert bulk.score(**places, engine=engine, now=NOW, out=tmp_path / "s.parquet").rows == len(MADE.claims)
            assert not differences(parquet.read_table(tmp_path / "s.parquet"), EXPECTED)
            mixed = places | {"sources": tables()["sources"]}
            with pytest.raises(InputError, match="the sources frame is not in the same database as the claims"):
                bulk.score(**mixed, engine=engine)
            connection.execute(  # named like our own on the way
                "CREATE TABLE bulk_out.bulk_base (a INT); CREATE VIEW bulk_out.raw_claims AS SELECT 1 AS a; "
                "CREATE VIEW bulk_out.resting AS SELECT * FROM bulk_out.raw_claims"
            )
            bulk.score(**given, replace=True)
            assert connection.execute("SELECT * FROM bulk_out.resting, bulk_out.bulk_base").fetchall() == []
        connection.execute("DROP SCHEMA bulk_out CASCADE")


def test_an_unreachable_server_is_reported_without_its_password() -> None:
    with pytest.raises(Exception, match="cannot reach postgresql://localhost:1/x") as caught:
        bulk.score("postgresql://ann:secret@localhost:1/x::claims", engine="postgres")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
@pytest.mark.parametrize("reader", ["read_text", "read_csv", "glob"])
def test_a_view_in_a_database_file_cannot_read_other_files(engine: EngineName, reader: str, tmp_path: Path) -> None:
    (tmp_path / "secret.csv").write_text("id\nhush\n")
    place = tmp_path / "evil.duckdb"
    with duckdb.connect(place) as database:
        database.execute(f"CREATE VIEW claims AS SELECT * AS id FROM {reader}('{tmp_path}/secret.csv')")
        database.execute("CREATE TABLE facts (id INTEGER)")
        database.execute("INSERT INTO facts VALUES (1), (2)")
        database.execute("CREATE VIEW good AS SELECT id FROM facts WHERE id > 1")
    with pytest.raises(InputError, match="disabled") as error:
        bulk.score(f"{place}::claims", now=NOW, engine=engine)
    assert "hush" not in str(error.value)
    for name, rows in (("good", 1), ("main.GOOD", 1), ("facts", 2)):
        assert bulk.score(f"{place}::{name}", now=NOW, engine=engine).rows == rows


def test_nan_is_an_empty_cell_of_pandas_only() -> None:
    cells = {"claim": ["sky"], "source_type": ["agent"], "source_id": ["7"], "contribution": [float("nan")]}
    (scored,) = bulk.score([{"id": "sky"}], sources=pd.DataFrame(cells)).table.to_pylist()
    assert scored["sources"] == 0
    for frame in (pl.DataFrame(cells), pa.table(cells), cells):
        with pytest.raises(InputError, match="nan: not between 0 and 1"):
            bulk.score([{"id": "sky"}], sources=frame)

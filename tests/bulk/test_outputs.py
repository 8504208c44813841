"""Outputs of bulk scoring: none of them replaces a table that is read."""

import json
import sqlite3
from pathlib import Path
from typing import Any

import duckdb
import pytest

import howsure
from howsure.bulk import api as bulk
from howsure.bulk.choose import EngineName
from howsure.bulk.inputs import Input
from howsure.bulk.outputs import check_not_read, parse_output
from howsure.errors import InputError
from howsure.store.transfer import export as export_records
from tests.conftest import Run

TABLES = {
    "claims.csv": "id\nsky\nsea\n",
    "sources.csv": "claim,source_type,source_id,contribution\nsky,user_input,ann,0.8\n",
    "relations.csv": "kind,source,target\nsupports,sea,sky\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name, text in TABLES.items():
        (tmp_path / name).write_text(text)
    return tmp_path


@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
@pytest.mark.parametrize("name", TABLES)
@pytest.mark.parametrize("more", [{}, {"partitions": 2}, {"formula": "all"}])
def test_scores_do_not_replace_a_table_that_was_read(
    folder: Path, name: str, engine: EngineName, more: dict[str, Any]
) -> None:
    given: dict[str, Any] = {role: folder / f"{role}.csv" for role in ("claims", "sources", "relations")}
    (folder / "link.csv").symlink_to(folder / name)
    (folder / "hard.csv").hardlink_to(folder / name)
    for out in (folder / name, folder / "link.csv", folder / "hard.csv", folder / ".." / folder.name / name):
        with pytest.raises(InputError, match="is also an input"):
            bulk.score(**given, out=out, replace=True, engine=engine, **more)
    assert (folder / name).read_text() == TABLES[name]


def test_a_folder_or_a_pattern_that_is_read_is_not_replaced(folder: Path) -> None:
    parts = folder / "parts.csv"
    parts.mkdir()
    (parts / "a.csv").write_text("id\nsky\n")
    for claims, out in ((parts, parts), (parts, parts / "a.csv"), (f"{parts}/*.csv", parts / "a.csv")):
        with pytest.raises(InputError, match="is also an input"):
            bulk.score(claims, out=out, replace=True, partitions=2)
    assert bulk.score(parts, out=folder / "new.csv").rows == 1
    assert bulk.score(parts, out=folder / "new.csv", replace=True).rows == 1, "an earlier output is replaced"


def test_a_store_that_is_read_is_not_replaced(tmp_path: Path) -> None:
    export = tmp_path / "export.jsonl"
    with howsure.open(str(tmp_path / "store.db")) as sure:
        sure.claims.add("The sky is blue", source="user_input:ann")
        export.write_text("".join(f"{json.dumps(record)}\n" for record in export_records(sure.session.database)))
    with pytest.raises(InputError, match="is also an input"):
        bulk.score(export, out=export, replace=True)
    store = tmp_path / "store.csv"
    (tmp_path / "store.db").rename(store)
    for claims in (store, f"sqlite:///{store}"):
        with pytest.raises(InputError, match="is also an input"):
            bulk.score(claims, out=store, replace=True)
    with sqlite3.connect(store) as database:
        assert database.execute("SELECT count(*) FROM claims").fetchone() == (1,)


@pytest.mark.parametrize("engine", ["arrays", "duckdb"])
def test_a_table_of_a_database_that_is_read_is_not_replaced(tmp_path: Path, engine: EngineName) -> None:
    file = tmp_path / "all.duckdb"
    with duckdb.connect(file) as database:
        database.execute("CREATE TABLE facts AS SELECT 'sky' AS id")
    for out in (f"{file}::facts", f"{file}::main.facts"):
        with pytest.raises(InputError, match="is also an input"):
            bulk.score(f"{file}::facts", out=out, replace=True, engine=engine)


def test_a_table_of_postgres_that_is_read_is_not_replaced() -> None:
    output = parse_output("postgresql://localhost/a::public.facts", replace=True)
    check_not_read(output, [Input("claims", "postgres", "postgresql://localhost/a", "other")])
    check_not_read(output, [Input("claims", "postgres", "postgresql://localhost/b", "facts")])
    with pytest.raises(InputError, match="is also an input"):
        check_not_read(output, [Input("claims", "postgres", "postgresql://localhost/a", "facts")])
    of_store = Input("sources", "postgres", "postgresql://localhost/a", query="SELECT 1", of_store=True)
    with pytest.raises(InputError, match="is also an input"):
        check_not_read(parse_output("postgresql://localhost/a::sources", replace=True), [of_store])


def test_texts_and_pictures_do_not_replace_a_table_that_was_read(howsure: Run, tmp_path: Path) -> None:
    texts, claims = tmp_path / "texts.csv", tmp_path / "claims.json"
    texts.write_text("id,text\n1,The sky is blue.\n")
    claims.write_text(json.dumps([{"id": "sky"}]))
    for command in (
        ("texts", texts, "evidence", "--out", texts, "--replace"),
        ("score", claims, "--out", claims, "--replace"),
        ("sweep", claims, "--picture", claims),
    ):
        done = howsure("bulk", *map(str, command))
        assert done.returncode != 0
        assert b"is also an input" in done.stderr
    assert json.loads(claims.read_text()) == [{"id": "sky"}]
    assert texts.read_text() == "id,text\n1,The sky is blue.\n"

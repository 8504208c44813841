"""Which engine is chosen, and why."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from howsure.bulk import choose as bulk_choice
from howsure.bulk.choose import amount, choose
from howsure.bulk.engines.base import Taken
from howsure.bulk.inputs import taken
from howsure.errors import InputError


def given(claims: Any, **others: Any) -> Taken:
    tables: Any = {name: taken(place, name) for name, place in others.items()}
    return Taken(taken(claims, "claims"), **tables)


def test_small_tables_go_to_duckdb() -> None:
    choice = choose(given([{"id": 1}]))
    assert (choice.name, choice.why) == ("duckdb", "the tables are small")


def test_large_tables_that_fit_go_into_arrays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(bulk_choice, "WORTHWHILE", 200_000)
    claims = tmp_path / "claims.parquet"
    parquet.write_table(pa.table({"id": list(range(300_000))}), claims)
    choice = choose(given(claims))
    assert choice.name == "arrays"
    assert "0.0 GB for 300,000 rows fit into the 3.0 GB allowed" in choice.why
    assert choose(given(claims), memory="10MB").name == "duckdb"
    assert "more than the 0.0 GB allowed" in choose(given(claims), memory="10MB").why
    monkeypatch.setattr(bulk_choice, "available", lambda: False)
    assert choose(given(claims)).why == "numba is not installed"


def test_tables_of_one_database_are_scored_there() -> None:
    here = "postgresql://localhost/x::"
    assert choose(given(f"{here}claims", evidence=f"{here}evidence")).name == "postgres"
    elsewhere = choose(given(f"{here}claims", evidence="postgresql://localhost/y::evidence"))
    assert elsewhere.name == "duckdb"


def test_spark_is_for_those_who_have_it() -> None:
    choice = choose(given([{"id": 1}]), spark="spark://somewhere:7077")
    assert (choice.name, choice.options["master"]) == ("spark", "spark://somewhere:7077")
    far = choose(given("s3a://bucket/claims.parquet"))
    assert far.name == "spark"


def test_an_engine_that_is_asked_for_is_taken() -> None:
    assert choose(given([{"id": 1}]), "arrays").why == "it was asked for"
    with pytest.raises(InputError, match="there is no engine 'sparc' \\(did you mean spark\\?\\)"):
        choose(given([{"id": 1}]), "sparc")


def test_amounts_of_memory() -> None:
    assert [amount(text) for text in ("100", "2 kb", "1.5GB", "1MiB")] == [100, 2000, 1_500_000_000, 1 << 20]
    for text in ("", "GB", "1..5GB", "3XB", "-1GB"):
        with pytest.raises(InputError, match="is no amount of memory"):
            amount(text)

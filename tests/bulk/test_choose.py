"""Which engine is chosen, and why."""

from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import parquet

from howsure.bulk import choose as bulk_choice
from howsure.bulk.choose import choose, parse_size
from howsure.bulk.engines.base import Tables
from howsure.bulk.inputs import parse_input
from howsure.errors import InputError


def given(claims: Any, **others: Any) -> Tables:
    tables: Any = {name: parse_input(place, name) for name, place in others.items()}
    return Tables(parse_input(claims, "claims"), **tables)


def test_small_tables_go_to_duckdb() -> None:
    choice = choose(given([{"id": 1}]))
    assert (choice.name, choice.why) == ("duckdb", "the tables are small")


def test_large_tables_that_fit_go_into_arrays(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(bulk_choice, "WORTHWHILE", 200_000)
    claims = tmp_path / "claims.parquet"
    parquet.write_table(pa.table({"id": list(range(300_000))}), claims)
    choice = choose(given(claims))
    assert choice.name == "arrays"
    assert "0.0 GB for 300,000 rows fit into the limit of 3.0 GB" in choice.why
    assert choose(given(claims), memory="10MB").name == "duckdb"
    assert "more than the limit of 0.0 GB" in choose(given(claims), memory="10MB").why
    monkeypatch.setattr(bulk_choice, "has_compiler", lambda: False)
    assert choose(given(claims)).why == "numba is not installed"


def test_tables_of_one_database_are_scored_there() -> None:
    here = "postgresql://localhost/x::"
    assert choose(given(f"{here}claims", sources=f"{here}sources")).name == "postgres"
    elsewhere = choose(given(f"{here}claims", sources="postgresql://localhost/y::sources"))
    assert elsewhere.name == "duckdb"


def test_spark_is_chosen_for_a_spark_master_or_a_distant_path() -> None:
    choice = choose(given([{"id": 1}]), spark="spark://somewhere:7077")
    assert (choice.name, choice.options["master"]) == ("spark", "spark://somewhere:7077")
    far = choose(given("s3a://bucket/claims.parquet"))
    assert far.name == "spark"


def test_a_requested_engine_is_used() -> None:
    assert choose(given([{"id": 1}]), "arrays").why == "requested"
    with pytest.raises(InputError, match="there is no engine 'sparc' \\(did you mean spark\\?\\)"):
        choose(given([{"id": 1}]), "sparc")  # type: ignore[arg-type]


def test_amounts_of_memory() -> None:
    assert [parse_size(text) for text in ("100", "2 kb", "1.5GB", "1MiB")] == [100, 2000, 1_500_000_000, 1 << 20]
    for text in ("", "GB", "1..5GB", "3XB", "-1GB"):
        with pytest.raises(InputError, match="is not an amount of memory"):
            parse_size(text)

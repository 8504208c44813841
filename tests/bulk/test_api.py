"""Scoring tables: what a result says, and which columns it has."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pytest
from pyarrow import parquet

from howsure.bulk import api as bulk
from howsure.errors import InputError
from howsure.formulas.noisy_or import NoisyOr
from tests.bulk.worlds import NOW, World, world

NAMES = ("claims", "sources", "relations")


MADE = world(2, derived=True)


def tables(made: World = MADE) -> dict[str, pa.Table]:
    return {name: pa.Table.from_pylist(getattr(made, name)) for name in NAMES}


def test_a_result_says_what_made_it(tmp_path: Path) -> None:
    out = tmp_path / "s.parquet"
    found = bulk.score(**tables(), now=NOW, trust=0.5, formula="beta", parameters={"z": 2.0}, out=out)
    about = json.loads(parquet.read_schema(out).metadata[b"howsure"])
    assert about == {"spec": json.loads(json.dumps(found.spec._asdict())), "now": NOW, "trust": 0.5}
    assert about["spec"]["parameters"]["z"] == 2.0


def test_only_the_requested_columns_are_written() -> None:
    for engine in ("duckdb", "arrays"):
        found = bulk.score(**tables(), now=NOW, engine=engine, columns=["upper", "depth", "id", "doubt"]).table
        assert found.column_names == ["upper", "depth", "id", "doubt"]
        assert set(np.unique(found["depth"].to_numpy())) >= {0, 5}


def test_without_a_moment_the_clock_is_used() -> None:
    assert bulk.Bulk(clock=lambda: NOW).score(**tables()).now == NOW
    assert bulk.Bulk("beta", lambda: NOW).score(tables()["claims"]).spec.name == "beta"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"temp": "none"}, "temp: cannot create a folder in none: No such file"),
        ({"temp": "none", "formula": "all"}, "temp: cannot create a folder in none: No such file"),
        ({"disk": "x'y"}, "^disk: "),
        ({"formula": [NoisyOr(), NoisyOr(boost_factor=0.2)]}, "two of the formulas are called noisy_or"),
    ],
)
def test_options_that_cannot_be_met_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        bulk.score([{"id": 1}], now=0.0, **options)


def test_a_table_with_its_schema_is_replaced_only_if_asked_and_folders_may_have_any_name(tmp_path: Path) -> None:
    temp = tmp_path / "o'brien"
    temp.mkdir()
    for name in ("scores", "main.scores", "MAIN.Scores"):
        out = f"{tmp_path}/all.duckdb::{name}"
        if name != "scores":
            with pytest.raises(InputError, match="already exists"):
                bulk.score([{"id": 1}], now=0.0, out=out)
        assert bulk.score([{"id": 1}], now=0.0, out=out, temp=str(temp), replace=name != "scores").rows == 1


def test_a_number_of_processes_is_at_least_one() -> None:
    with pytest.raises(InputError, match="processes: 0 is not between 1 and 1024"):
        bulk.texts([{"id": 1, "text": "a"}], "subresult", processes=0)


@pytest.mark.parametrize(
    ("call", "field"),
    [
        (lambda: bulk.score(MADE.claims, columns="lower"), "columns"),
        (lambda: bulk.score(MADE.claims, keep="id"), "keep"),
        (lambda: bulk.score(MADE.claims, partitions=0), "partitions"),
        (lambda: bulk.sweep(MADE.claims, formulas="noisy_or"), "formulas"),
        (lambda: bulk.sweep(MADE.claims, vary={"boost_factor": 0.2}), "vary.boost_factor"),  # type: ignore[dict-item]
    ],
)
def test_one_value_in_place_of_a_list_is_an_error_that_names_the_field(call: Callable[[], Any], field: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.field == field

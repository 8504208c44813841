"""Scoring tables: what a result says, and which columns it has."""

import json
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
from pyarrow import parquet

from howsure.bulk import api as bulk
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

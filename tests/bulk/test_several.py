"""Scoring a table by several formulas into one result."""

import json
from pathlib import Path
from typing import Any

import pytest
from pyarrow import parquet

from howsure.bulk import api as bulk
from howsure.errors import InputError
from howsure.formulas import catalog
from howsure.formulas.beta import Beta
from tests.bulk.worlds import NOW, world
from tests.conftest import Run

MADE = world(4, text_ids=True)
TABLES: dict[str, Any] = {"claims": MADE.claims, "sources": MADE.sources, "relations": MADE.relations}


@pytest.mark.parametrize("engine", ["duckdb", "arrays"])
def test_every_formula_in_one_result(engine: Any, tmp_path: Path) -> None:
    found = bulk.score(**TABLES, formula="all", now=NOW, engine=engine, keep=["tier"])
    names = catalog.formulas()
    assert [spec.name for spec in found.specs] == names
    columns = [f"{name}_{bound}" for name in names for bound in ("lower", "upper")]
    assert found.table.column_names == ["id", "sources", "tier", *columns]
    for name in names:
        alone = {row["id"]: row for row in bulk.score(**TABLES, formula=name, now=NOW).table.to_pylist()}
        assert len(alone) == found.rows
        for row in found.table.to_pylist():
            assert row[f"{name}_lower"] == pytest.approx(alone[row["id"]]["lower"], abs=1e-12)
            assert row[f"{name}_upper"] == pytest.approx(alone[row["id"]]["upper"], abs=1e-12)
            assert row["sources"] == alone[row["id"]]["sources"]
    out = tmp_path / "all.parquet"
    assert bulk.score(**TABLES, formula="all", now=NOW, engine=engine, out=out).rows == found.rows
    about = json.loads(parquet.read_schema(out).metadata[b"howsure"])
    assert [spec["name"] for spec in about["specs"]] == names


def test_some_formulas_with_chosen_columns_and_parameters() -> None:
    chosen: list[Any] = ["noisy_or", Beta(z=2.0)]
    options: dict[str, Any] = {"columns": ["staleness", "lower"], "parameters": {"boost_factor": 0.5}}
    found = bulk.score(**TABLES, formula=chosen, now=NOW, **options)
    assert found.table.column_names == ["noisy_or_staleness", "noisy_or_lower", "beta_staleness", "beta_lower"]
    assert (found.specs[0].parameters["boost_factor"], found.specs[1].parameters["z"]) == (0.5, 2.0)


def test_what_several_formulas_cannot_do(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="only one formula can be written in partitions"):
        bulk.score(**TABLES, formula="all", out=tmp_path / "x.csv", partitions=2)
    with pytest.raises(InputError, match="unknown column 'boost'"):
        bulk.score(**TABLES, formula="all", columns=["boost"])
    for wrong in (5, [5]):
        with pytest.raises(InputError, match="not a formula"):
            bulk.score(**TABLES, formula=wrong)  # type: ignore[arg-type]


def test_all_on_the_command_line(howsure: Run, tmp_path: Path) -> None:
    (tmp_path / "c.csv").write_text("id,source,contribution\nsky,user:ann,0.8\n")
    out = tmp_path / "out.csv"
    done = howsure("bulk", "score", str(tmp_path / "c.csv"), "-f", "all", "--out", str(out))
    assert done.returncode == 0, done.stderr
    assert b"by noisy_or, subjective_logic, dempster_shafer, beta, reliability into" in done.stdout
    assert out.read_text().startswith("id,sources,noisy_or_lower,noisy_or_upper,")

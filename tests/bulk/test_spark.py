"""Spark, with two worker processes of its own: the same numbers, whole output, and work that is done again."""

import os
import signal
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pyarrow as pa
import pytest
from pyarrow import parquet

from howsure.bulk import api as bulk
from howsure.bulk.engines.base import Tables
from howsure.bulk.inputs import parse_input
from howsure.bulk.vote_fusion import fuse_votes
from howsure.errors import InputError
from howsure.fusion import closed_values, open_values
from howsure.graph.sql import ReadOptions
from howsure.graph.table_queries import formula_columns
from tests.bulk.clusters import spark_session
from tests.bulk.test_closed_votes import labels
from tests.bulk.test_vote_fusion import check_numbers
from tests.bulk.worlds import NOW, World, differences, formulas, star, star_expected, world

pytestmark = pytest.mark.filterwarnings("ignore")  # Spark's own


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    with spark_session(tmp_path_factory.mktemp("spark")) as session:
        yield session


def files(made: World, folder: Path) -> dict[str, Any]:
    places = {}
    for name in ("claims", "sources", "relations"):
        rows: Any = getattr(made, name)
        table = rows if isinstance(rows, pa.Table) else pa.Table.from_pylist(rows)
        parquet.write_table(table, folder / f"{name}.parquet")
        places[name] = str(folder / f"{name}.parquet")
    return places


@pytest.mark.parametrize("seed", [0, 1])
def test_random_graphs(seed: int, spark: Any, tmp_path: Path) -> None:
    from howsure.bulk.engines.spark import Spark

    made = world(seed, text_ids=seed % 2 == 1, derived=seed % 3 > 0, chain=2)
    engine = Spark(spark, temp=str(tmp_path))
    given: Any = {name: parse_input(place, name) for name, place in files(made, tmp_path).items()}
    counts = engine.load(Tables(**given))
    assert (counts.claims, counts.unknown_sources, counts.unknown_relations) == (len(made.claims), 0, 0)
    for formula in (formulas()[1], formulas()[-1]) if seed == 0 else formulas()[:1]:
        options = ReadOptions(formula, NOW, 0.35)
        row, steps = formula_columns(formula)
        found = engine.score(options, ["id", "sources", *row, *steps])
        wrong = differences(found, made.expected(formula, NOW, 0.35))
        assert not wrong, (formula.name, wrong[:3])
    engine.close()


@pytest.mark.soak
def test_one_claim_with_a_million_sources_and_one_with_a_million_relations(spark: Any, tmp_path: Path) -> None:
    formula = formulas()[0]
    row, steps = formula_columns(formula)
    columns = ["id", *row, *steps]
    found = bulk.score(**files(star(1_000_000), tmp_path), formula=formula, columns=columns, now=NOW, spark=spark)
    assert (found.engine, found.rows) == ("spark", 1_000_002)
    assert not differences(found.table, star_expected(1_000_000, formula))


def test_the_output_appears_when_it_is_whole(spark: Any, tmp_path: Path) -> None:
    made = world(3, derived=False)
    given = files(made, tmp_path)
    out = tmp_path / "scores.parquet"
    found = bulk.score(**given, out=out, now=NOW, spark=spark)
    assert found.rows == len(made.claims)
    assert not differences(parquet.read_table(out), made.expected(formulas()[0]))
    with pytest.raises(InputError, match="already exists"):
        bulk.score(**given, out=out, now=NOW, spark=spark)
    bulk.score(**given, out=out, now=NOW, spark=spark, replace=True, unknown="ignore")
    assert [path.name for path in tmp_path.iterdir() if path.name.startswith(".")] == []


def test_faults_are_reported(spark: Any, tmp_path: Path) -> None:
    made = world(3, derived=False)
    given = files(made, tmp_path)
    broken = tmp_path / "broken.parquet"
    broken.write_bytes(b"PAR1 is how it starts")
    with pytest.raises(InputError, match=r"broken.parquet"):
        bulk.score(broken, now=NOW, spark=spark)
    made.sources[3]["contribution"] = 1.5
    given = files(made, tmp_path)
    with pytest.raises(InputError, match=r"sources.parquet: the row with .*1.5: not between 0 and 1"):
        bulk.score(**given, now=NOW, spark=spark)
    made.sources[3]["contribution"] = 0.5
    made.relations.append({"kind": "supports", "source": 1, "target": 2, "strength": 0.5})
    with pytest.raises(InputError, match="relations.parquet: 1 row refers to unknown claims, such as 1"):
        bulk.score(**files(made, tmp_path), now=NOW, spark=spark, unknown="refuse")


def test_a_session_stays_as_it_was(spark: Any, tmp_path: Path) -> None:
    spark.sql("SELECT 5 AS five").createOrReplaceTempView("raw_claims")
    spark.conf.set("spark.sql.session.timeZone", "America/New_York")
    (tmp_path / "claims.csv").write_text('\ufeffid;stale_at\n"say ""hi""";2027-01-15 08:00:00\nb\\;2027-01-14\n')
    found = bulk.score(tmp_path / "claims.csv", now=NOW, engine="spark", columns=["id", "half_lives"])
    assert found.engine == "spark"
    here = bulk.score(tmp_path / "claims.csv", now=NOW, engine="duckdb", columns=["id", "half_lives"])
    assert found.table.sort_by("id").to_pylist() == here.table.sort_by("id").to_pylist()
    assert spark.table("raw_claims").collect()[0].five == 5
    assert spark.conf.get("spark.sql.session.timeZone") == "America/New_York"
    with pytest.raises(InputError, match="Spark is already running in this process on local-cluster"):
        bulk.score([{"id": 1}], spark="local[1]")
    (tmp_path / "claims.csv").write_text("id,tier\n1,task\n2,task,7,8\n")
    with pytest.raises(InputError, match="claims.csv: Malformed CSV record: 2,task,7,8"):
        bulk.score(tmp_path / "claims.csv", spark=spark)
    spark.conf.set("spark.sql.session.timeZone", "UTC")


def test_one_table_with_copied_columns_by_every_formula(spark: Any, tmp_path: Path) -> None:
    rows: list[dict[str, Any]] = [
        {"id": 1, "source": "user:ann", "confidence": 0.8, "rank": 3},
        {"id": 2, "source": "almanac", "confidence": 0.25, "rank": 1},
        {"id": 3, "source": None, "confidence": None, "rank": 2},
    ]
    options: dict[str, Any] = {"mapping": {"confidence": "contribution"}, "keep": ["rank"], "now": NOW}
    for formula in ("noisy_or", "all"):
        found = bulk.score(rows, spark=spark, temp=str(tmp_path), formula=formula, **options).table
        expected = bulk.score(rows, engine="duckdb", formula=formula, **options).table
        assert found.column_names == expected.column_names
        for row, wanted in zip(*(table.sort_by("id").to_pylist() for table in (found, expected)), strict=True):
            assert row == pytest.approx(wanted, abs=1e-9)


def test_texts(spark: Any, tmp_path: Path) -> None:
    said = [{"id": n, "text": "It is definitely tested." if n % 2 else "I think it might be"} for n in range(200)]
    parquet.write_table(pa.Table.from_pylist(said), tmp_path / "texts.parquet")
    here = bulk.texts(tmp_path / "texts.parquet", "response")
    there = bulk.texts(tmp_path / "texts.parquet", "response", spark=spark)
    assert there.table.sort_by("id").to_pylist() == here.table.sort_by("id").to_pylist()
    out = tmp_path / "certainty.parquet"
    assert bulk.texts(tmp_path / "texts.parquet", "response", spark=spark, out=out).rows == 200
    assert len(parquet.read_table(out)) == 200


def _executors() -> list[int]:
    done = subprocess.run(["pgrep", "-P", str(os.getpid()), "-f", "java"], capture_output=True, text=True, check=False)
    driver = [int(line) for line in done.stdout.split()]
    found: list[int] = []
    for parent in driver:
        listed = subprocess.run(
            ["pgrep", "-P", str(parent), "-f", "CoarseGrainedExecutorBackend"],
            capture_output=True,
            text=True,
            check=False,
        )
        found += [int(line) for line in listed.stdout.split()]
    return found


def test_a_worker_that_is_killed_in_mid_job_holds_nothing_up(spark: Any, tmp_path: Path) -> None:
    given = files(star(3_000), tmp_path)
    before = _executors()
    assert len(before) == 2
    under_way = threading.Event()
    killed: list[int] = []

    def tell(what: str, _done: int, _total: int) -> None:
        if what == "scoring and writing":
            under_way.set()

    def kill() -> None:
        under_way.wait(60)
        while not spark.sparkContext.statusTracker().getActiveJobsIds():
            time.sleep(0.01)
        os.kill(before[0], signal.SIGKILL)
        killed.append(before[0])

    aside = threading.Thread(target=kill, daemon=True)
    aside.start()
    found = bulk.score(**given, now=NOW, spark=spark, out=tmp_path / "scores.parquet", progress=tell)
    aside.join(60)
    assert killed
    assert found.rows == 3_002
    expected = star_expected(3_000, formulas()[0])
    bounds = {name: {bound: steps[bound] for bound in ("lower", "upper")} for name, steps in expected.items()}
    assert not differences(parquet.read_table(tmp_path / "scores.parquet"), bounds)
    assert before[0] not in _executors()


@pytest.mark.parametrize("kind", ["open", "closed"])
def test_fused_votes_are_those_of_numpy(
    kind: Literal["open", "closed"], spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in (open_values, closed_values):  # a round takes Spark seconds
        monkeypatch.setattr(module, "ROUNDS", 2)
    table, path = labels(2, items=20, sources=5, size=80), tmp_path / "votes.parquet"
    parquet.write_table(table, path)
    check_numbers(fuse_votes(path, kind=kind, engine="spark", spark=spark), table)

"""Scoring a store in bulk: the same intervals as `claim find`."""

from pathlib import Path
from typing import Any

import pytest

from howsure.bulk import api as bulk
from howsure.bulk.stores import is_store
from howsure.errors import InputError
from howsure.formulas import catalog
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.bulk.stores import DAY, fill, intervals
from tests.conftest import Clock, Run


def bounds(table: Any) -> dict[str, tuple[float, float]]:
    return {row["id"]: (row["lower"], row["upper"]) for row in table.to_pylist()}


def assert_equal(found: dict[str, tuple[float, float]], expected: dict[str, tuple[float, float]]) -> None:
    assert found.keys() == expected.keys()
    for name, pair in expected.items():
        assert found[name] == pytest.approx(pair, abs=1e-9), name


@pytest.mark.parametrize("seed", range(2))
def test_a_store_scores_as_find_does(sure: Sure, address: str, clock: Clock, seed: int) -> None:
    fill(sure, clock, seed)
    moments: list[dict[str, float]] = [{"now": clock.now}, {"now": clock.now + 30 * DAY, "trust": 0.5}]
    for formula in catalog.formulas():
        for options in moments:
            expected = intervals(sure, formula=formula, **options)
            assert len({pair for pair in expected.values() if pair[1] > 0}) > 5
            for engine in ("duckdb", "arrays"):
                scores = bulk.score(address, formula=formula, engine=engine, **options)  # type: ignore[arg-type]
                assert_equal(bounds(scores.table), expected)
    scores = bulk.score(address, now=clock.now)
    assert_equal(bounds(scores.table), intervals(sure, now=clock.now))
    assert scores.counts.unused == {}
    assert not scores.counts.without_sources
    assert (scores.counts.unknown_sources, scores.counts.unknown_relations) == (0, 0)


def test_a_store_scores_as_it_was(sure: Sure, address: str, clock: Clock) -> None:
    fill(sure, clock, 5)
    for days in (1.5, 30):
        then = clock.now - days * DAY
        found = bulk.score(address, as_of=then, now=clock.now).table
        assert_equal(bounds(found), intervals(sure, as_of=then, now=clock.now))


def test_a_sweep_of_a_store_leaves_out_what_is_forgotten(sure: Sure, address: str, clock: Clock) -> None:
    fill(sure, clock, 1)
    expected = intervals(sure, now=clock.now)
    found = bulk.sweep(address, now=clock.now, threshold=0.3, formulas=["noisy_or", "beta"])
    assert found.claims == len(expected)
    assert found.variants[0].above == sum(lower >= 0.3 - 1e-9 for lower, _ in expected.values())
    assert sum(found.variants[1].histogram) == len(expected)
    assert 0 < found.variants[0].above < len(expected)


def test_an_export_scores_as_its_store_does(sure: Sure, clock: Clock, tmp_path: Path, howsure: Run) -> None:
    fill(sure, clock, 2)
    export, out = tmp_path / "export.jsonl", tmp_path / "scores.csv"
    export.write_bytes(b"".join(_lines(sure)))
    expected = intervals(sure, now=clock.now)
    found = bulk.score(str(export), now=clock.now)
    assert_equal(bounds(found.table), expected)
    assert found.table.column_names[-4:] == ["statement", "namespace", "tier", "status"]
    assert bulk.sweep(export, now=clock.now).claims == len(expected)
    done = howsure("bulk", "score", str(export), "--out", str(out), "--columns", "id,lower", "--keep", "subject")
    assert (done.returncode, done.stderr) == (0, b"")
    assert out.read_text().splitlines()[0] == "id,lower,subject"
    export.write_bytes(b"".join(_lines(sure)[:-1]))
    with pytest.raises(InputError, match="cut short"):
        bulk.score(export)


def _lines(sure: Sure) -> list[bytes]:
    import orjson

    return [orjson.dumps(record) + b"\n" for record in sure.claims.export()]


def test_the_tables_of_a_store_are_refused_one_by_one(sure: Sure, address: str, clock: Clock) -> None:
    if not address.startswith("postgresql://"):
        with pytest.raises(InputError, match="brings its own sources"):
            bulk.score(address, sources=[])
        with pytest.raises(InputError, match="brings its own sources"):
            bulk.score(address, mapping={"a": "tier"})
        return
    fill(sure, clock, 1, claims=5)
    with pytest.raises(InputError, match="is a table of a howsure store"):
        bulk.score(f"{address}::claims", sources=f"{address}::sources")


def test_what_is_a_store(tmp_path: Path) -> None:
    path = tmp_path / "store.whatever"
    with open_store(str(path)) as sure:
        sure.claims.add("The sky is blue", source="user_input:ann", contribution=0.8)
    (tmp_path / "claims.jsonl").write_text('{"id": "sky"}\n')
    (tmp_path / "broken.jsonl").write_text("{\n")
    (tmp_path / "empty.jsonl").write_text("")
    for store in (path, f"sqlite:///{path}", "postgresql://host/db"):
        assert is_store(store)
    for other in ("claims.jsonl", "broken.jsonl", "empty.jsonl", "missing.db"):
        assert not is_store(tmp_path / other)
    assert not is_store("postgresql://host/db::table")
    assert not is_store([{"id": 1}])
    assert bulk.score(f"sqlite:///{path}").rows == 1

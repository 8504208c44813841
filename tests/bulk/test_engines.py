"""Every engine gives the numbers of the plain Python model, whatever the table looks like."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from howsure.bulk.engines.arrays import Arrays
from howsure.bulk.engines.base import Counts, Engine, Tables
from howsure.bulk.engines.duckdb import DuckDb
from howsure.bulk.engines.postgres import Postgres
from howsure.bulk.inputs import parse_input
from howsure.graph import arrays, groups
from howsure.graph.sql import ReadOptions
from howsure.graph.table_queries import formula_columns
from tests.bulk.clusters import in_postgres
from tests.bulk.worlds import NOW, World, changed, differences, formulas, star, star_expected, world

ENGINES = ("duckdb", "duckdb, crowded", "arrays", "arrays without a compiler", "postgres")


@pytest.fixture(params=ENGINES)
def kind(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "arrays without a compiler":
        monkeypatch.setattr(arrays, "has_compiler", lambda: False)
        monkeypatch.setattr(groups, "has_compiler", lambda: False)
    if request.param == "duckdb, crowded":  # every row is looked at for being the same as another
        monkeypatch.setattr("howsure.bulk.engines.duckdb.MANY_SOURCES", 0)
        monkeypatch.setattr("howsure.bulk.engines.duckdb.MANY_RELATIONS", 0)
    return str(request.param)


@pytest.fixture
def address(kind: str, request: pytest.FixtureRequest) -> Iterator[str]:
    if kind != "postgres":
        yield ""
        return
    server = request.getfixturevalue("postgres_address")
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute("CREATE SCHEMA bulk_tests")
        yield f"{server}&options=-c%20search_path%3Dbulk_tests"
        connection.execute("DROP SCHEMA bulk_tests CASCADE")


@contextmanager
def loaded(kind: str, made: World, address: str, as_of: float | None = None) -> Iterator[tuple[Engine, Counts]]:
    if kind == "postgres":
        places: dict[str, Any] = dict(in_postgres(made, address))
    else:
        places = {name: getattr(made, name) for name in ("claims", "sources", "relations")}
    tables: Any = {name: parse_input(place, name) for name, place in places.items() if getattr(made, name)}
    given = Tables(**tables)
    engine: Engine = Postgres(address) if kind == "postgres" else DuckDb() if kind.startswith("duckdb") else Arrays()
    try:
        yield engine, engine.load(given, as_of)
    finally:
        engine.close()


FEW = [formulas()[0], formulas()[-1]]
"""Two formulas that between them fold in every way, for tests that are about tables rather than formulas."""


def check(engine: Engine, made: World, trust: float = 1.0, now: float = NOW, by: Any = FEW) -> None:
    for formula in by:
        options = ReadOptions(formula, now, trust)
        row, steps = formula_columns(formula)
        found = engine.score(options, ["id", "sources", *row, *steps])
        wrong = differences(found, made.expected(formula, now, trust))
        assert not wrong, (formula.name, len(wrong), wrong[:3])
        assert len(found) == len(made.claims)


@pytest.mark.parametrize("seed", range(3))
def test_learned_weights_and_copies(seed: int, kind: str, address: str) -> None:
    made = world(seed, text_ids=seed % 2 == 1, derived=seed > 0, weighed=True)
    by = [formula for formula in (*formulas(), *changed()) if formula.name == "reliability"]
    with loaded(kind, made, address) as (engine, _):
        check(engine, made, trust=(1.0, 0.35, 1.0)[seed], by=by)


@pytest.mark.parametrize("seed", range(4))
def test_random_graphs(seed: int, kind: str, address: str) -> None:
    made = world(seed, text_ids=seed % 2 == 1, derived=seed % 3 > 0)
    with loaded(kind, made, address) as (engine, counts):
        assert (counts.claims, counts.unknown_sources, counts.unknown_relations) == (len(made.claims), 0, 0)
        check(engine, made, trust=(1.0, 0.35, 0.0)[seed % 3], by=formulas())


def test_parameters_reach_every_engine(kind: str, address: str) -> None:
    made = world(21, derived=True)
    with loaded(kind, made, address) as (engine, _):
        check(engine, made, trust=0.9, by=changed())


def check_star(engine: Engine, size: int, by: Any) -> None:
    for formula in by:
        options = ReadOptions(formula, NOW)
        row, steps = formula_columns(formula)
        found = engine.score(options, ["id", *row, *steps])
        assert len(found) == size + 2
        wrong = differences(found, star_expected(size, formula))
        assert not wrong, (formula.name, wrong)


def test_one_claim_with_very_many_sources_and_one_with_very_many_relations(kind: str, address: str) -> None:
    with loaded(kind, star(3_000), address) as (engine, _):
        check_star(engine, 3_000, formulas())


@pytest.mark.parametrize("name", ["duckdb", "arrays", pytest.param("postgres", marks=pytest.mark.soak)])
def test_one_claim_with_a_million_sources_and_one_with_a_million_relations(
    name: str, request: pytest.FixtureRequest
) -> None:
    address = request.getfixturevalue("postgres_address") if name == "postgres" else ""
    with loaded(name, star(1_000_000), address) as (engine, _):
        check_star(engine, 1_000_000, FEW[:1])


@pytest.mark.parametrize("size", [0, 1])
def test_tiny_tables(size: int, kind: str, address: str) -> None:
    made = World([{"id": 7, "tier": "task", "stale_at": None, "status": "active"}])
    made.sources = [{"claim": 7, "source_type": "a", "source_id": "b", "contribution": None}] * size
    with loaded(kind, made, address) as (engine, counts):
        assert (counts.sources, counts.relations) == (size, 0)
        check(engine, made)


def test_ids_far_apart_and_below_zero(kind: str, address: str) -> None:
    made = world(11, derived=True)
    far = {row["id"]: (row["id"] - 110) * 10**14 for row in made.claims}
    for row in made.claims:
        row["id"] = far[row["id"]]
    for row in made.sources:
        row["claim"] = far[row["claim"]]
    for row in made.relations:
        row["source"], row["target"] = far[row["source"]], far[row["target"]]
    with loaded(kind, made, address) as (engine, _):
        check(engine, made)


def test_names_are_never_executed_as_sql(kind: str, address: str) -> None:
    names = ["o'clock", 'say "hi"', "a;DROP TABLE x--", "", " ", "\u00fc\u4e2d\U0001f600", "null", "0x1"]
    made = World([{"id": name, "tier": "task", "stale_at": None, "status": "active"} for name in names])
    made.sources = [
        {"claim": name, "source_type": other, "source_id": name, "contribution": 0.25}
        for name in names
        for other in names
    ]
    made.relations = [{"kind": "supports", "source": names[0], "target": name, "strength": 0.5} for name in names[1:]]
    with loaded(kind, made, address) as (engine, _):
        check(engine, made)


def test_unknown_references_are_counted_and_ignored(kind: str, address: str) -> None:
    made = world(5, derived=False)
    whole = World(made.claims, list(made.sources), list(made.relations))
    lost = {"claim": -5, "source_type": "user_input", "source_id": "x", "contribution": 0.9}
    made.sources += [lost, lost | {"claim": 10**12}, lost | {"contribution": None}]
    some = made.claims[0]["id"]
    for kind_of, source, target in (
        ("supports", -5, some),
        ("supports", some, 999_999),
        ("contradicts", some, -7),
        ("derived_from", some, -7),
        ("refines", -1, -2),
    ):
        made.relations.append({"kind": kind_of, "source": source, "target": target, "strength": 1.0})
    with loaded(kind, made, address) as (engine, counts):
        assert (counts.unknown_sources, counts.unknown_relations) == (3, 5)
        check(engine, whole)


def test_only_what_was_recorded_by_then_counts(kind: str, address: str) -> None:
    made, then = world(4, derived=True), NOW - 100 * 86_400
    past = World()
    for number, row in enumerate(made.sources):
        row["recorded_at"] = None if number % 5 == 0 else NOW - (number % 7) * 40 * 86_400
        if row["recorded_at"] is None or row["recorded_at"] <= then:
            past.sources.append(row)
    for number, row in enumerate(made.relations):
        row["recorded_at"] = NOW - (number % 5) * 50 * 86_400
        row["removed_at"] = NOW - (number % 3) * 60 * 86_400 if number % 4 == 0 else None
        gone = row["removed_at"] is not None and row["removed_at"] <= then
        if row["recorded_at"] <= then and not gone:
            past.relations.append(row)
    past.claims = made.claims
    with loaded(kind, made, address, as_of=then) as (engine, _):
        check(engine, past, now=then)


def test_scores_do_not_depend_on_what_was_scored_before(kind: str, address: str) -> None:
    made = world(8, derived=True)
    with loaded(kind, made, address) as (engine, _):
        check(engine, made, trust=0.5)
        check(engine, made, now=NOW + 1e7)

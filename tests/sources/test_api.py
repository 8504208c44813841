"""The facade sure.sources: list, one source's history, and reading claims by what was learned."""

import pytest

from howsure.errors import InputError, NotFoundError
from howsure.formulas.reliability import Reliability
from howsure.store.claim_tables.denormalized import has_weights
from howsure.store.claim_tables.source_weights import WeightRow, put
from howsure.store.transfer import export, import_records
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.sources.world import records


@pytest.fixture
def learned(sure: Sure) -> Sure:
    sure.claims.learn(records(ring=4))
    sure.sources.fit()
    return sure


def test_sources_are_listed_best_first_and_unknown_ones_are_named(learned: Sure) -> None:
    best, *_, worst = learned.sources.list()
    assert best.source_id.startswith("good")
    assert not worst.source_id.startswith("good")
    assert learned.sources.list(worst=True)[0] == worst
    assert len(learned.sources.list(limit=3)) == 3
    (nobody,) = learned.sources.list(["agent:nobody"])
    assert nobody.claims == 0
    assert nobody.reliability == pytest.approx(0.8)
    with pytest.raises(InputError, match="sources: 'agent:x' is not a list"):
        learned.sources.list("agent:x")
    with pytest.raises(InputError, match="TYPE:ID"):
        learned.sources.list(["nobody"])
    with pytest.raises(InputError, match="limit: -1"):
        learned.sources.list(limit=-1)


def test_history_names_what_a_source_got_wrong_and_what_is_more_likely(learned: Sure) -> None:
    history = learned.sources.get("agent:bad0")
    assert history.source.claims == len(history.claims)
    assert 0 < len(history.wrong) < len(history.claims)
    assert all("wrong" in one.statement for one in history.wrong)
    assert any(one.instead and one.instead[0].endswith("is right") for one in history.wrong)
    with pytest.raises(NotFoundError, match="agent:nobody"):
        learned.sources.get("agent:nobody")


def test_an_invalidated_source_says_so(learned: Sure) -> None:
    learned.claims.invalidate_source("agent", "bad0")
    assert learned.sources.list(["agent:bad0"])[0].invalid


def test_the_formula_reads_what_was_learned_by_index_and_as_views(learned: Sure) -> None:
    claims = learned.claims.find(formula="reliability", limit=1000).claims
    right = [one for one in claims if one.object == "right"]
    wrong = [one for one in claims if one.object != "right"]
    assert sum(one.interval.lower for one in right) / len(right) > 0.8
    assert sum(one.interval.upper for one in wrong) / len(wrong) < 0.3
    for bound in (0.1, 0.5, 0.9):
        listed = {one.id for one in learned.claims.find(formula="reliability", min_lower=bound, limit=1000).claims}
        assert listed == {one.id for one in claims if one.interval.lower >= bound}
    explained = learned.claims.explain(right[0].id, formula="reliability")
    assert explained.score["lower"] == pytest.approx(right[0].interval.lower)
    assert {one.source_id for one in explained.weights} == {one.source.source_id for one in explained.sources}


def test_the_interval_of_a_new_claim_uses_the_weight_of_its_source(learned: Sure, address: str) -> None:
    assert learned.sources.list()
    with open_store(address, formula=Reliability()) as reading:
        good = reading.claims.add("New and good", source="agent:good0").claim.interval
        ring = reading.claims.add("New and bad", source="agent:ring0").claim.interval
    assert good.lower > ring.lower


def test_what_was_learned_survives_export_and_import(learned: Sure, tmp_path: object) -> None:
    rows = list(export(learned.session.database))
    with open_store(f"{tmp_path}/copy.db") as copy:
        with copy.session.write() as transaction:
            import_records(transaction, enumerate(rows, start=1))
        assert copy.sources.list() == learned.sources.list()
        assert list(export(copy.session.database))[1:] == rows[1:]
        with copy.session.database.read() as transaction:
            assert has_weights(transaction)
        added = records(seed=9, items=1)[0]
        copy.claims.add(**added)
        learned.claims.add(**added)
        assert copy.sources.list() == learned.sources.list()


@pytest.mark.parametrize("worst", [False, True])
def test_the_first_sources_are_those_of_the_whole_list(learned: Sure, worst: bool) -> None:
    names = ("zoo:1", "a:b", "a-b:a", "a b:c", "agent:", "agent:zz", "agent:zy")
    sources = [
        {"source_type": type_, "source_id": id_ or " ", "contribution": 0.5}
        for type_, _, id_ in (name.partition(":") for name in names)
    ]
    learned.claims.add("something else", sources=sources)
    learned.claims.add("nobody says so", sources=[{"source_type": "a", "source_id": "a", "contribution": 0.0}])
    with learned.session.write() as transaction:
        put(transaction, [WeightRow("agent", "gone", 3.0, 0.1, "", 90.0, 1.0)])  # its claims were forgotten
        put(transaction, [WeightRow("a", "b", 1.0, 0.1, "", 4.0, 1.0)])  # as good as an unknown one
    everything = learned.sources.list(limit=100_000, worst=worst)
    assert not {"a:a", "agent:gone"} & {one.name for one in everything}
    for limit in range(1, len(everything) + 3):
        assert learned.sources.list(limit=limit, worst=worst) == everything[:limit]

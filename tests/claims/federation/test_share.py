"""What a store tells others: numbers by their formula, its own claims alone, and never more than there is room for."""

from pathlib import Path
from typing import Any

import orjson
import pytest

from howsure.claims.federation import share as telling
from howsure.claims.federation.client import MAX_BODY
from howsure.claims.federation.scoring import Scorer
from howsure.claims.federation.wire import MAX_CONSTITUENTS, MAX_STEPS, read_answer
from howsure.errors import InputError
from howsure.serve.operations import operation
from howsure.shapes.encode import encode
from howsure.store.claim_tables import folded_inputs as inputs
from howsure.store.claim_tables.selection import Selection
from howsure.store.session import claim_formula
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.claims.federation.worlds import filled
from tests.conftest import NOW, Clock
from tests.oracle import FORMULAS


def _scored(sure: Sure, formula: str, **options: Any) -> dict[str, Any]:
    told = sure.claims.inputs(formula=formula, limit=1000, **options)
    heard = read_answer(orjson.dumps(encode(told)), claim_formula(formula), 1000, NOW)
    assert heard.errors == []
    scorer = Scorer(claim_formula(formula), options.get("now", NOW), 1.0, heard.known)
    return {claim.id: scorer.interval(claim) for claim in heard.claims}


def test_shared_inputs_give_the_interval_of_the_store(sure: Sure) -> None:
    filled(sure, "a", 7)
    for formula in FORMULAS:
        found = {claim.id: claim.interval for claim in sure.claims.find(formula=formula).claims}
        told = _scored(sure, formula)
        assert told.keys() == found.keys()
        assert all(told[id_] == pytest.approx(found[id_], abs=1e-9) for id_ in found)


def test_past_moments_are_shared_as_they_were(sure: Sure, clock: Clock) -> None:
    first = sure.claims.add("It rains", source="user:ann", contribution=0.8)
    inferred = sure.claims.derive("It is wet", [str(first.id)], confidence=0.9)
    clock.now += 100
    sure.claims.add("It rains", source="agent:1", contribution=0.9)
    sure.claims.challenge(str(first.id), statement="It is dry", source="user:bob")
    sure.claims.forget(str(inferred.id))
    for moment in (NOW, NOW + 100):
        found = {claim.id: claim.interval for claim in sure.claims.find(as_of=moment).claims}
        told = _scored(sure, "noisy_or", as_of=moment, now=moment)
        assert told.keys() == found.keys()
        assert all(told[id_] == pytest.approx(found[id_], abs=1e-9) for id_ in found)
    assert inferred.id not in found


def test_intervals_sources_and_claims_of_peers_are_not_shared(sure: Sure) -> None:
    ground = sure.claims.add("A secret ground", source="user:ann", contribution=0.8, namespace="secret")
    sure.claims.derive("An open conclusion", [str(ground.id)], confidence=0.9)
    told = encode(sure.claims.inputs("open"))
    text = orjson.dumps(told).decode()
    told = orjson.loads(text)
    assert not any(word in text for word in ("secret", "ann", "lower", "upper", "half_lives", "trust"))
    assert told["claims"][0]["derived_from"] == [told["constituents"][0]["id"]] == [ground.id]
    assert (told["format"], told["own"], told["formula"], told["version"]) == (1, True, "noisy_or", 1)


def test_reaching_the_limit_is_reported(sure: Sure) -> None:
    for number in range(5):
        sure.claims.add(f"Fact {number}", source="user:ann", contribution=0.1 + number / 10)
    told = sure.claims.inputs(limit=3)
    assert ([claim.statement for claim in told.claims], told.more) == (["Fact 4", "Fact 3", "Fact 2"], True)
    assert not sure.claims.inputs(limit=5).more
    for limit in (0, 1001, -1):
        with pytest.raises(InputError) as caught:
            sure.claims.inputs(limit=limit)
        assert caught.value.field == "limit"


def test_oversized_claims_are_left_out_and_reported(tmp_path: Path) -> None:
    with open_store(str(tmp_path / "large.db"), clock=lambda: NOW) as sure:
        sure.claims.add_many([{"statement": f"{n} " + "\x01" * 60_000, "source": "user:ann"} for n in range(12)])
        sure.claims.add("Small", source="user:ann", contribution=0.1)
        told = sure.claims.inputs(limit=100)
    size = len(orjson.dumps(encode(told)))
    assert told.more
    assert 3 <= len(told.claims) < 12
    assert told.claims[-1].statement == "Small", "what still fits is told"
    assert telling.MAX_BYTES / 2 < size < MAX_BODY


def test_claims_with_too_many_constituents_are_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_store(str(tmp_path / "wide.db"), clock=lambda: NOW) as sure:
        added = sure.claims.add_many([{"statement": f"Fact {n}", "source": "user:ann"} for n in range(40)])
        ids = [str(one.id) for one in added]
        sure.claims.derive("Few infer", ids[:5], confidence=0.9, namespace="inferred")
        sure.claims.derive("Many infer", ids, confidence=0.9, namespace="inferred")

        def told() -> tuple[set[str], int, bool]:
            found = sure.claims.inputs(Selection(namespace="inferred"))
            return {claim.statement for claim in found.claims}, len(found.constituents), found.more

        assert told() == ({"Few infer", "Many infer"}, 40, False)
        monkeypatch.setattr(inputs, "BATCH", 3)
        assert told() == ({"Few infer", "Many infer"}, 40, False)
        monkeypatch.setattr(telling, "MAX_STEPS", 39)
        assert told() == ({"Few infer"}, 5, True)
        monkeypatch.setattr(telling, "MAX_STEPS", MAX_STEPS)
        monkeypatch.setattr(telling, "MAX_CONSTITUENTS", 20)
        assert told() == ({"Few infer"}, 5, True)
        monkeypatch.setattr(telling, "MAX_CONSTITUENTS", MAX_CONSTITUENTS)
        assert told()[2] is False


def test_unreadable_old_records_do_not_block_the_others(sure: Sure) -> None:
    sure.claims.add("Fine", source="user:ann")
    odd = sure.claims.add("Odd", source="user:ann")
    with sure.session.write() as transaction:
        transaction.run("UPDATE claims SET valid_from = ?, valid_until = ? WHERE id = ?", [NOW, NOW, odd.id])
    told = sure.claims.inputs(Selection(outside_validity=True))
    assert ([claim.statement for claim in told.claims], told.more) == (["Fine"], True)


def test_shared_claims_count_as_accessed(sure: Sure, clock: Clock) -> None:
    id_ = str(sure.claims.add("PeerReport for", source="user:ann").id)
    clock.now += 1000
    sure.claims.inputs()
    sure.claims.add("Written", source="user:ann")
    assert sure.claims.get(id_).accessed_at == NOW + 1000


def test_the_formula_version_and_parameters_are_those_of_the_caller(sure: Sure) -> None:
    sure.claims.add("x", source="user:ann", contribution=0.5)
    one = operation("claims.inputs")

    def told(**given: Any) -> Any:
        return one.call(sure, one.decode(given))["claims"][0]["inputs"]

    assert told(formula="subjective_logic")["source_odds"] == pytest.approx(2.0)
    assert told(formula="subjective_logic", parameters={"prior_weight": 3.0})["source_odds"] == pytest.approx(3.0)
    assert told(formula="beta", version=1) == {"contributions": 0.5, "support": 0.0, "contradiction": 0.0}
    for given, field in (
        ({"formula": "beta", "version": 2}, "version"),
        ({"formula": "response"}, "formula"),
        ({"formula": "beta", "parameters": {"z": -1}}, "z"),
        ({"formula": "beta", "parameters": {"nonsense": 1}}, "nonsense"),
    ):
        with pytest.raises(InputError) as caught:
            told(**given)
        assert field in str(caught.value)

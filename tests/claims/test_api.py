"""Claims: what one can do with them, on both kinds of store."""

import asyncio
import json
import threading
from pathlib import Path
from typing import Any

import pytest

from howsure.claims.claim import Claim
from howsure.claims.tiers import ClaimPromotion
from howsure.errors import InputError, NotFoundError, StoreError
from howsure.store.backends.schema import newest
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import NOW, Clock

DAY = 86400.0


def _add(sure: Sure, statement: str, contribution: float = 0.8, **more: Any) -> str:
    added = sure.claims.add(statement, source=more.pop("source", "user_input:ann"), contribution=contribution, **more)
    assert added.id is not None
    return added.id


def _all(sure: Sure, **wanted: Any) -> list[str]:
    return [claim.statement for claim in sure.claims.find(**wanted).claims]


def test_a_claim_is_created_and_then_corroborated(sure: Sure) -> None:
    first = sure.claims.add("The sky is blue.", source="user_input:ann", contribution=0.8)
    second = sure.claims.add("  the SKY is  blue", source="extraction:doc", contribution=0.6)
    assert (first.outcome, second.outcome, second.id) == ("created", "corroborated", first.id)
    claim = sure.claims.get(str(first.id))
    assert (claim.sources, claim.tier, claim.namespace, claim.status) == (2, "task", "default", "active")
    assert claim.interval == pytest.approx((0.8 * 5 / 6, 0.92))
    assert claim.base == pytest.approx((0.8 * 2 / 3, 0.8))
    assert (claim.stale_at, claim.expires_at) == (NOW + 3 * DAY, NOW + 7 * DAY)


def test_the_same_triple_corroborates_whatever_the_words(sure: Sure) -> None:
    triple: dict[str, Any] = {"subject": "sky", "predicate": "has colour", "object": "blue"}
    first = sure.claims.add("The sky is blue.", **triple)
    assert sure.claims.add("Blue is the colour of the sky", **triple).id == first.id
    assert sure.claims.add("The sky is blue.", namespace="elsewhere").outcome == "created"


def test_a_batch_is_atomic_per_claim(sure: Sure) -> None:
    results = sure.claims.add_many(
        [{"statement": "one"}, {"statement": ""}, {"statement": "two", "contribution": 7}, {"statement": "one."}]
    )
    assert [result.outcome for result in results] == ["created", "failed", "failed", "corroborated"]
    assert "contribution: 7 is not between 0 and 1" in results[2].reason
    assert _all(sure) == ["one"]


@pytest.mark.parametrize(
    ("claim", "message"),
    [
        ({"statement": " "}, "the statement is empty"),
        ({"statement": "x\x00y"}, "NUL byte"),
        ({"statement": "\ud800"}, "broken Unicode"),
        ({"statement": "x" * 10_000_000}, "10000000 bytes are too many"),
        ({"statement": "x", "tier": "persistent"}, "by promotion only"),
        ({"statement": "x", "namespace": "a/b/c/d/e/f"}, "6 parts are too many"),
        ({"statement": "x", "namespace": "a//b"}, "invalid namespace"),
        ({"statement": "x", "namespace": "a/*"}, "invalid namespace"),
        ({"statement": "x", "source": "ann"}, "is not TYPE:ID"),
        ({"statement": "x", "contribution": 0.5}, "a contribution needs a source"),
        ({"statement": "x", "valid_from": 5, "valid_until": 5}, "would never be valid"),
        ({"statement": "x", "sources": [{"source_type": "a", "source_id": "b\x00"}]}, "sources[0].source_id"),
    ],
)
def test_invalid_claims_are_refused(sure: Sure, claim: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError) as caught:
        sure.claims.add(**claim)
    assert message in str(caught.value)
    assert _all(sure) == []


def test_an_unknown_field_is_refused(sure: Sure) -> None:
    (result,) = sure.claims.add_many([{"statement": "x", "colour": "blue"}])
    assert (result.outcome, "unknown field 'colour'" in result.reason) == ("failed", True)
    with pytest.raises(TypeError, match="colour"):
        sure.claims.add("x", colour="blue")  # type: ignore[call-arg]
    assert _all(sure) == []


HOSTILE = [
    "Robert'); DROP TABLE claims; --",
    '" OR 1=1 --',
    "%s %(now)s :now ? {0}",
    "\u202eright to left\u202c",
    "\u05d0\u05d1 \u0645\u0631\u062d\u0628\u0627",
    "emoji \U0001f600 and \u0000".replace("\u0000", ""),
    "NEAR(a b) AND * ^ \" ' ( )",
    "a" * 65_000,
]


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_is_stored_and_never_executed(sure: Sure, text: str) -> None:
    name = text[:100]
    added = sure.claims.add(
        text,
        subject=name,
        predicate=name,
        object=name,
        namespace=f"n {name}".replace("/", "_").replace("*", "_"),
        sources=[{"source_type": name, "source_id": name, "context": name}],
    )
    found = sure.claims.get(str(added.id))
    assert (found.statement, found.subject) == (text, name)
    assert [c.id for c in sure.claims.find(subject=name, predicate=name, object=name).claims] == [added.id]
    sure.claims.find(text[:500])
    sure.claims.invalidate_source(name, name, reason=name)
    assert sure.claims.get(str(added.id)).sources == 0


def test_a_challenge_marks_the_target_and_adds_a_note_without_weight(sure: Sure) -> None:
    target = _add(sure, "The sky is blue")
    before = sure.claims.get(target)
    made = sure.claims.challenge(target, statement="The sky is green", source="user_input:bob", contribution=0.9)
    after = sure.claims.get(target)
    assert (after.status, after.sources) == ("challenged", before.sources)
    assert after.interval.upper == pytest.approx(before.interval.upper * (1 - 0.2 * 0.9))
    assert sure.claims.get(made.challenger.id).interval.upper == pytest.approx(0.9 * (1 - 0.2 * 0.8))
    with pytest.raises(InputError, match="already"):
        sure.claims.challenge(target, made.challenger.id)
    with pytest.raises(InputError, match="cannot challenge itself"):
        sure.claims.challenge(target, statement="the sky is blue.")
    sure.claims.resolve(target, uphold=True, note="looked out of the window")
    assert sure.claims.get(target).status == "active"
    assert sure.claims.get(target).interval == pytest.approx(before.interval)
    assert [event.action for event in sure.claims.history(target)] == ["created", "challenged", "upheld"]


def test_arguments_of_challenge_and_derive_are_checked(sure: Sure) -> None:
    target = _add(sure, "x")
    with pytest.raises(InputError, match="contribution: 7 is not between 0 and 1"):
        sure.claims.challenge(target, statement="y", source="a:b", contribution=7)
    with pytest.raises(InputError, match="tier: 'nonsense' is not one of"):
        sure.claims.derive("z", [target], tier="nonsense")  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="colour"):
        sure.claims.challenge(target, statement="y", colour="blue")  # type: ignore[call-arg]
    with pytest.raises(InputError, match="confidence: 2 is not between 0 and 1"):
        sure.claims.derive("z", [target], confidence=2)
    assert _all(sure) == ["x"]


def test_a_challenge_can_be_resolved_against_the_challenger(sure: Sure) -> None:
    target = _add(sure, "The earth is flat")
    sure.claims.challenge(target, statement="The earth is round", source="user_input:bob")
    sure.claims.resolve(target, uphold=False)
    assert sure.claims.get(target).status == "deprecated"
    assert _all(sure) == ["The earth is round"]
    with pytest.raises(InputError, match="is not challenged"):
        sure.claims.resolve(target, uphold=True)


def test_a_claim_can_supersede_another(sure: Sure) -> None:
    old, new = _add(sure, "version 1 is current"), _add(sure, "version 2 is current")
    sure.claims.supersede(old, new)
    assert _all(sure) == ["version 2 is current"]
    assert sure.claims.get(old).status == "deprecated"


@pytest.mark.parametrize(("kind", "message"), [("suports", "did you mean supports?"), ("derived_from", "a circle")])
def test_invalid_relations_are_refused(sure: Sure, kind: Any, message: str) -> None:
    a, b = _add(sure, "a"), _add(sure, "b")
    sure.claims.relate(a, "derived_from", b)
    with pytest.raises(InputError) as caught:
        sure.claims.relate(b, kind, a)
    assert message in str(caught.value)
    with pytest.raises(InputError, match="cannot relate to itself"):
        sure.claims.relate(a, "supports", a)
    with pytest.raises(NotFoundError, match="unknown claim 'nobody'"):
        sure.claims.relate(a, "supports", "nobody")
    with pytest.raises(InputError, match="strength: 2 is not between 0 and 1"):
        sure.claims.relate(a, "supports", b, strength=2)


def test_an_inference_is_never_surer_than_its_constituents(sure: Sure) -> None:
    bases = [_add(sure, "a", 0.9), _add(sure, "b", 0.6)]
    derived = sure.claims.derive("so c", bases, confidence=0.99, by="model-1")
    claim, weakest = sure.claims.get(str(derived.id)), sure.claims.get(bases[1])
    assert claim.interval.lower <= weakest.interval.lower
    assert claim.interval.upper == pytest.approx(0.9)
    sure.claims.invalidate_source("user_input", "ann")
    assert sure.claims.get(str(derived.id)).interval == (0.0, 0.0)
    chain = str(derived.id)
    for number in range(4):
        chain = str(sure.claims.derive(f"step {number}", [chain], confidence=0.9).id)
    with pytest.raises(InputError, match="too long"):
        sure.claims.derive("one too many", [chain])
    assert "one too many" not in _all(sure)


def test_promotion_asks_the_gatekeeper(sure: Sure) -> None:
    claim = _add(sure, "solid", 0.95, tier="ephemeral")
    assert sure.claims.promote(claim).outcome == "promoted"
    assert sure.claims.promote(claim).tier == "project"
    verdict = sure.claims.promote(claim)
    assert verdict.outcome == "deferred"
    assert verdict.reasons == [
        "its lower bound 0.63 is below 0.80, which persistent needs",
        "it has 1 independent source, and persistent needs 2",
    ]
    sure.claims.add("solid", source="extraction:a", contribution=0.9)
    sure.claims.add("solid", source="log:b", contribution=0.9)
    assert sure.claims.promote(claim) == ClaimPromotion("promoted", ["its lower bound 0.95 reaches 0.80"], "persistent")
    assert (sure.claims.get(claim).tier, sure.claims.get(claim).expires_at) == ("persistent", None)
    weak = _add(sure, "weak", 0.1)
    assert sure.claims.promote(weak).outcome == "rejected"
    assert sure.claims.demote(claim, reason="too eager").tier == "project"
    with pytest.raises(InputError, match="not a demotion"):
        sure.claims.demote(claim, "persistent")
    actions = [event.action for event in sure.claims.history(claim)]
    assert actions.count("promoted") == 3
    assert "promotion deferred" in actions


def test_the_gatekeeper_can_be_replaced(address: str) -> None:
    def never(claim: Claim, _tier: Any) -> ClaimPromotion:
        return ClaimPromotion("rejected", ["not on my watch"], claim.tier)

    with open_store(address, gatekeeper=never) as sure:
        claim = _add(sure, "x", 1.0)
        assert sure.claims.promote(claim).reasons == ["not on my watch"]


def test_forgetting_twice_changes_nothing(sure: Sure) -> None:
    claim = _add(sure, "x")
    assert (sure.claims.forget(claim), sure.claims.forget(claim)) == (True, False)
    assert _all(sure) == []
    assert [event.action for event in sure.claims.history(claim)] == ["created", "forgotten"]
    assert sure.claims.add("x").outcome == "created"


def test_purged_records_are_deleted(address: str, sure: Sure) -> None:
    private = "the launch code is 7341-xyzzy"
    claim, other = _add(sure, private), _add(sure, "other")
    sure.claims.challenge(claim, other)
    sure.claims.purge(claim)
    with pytest.raises(NotFoundError):
        sure.claims.get(claim)
    assert _all(sure, text="xyzzy") == []
    assert private not in "".join(map(json.dumps, sure.claims.export()))
    assert claim not in "".join(map(json.dumps, sure.claims.export()))
    if "://" not in address:
        for path in Path(address).parent.iterdir():
            assert b"xyzzy" not in path.read_bytes()


def test_export_and_import_lose_nothing(sure: Sure, tmp_path: Path, clock: Clock) -> None:
    a, b = _add(sure, "a", subject="s", predicate="p", object="o"), _add(sure, "b", tier="project")
    clock.now += DAY
    sure.claims.challenge(a, b)
    sure.claims.invalidate_source("user_input", "ann", reason="wrong")
    sure.claims.derive("c", [b], confidence=0.7)
    records = list(sure.claims.export())
    with open_store(str(tmp_path / "copy.db"), clock=clock) as copy:
        assert copy.claims.import_(records).claims == 3
        assert list(copy.claims.export()) == records
        assert copy.claims.import_(records).skipped == 3
        for formula in ("noisy_or", "beta"):
            for moment in (NOW, NOW + DAY, NOW + 9 * DAY):
                before = [c.interval for c in sure.claims.find(formula=formula, as_of=moment).claims]
                after = [c.interval for c in copy.claims.find(formula=formula, as_of=moment).claims]
                assert [x for i in after for x in i] == pytest.approx([x for i in before for x in i])
        with pytest.raises(InputError, match="line 2: .*nothing was imported"):
            copy.claims.import_([records[0], {"claim": {"id": "x"}}])
        with pytest.raises(InputError, match="not the head of an export"):
            copy.claims.import_([{"claim": {}}])


def test_every_method_has_an_async_version(sure: Sure) -> None:
    async def use() -> int:
        claims: Any = sure.claims
        await asyncio.gather(*(claims.aadd(f"claim {n}") for n in range(10)))
        return len((await claims.afind()).claims)

    assert asyncio.run(use()) == 10


def test_threads_can_share_a_store(sure: Sure) -> None:
    def work(number: int) -> None:
        for n in range(10):
            sure.claims.add(f"claim {n}", source=f"agent:{number}")
            sure.claims.find(min_lower=0.1)

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {claim.sources for claim in sure.claims.find().claims} == {4}


def test_a_store_of_the_future_is_refused(address: str) -> None:
    with open_store(address) as sure, sure.session.database.write() as transaction:
        transaction.run("UPDATE howsure_schema SET version = 99")
    with pytest.raises(StoreError, match=f"schema 99, but this program knows only up to {newest()}.*upgrade howsure"):
        open_store(address)


def test_a_clock_that_jumps_back_is_handled(sure: Sure, clock: Clock) -> None:
    claim = _add(sure, "x")
    clock.now -= 30 * DAY
    _add(sure, "x", source="extraction:b")
    assert sure.claims.get(claim).interval.upper > 0.8
    assert len(sure.claims.history(claim)) == 2

"""Corroborating claims that exist: deprecated ones, and their triples."""

from typing import Any

import pytest

from howsure.errors import InputError
from howsure.store import check as upkeep
from howsure.sure import Sure

STAYS = "it stays deprecated ({}), so find leaves it out; verify it if it holds after all"


def test_a_deprecated_claim_stays_deprecated_until_somebody_verifies_it(sure: Sure) -> None:
    refuted = sure.claims.add("The cache is on", source="user_input:ann").id
    sure.claims.refute(refuted, source="user_input:bob", note="looked")
    replaced, by = (sure.claims.add(f"The timeout is {n} s", source="user_input:ann").id for n in (3, 5))
    sure.claims.supersede(replaced, by)
    why = {refuted: "refuted: user_input:bob: looked", replaced: f"superseded: by {by}"}

    for claim, reason in why.items():
        again = sure.claims.add(sure.claims.get(claim).statement, source="user_input:eve")
        assert (again.id, again.outcome, again.claim.status) == (claim, "corroborated", "deprecated")
        assert again.notes == [STAYS.format(reason)]
    records = [{"statement": "The cache is on", "source": "user_input:eve", "tier": "ephemeral"}]
    assert sure.claims.add_many(records)[0].notes[0] == STAYS.format(why[refuted])
    learned = sure.claims.learn(records)
    assert (learned.corroborated, learned.deprecated) == (1, 1)
    assert [claim.id for claim in sure.claims.find().claims] == [by]

    for claim in why:
        assert sure.claims.verify(claim, source="user_input:eve").status == "active"
        assert sure.claims.history(claim)[-1].detail == "user_input:eve; active again"
        assert sure.claims.history(claim)[-1].status == "active"
    assert {claim.id for claim in sure.claims.find().claims} == {*why, by}
    sure.claims.supersede(by, replaced)  # no circle, since it was superseded no more
    assert sure.claims.add("The cache is on", source="user_input:eve").notes == []
    assert upkeep.check(sure.session) == []


def test_a_claim_that_was_given_up_is_challenged_again_once_it_is_verified(sure: Sure) -> None:
    claim = sure.claims.add("The cache is on", source="user_input:ann").id
    sure.claims.challenge(claim, statement="The cache is off", source="user_input:bob")
    sure.claims.resolve(claim, uphold=False)
    assert sure.claims.verify(claim, source="user_input:ann").status == "challenged"


def test_what_was_inferred_from_purged_claims_does_not_count_again_without_bounds(sure: Sure) -> None:
    base, other = (sure.claims.add(f"base {n}", source="a:1", contribution=0.3).id for n in range(2))
    inferred = sure.claims.derive("inferred", [base], confidence=0.95).id
    sure.claims.purge(base)
    with pytest.raises(InputError, match=f"claim: {inferred} would be inferred from nothing .relate it"):
        sure.claims.verify(inferred, source="user_input:ann")
    assert sure.claims.get(inferred).sources == 1
    sure.claims.relate(inferred, "derived_from", other)
    verified = sure.claims.verify(inferred, source="user_input:ann")
    assert verified.status == "active"
    assert verified.interval.upper == pytest.approx(0.3)


def test_a_claim_that_only_was_derived_counts_again_by_its_own_sources(sure: Sure) -> None:
    base, claim = (sure.claims.add(f"claim {n}", source="a:1").id for n in range(2))
    sure.claims.relate(claim, "derived_from", base)
    sure.claims.purge(base)
    assert sure.claims.get(claim).status == "deprecated"
    assert sure.claims.verify(claim, source="user_input:ann").status == "active"


def test_an_error_says_what_makes_a_claim_count_again(sure: Sure) -> None:
    deprecated, forgotten, held = (sure.claims.add(f"Claim {n}", source="u:a").id for n in range(3))
    sure.claims.refute(deprecated, source="u:b")
    sure.claims.forget(forgotten)
    for claim, hint in ((deprecated, "verify it first"), (forgotten, "add it again")):
        for refused in (
            lambda claim=claim: sure.claims.challenge(claim, held),
            lambda claim=claim: sure.claims.challenge(held, claim),
            lambda claim=claim: sure.claims.supersede(claim, held),
            lambda claim=claim: sure.claims.promote(claim),
        ):
            with pytest.raises(InputError, match=f"{claim} is (deprecated|forgotten) \\({hint}"):
                refused()
    with pytest.raises(InputError, match="add it again"):
        sure.claims.verify(forgotten, source="u:a")
    assert sure.claims.get(held).status == "active"


def test_a_claim_without_a_triple_gets_it_with_its_contradictions(sure: Sure) -> None:
    first = sure.claims.add("Redis listens on 6379", source="a:1").id
    other = sure.claims.add("Its port is 6380", source="a:3", subject="redis", predicate="port", object="6380").id
    sure.claims.add("Redis listens on 6379", source="a:4", subject="redis")
    again = sure.claims.add("Redis listens on 6379", source="a:2", subject="Redis", predicate="port", object="6379")
    assert (again.id, again.claim.sources, again.notes) == (first, 3, [])
    assert (again.claim.subject, again.claim.predicate, again.claim.object) == ("redis", "port", "6379")
    assert [claim.id for claim in sure.claims.find(subject="redis", object="6379").claims] == [first]
    assert sure.claims.history(first)[-1].detail == "a:2; changed predicate, object"
    by_triple = sure.claims.add("6379 it is", source="a:5", subject="redis", predicate="port", object="6379")
    assert (by_triple.id, [one.id for one in by_triple.conflicts]) == (first, [other])


def test_a_claim_that_gets_the_rest_of_a_triple_is_compared_by_all_of_it(sure: Sure) -> None:
    other = sure.claims.add("Its port is 6380", source="a:3", subject="redis", predicate="port", object="6380").id
    record = {"statement": "It listens as usual", "source": "a:2", "predicate": "port", "object": "6379"}

    def part() -> str:
        return sure.claims.add("It listens as usual", source="a:1", subject="redis").id

    claim = part()
    again = sure.claims.add(**record)  # type: ignore[arg-type]
    assert (again.id, again.claim.subject, [one.id for one in again.conflicts]) == (claim, "redis", [other])
    sure.claims.purge(claim)
    claim = part()
    (added,) = sure.claims.add_many([record])
    assert (added.id, [one.id for one in added.conflicts]) == (claim, [other])
    sure.claims.purge(claim)
    claim = part()
    learned = sure.claims.learn([record])
    assert (learned.corroborated, learned.conflicting) == (1, 1)
    assert [neighbour.id for neighbour in sure.claims.explain(claim).neighbours] == [other]


def test_learning_relates_a_claim_that_gets_a_triple_as_a_new_one(sure: Sure) -> None:
    triple = {"subject": "redis", "predicate": "port"}
    sure.claims.add("Redis listens on 6379", source="a:1")
    sure.claims.learn([{"statement": "Its port is 6380", "source": "a:3", **triple, "object": "6380"}])
    record = {"statement": "Redis listens on 6379", "source": "a:2", **triple, "object": "6379"}
    for sources in (2, 2):
        assert sure.claims.learn([record]).corroborated == 1
        (claim,) = sure.claims.find("redis").claims
        assert (claim.sources, len(sure.claims.explain(claim.id).neighbours)) == (sources, 1)


def test_a_statement_about_two_things_is_not_one_claim(sure: Sure) -> None:
    record: dict[str, Any] = {"statement": "It listens on port 8443", "predicate": "port", "object": "8443"}
    gateway = sure.claims.add(**record, subject="gateway", source="a:1").id
    with pytest.raises(InputError, match="subject: .* says this with the subject 'gateway', not 'db' .name the subj"):
        sure.claims.add(**record, subject="db", source="a:2")
    failed, corroborated = sure.claims.add_many(
        [{**record, "subject": "db", "source": "a:2"}, {**record, "source": "a:3"}]
    )
    assert (failed.outcome, corroborated.id) == ("failed", gateway)
    assert sure.claims.learn([{**record, "subject": "db", "source": "a:2"}]).failed == 1
    db = sure.claims.add("The db does so", source="a:4", subject="db", predicate="port", object="8443").id
    assert sure.claims.add(**record, subject="db", source="a:2").id == db, "the triple says which one is meant"
    assert (sure.claims.get(gateway).sources, sure.claims.get(db).sources) == (2, 2)


def test_a_triple_that_another_claim_has_is_not_given_twice(sure: Sure) -> None:
    first = sure.claims.add("Redis listens on 6379", source="a:1").id
    other = sure.claims.add("6379 it is", source="a:1", subject="redis", predicate="port", object="6379").id
    again = sure.claims.add("Redis listens on 6379", source="a:2", subject="redis", predicate="port", object="6379")
    assert (again.id, again.claim.subject, len(again.notes)) == (first, None, 1)
    assert f"which {other} has" in again.notes[0]

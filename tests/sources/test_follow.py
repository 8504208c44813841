"""Following claims and outcomes between two fits."""

import math

import pytest

from howsure.formulas.claim import UNKNOWN_WEIGHT
from howsure.sources import follow
from howsure.store.check import check
from howsure.store.claim_tables.source_weights import Vote
from howsure.sure import Sure
from tests.sources.world import records


def _reliabilities(sure: Sure) -> dict[str, float]:
    return {one.name: one.reliability for one in sure.sources.list()}


def test_nothing_is_followed_before_the_first_fit(sure: Sure) -> None:
    for record in records(items=3):
        sure.claims.add(**record)
    assert set(_reliabilities(sure).values()) == {0.8}
    assert all(one.right == one.wrong == 0.0 for one in sure.sources.list())


def test_what_is_followed_is_close_to_the_next_fit(sure: Sure) -> None:
    said = records(seed=5, items=60)
    half = len(said) // 2
    sure.claims.learn(said[:half])
    sure.sources.fit()
    for record in said[half:]:
        added = sure.claims.add(**record)
        for other in sure.claims.find(subject=record["subject"], predicate="is").claims:
            if other.id != added.id and added.outcome == "created":
                sure.claims.relate(added.id, "contradicts", other.id)
    between = _reliabilities(sure)
    chances = {one.statement: one.interval for one in sure.claims.find(formula="reliability", limit=1000).claims}
    assert check(sure.session) == []
    sure.sources.fit()
    exact = _reliabilities(sure)
    assert max(abs(between[name] - exact[name]) for name in exact) < 0.05
    after = {one.statement: one.interval for one in sure.claims.find(formula="reliability", limit=1000).claims}
    gaps = sorted(abs(chances[name].midpoint - after[name].midpoint) for name in after)
    assert gaps[len(gaps) // 2] < 0.02
    assert check(sure.session) == []


def test_a_outcome_counts_at_once_and_only_once(sure: Sure) -> None:
    claim = sure.claims.add("It rains", source="agent:a")
    other = sure.claims.add("It snows", source="agent:a")
    sure.sources.fit()
    sure.claims.refute(claim.id, source="user_input:ann")
    one = sure.sources.list(["agent:a"])[0]
    assert (one.right, one.wrong, one.reliability) == pytest.approx((0.0, 1.0, 4 / 6))
    sure.claims.verify(other.id, source="user_input:ann")
    sure.claims.verify(other.id, source="user_input:ann")
    one = sure.sources.list(["agent:a"])[0]
    assert (one.right, one.wrong, one.reliability) == pytest.approx((1.0, 1.0, 5 / 7))
    followed = _reliabilities(sure)
    sure.sources.fit()
    assert _reliabilities(sure) == pytest.approx(followed)


def test_a_new_source_gets_a_weight_and_its_claims_follow(sure: Sure) -> None:
    sure.claims.learn(records())
    sure.sources.fit()
    new = sure.claims.add("Item 3 is odd", subject="item 3", predicate="is", object="odd", source="agent:new")
    before = sure.claims.get(new.id, formula="reliability").interval
    for number in range(4, 12):
        item = f"item {number}"
        sure.claims.add(f"Item {number} is right", subject=item, predicate="is", object="right", source="agent:new")
    assert sure.sources.list(["agent:new"])[0].right > 7
    assert sure.claims.get(new.id, formula="reliability").interval.lower > before.lower
    assert check(sure.session) == []


def test_a_bulk_load_is_left_to_the_next_fit(sure: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "MANY_CHANGES", 5)
    said = records()
    sure.claims.learn(said[:200])
    sure.sources.fit()
    before = _reliabilities(sure)
    sure.claims.learn(said[200:])
    assert _reliabilities(sure) == before
    assert check(sure.session) == []


def test_the_weight_of_a_source_with_many_claims_waits_for_the_fit(sure: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "FEW_CLAIMS", 2)
    claims = [sure.claims.add(f"Fact {number}", source="agent:a") for number in range(5)]
    sure.sources.fit()
    weight = sure.sources.list(["agent:a"])[0].weight
    sure.claims.refute(claims[0].id, source="user_input:ann")
    one = sure.sources.list(["agent:a"])[0]
    assert (one.wrong, one.weight) == (1.0, weight)
    sure.sources.fit()
    assert sure.sources.list(["agent:a"])[0].weight < weight


@pytest.mark.parametrize("how", ["forget", "purge", "supersede"])
def test_what_is_gone_is_taken_back_at_once(how: str, sure: Sure) -> None:
    """Counts are then those of a fit that has never seen the claim; its rivals win what it had taken from them."""
    sure.claims.learn(records(items=20))
    wrong = sure.claims.add("Item 3 is odd", subject="item 3", predicate="is", object="odd", source="agent:liar")
    sure.claims.add("Item 4 is odd", subject="item 4", predicate="is", object="odd", source="agent:liar")
    sure.sources.fit()
    before = sure.sources.list(["agent:liar"])[0]
    if how == "supersede":
        sure.claims.supersede(wrong.id, sure.claims.add("Nothing else", source="agent:ann").id)
    else:
        getattr(sure.claims, how)(wrong.id)
    after = sure.sources.list(["agent:liar"])[0]
    assert before.right + before.wrong == pytest.approx(2.0)
    assert after.right + after.wrong == pytest.approx(1.0)
    followed = _reliabilities(sure)
    assert check(sure.session) == []
    sure.sources.fit()
    exact = _reliabilities(sure)
    assert max(abs(followed[name] - exact[name]) for name in exact) < 0.01


def test_source_that_says_several_claims_of_an_item_divides_its_vote() -> None:
    votes = [Vote(1, "agent", "a", 0, False, None, None), Vote(2, "agent", "a", 0, False, None, None)]
    votes.append(Vote(2, "agent", "b", 1, False, None, None))
    found = follow.believe(votes, follow.share_answers(votes), {}, {}, 0.0)
    half, whole = 0.5 * math.exp(0.5 * UNKNOWN_WEIGHT), math.exp(1.5 * UNKNOWN_WEIGHT)
    assert found == pytest.approx({1: half / (1 + half + whole), 2: whole / (1 + half + whole)})

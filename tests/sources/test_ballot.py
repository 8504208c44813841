"""Votes of a store as arrays, compared with reading and counting them one item at a time."""

import random
from typing import Any

import pytest

from howsure.sources.ballot import Ballot, believe_all, count_votes, read_ballot
from howsure.sources.follow import believe, read_outcomes, share_answers
from howsure.store.claim_tables import source_weights as table
from howsure.store.claim_tables.source_weights import Vote, WeightRow
from howsure.sure import Sure


@pytest.fixture
def store(sure: Sure) -> Sure:
    """Claims that compete by property and by contradiction, some verified, refuted, forgotten or of invalid sources."""
    dice = random.Random(5)
    added = []
    for number in range(60):
        item = number // 3
        about: dict[str, Any] = {"subject": f"thing {item}", "predicate": "is", "object": str(number)}
        about = about if item % 4 else {}
        claim = sure.claims.add(f"Claim {number} on {item}", source=f"agent:a{dice.randrange(8)}", **about)
        for _ in range(dice.randrange(4)):
            sure.claims.add(f"Claim {number} on {item}", source=f"agent:a{dice.randrange(8)}", **about)
        added.append(claim.id)
    for number in range(0, 60, 12):
        sure.claims.relate(added[number], "contradicts", added[number + 1])
        sure.claims.relate(added[number + 1], "contradicts", added[number + 5])
    sure.claims.verify(added[4], source="user_input:ann")
    sure.claims.verify(added[7], source="agent:a1")
    sure.claims.refute(added[10], source="user_input:ann")
    sure.claims.forget(added[20])
    sure.claims.invalidate_source("agent", "a7")
    return sure


def items_of(ballot: Ballot) -> dict[int, int]:
    return dict(zip(ballot.claims.tolist(), ballot.items.tolist(), strict=True))


def test_votes_are_those_that_are_read_one_by_one(store: Sure) -> None:
    with store.session.database.read() as transaction:
        ballot = read_ballot(transaction)
        votes = list(table.read_votes(transaction))
        outcomes = read_outcomes(list(table.read_candidates(transaction)), votes)
    counted = [vote for vote in votes if not vote.checks]
    found = [
        (int(ballot.claims[place]), *ballot.names[source], position)
        for place, source, position in zip(
            ballot.places.tolist(), ballot.sources.tolist(), ballot.positions.tolist(), strict=True
        )
    ]
    assert found == [vote[:4] for vote in counted]
    said = {vote.claim for vote in counted}
    expected = {claim: right for claim, right in outcomes.items() if claim in said}
    assert {int(ballot.claims[place]): right for place, right in ballot.outcomes.items()} == expected
    assert len(expected) >= 2


def test_what_votes_count_is_what_follow_counts(store: Sure) -> None:
    with store.session.database.read() as transaction:
        ballot = read_ballot(transaction)
        votes = [vote for vote in table.read_votes(transaction) if not vote.checks]
    known = {
        name: WeightRow(*name, 0.0, 0.0, "ring" if place in (1, 3, 4) else "", 4.0 + place, 1.0 + place % 3, 0.3)
        for place, name in enumerate(ballot.names[1:])
    }
    items = items_of(ballot)
    by_item: dict[int, list[Vote]] = {}
    for vote in votes:
        by_item.setdefault(items[vote.claim], []).append(vote)
    outcomes = {int(ballot.claims[place]): right for place, right in ballot.outcomes.items()}
    chances: dict[int, float] = {}
    rows: dict[tuple[int, int], tuple[float, float]] = {}
    for some in by_item.values():
        answers = share_answers(some)
        of_item = {vote.claim: outcomes[vote.claim] for vote in some if vote.claim in outcomes}
        chances |= believe(some, answers, known, of_item, 0.3)
        if len({vote[1:3] for vote in some}) > 1 or of_item:
            for vote in some:
                share = answers[vote.claim, vote.source_type, vote.source_id]
                right = share * chances[vote.claim]
                rows[vote.claim, vote.position] = (right, share - right)
    found = believe_all(ballot, known, ballot.outcomes, 0.3)
    assert dict(zip(ballot.claims.tolist(), found.tolist(), strict=True)) == pytest.approx(chances, abs=1e-12)
    counted = {
        (claim, position): (right, wrong) for right, wrong, claim, position in count_votes(ballot, known, 0.3).rows()
    }
    assert counted.keys() == rows.keys()
    for place, numbers in counted.items():
        assert numbers == pytest.approx(rows[place], abs=1e-12)
    assert len(rows) < len(votes)  # some items have one source alone


def test_an_empty_store_has_no_votes(sure: Sure) -> None:
    with sure.session.database.read() as transaction:
        ballot = read_ballot(transaction)
    assert not ballot.names
    assert not len(ballot.claims)
    assert list(count_votes(ballot, {}, 0.0).rows()) == []

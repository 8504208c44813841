"""Learning whom to believe from a store."""

import pytest

from howsure.errors import InputError
from howsure.sources import learning
from howsure.sources.ballot import read_ballot
from howsure.store.check import check
from howsure.store.claim_tables.source_weights import read_votes
from howsure.sure import Sure
from tests.sources.world import records


def test_good_sources_are_told_from_bad_ones_and_a_ring_is_found_whole(sure: Sure) -> None:
    sure.claims.learn(records(ring=5))
    fit = sure.sources.fit()
    assert (fit.sources, fit.copying, fit.fit.status) == (20, 5, "active")
    by_name = {one.name: one for one in sure.sources.list()}
    good = [by_name[f"agent:good{number}"] for number in range(12)]
    others = [one for name, one in by_name.items() if "good" not in name]
    assert min(one.reliability for one in good) > 0.8 > max(one.reliability for one in others)
    ring = by_name["agent:ring0"]
    assert set(ring.copies) == {f"agent:ring{number}" for number in range(1, 5)}
    assert check(sure.session) == []


def test_items_are_claims_of_one_property_or_joined_by_contradictions(sure: Sure) -> None:
    sky = sure.claims.add("The sky is blue", source="agent:a", subject="sky", predicate="colour", object="blue")
    sure.claims.add("The sky is green", source="agent:b", subject="sky", predicate="colour", object="green")
    sea = sure.claims.add("The sea is blue", source="agent:c")
    sure.claims.relate(sea.id, "contradicts", sky.id)
    sure.claims.add("It rains", source="agent:a")
    sure.claims.derive("It is wet", [sky.id])
    with sure.session.database.read() as transaction:
        ballot = read_ballot(transaction)
    assert sorted(ballot.items.tolist()) == [0, 0, 0, 1]
    assert len(ballot.sources) == 4  # the inference has none


def test_a_store_without_sources_has_nothing_to_learn_from(sure: Sure) -> None:
    with pytest.raises(InputError, match="no claims with a source"):
        sure.sources.fit()
    sure.claims.add("It rains", source="agent:a")
    with pytest.raises(InputError, match="all claims"):
        sure.fits.learn("source", since=1.0)


def test_outcomes_count_and_nobody_proves_himself_right(sure: Sure) -> None:
    claims = [sure.claims.add(f"Fact {number}", source="agent:liar") for number in range(20)]
    for claim in claims:
        sure.claims.verify(claim.id, source="agent:liar")
    sure.sources.fit()
    assert sure.sources.list(["agent:liar"])[0].reliability == pytest.approx(0.8)
    for claim in claims[:10]:
        sure.claims.refute(claim.id, source="user_input:ann")
    fit = sure.sources.fit()
    assert (fit.fit.outcomes, fit.fit.right) == (10, 0)
    assert sure.sources.list(["agent:liar"])[0].reliability == pytest.approx(4 / 15)
    for claim in claims[10:]:
        sure.claims.verify(claim.id, source="user_input:ann")
    assert sure.sources.fit().fit.right == 10
    assert sure.sources.list(["agent:liar"])[0].reliability == pytest.approx(14 / 25)


def test_fits_are_measured_on_outcomes_compared_and_rolled_back(sure: Sure) -> None:
    sure.claims.learn(records())
    first = sure.sources.fit().fit
    assert first.quality is None
    claims = [claim for claim in sure.claims.find(limit=1000).claims if claim.object is not None][:60]
    for claim in claims:
        if claim.object == "right":
            sure.claims.verify(claim.id, source="user_input:ann")
        else:
            sure.claims.refute(claim.id, source="user_input:ann")
    second = sure.sources.fit().fit
    assert second.replaces == first.id
    assert second.quality is not None
    assert second.quality.n == len(claims)
    assert second.quality.brier is not None
    assert second.quality.brier < 0.1
    after = [one.reliability for one in sure.sources.list()]
    back = sure.fits.rollback("source")
    assert back is not None
    assert back.id == first.id
    assert [one.reliability for one in sure.sources.list()] != after
    assert check(sure.session) == []
    sure.fits.apply(second.id)
    assert [one.reliability for one in sure.sources.list()] == pytest.approx(after)
    assert [one.id for one in sure.fits.list(kind="source") if one.status == "active"] == [second.id]
    sure.fits.rollback("source")
    sure.fits.rollback("source")
    assert {one.reliability for one in sure.sources.list()} == {0.8}
    assert check(sure.session) == []


def test_a_fit_of_a_store_is_that_of_its_table(sure: Sure) -> None:
    sure.claims.learn(records(seed=3))
    with sure.session.database.read() as transaction:
        ballot = read_ballot(transaction)
    table = ballot.fit({})
    sure.sources.fit()
    found = {(one.source_type, one.source_id): one.reliability for one in sure.sources.list()}
    expected = dict(zip(ballot.names, table.reliability.tolist(), strict=True))
    assert {name: found[name] for name in expected} == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("many", [False, True])
def test_what_changes_while_a_fit_is_learned_is_counted(
    sure: Sure, many: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nobody waits for a fit: claims that come meanwhile are followed, or all are read again if there are many."""
    if many:
        monkeypatch.setattr(learning, "MANY_CHANGES", 1)
    sure.claims.learn(records(seed=3))
    gone = sure.claims.find(limit=1).claims[0]
    added: list[str] = []

    def change(*_: object) -> None:
        if not added:
            sure.claims.forget(gone.id)
            added.extend(sure.claims.add("It rains", source=f"agent:good{who}").id for who in range(2))

    sure.sources.fit(progress=change)
    with sure.session.database.read() as transaction:
        counted = {vote.claim: vote.rights for vote in read_votes(transaction)}
        keys: dict[str, int] = dict(transaction.rows("SELECT id, key FROM claims"))
    assert keys[gone.id] not in counted
    assert counted[keys[added[0]]]
    assert check(sure.session) == []

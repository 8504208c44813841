"""The table of source weights, and the claims that rest on it."""

from howsure.store.check import check
from howsure.store.claim_tables import source_weights as table
from howsure.store.claim_tables.claims import key_of
from howsure.store.claim_tables.denormalized import outdated_claims
from howsure.store.claim_tables.source_weights import WeightRow
from howsure.sure import Sure


def _row(name: str, weight: float = 2.0, group: str = "") -> WeightRow:
    return WeightRow("agent", name, weight, 0.1, group, 9.0, 2.0, 0.5)


def test_rows_are_put_read_and_replaced_and_claims_follow(sure: Sure) -> None:
    claim = sure.claims.add("It rains", source="agent:a")
    sure.claims.add("It rains", source="agent:b")
    before = sure.claims.get(claim.id, formula="reliability").interval
    with sure.session.write() as transaction:
        table.replace_all(transaction, [_row("a", 5.0), _row("b", 5.0)])
        key = key_of(transaction, claim.id)
        assert [one.weight for one in table.weights_of(transaction, key)] == [5.0, 5.0]
        assert table.log_choices(transaction) == 0.5
        assert not list(outdated_claims(transaction))
    sure_of_it = sure.claims.get(claim.id, formula="reliability").interval
    assert sure_of_it.lower > before.lower
    with sure.session.write() as transaction:
        table.put(transaction, [_row("a", 5.0, "x"), _row("b", 5.0, "x")])
        table.refresh_source(transaction, "agent", "a")
        assert [one.source_id for one in table.list_copies(transaction)] == ["a", "b"]
        assert table.get(transaction, "agent", "a") == _row("a", 5.0, "x")
        assert table.get(transaction, "agent", "c") is None
    assert sure.claims.get(claim.id, formula="reliability").interval.lower < sure_of_it.lower
    with sure.session.write() as transaction:
        table.replace_all(transaction, [])
        assert table.log_choices(transaction) == 0.0
    assert sure.claims.get(claim.id, formula="reliability").interval == before


def test_a_check_notices_weights_without_a_fit_and_counts_that_cannot_be(sure: Sure) -> None:
    sure.claims.add("It rains", source="agent:a")
    with sure.session.write() as transaction:
        table.replace_all(transaction, [_row("a")._replace(rights=0.0)])
    problems = check(sure.session)
    assert any("no fit of sources is active" in problem for problem in problems)
    assert any("agent:a are not positive" in problem for problem in problems)


def test_outcomes_are_the_last_events_that_say_right_or_wrong(sure: Sure) -> None:
    claim = sure.claims.add("It rains", source="agent:a")
    other = sure.claims.add("It snows", source="agent:a")
    sure.claims.forget(other.id)

    def outcomes() -> list[tuple[bool | None, bool]]:
        with sure.session.database.read() as transaction:
            return [(one.outcome, one.upheld) for one in table.read_candidates(transaction)]

    assert outcomes() == [(None, False)]
    sure.claims.verify(claim.id, source="user_input:ann")
    assert outcomes() == [(True, False)]
    sure.claims.challenge(claim.id, statement="It is dry", source="agent:b")
    sure.claims.resolve(claim.id, uphold=True)
    assert outcomes()[0] == (True, True)
    sure.claims.refute(claim.id, source="user_input:ann")
    assert outcomes()[0] == (False, False)


def test_votes_tell_who_only_checked(sure: Sure) -> None:
    claim = sure.claims.add("It rains", source="agent:a")
    sure.claims.verify(claim.id, source="agent:a")
    sure.claims.verify(claim.id, source="user_input:ann")
    with sure.session.database.read() as transaction:
        votes = {vote.source_id: vote.checks for vote in table.read_votes(transaction)}
    assert votes == {"a": False, "ann": True}

"""The janitor: what it does when, on both kinds of store."""

from typing import Any

import pytest

from howsure.shapes import DAY
from howsure.store import check as upkeep
from howsure.sure import Sure
from tests.conftest import NOW, Clock


def test_expired_claims_are_forgotten_and_later_deleted(sure: Sure, clock: Clock) -> None:
    sure.claims.add("brief", tier="ephemeral", source="user_input:ann")
    clock.now += DAY
    assert [action.action for action in sure.clean()] == ["expire"]
    assert sure.clean() == []
    clock.now += 29 * DAY
    assert sure.clean() == []
    clock.now += 2 * DAY
    assert [action.action for action in sure.clean()] == ["collect"]
    assert sure.claims.find(statuses=["forgotten"]).claims == []


def test_faded_unread_claims_are_demoted_tier_by_tier_and_deleted(sure: Sure, clock: Clock) -> None:
    added = sure.claims.add("old", tier="project", source="user_input:ann", ttl=1e9, stale_at=NOW - 300 * DAY)
    clock.now += 29 * DAY
    assert [action.action for action in sure.clean(dry_run=True)] == ["demote"]
    done = sure.clean()
    assert [(action.action, action.id) for action in done] == [("demote", added.id)]
    history = sure.claims.history(str(added.id))
    assert history[-1].action == "demoted"
    assert sure.claims.get(str(added.id)).tier == "task"


def test_accessed_claims_are_not_demoted(sure: Sure, clock: Clock) -> None:
    added = sure.claims.add("old", tier="project", source="user_input:ann", ttl=1e9, stale_at=NOW - 300 * DAY)
    clock.now += 29 * DAY
    sure.claims.get(str(added.id))
    assert sure.clean() == []


def test_the_janitor_leaves_healthy_claims_unchanged(sure: Sure, clock: Clock) -> None:
    sure.claims.add("fine", source="user_input:ann", contribution=0.9)
    before = list(sure.claims.export())
    clock.now += 3600
    assert sure.clean() == []
    assert list(sure.claims.export()) == before


def test_folds_that_are_out_of_step_are_refreshed(sure: Sure) -> None:
    added = sure.claims.add("x", source="user_input:ann", contribution=0.9)
    right = sure.claims.get(str(added.id)).interval
    with sure.session.write() as transaction:
        transaction.run("UPDATE claims SET sources = 7, doubt = 0.5")
    assert [action.action for action in sure.clean()] == ["refresh"]
    assert sure.claims.get(str(added.id)).interval == right


@pytest.mark.parametrize("column", ["doubt", "strongest", "bucket", "decay_key", "source_types"])
def test_inconsistent_columns_are_reported_and_refreshed(sure: Sure, column: str) -> None:
    claim = sure.claims.add("x", source="u:a", contribution=0.9, stale_at="never").id or ""
    with sure.session.write() as transaction:
        transaction.run(f"UPDATE claims SET {column} = 0")
    assert any(claim in problem for problem in upkeep.check(sure.session))
    assert [action.action for action in sure.clean()] == ["refresh"]
    assert upkeep.check(sure.session) == []
    assert len(sure.claims.find(min_lower=0.5).claims) == 1


def test_a_dry_run_knows_what_was_just_read(sure: Sure, clock: Clock) -> None:
    sure.claims.add("old", source="u:a", contribution=0.1, stale_at=NOW, ttl=1e9)
    clock.now += 60 * DAY
    assert len(sure.clean(dry_run=True)) == 1
    sure.claims.find()
    assert sure.clean(dry_run=True) == sure.clean() == []


def test_a_claim_that_is_purged_meanwhile_is_no_problem(sure: Sure, monkeypatch: pytest.MonkeyPatch) -> None:
    claim = sure.claims.add("x", source="u:a").id
    with sure.session.write() as transaction:
        transaction.run("UPDATE claims SET doubt = 0.1")
    opened = sure.session.write_claims

    def purge_first() -> Any:
        monkeypatch.undo()
        sure.claims.purge(claim)
        return opened()

    monkeypatch.setattr(sure.session, "write_claims", purge_first)
    assert sure.clean() == []


def test_how_long_ago_a_claim_expired_has_a_unit(sure: Sure, clock: Clock) -> None:
    sure.claims.add("short", source="user_input:ann", ttl=60.0)
    clock.now += 60 + 3 * DAY
    assert [action.reason for action in sure.clean(dry_run=True)] == ["its time was up 3 d ago"]

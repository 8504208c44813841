"""Claims are verified, and options that come with a corroboration take effect or are noted."""

import json
from typing import Any

import pytest

from howsure.claims.add import TTL
from howsure.errors import InputError, NotFoundError, ShapeError
from howsure.formulas.decay import HalfLives
from howsure.shapes import DAY, LAST_MOMENT
from howsure.sure import Sure
from tests.conftest import NOW, Clock, Run

TASK = HalfLives().of("task")


def test_a_stale_claim_becomes_fresh_by_verifying_it(sure: Sure, clock: Clock) -> None:
    claim = sure.claims.add("The sky is blue", source="user_input:ann", contribution=0.8)
    fresh = claim.claim.interval
    clock.now = NOW + 3 * TASK
    aged = sure.claims.get(claim.id)
    assert aged.interval.lower < fresh.lower / 3
    verified = sure.claims.verify(claim.id, source="user_input:ann", contribution=0.8)
    assert verified.interval == pytest.approx(fresh)
    assert verified == sure.claims.get(claim.id)
    assert (verified.stale_at, verified.expires_at) == (clock.now + TASK, clock.now + (TTL["task"] or 0))
    assert sure.claims.find(stale=True).claims == []
    assert [one.id for one in sure.claims.find(min_lower=fresh.lower).claims] == [claim.id]
    (*_, event) = sure.claims.history(claim.id)
    assert (event.action, event.detail, event.actor) == ("verified", "user_input:ann", "tester")
    first, second = sure.claims.explain(claim.id).sources
    assert (first.source.source_id, second.source.source_id) == ("ann", "ann")
    assert (second.source.at, second.source.context) == (clock.now, "verified")


def test_another_source_that_verifies_also_corroborates(sure: Sure, clock: Clock) -> None:
    claim = sure.claims.add("The sky is blue", source="user_input:ann", contribution=0.8)
    clock.now += DAY
    verified = sure.claims.verify(claim.id, source="test_run:nightly")
    assert verified.sources == 2
    assert verified.interval.lower > claim.claim.interval.lower


def test_verifying_never_shortens_a_life(sure: Sure, clock: Clock) -> None:
    dates: dict[str, Any] = {"stale_at": NOW + 9 * TASK, "ttl": 99 * TASK}
    long = sure.claims.add("a", source="a:b", **dates)
    never = sure.claims.add("b", source="a:b", stale_at="never")
    last = sure.claims.add("c", source="a:b", stale_at=LAST_MOMENT)
    clock.now += DAY
    verified = sure.claims.verify(long.id, source="a:b")
    assert (verified.stale_at, verified.expires_at) == (NOW + 9 * TASK, NOW + 99 * TASK)
    assert sure.claims.verify(never.id, source="a:b").stale_at is None
    assert sure.claims.verify(last.id, source="a:b").stale_at == LAST_MOMENT


def test_a_persistent_claim_that_is_verified_does_not_expire(sure: Sure, clock: Clock) -> None:
    claim = sure.claims.add("a", source="a:b", contribution=1.0, tier="project")
    sure.claims.add("a", source="c:d", contribution=1.0)
    assert sure.claims.promote(claim.id).tier == "persistent"
    clock.now += 365 * DAY
    verified = sure.claims.verify(claim.id, source="a:b", contribution=1.0)
    assert (verified.expires_at, verified.stale_at) == (None, clock.now + HalfLives().of("persistent"))


def test_a_claim_that_is_verified_in_time_is_not_expired_by_the_janitor(sure: Sure, clock: Clock) -> None:
    claim = sure.claims.add("a", source="a:b", contribution=0.9)
    clock.now += 6 * DAY
    sure.claims.verify(claim.id, source="a:b", contribution=0.9)
    clock.now += 2 * DAY
    sure.clean()
    assert sure.claims.get(claim.id).status == "active"


def test_what_cannot_be_verified_is_refused(sure: Sure) -> None:
    claim = sure.claims.add("a", source="a:b")
    with pytest.raises(NotFoundError):
        sure.claims.verify("c0", source="a:b")
    with pytest.raises(InputError, match="is not TYPE:ID"):
        sure.claims.verify(claim.id, source="ann")
    sure.claims.invalidate_source("a", "b")
    with pytest.raises(InputError, match="a:b is invalidated"):
        sure.claims.verify(claim.id, source="a:b")
    sure.claims.forget(claim.id)
    with pytest.raises(InputError, match="forgotten"):
        sure.claims.verify(claim.id, source="c:d")
    assert [event.action for event in sure.claims.history(claim.id)] == ["created", "source invalidated", "forgotten"]


def test_dates_of_a_corroboration_take_effect(sure: Sure, clock: Clock) -> None:
    claim = sure.claims.add("The sky is blue", source="user_input:ann", contribution=0.8)
    clock.now += 3 * TASK
    again = sure.claims.add("The sky is blue", source="user_input:bob", stale_at=clock.now + 5, ttl=60.0)
    assert (again.outcome, again.claim.stale_at, again.claim.expires_at) == (
        "corroborated", clock.now + 5, clock.now + 60,
    )  # fmt: skip
    assert [one.id for one in sure.claims.find(stale=False, min_lower=claim.claim.interval.lower).claims] == [claim.id]
    assert sure.claims.history(claim.id)[-1].detail == "user_input:bob; changed stale_at, expires_at"
    assert sure.claims.add("The sky is blue", source="user_input:bob", stale_at="never").claim.stale_at is None
    valid = sure.claims.add("The sky is blue", source="user_input:bob", valid_from=NOW, valid_until=NOW + 5 * TASK)
    assert (valid.claim.valid_from, valid.claim.valid_until) == (NOW, NOW + 5 * TASK)


def test_a_corroboration_without_dates_leaves_them_alone(sure: Sure, clock: Clock) -> None:
    claim = sure.claims.add("The sky is blue", source="user_input:ann", tier="project", ttl=50.0, valid_until=NOW + 40)
    clock.now += 1
    again = sure.claims.add("The sky is blue", source="user_input:bob")
    names = ("tier", "stale_at", "expires_at", "valid_from", "valid_until")
    assert [getattr(again.claim, name) for name in names] == [getattr(claim.claim, name) for name in names]


def test_a_window_that_never_opens_is_refused(sure: Sure) -> None:
    claim = sure.claims.add("a", source="a:b", valid_from=NOW)
    with pytest.raises(InputError, match="valid_until: the claim would never be valid"):
        sure.claims.add("a", source="c:d", valid_until=NOW - 1)
    assert sure.claims.get(claim.id).sources == 1
    report = sure.claims.learn([{"statement": "a", "source": "c:d", "valid_until": NOW - 1}, {"statement": "b"}])
    assert (report.failed, report.created, report.corroborated) == (1, 1, 0)
    assert report.errors[0].startswith("line 1: valid_until")


def test_a_corroboration_may_ask_for_a_higher_tier_but_not_for_a_lower_one(sure: Sure, clock: Clock) -> None:
    claim = sure.claims.add("a", source="a:b", contribution=0.9)
    clock.now += DAY
    raised = sure.claims.add("a", source="a:b", tier="project")
    assert (raised.claim.tier, raised.notes) == ("project", [])
    assert raised.claim.stale_at == clock.now + HalfLives().of("project")
    lower = sure.claims.add("a", source="a:b", tier="ephemeral")
    assert (lower.id, lower.claim.tier) == (claim.id, "project")
    assert lower.notes == ["it stays project, which lives longer than ephemeral; demote it to change that"]
    several = sure.claims.add_many([{"statement": "a", "source": "a:b", "tier": "ephemeral"}, {"statement": "b"}])
    assert [one.notes for one in several] == [lower.notes, []]
    with pytest.raises(InputError, match="by promotion only"):
        sure.claims.add("a", source="a:b", tier="persistent")
    with pytest.raises(ShapeError):
        sure.claims.add("a", source="a:b", tier="eternal")  # type: ignore[arg-type]


def test_the_command_line_verifies(howsure: Run, tmp_path: Any) -> None:
    store = {"HOWSURE_STORE": str(tmp_path / "x.db")}
    added = json.loads(howsure("claim", "add", "a", "--source", "a:b", "--stale-at", "5", "--json", **store).stdout)
    done = howsure("claim", "verify", added["id"], "--source", "user_input:ann", "--contribution", "0.9", **store)
    assert (done.returncode, done.stderr) == (0, b"")
    assert done.stdout.decode().startswith(f"verified {added['id']} [")
    assert "fresh until 20" in done.stdout.decode()
    shown = json.loads(howsure("claim", "show", added["id"], "--json", **store).stdout)
    assert (shown["sources"], shown["stale_at"] > 1e9) == (2, True)
    lower = howsure("claim", "add", "a", "--source", "a:b", "--tier", "ephemeral", **store)
    assert b"it stays task" in lower.stdout

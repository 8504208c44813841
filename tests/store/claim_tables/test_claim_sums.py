"""Sums of claims that are kept with each write."""

import random
from contextlib import suppress
from tempfile import TemporaryDirectory

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.errors import InputError
from howsure.shapes import DAY
from howsure.store.check import check, repair
from howsure.store.claim_tables.claim_sums import find_next_stale, read_totals, sums_out_of_step
from howsure.sure import Sure
from howsure.sure import open as open_store
from tests.conftest import NOW, Clock


def _do(sure: Sure, dice: random.Random, clock: Clock, ids: list[str]) -> None:
    """Change something, whatever it is."""
    claims, id_ = sure.claims, dice.choice(ids) if ids else ""
    choice = dice.randrange(11) if ids else 0
    if choice <= 1:
        ids.append(str(claims.add(f"Part {len(ids)}", source="a:b", tier=dice.choice(["task", "project"])).id))
    elif choice == 2:
        claims.learn([{"statement": f"Learned {len(ids)} {number}"} for number in range(12)])
    elif choice == 3:
        claims.challenge(id_, statement=f"Not so {dice.random()}", source="c:d")
    elif choice == 4:
        claims.forget(id_)
    elif choice == 5:
        claims.purge(id_)
        ids.remove(id_)
    elif choice == 6:
        claims.verify(id_, source=f"user:{dice.randrange(3)}")
    elif choice == 7:
        claims.invalidate_source("a", "b")
    elif choice == 8:
        claims.restore_source("a", "b")
    elif choice == 9:
        clock.now += dice.random() * 40 * DAY
    else:
        sure.clean()


def test_the_sums_match_the_claims_whatever_was_done(sure: Sure, clock: Clock) -> None:
    dice, ids = random.Random(7), list[str]()
    for step in range(70):
        with suppress(InputError):  # such as verifying a forgotten claim
            _do(sure, dice, clock, ids)
        if step % 10 == 9:
            counts = sure.claims.count()
            with sure.session.database.read() as transaction:
                assert sums_out_of_step(transaction) == []
                totals = read_totals(transaction, clock.now)
            expected = (counts.total, counts.challenged, counts.stale, counts.unknown)
            assert (totals.total, totals.challenged, totals.stale, totals.unknown) == expected
            assert sum(totals.by_tier.values()) == totals.total
    assert check(sure.session) == []


@settings(max_examples=12, deadline=None)
@given(stale=st.lists(st.floats(NOW - 3 * DAY, NOW + 3 * DAY) | st.just("never"), max_size=12))
def test_stale_claims_are_counted_to_the_second(stale: list[float | str]) -> None:
    with TemporaryDirectory() as folder, open_store(f"{folder}/store.db", clock=Clock()) as sure:
        for number, moment in enumerate(stale):
            sure.claims.add(f"Part {number}", source="a:b", stale_at=moment)  # type: ignore[arg-type]
        with sure.session.database.read() as transaction:
            totals, following = read_totals(transaction, NOW), find_next_stale(transaction, NOW, 3)
        moments = sorted(moment for moment in stale if not isinstance(moment, str))
        assert totals.stale == sum(moment < NOW for moment in moments)
        later = [moment for moment in moments if moment >= NOW][:3]
        assert [sure.claims.get(id_).stale_at for id_ in following] == later


def test_wrong_sums_are_found_and_repaired(sure: Sure) -> None:
    for number in range(5):
        sure.claims.add(f"Part {number}", source="a:b")
    with sure.session.write() as transaction:
        transaction.run("UPDATE claim_sums SET claims = claims + 2")
        transaction.run("UPDATE claims SET sources = 7 WHERE statement = 'Part 3'")
    assert any("the sum of active task claims with sources" in problem for problem in check(sure.session))
    assert len(repair(sure.session)) == 2
    assert check(sure.session) == []
    assert repair(sure.session) == []


def test_a_rolled_back_write_leaves_the_sums_as_they_were(sure: Sure) -> None:
    sure.claims.add("kept", source="a:b")

    def fail() -> None:
        with sure.session.write() as transaction:
            transaction.run("UPDATE claims SET status = 'forgotten'")
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    with sure.session.database.read() as transaction:
        assert read_totals(transaction, NOW).by_status == {"active": 1}

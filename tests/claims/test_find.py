"""Standing: how many claims stand where, and finding those that age."""

import base64
import math
from typing import Any

import orjson
import pytest

from howsure.errors import HowsureError, InputError
from howsure.shapes import DAY
from howsure.shapes.encode import encode
from howsure.store.claim_tables.claims import key_of
from howsure.sure import Sure
from tests.conftest import NOW, Clock


def _add(sure: Sure, statement: str, contribution: float, **given: Any) -> str:
    return str(sure.claims.add(statement, source="user:ann", contribution=contribution, **given).id)


def test_each_claim_is_strong_uncertain_or_weak(sure: Sure, clock: Clock) -> None:
    for source in ("user:ann", "audit:x", "doc:y", "test:z"):
        sure.claims.add("sure", source=source, contribution=0.95)
    _add(sure, "middling", 0.8, namespace="a/b")
    _add(sure, "doubtful", 0.3, namespace="a")
    _add(sure, "old", 0.8, stale_at=clock.now - 30 * DAY)
    for source in "abcdef":
        sure.claims.add("said by many of one kind", source=f"agent:{source}", contribution=0.6)
    gone = _add(sure, "gone", 0.9)
    sure.claims.forget(gone)
    sure.claims.challenge(_add(sure, "fought", 0.9), statement="no", source="user:bob", contribution=0.2)
    found = encode(sure.claims.count())
    assert found["total"] == found["strong"] + found["uncertain"] + found["weak"] == 7
    kinds: dict[str, dict[str, Any]] = {
        "strong": {"min_lower": 0.7},
        "weak": {"max_upper": 0.5},
        "wide": {"wide": True},
        "unverified": {"unverified": True},
        "challenged": {"statuses": ["challenged"]},
        "stale": {"stale": True},
    }
    for name, wanted in kinds.items():
        assert found[name] == len(sure.claims.find(limit=None, **wanted).claims), name
        assert found[name] > 0, name
    assert sure.claims.count("a/*").total == 2
    assert sure.claims.count(now=clock.now + 90 * DAY).strong == 0
    assert sure.claims.count(formula="beta").total == 7


def test_a_claim_that_is_found_counts_as_read(sure: Sure, clock: Clock) -> None:
    ids = [_add(sure, statement, 0.8) for statement in ("one", "two")]
    with sure.session.database.read() as transaction:
        keys = [key_of(transaction, claim) for claim in ids]
    clock.now += 100
    assert len(sure.claims.find("two").claims) == 1
    assert [sure.session.last_read(key) for key in keys] == [-math.inf, clock.now]


def test_a_cursor_may_have_any_length(sure: Sure) -> None:
    for namespace in ("a" * length for length in range(1, 9)):
        ids = {_add(sure, statement, 0.8, namespace=namespace) for statement in ("one", "two")}
        first = sure.claims.find(namespace=namespace, limit=1)
        second = sure.claims.find(limit=1, cursor=first.cursor)
        assert {claim.id for claim in (*first.claims, *second.claims)} == ids


def test_an_empty_store_has_zero_counts(sure: Sure) -> None:
    assert set(encode(sure.claims.count()).values()) == {0}


def test_claims_are_found_by_staleness(sure: Sure, clock: Clock) -> None:
    for days in (-2, -1, 1, 2):
        _add(sure, f"day {days}", 0.8, stale_at=clock.now + days * DAY)
    _add(sure, "never", 0.8, stale_at="never")

    def found(**wanted: Any) -> list[str]:
        seen, page = [], sure.claims.find(order="stale_at", ascending=True, limit=2, **wanted)
        while True:
            seen += [claim.statement for claim in page.claims]
            if page.cursor is None:
                return seen
            page = sure.claims.find(limit=2, cursor=page.cursor)

    assert found() == ["day -2", "day -1", "day 1", "day 2", "never"]
    assert found(stale=True) == ["day -2", "day -1"]
    assert found(stale=False) == ["day 1", "day 2", "never"]
    assert found(stale=True, now=clock.now + 1.5 * DAY) == ["day -2", "day -1", "day 1"]


def test_a_claim_cannot_be_read_before_it_existed(sure: Sure) -> None:
    claim = sure.claims.add("x", source="u:a").id or ""
    for read in (sure.claims.get, sure.claims.explain):
        with pytest.raises(InputError, match="as_of: the claim .* did not exist yet"):
            read(claim, as_of=NOW - 1)


@pytest.mark.parametrize(
    "change",
    [
        {"after": [{}, 1]},
        {"after": ["x", 2**63]},
        {"as_of": {}},
        {"trust": 7},
        {"now": 1e13},
        {"formula": {"name": "document", "parameters": {}}},
        {"formula": {"name": "zzz", "parameters": {}}},
        {"selection": 5},
    ],
)
def test_a_forged_cursor_is_refused(sure: Sure, change: dict[str, Any]) -> None:
    sure.claims.add_many([{"statement": f"claim {n}", "source": "u:a"} for n in range(3)])
    cursor = sure.claims.find(limit=1).cursor or ""
    content = orjson.loads(base64.urlsafe_b64decode(cursor + "=" * (-len(cursor) % 4))) | change
    forged = base64.urlsafe_b64encode(orjson.dumps(content)).decode()
    with pytest.raises(HowsureError, match="invalid cursor"):
        sure.claims.find(limit=1, cursor=forged)


def test_no_statuses_mean_all(sure: Sure) -> None:
    claim = sure.claims.add("x", source="u:a").id or ""
    sure.claims.forget(claim)
    assert [c.id for c in sure.claims.find(statuses=[]).claims] == [claim]


@pytest.mark.parametrize("method", ["get", "explain", "history", "forget"])
def test_what_is_not_an_id_is_refused(sure: Sure, method: str) -> None:
    added = sure.claims.add("x", source="u:a")
    for wrong in (None, 7, added):
        with pytest.raises(InputError, match="claim: .* is not a text"):
            getattr(sure.claims, method)(wrong)

"""Reading claims: find, explain, reflect."""

import json
from typing import Any

import pytest

from howsure.errors import InputError
from howsure.shapes.encode import encode
from howsure.sure import Sure
from tests.conftest import NOW, Clock

DAY = 86400.0


def _add(sure: Sure, statement: str, contribution: float = 0.8, **more: Any) -> str:
    added = sure.claims.add(statement, source=more.pop("source", "user_input:ann"), contribution=contribution, **more)
    assert added.id is not None
    return added.id


def _all(sure: Sure, **wanted: Any) -> list[str]:
    return [claim.statement for claim in sure.claims.find(**wanted).claims]


def test_namespaces_are_found_exactly_recursively_and_by_depth(sure: Sure) -> None:
    for name in ("a", "a/b", "a/b/c", "a/b/c/d", "ab", "a-b", "z"):
        sure.claims.add(f"in {name}", namespace=name)

    def found(pattern: str) -> set[str]:
        return {claim.namespace for claim in sure.claims.find(namespace=pattern).claims}

    assert found("a/b") == {"a/b"}
    assert found("a/b/*") == {"a/b", "a/b/c", "a/b/c/d"}
    assert found("a/b/*/1") == {"a/b", "a/b/c"}
    assert found("a/*/1") == {"a", "a/b"}
    assert found("*") == {"a", "a/b", "a/b/c", "a/b/c/d", "ab", "a-b", "z"}
    assert found("*/1") == {"a", "ab", "a-b", "z"}
    with pytest.raises(InputError, match="invalid namespace pattern"):
        found("a/*/x")


def test_claims_are_found_by_tier_status_and_triple(sure: Sure, clock: Clock) -> None:
    _add(sure, "Parser reads tokens", 0.95, subject="parser", tier="project")
    _add(sure, "Lexer makes tokens", 0.3, subject="lexer")
    clock.now += DAY
    _add(sure, "Cache is cold", 0.6, valid_until=clock.now + DAY)
    assert _all(sure, text="TOKENS") == ["Parser reads tokens", "Lexer makes tokens"]
    assert _all(sure, text="tokens reads") == ["Parser reads tokens"]
    assert _all(sure, subject="lexer") == ["Lexer makes tokens"]
    assert _all(sure, tiers=["project"]) == ["Parser reads tokens"]
    assert _all(sure, created_from=clock.now) == ["Cache is cold"]
    assert _all(sure, created_until=clock.now) == ["Parser reads tokens", "Lexer makes tokens"]
    assert _all(sure, min_lower=0.3, max_lower=0.5) == ["Cache is cold"]
    assert _all(sure, min_upper=0.5, order="upper", ascending=True) == ["Cache is cold", "Parser reads tokens"]
    assert _all(sure, max_width=0.15) == ["Lexer makes tokens"]
    assert _all(sure, order="statement", ascending=True) == [
        "Cache is cold",
        "Lexer makes tokens",
        "Parser reads tokens",
    ]
    assert _all(sure, now=clock.now + 2 * DAY, text="cache") == []
    assert _all(sure, now=clock.now + 2 * DAY, text="cache", outside_validity=True) == ["Cache is cold"]


def test_wide_and_unverified_claims_are_found(sure: Sure) -> None:
    for source in "abcdef":
        _add(sure, "said by many of one kind", 0.6, source=f"agent:{source}")
    _add(sure, "said by one", 0.6)
    assert _all(sure, wide=True) == ["said by many of one kind"]
    assert _all(sure, unverified=True) == ["said by many of one kind"]


def test_claims_at_exactly_the_bound_are_found(sure: Sure) -> None:
    _add(sure, "exact", 0.75)
    assert _all(sure, min_lower=0.5) == ["exact"]
    assert _all(sure, min_lower=0.5 + 1e-8) == []


def test_pages_are_stable_while_the_store_changes_and_time_passes(sure: Sure, clock: Clock) -> None:
    for number in range(25):
        _add(sure, f"claim {number}", 0.3 + 0.02 * (number % 5), stale_at=clock.now - number * 3600)
    everything = _all(sure, limit=None)
    page = sure.claims.find(limit=10)
    seen = [claim.statement for claim in page.claims]
    while page.cursor is not None:
        clock.now += DAY
        page = sure.claims.find(limit=10, cursor=page.cursor)
        seen += [claim.statement for claim in page.claims]
    assert seen == everything
    with pytest.raises(InputError, match="invalid cursor"):
        sure.claims.find(cursor="nonsense")


def test_an_explanation_says_what_counts_and_what_would_change_it(sure: Sure, clock: Clock) -> None:
    claim = _add(sure, "The cache is thread-safe", stale_at=NOW)
    helper = _add(sure, "Its lock is held", 0.7)
    sure.claims.relate(helper, "supports", claim, strength=0.5)
    clock.now += 3 * DAY
    found = sure.claims.explain(claim, formula="beta")
    assert found.score.spec.name == "beta"
    assert found.neighbours[0].statement == "Its lock is held"
    assert {change.what for change in found.changes} >= {"verifying it today", "losing all supporting claims"}
    assert "stale for 1 half-lives, 50.0% left" in found.words
    assert json.dumps(encode(found))


def test_reflection_summarizes_what_is_known(sure: Sure) -> None:
    strong, weak = _add(sure, "python is fast enough", 0.95), _add(sure, "python is slow", 0.2)
    sure.claims.challenge(strong, weak)
    _add(sure, "rust is fast")
    found = sure.claims.reflect("python")
    assert found.total == 2
    assert [c.id for c in found.strongest] == [strong, weak]
    assert [c.id for c in found.contradicted] == [strong]
    assert sure.claims.reflect("cobol").total == 0


def test_a_reflection_reads_only_the_claims_that_it_shows(sure: Sure, clock: Clock) -> None:
    sure.claims.learn([{"statement": f"Python claim {n}", "source": "u:a"} for n in range(12)])
    clock.now += 60
    shown = sure.claims.reflect("python")
    groups = (shown.strongest, shown.weakest, shown.widest, shown.contradicted)
    sure.claims.add("Another claim", source="u:a")  # stores what was read
    read = {claim.id for claim in sure.claims.find("python").claims if claim.accessed_at == clock.now}
    assert read == {claim.id for group in groups for claim in group}
    assert len(read) < 12

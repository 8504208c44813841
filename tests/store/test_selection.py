"""Selecting claims by namespace, text, interval and position."""

import pytest

from howsure.errors import InputError
from howsure.store.selection import Position, Selection, count, select
from howsure.sure import Sure
from tests.conftest import NOW, Clock

NAMESPACES = ["a", "a/b", "a/b/c", "a/b/c/d", "a0", "ab"]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("a", ["a"]),
        ("a/*", ["a", "a/b", "a/b/c", "a/b/c/d"]),
        ("a/*/1", ["a", "a/b"]),
        ("a/b/*/0", ["a/b"]),
        ("*", NAMESPACES),
        ("*/1", ["a", "a0", "ab"]),
        ("b/*", []),
    ],
)
def test_a_namespace_pattern_selects_levels(sure: Sure, pattern: str, expected: list[str]) -> None:
    for namespace in NAMESPACES:
        sure.claims.add(f"in {namespace}", namespace=namespace)
    assert _statements(sure, Selection(namespace=pattern, order="statement", ascending=True)) == [
        f"in {namespace}" for namespace in expected
    ]


@pytest.mark.parametrize("pattern", ["a/*/x", "a/*b", "a/*/1000"])
def test_an_invalid_namespace_pattern_is_refused(sure: Sure, pattern: str) -> None:
    with pytest.raises(InputError, match="invalid namespace pattern"):
        _statements(sure, Selection(namespace=pattern))


@pytest.mark.parametrize("text", ["cache", "CACHE warm", 'warm"', "cache*", "is AND cache", "statement:cache"])
def test_words_are_never_read_as_syntax_of_the_search(sure: Sure, text: str) -> None:
    sure.claims.add("The cache is warm")
    expected = ["The cache is warm"] if text in ("cache", "CACHE warm", 'warm"', "cache*") else []
    assert _statements(sure, Selection(text=text)) == expected


def test_pages_continue_after_a_position_also_among_equal_values(sure: Sure) -> None:
    for number in range(7):
        sure.claims.add(f"claim {number}", source="user:ann", contribution=0.5 if number < 5 else 0.8)
    wanted, options = Selection(order="upper"), sure.session.read_options()
    with sure.session.database.read() as transaction:
        whole = select(transaction, options, wanted)
        pages, after = [], None
        while page := select(transaction, options, wanted, 2, after):
            pages += page
            after = Position(*page[-1][-2:])
        some = [row[-1] for row in whole[::2]]
        assert [row[-1] for row in select(transaction, options, wanted, among=some)] == some
    assert pages == whole
    assert len(whole) == 7


def test_counts_are_of_the_same_claims(sure: Sure, clock: Clock) -> None:
    strong = sure.claims.add("strong", sources=[_source(kind, 0.95) for kind in ("user", "log", "agent")]).id
    sure.claims.add("weak", source="user:ann", contribution=0.3)
    sure.claims.add("old", source="user:ann", contribution=0.3, stale_at=NOW - 10)
    sure.claims.challenge(str(strong), statement="not strong", source="user:bob", contribution=0.9)
    with sure.session.database.read() as transaction:
        counted = count(transaction, sure.session.read_options(), Selection())
        stale = count(transaction, sure.session.read_options(), Selection(stale=True))
    assert (counted["total"], counted["challenged"], counted["stale"]) == (4, 1, 1)
    assert counted["weak"] == 2
    assert (stale["total"], stale["weak"]) == (1, 1)


def _source(kind: str, contribution: float) -> dict[str, object]:
    return {"source_type": kind, "source_id": "one", "contribution": contribution}


def _statements(sure: Sure, wanted: Selection) -> list[str]:
    with sure.session.database.read() as transaction:
        rows = select(transaction, sure.session.read_options(), wanted)
    return [next(value for value in row if isinstance(value, str) and " " in value) for row in rows]

"""Selecting claims by namespace, text, interval and position."""

import random
import sqlite3
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.formulas.noisy_or import NoisyOr
from howsure.graph.sql import ReadOptions
from howsure.store.backends.schema import TEXT_SEARCH
from howsure.store.claim_tables import selection
from howsure.store.claim_tables.claims import DISPLAYED
from howsure.store.claim_tables.selection import Position, Selection, _text_query, count, select
from howsure.sure import Sure
from howsure.text.stems import search_words
from tests.conftest import NOW, Clock


@pytest.mark.parametrize("text", ["cache", "CACHE warm", 'warm"', "cache*", "is AND cache", "statement:cache"])
def test_words_are_never_read_as_syntax_of_the_search(sure: Sure, text: str) -> None:
    sure.claims.add("The cache is warm")
    expected = ["The cache is warm"] if text in ("cache", "CACHE warm", 'warm"', "cache*") else []
    assert _statements(sure, Selection(text=text)) == expected


STATEMENTS = (
    "Payments are idempotent",
    "The cache is thread-safe",
    "Retries were retried twice",
    "\u652f\u6255\u3044\u306f\u51aa\u7b49\u3067\u3059",  # "payments are idempotent" in Japanese
    "\u7f13\u5b58\u662f\u7ebf\u7a0b\u5b89\u5168\u7684 API v2",  # "the cache is thread-safe" in Chinese
    "\uacb0\uc81c\ub294 \uc548\uc804\ud558\ub2e4",  # "the payment is safe" in Korean
    "Stra\u00dfe na\u00efve \u00c9TUDE",
    "See http://example.com/a_b?c=1 at 10.0.0.1",
)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("payment", [0]),
        ("PAYMENTS idempotent", [0]),
        ("pay", []),
        ("caching", [1]),
        ("safe thread", [1]),
        ("thread-safe", [1]),
        ("retry", [2]),
        ("\u652f\u6255\u3044", [3]),
        ("\u6255\u652f", []),
        ("\u7b49", [3]),
        ("\u7ebf\u7a0b\u5b89\u5168", [4]),
        ("api V2 \u7f13\u5b58", [4]),
        ("\uacb0\uc81c", [5]),
        ("strasse", [6]),
        ("na\u00efve", [6]),
        ("\u00e9tude", [6]),
        ("example.com", [7]),
        ("a_b", [7]),
        ("10.0.0.1", [7]),
        ("???", []),
        ("_", []),
    ],
)
def test_both_stores_find_words_in_any_form(sure: Sure, text: str, expected: list[int]) -> None:
    for statement in STATEMENTS:
        sure.claims.add(statement)
    assert sorted(_statements(sure, Selection(text=text))) == sorted(STATEMENTS[place] for place in expected)


def test_a_text_of_spaces_selects_everything(sure: Sure) -> None:
    sure.claims.add("a")
    assert _statements(sure, Selection(text="  ")) == ["a"]


@given(st.lists(st.text(max_size=12), min_size=1, max_size=5), st.text(max_size=5))
def test_the_search_of_sqlite_is_that_of_the_words(statements: list[str], text: str) -> None:
    """The words are compared in Python, too, where claims of peers are selected."""
    database = sqlite3.connect(":memory:")
    database.execute("CREATE TABLE claims (key INTEGER PRIMARY KEY, words TEXT)")
    database.execute(TEXT_SEARCH["sqlite"])
    for key, statement in enumerate(statements):
        database.execute(
            "INSERT INTO claims_text (rowid, words) VALUES (?, ?)", [key, " ".join(search_words(statement))]
        )
    query = _text_query(text, "sqlite")
    rows = database.execute("SELECT rowid FROM claims_text WHERE claims_text MATCH ?", [query]).fetchall()
    wanted = set(search_words(text, query=True))
    assert {key for (key,) in rows} == {
        key for key, statement in enumerate(statements) if wanted and wanted <= set(search_words(statement))
    }


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
    return [row[DISPLAYED.index("statement")] for row in rows]


def _add_related(sure: Sure) -> ReadOptions:
    """Add claims of all ages that contradict each other, and return by which formula to read them."""
    dice = random.Random(7)
    numbers = (0.4, 0.9, 0.9, 0.95)
    added = sure.claims.add_many(
        [
            {
                "statement": f"claim number {number} is {'odd' if number % 2 else 'even'}",
                "stale_at": dice.choice([None, NOW + 1, NOW - 1e6 * dice.random()]),
                "tier": dice.choice(["ephemeral", "task", "project"]),
                "sources": [
                    {"source_type": dice.choice("abc"), "source_id": str(place), "contribution": dice.choice(numbers)}
                    for place in range(dice.randrange(4))
                ],
            }
            for number in range(120)
        ],
        compare=False,
    )
    ids = [str(one.id) for one in added]
    for _ in range(120):
        one, other = dice.sample(ids, 2)
        sure.claims.relate(one, dice.choice(["supports", "contradicts", "contradicts"]), other, strength=1.0)
    return ReadOptions(NoisyOr(penalty_factor=1.0), NOW)


def test_the_first_claims_by_ceilings_are_those_by_exact_lower_bounds(
    sure: Sure, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = _add_related(sure)
    by_ceiling = []
    with sure.session.database.read() as transaction:
        monkeypatch.setattr(selection, "MOST_RANKED", 16)
        for wanted in (
            *(Selection(), Selection(text="odd"), Selection(tiers=("task",)), Selection(text="none")),
            *(Selection(min_lower=0.3), Selection(min_lower=0.5, tiers=("task", "project"))),
        ):
            monkeypatch.setattr(selection, "FEW_CLAIMS", 1_000_000)
            exact = select(transaction, options, wanted)
            monkeypatch.setattr(selection, "FEW_CLAIMS", 0)
            for limit, start in ((1, 0), (8, 0), (9, 0), (3, 3), (8, 16)):
                after = Position(*exact[start - 1][-2:]) if 0 < start <= len(exact) else None
                first = start if after else 0
                assert select(transaction, options, wanted, limit, after) == exact[first : first + limit]
                found = selection._highest_by_ceiling(transaction, options, wanted, limit, after)
                by_ceiling.append((after is not None, found is not None))
    assert set(by_ceiling) == {(later, found) for later in (False, True) for found in (False, True)}


def test_the_next_claims_by_ceilings_are_those_by_exact_lower_bounds(
    sure: Sure, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = _add_related(sure)
    by_window = []
    with sure.session.database.read() as transaction:
        monkeypatch.setattr(selection, "MOST_READ", 0)
        monkeypatch.setattr(selection, "DEPTHS", (0.01, 0.3))
        for wanted in (Selection(), Selection(tiers=("task",)), Selection(min_lower=0.3), Selection(statuses=())):
            monkeypatch.setattr(selection, "FEW_CLAIMS", 1_000_000)
            exact = select(transaction, options, wanted)
            monkeypatch.setattr(selection, "FEW_CLAIMS", 0)
            for place in range(0, len(exact), 13):
                after, limit = Position(*exact[place][-2:]), 7 if place % 2 else 1
                assert select(transaction, options, wanted, limit, after) == exact[place + 1 : place + 1 + limit]
                found = selection._next_by_ceiling(transaction, options, wanted, limit, after)
                assert found in (None, exact[place + 1 : place + 1 + limit])
                by_window.append(found is not None)
        # Trust lowers all bounds: the stored ceilings say nothing about the claims that it brings below a position.
        halved = replace(options, trust=0.5)
        monkeypatch.setattr(selection, "FEW_CLAIMS", 1_000_000)
        exact = select(transaction, halved, Selection())
        monkeypatch.setattr(selection, "FEW_CLAIMS", 0)
        assert select(transaction, halved, Selection(), 5, Position(*exact[9][-2:])) == exact[10:15]
    assert set(by_window) == {True, False}

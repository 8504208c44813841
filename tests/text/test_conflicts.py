"""Conflicts are found where two statements cannot both hold, and not where they only look like it."""

import random
from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.text import conflicts as module
from howsure.text.clause import Clause
from howsure.text.comparison import compare
from howsure.text.conflicts import Conflict, conflicts
from howsure.text.judgement import Clash
from tests.text.pairs import Pair, pairs


def _told(pair: Pair) -> Conflict | None:
    found = conflicts([pair.first, pair.second])
    assert len(found) <= 1
    return found[0] if found else None


def _table(split: str) -> tuple[float, float, list[str]]:
    """Return precision, recall, and a line for each phenomenon: its pairs, those reported, those of the right kind."""
    counts: dict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for pair in pairs(split):
        told = _told(pair)
        count = counts[pair.kind, pair.label]
        count[0] += 1
        count[1] += told is not None
        count[2] += told is not None and told.kind == pair.kind
    right = sum(count[1] for (kind, _), count in counts.items() if kind != "none")
    wrong = sum(count[1] for (kind, _), count in counts.items() if kind == "none")
    there = sum(count[0] for (kind, _), count in counts.items() if kind != "none")
    lines = [
        f"{kind:14} {label:20} {n:5} {told:5} {kinds:5}" for (kind, label), (n, told, kinds) in sorted(counts.items())
    ]
    return right / (right + wrong), right / there, lines


@pytest.mark.parametrize("split", ["seen", "unseen"])
def test_most_conflicts_are_found_and_few_others(split: str) -> None:
    precision, recall, lines = _table(split)
    print(f"{split}: precision {precision:.3f}, recall {recall:.3f}", *lines, sep="\n")  # noqa: T201 - shown with -s
    assert len(pairs(split)) >= 2000
    assert precision >= 0.90
    assert recall > 0.80


def test_there_are_as_many_hard_negatives_as_conflicts_and_the_splits_share_no_sentence() -> None:
    for split in ("seen", "unseen"):
        assert sum(pair.kind == "none" for pair in pairs(split)) == len(pairs(split)) // 2
    seen, unseen = ({text for pair in pairs(split) for text in pair[:2]} for split in ("seen", "unseen"))
    assert not seen & unseen
    assert pairs("seen") == pairs.__wrapped__("seen")


def test_a_function_cannot_return_nil_and_never_return_nil() -> None:
    (found,) = conflicts(["The function returns nil on error", "The function never returns nil"])
    assert (found.first, found.second, found.kind) == (0, 1, "contradiction")
    assert found.severity > 0.5
    assert found.reason == '"returns" is both stated and denied ("never")'


CLASHES = [
    ("contradiction", "All users can log in", "No user can log in"),
    ("contradiction", "Nobody was injured", "Three people were injured"),
    ("contradiction", "The endpoint requires authentication", "No authentication is needed for the endpoint"),
    ("contradiction", "The flag defaults to true", "The flag defaults to false"),
    ("contradiction", "Delivery is guaranteed", "Delivery is not guaranteed"),
    ("contradiction", "The parser supports nested comments", "Nested comments are not supported by the parser"),
    ("contradiction", "The port is 8080", "The port is not 8080"),
    ("contradiction", "The token expires after 1 hour", "The token expires after 24 hours"),
    ("contradiction", "The response takes less than a second", "The response takes more than 5 seconds"),
    ("contradiction", "CPU usage stayed below 40%", "CPU usage exceeded 90%"),
    ("contradiction", "The Eiffel Tower is in Paris", "The Eiffel Tower is in Berlin"),
    ("contradiction", "Paris is the capital of France", "Lyon is the capital of France"),
    ("contradiction", "The primary key is user_id", "The primary key is email"),
    ("contradiction", "The bug was introduced in version 2.3", "The bug was introduced in version 2.5"),
    ("contradiction", "The file is small. It is encrypted.", "The file is not encrypted."),
    ("contradiction", "All 42 tests pass", "3 tests fail"),
    ("inconsistency", "Every request is logged", "Some requests are not logged"),
    ("inconsistency", "Only admins can access the panel", "Everyone can access the panel"),
    ("inconsistency", "Step A must run before step B", "Step B must run before step A"),
    ("inconsistency", "Alice manages Bob", "Bob manages Alice"),
    ("inconsistency", "The cache is enabled", "The cache is disabled on Windows"),
    ("inconsistency", "All parsers are safe", "The XML parser is unsafe"),
    ("ambiguity", "The cache is enabled", "I think the cache is disabled"),
    ("ambiguity", "The limit is 100", "The limit is unclear"),
    ("ambiguity", "The limit is 100 rows", "The limit is high"),
]


@pytest.mark.parametrize(("kind", "one", "other"), CLASHES)
def test_these_clash(kind: str, one: str, other: str) -> None:
    (found,) = conflicts([one, other])
    assert found.kind == kind
    assert 0 < found.severity <= 1
    assert found.reason


NO_CLASHES = [
    ("The API supports JSON", "The API supports XML"),
    ("The library supports Python 3.8", "The library supports Python 3.12"),
    ("The service listens on port 3000", "The admin service listens on port 8000"),
    ("Memory usage is 2 GB", "Memory usage peaks at 4 GB under load"),
    ("The build takes about 10 minutes", "The build takes 11 minutes"),
    ("The default is true", "The default was false before version 3"),
    ("The user is created if it does not exist", "The user is not created if it exists"),
    ("The method returns true if the list is empty", "The method returns false if the list is not empty"),
    ("The endpoint returns 200 on success", "The endpoint returns 404 if the item is missing"),
    ("The parser does not modify its input", "The parser returns a modified copy of its input"),
    ("The service starts", "The service starts without errors"),
    ("The value must be positive", "The value must not be zero"),
    ("The client trusts the server", "The server does not trust the client"),
    ("Alice is taller than Bob", "Bob is shorter than Alice"),
    ("The change is not without risk", "The change has risk"),
    ("Reads are fast but writes are slow", "Writes are slow"),
    ("Marie Curie was born in Warsaw", "Marie Curie was born in Poland"),
    ("North Korea is small", "South Korea is small"),
    ("A rich clerk is reading", "A poor clerk is reading"),
    ("The price is $10 per month", "The price is $100 per year"),
    ("The port is 8080", "The port is not 9090"),
    ("The script takes one or two minutes", "The script takes two minutes"),
    ("Ada Vance wrote the paper", "Vance wrote the paper"),
    ("Is the cache enabled?", "What?"),
]


@pytest.mark.parametrize(("one", "other"), NO_CLASHES)
def test_these_do_not(one: str, other: str) -> None:
    assert conflicts([one, other]) == []


def _as_texts(statements: list[str]) -> set[tuple[frozenset[str], str, float]]:
    return {
        (frozenset((statements[found.first], statements[found.second])), found.kind, found.severity)
        for found in conflicts(statements)
    }


def test_the_order_of_statements_does_not_matter() -> None:
    statements = sorted({text for pair in pairs("unseen", 400) for text in pair[:2]})
    expected = _as_texts(statements)
    assert len(expected) > 200
    for seed in range(3):
        random.Random(seed).shuffle(statements)
        assert _as_texts(statements) == expected


def test_the_same_statements_give_the_same_conflicts_in_order() -> None:
    statements = [text for pair in pairs("seen", 200) for text in pair[:2]]
    found = conflicts(statements)
    assert found == conflicts(list(statements))
    assert [(one.first, one.second) for one in found] == sorted((one.first, one.second) for one in found)
    assert all(one.first < one.second for one in found)


def test_nothing_conflicts_with_itself() -> None:
    statements = [text for pair in pairs("seen", 200) for text in pair[:2]]
    assert not any(conflicts([text, text, f"  {text} "]) for text in statements)
    assert conflicts(["The cache is on. The cache is off."]) == []
    assert conflicts([]) == conflicts(["The cache is on."]) == []


def test_statements_that_come_twice_are_each_named() -> None:
    found = conflicts(["The cache is on", "The cache is off", "The cache is on"])
    assert [(one.first, one.second) for one in found] == [(0, 1), (1, 2)]


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the comparisons."""
    count = [0]

    def counting(one: Clause, other: Clause) -> Clash | None:
        count[0] += 1
        return compare(one, other)

    monkeypatch.setattr(module, "compare", counting)
    return count


@pytest.mark.parametrize(
    ("name", "statements", "most"),
    [
        ("all the same", ["The cache is enabled."] * 10_000, 0),
        ("two in turn", ["The cache is enabled.", "The cache is disabled."] * 5_000, 1),
        ("one word", [" ".join(["cache"] * (number % 50 + 1)) for number in range(10_000)], 50 * 50),
        ("one property", [f"The default port is {number}." for number in range(1_500)], 33 * 1_500),
    ],
)
def test_hostile_statements_are_compared_a_few_times_each(
    name: str, statements: list[str], most: int, compared: list[int]
) -> None:
    found = conflicts(statements)
    assert compared[0] <= most, name
    assert len(found) <= 100 * len(statements)


WORDS = """
The the cache is not never no 5 5.5 8080 ms kg % in 2019 before after if unless all some and or but than is. ? ; ,
returns was were may Paris un- non-x I think only there are without fails to 'n't \u2019s \u0130 \u3002 -1 v1.2
1e9 $5 \ud800
"""
pieces = st.sampled_from(WORDS.split())


@settings(deadline=None, max_examples=300)
@given(st.lists(st.text(max_size=60) | st.lists(pieces, max_size=14).map(" ".join), max_size=8))
def test_any_text_can_be_compared(statements: list[str]) -> None:
    for found in conflicts(statements):
        assert 0 <= found.first < found.second < len(statements)
        assert found.kind in {"contradiction", "inconsistency", "ambiguity"}
        assert 0 < found.severity <= 1
        assert found.reason
    assert _as_texts(statements) == _as_texts(statements[::-1])

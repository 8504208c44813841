"""Finding conflicts among statements, measured on labelled pairs."""

import random
from collections import defaultdict

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.text.contradictions import Conflict, find_conflicts
from howsure.text.contradictions import conflicts as module
from howsure.text.contradictions.clause import Clash, Clause
from howsure.text.contradictions.compare import compare_clauses
from tests.text.pairs import Pair, pairs
from tests.text.pairs_field import field


def _told(pair: Pair) -> Conflict | None:
    found = find_conflicts([pair.first, pair.second])
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


@pytest.mark.parametrize(("split", "least_found"), [("develop", 0.75), ("held out", 0.70)])
def test_most_conflicts_from_the_field_are_found_and_few_others(split: str, least_found: float) -> None:
    told = [(pair.clash, bool(find_conflicts([pair.first, pair.second]))) for pair in field(split)]
    right, clashing, reported = told.count((True, True)), sum(clash for clash, _ in told), sum(said for _, said in told)
    print(f"{split}: precision {right / reported:.3f}, recall {right / clashing:.3f}")  # noqa: T201 - shown with -s
    assert right > 0.90 * reported
    assert right > least_found * clashing


def test_the_pairs_from_the_field_are_split_in_halves_that_share_no_pair() -> None:
    halves = [{frozenset(pair[:2]) for pair in field(split)} for split in ("develop", "held out")]
    assert not halves[0] & halves[1]
    assert len(halves[0]) + len(halves[1]) >= 320
    for split in ("develop", "held out"):
        assert sum(pair.clash for pair in field(split)) * 2 == len(field(split))


def test_statements_about_numbered_things_conflict_only_for_the_same_number() -> None:
    dice = random.Random(4)
    said = {(dice.choice(["queue", "cache", "worker"]), dice.randrange(200), dice.randrange(9)) for _ in range(1_000)}
    statements = [f"The {part} of service {service} uses port {7000 + port}." for part, service, port in sorted(said)]
    found = find_conflicts(statements)
    about = [statement.partition(" uses")[0] for statement in statements]
    assert all(about[one.first] == about[one.second] for one in found)
    assert len(found) == sum(about[i] == about[j] for j in range(len(about)) for i in range(j))


def test_there_are_as_many_hard_negatives_as_conflicts_and_the_splits_share_no_sentence() -> None:
    for split in ("seen", "unseen"):
        assert sum(pair.kind == "none" for pair in pairs(split)) == len(pairs(split)) // 2
    seen, unseen = ({text for pair in pairs(split) for text in pair[:2]} for split in ("seen", "unseen"))
    assert not seen & unseen
    assert pairs("seen") == pairs.__wrapped__("seen")


def test_a_function_cannot_return_nil_and_never_return_nil() -> None:
    (found,) = find_conflicts(["The function returns nil on error", "The function never returns nil"])
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
    ("contradiction", "Build 12 passed", "Build 12 failed"),
    ("contradiction", "The disk of node 4 is full", "The disk of node 4 is empty"),
    ("contradiction", "The cluster runs Debian 11", "The cluster runs Debian 12"),
    ("contradiction", "The flag was introduced in 2.4", "The flag was introduced in 3.1"),
    ("contradiction", "The crash was fixed in version 3.2", "The crash was fixed in version 3.4"),
    ("contradiction", "Ada was born in May 1950", "Ada was born in June"),
    ("contradiction", "Peru won the cup in 1990", "Peru has not won the cup since 1986"),
    ("contradiction", "The bridge was never rebuilt", "The bridge was rebuilt in 1990"),
    ("contradiction", "The endpoint requires a token", "The endpoint can be called without a token"),
    ("contradiction", "The agent cannot run without sudo", "The agent runs without sudo"),
    ("contradiction", "The build fails without a network", "The build does not need a network"),
    ("contradiction", "The server must be restarted to apply the change", "The change is applied without a restart"),
    ("contradiction", "The script has to be run as root", "The script can be run without root"),
    ("contradiction", "The event loop is single-threaded", "The event loop uses several threads"),
    ("contradiction", "The app is multi-tenant", "The app is single-tenant"),
    ("contradiction", "The job runs every hour", "The job runs once a day"),
    ("contradiction", "The report is sent weekly", "The report is sent every month"),
    ("contradiction", "The schema is loaded once at startup", "The schema is loaded on every call"),
    ("contradiction", "The maximum upload size is 10 MB", "Uploads of up to 25 MB are accepted"),
    ("contradiction", "Names may be at most 32 characters long", "The maximum length of names is 64 characters"),
    ("contradiction", "The token is valid for 15 minutes", "The token expires after one hour"),
    ("contradiction", "The migration is reversible", "The migration cannot be undone"),
    ("contradiction", "The list is immutable", "The list can be modified"),
    ("contradiction", "The library has no dependencies", "The library depends on three packages"),
    ("contradiction", "Backups are encrypted", "Backups are stored without encryption"),
    ("contradiction", "The leak is in the pool", "The pool does not leak"),
    ("contradiction", "The connection is closed by the client", "The connection is closed by the server"),
    ("contradiction", "All workers share one connection", "Each worker has its own connection"),
    ("contradiction", "The module is loaded lazily", "The module is loaded eagerly"),
    ("contradiction", "The broker is RabbitMQ", "The broker is Kafka"),
    ("contradiction", "The result type is a UUID", "The result type is a number"),
    ("contradiction", "The city is called Oslo", "The city is called Bergen"),
    ("contradiction", "There are no tests for the importer", "The importer is covered by 14 tests"),
    ("contradiction", "The cache is on, as run 12 says", "The cache is off, according to run 14"),
    ("inconsistency", "The bug affects all versions", "Version 1.4 is not affected by the bug"),
    ("inconsistency", "The call needs a key in production", "The call can be made without a key"),
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
def test_contradictory_statements_conflict(kind: str, one: str, other: str) -> None:
    (found,) = find_conflicts([one, other])
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
    ("Port 80 is open", "Port 443 is open"),
    ("Replica 1 is healthy", "Replica 2 is unhealthy"),
    ("Python 3.11 is supported", "Python 3.12 is supported"),
    ("Version 1.4 is supported", "Version 1.5 is supported"),
    ("Line 12 calls parse()", "Line 88 calls parse()"),
    ("Host 10.0.0.1 is up", "Host 10.0.0.2 is up"),
    ("RFC 2616 defines HTTP", "RFC 7230 defines HTTP"),
    ("Node 3 runs Debian 12", "Node 5 runs Debian 11"),
    ("The disk of node 3 is full", "The disk of node 5 is empty"),
    ("The 3rd node is up", "The 4th node is down"),
    ("Commit 3f2a1c adds the test", "Commit 77be02 removes the test"),
    ("The answer is in RFC 7231", "The answer is in RFC 9110"),
    ("The service exposes port 80", "The service exposes port 443"),
    ("The API uses port 8080 for HTTP", "The API uses port 8443 for HTTPS"),
    ("The team won the cup in 1989", "The team won the cup in 1991"),
    ("The roof was fixed in 1990", "The roof was fixed in 1995"),
    ("The band released an album in 2011", "The band released an album in 2015"),
    ("Ada was born in 1949 or 1950", "Ada was born in 1951 or 1950"),
    ("Before 3.0 the option was required", "Since 3.0 the option is optional"),
    ("Bonn was the capital until 1990", "Berlin has been the capital since 1990"),
    ("Turku was the capital from 1809 to 1812", "Helsinki has been the capital since 1812"),
    ("Anna served as a mayor", "Anna served as a judge"),
    ("Peru is a producer of copper", "Chile is a producer of copper"),
    ("The film was directed by a woman", "The film was directed by Jane Dee"),
    ("Anna was born in Grunerlokka, Oslo", "Anna was born in Oslo City"),
    ("The firm is based in Bavaria", "The firm is based in Munich"),
    ("The bug is in parser.py", "The bug is in lexer.py"),
    ("The table is used by the billing service", "The table is used by the report service"),
    ("The function returns a list", "The function returns a copy"),
    ("The unit tests run without Docker", "The integration tests need Docker"),
    ("The tool works without an admin token", "The tool needs a token"),
    ("The maximum size of avatars is 2 MB", "Attachments may be up to 20 MB"),
    ("The server accepts up to 100 connections", "The server has 40 connections"),
    ("The token is valid for an hour", "The token expires after 60 minutes"),
    ("The lock is held for 5 seconds", "The lock is released after 5 seconds"),
    ("The job runs every 60 minutes", "The job runs once an hour"),
    ("The weekly report is long", "The daily report is short"),
    ("The value is low or missing", "The value is high or missing"),
    ("It may or may not be cached", "It may be cached"),
    ("3 of the 40 tests fail", "Three tests fail"),
    ("The loader calls open()", "The loader calls seek()"),
    ("Peru won the cup in 1986", "Peru has not won the cup since 1986"),
    ("Peru won the cup two times", "The team of Peru has not won the cup since 1986"),
    ("The server was not restarted in May", "The server was restarted"),
    ("As of May 2021, the band has released four albums", "The album was released in 2020"),
    ("The hum was created by old pipes", "The hum was created by loose cables"),
    (
        "Large firms with offices in the north include ACME in their index",
        "Large firms with offices in the north include IBM in their index",
    ),
    ("The list is reusable", "The list is used by the linter"),
]


@pytest.mark.parametrize(("one", "other"), NO_CLASHES)
def test_compatible_statements_do_not_conflict(one: str, other: str) -> None:
    assert find_conflicts([one, other]) == []


def _as_texts(statements: list[str]) -> set[tuple[frozenset[str], str, float]]:
    return {
        (frozenset((statements[found.first], statements[found.second])), found.kind, found.severity)
        for found in find_conflicts(statements)
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
    found = find_conflicts(statements)
    assert found == find_conflicts(list(statements))
    assert [(one.first, one.second) for one in found] == sorted((one.first, one.second) for one in found)
    assert all(one.first < one.second for one in found)


def test_no_statement_conflicts_with_itself() -> None:
    statements = [text for pair in pairs("seen", 200) for text in pair[:2]]
    assert not any(find_conflicts([text, text, f"  {text} "]) for text in statements)
    assert find_conflicts(["The cache is on. The cache is off."]) == []
    assert find_conflicts([]) == find_conflicts(["The cache is on."]) == []


def test_statements_that_come_twice_are_each_named() -> None:
    found = find_conflicts(["The cache is on", "The cache is off", "The cache is on"])
    assert [(one.first, one.second) for one in found] == [(0, 1), (1, 2)]


@pytest.fixture
def compared(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """Count the comparisons."""
    count = [0]

    def counting(one: Clause, other: Clause) -> Clash | None:
        count[0] += 1
        return compare_clauses(one, other)

    monkeypatch.setattr(module, "compare_clauses", counting)
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
    found = find_conflicts(statements)
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
    for found in find_conflicts(statements):
        assert 0 <= found.first < found.second < len(statements)
        assert found.kind in {"contradiction", "inconsistency", "ambiguity"}
        assert 0 < found.severity <= 1
        assert found.reason
    assert _as_texts(statements) == _as_texts(statements[::-1])

"""Adding a claim reports the known claims that contradict it or say nearly the same."""

import json
from pathlib import Path

import pytest

from howsure.claims.add import MAX_COMPARED
from howsure.errors import ShapeError
from howsure.store.check import check
from howsure.sure import Sure
from tests.conftest import Run, require_package

CONFLICTING = [
    ("The cache is thread-safe", "The cache is not thread-safe"),
    ("The cache isn't thread-safe", "The cache is thread safe"),
    ("The port is 8080", "The port is 9090"),
    ("port is 8080", "port is 9090"),
    ("The timeout is 30 seconds", "The timeout is 60 seconds"),
    ("The feature is enabled", "The feature is disabled"),
    ("The function returns nil on error", "The function never returns nil"),
]
SIMILAR = [
    ("The cache is thread-safe", "The cache is thread safe"),
    ("Payments are idempotent", "The payment is idempotent"),
    ("The port is 8080", "the ports: 8080"),
]
UNRELATED = [
    ("The cache is thread-safe", "The parser is thread-safe"),
    ("The cache is fast", "The cache is small"),
    ("Service 3 listens on port 80", "Service 4 listens on port 80"),
    ("The sky is blue", "Payments are idempotent"),
    ("claim 1", "claim 2"),
    ("Step 1: install", "Step 2: install"),
]


@pytest.mark.parametrize(("known", "new"), [pair for one in CONFLICTING for pair in (one, one[::-1])])
def test_a_contradiction_is_reported_and_nothing_is_refused(sure: Sure, known: str, new: str) -> None:
    first = sure.claims.add(known, source="user_input:ann")
    added = sure.claims.add(new, source="user_input:bob")
    assert added.outcome == "created"
    assert [(one.id, one.statement) for one in added.conflicts] == [(first.id, known)]
    assert 0.0 < added.conflicts[0].severity <= 1.0
    assert added.conflicts[0].reason
    assert added.similar == []
    assert sure.claims.explain(added.id).neighbours == [], "it is reported, not related"
    assert sure.claims.count().total == 2


@pytest.mark.parametrize(("known", "new"), SIMILAR)
def test_a_near_duplicate_is_reported(sure: Sure, known: str, new: str) -> None:
    first = sure.claims.add(known, source="user_input:ann")
    added = sure.claims.add(new, source="user_input:bob")
    assert (added.outcome, added.conflicts) == ("created", [])
    assert [(one.id, one.statement) for one in added.similar] == [(first.id, known)]


@pytest.mark.parametrize(("known", "new"), UNRELATED)
def test_what_is_unrelated_is_not_reported(sure: Sure, known: str, new: str) -> None:
    sure.claims.add(known, source="user_input:ann")
    added = sure.claims.add(new, source="user_input:bob")
    assert (added.conflicts, added.similar) == ([], [])


def test_another_object_of_the_same_property_is_reported(sure: Sure) -> None:
    first = sure.claims.add("It listens on 8080", subject="api", predicate="port", object="8080")
    added = sure.claims.add("Nine thousand is where it is", subject="api", predicate="port", object="9090")
    assert [(one.id, one.reason) for one in added.conflicts] == [(first.id, 'another object for "api" and "port"')]


def test_only_claims_that_count_in_the_same_namespace_are_compared(sure: Sure) -> None:
    gone = sure.claims.add("The port is 8080")
    sure.claims.forget(gone.id)
    sure.claims.add("The port is 7070", namespace="other")
    added = sure.claims.add("The port is 9090")
    assert added.conflicts == []
    corroborated = sure.claims.add("The port is 9090", source="user_input:ann")
    assert (corroborated.outcome, corroborated.conflicts, corroborated.similar) == ("corroborated", [], [])
    other = sure.claims.add("The port is 9091")
    assert [one.id for one in sure.claims.add("The port is 9090", source="a:b").conflicts] == [other.id]


def test_a_value_without_a_verb_is_compared(sure: Sure) -> None:
    sure.claims.add_many([{"statement": text} for text in ("timeout: 5 seconds", "Port: 8080")], compare=False)
    both = sure.claims.add_many([{"statement": text} for text in ("timeout: 9 seconds", "Port: 9090")])
    assert [one.statement for result in both for one in result.conflicts] == ["timeout: 5 seconds", "Port: 8080"]


def test_a_batch_is_compared_with_known_claims_and_with_itself(sure: Sure) -> None:
    first = sure.claims.add("The port is 8080")
    batch = ["The port is 9090", "", "The cache is thread-safe", "The cache is thread safe", "The port is 8080"]
    results = sure.claims.add_many([{"statement": text} for text in batch])
    assert [one.outcome for one in results] == ["created", "failed", "created", "created", "corroborated"]
    assert [[one.id for one in result.conflicts] for result in results] == [[first.id], [], [], [], [results[0].id]]
    assert [[one.id for one in result.similar] for result in results] == [[], [], [], [results[2].id], []]
    assert all(one.conflicts == [] for one in sure.claims.add_many([{"statement": "The port is 7070"}], compare=False))


def test_a_large_batch_is_not_compared(sure: Sure) -> None:
    sure.claims.add("The port is 8080")
    for size, conflicts in ((MAX_COMPARED, 1), (MAX_COMPARED + 1, 0)):
        others = [{"statement": f"The {size} owls of town {n} hoot"} for n in range(size - 1)]
        result = sure.claims.add_many([{"statement": "The port is 9090"}, *others])[0]
        assert len(result.conflicts) == conflicts


def test_a_stored_claim_is_compared_at_any_time(sure: Sure) -> None:
    safe, unsafe, again = (
        sure.claims.add(text, compare=False).id
        for text in ("The cache is thread-safe", "The cache is not thread-safe", "The cache is thread safe")
    )
    compared = sure.claims.compare(safe)
    assert [one.id for one in compared.conflicts] == [unsafe]
    assert [one.id for one in compared.similar] == [again]
    assert {one.id for one in sure.claims.compare(unsafe).conflicts} == {safe, again}
    sure.claims.forget(unsafe)
    assert sure.claims.compare(safe).conflicts == []


def test_a_learned_claim_is_compared_by_command(howsure: Run, tmp_path: Path) -> None:
    store = {"HOWSURE_STORE": str(tmp_path / "claims.db")}
    facts = tmp_path / "facts.jsonl"
    facts.write_text('{"statement": "The port is 8080"}\n{"statement": "The port is 9090"}\n')
    assert howsure("claim", "learn", str(facts), **store).returncode == 0
    found = json.loads(howsure("claim", "find", "9090", "--json", **store).stdout)
    shown = howsure("claim", "compare", found["id"], **store).stdout.decode()
    assert shown.startswith("contradicts c")
    assert "The port is 8080" in shown
    (other,) = json.loads(howsure("claim", "compare", found["id"], "--json", **store).stdout)["conflicts"]
    assert howsure("claim", "forget", found["id"], **store).returncode == 0
    assert b"no claim contradicts it" in howsure("claim", "compare", other["id"], **store).stdout


def test_comparing_can_be_left_out(sure: Sure) -> None:
    sure.claims.add("The port is 8080")
    assert sure.claims.add("The port is 9090", compare=False).conflicts == []


def test_at_most_a_few_are_reported(sure: Sure) -> None:
    for number in range(60):
        sure.claims.add(f"The port is {number}", compare=False)
    assert len(sure.claims.add("The port is 8080").conflicts) == 5


def test_a_statement_without_content_is_added(sure: Sure) -> None:
    for statement in ("It is", "Is it not", "?", "!"):
        assert sure.claims.add(statement).outcome == "created"
    assert check(sure.session) == []


def test_the_command_line_reports_them(howsure: Run, tmp_path: Path) -> None:
    store = {"HOWSURE_STORE": str(tmp_path / "x.db")}
    first = json.loads(howsure("claim", "add", "The cache is thread-safe", "--json", **store).stdout)
    done = howsure("claim", "add", "The cache is not thread-safe", **store)
    assert done.returncode == 0
    assert f"contradicts {first['id']} The cache is thread-safe" in done.stdout.decode()
    similar = howsure("claim", "add", "The cache is thread safe", **store).stdout.decode()
    assert f"nearly the same as {first['id']} The cache is thread-safe" in similar
    quiet = howsure("claim", "add", "The cache is no thread-safe thing", "--no-compare", "--json", **store)
    assert json.loads(quiet.stdout)["conflicts"] == []


def test_the_installed_reader_finds_the_same_claim_in_other_words(sure: Sure) -> None:
    require_package("howsure_reader")
    same = sure.claims.add("Comparison of keys is case-sensitive", source="user_input:ann")
    late = sure.claims.add("The release of the keys was postponed", source="user_input:ann")
    sure.claims.add("The keys are kept in a vault", source="user_input:ann")
    one = sure.claims.add("Keys are compared with regard to case", source="user_input:bob")
    other = sure.claims.add("The release of the keys took place as planned", source="user_input:bob")
    assert sure.claims.compare(one.id).similar == []
    assert [found.id for found in sure.claims.compare(one.id, reader="installed").similar] == [same.id]
    conflicts = sure.claims.compare(other.id, reader="installed").conflicts
    assert [(found.id, found.reason.startswith("read so by rules+small")) for found in conflicts] == [(late.id, True)]


def test_an_unknown_reader_is_refused(sure: Sure) -> None:
    added = sure.claims.add("The port is 8080", source="user_input:ann")
    with pytest.raises(ShapeError, match="reader"):
        sure.claims.compare(added.id, reader="magic")  # type: ignore[arg-type]

"""Conflicts with a reader: what the rules report stays, what the reader is sure of is added, and it is bounded."""

from collections.abc import Sequence

import pytest

from howsure.reader import PairProbabilities, Reader, ReaderError, RulesReader, TextPair
from howsure.reader.conflicts import SURE, judge_unreported, read_conflicts
from howsure.text.contradictions import find_conflicts
from howsure.text.contradictions.conflicts import MAX_UNREPORTED
from tests.reader.word_embedder import WordEmbedder

STATEMENTS = [
    "The lamp is on.",
    "The lamp is off.",
    "The release was postponed.",
    "The release took place as planned.",
]


class Scripted:
    """A reader that gives every pair the same chance, or one by its first text."""

    name, version = "scripted", "7"

    def __init__(self, chance: float, first: dict[str, float] | None = None) -> None:
        self._chance, self._first = chance, first or {}
        self.pairs: list[TextPair] = []

    def read(self, pairs: Sequence[TextPair]) -> list[PairProbabilities]:
        self.pairs += pairs
        chances = [self._first.get(pair.first, self._chance) for pair in pairs]
        return [PairProbabilities(chance, 0.0, 1 - chance, self.name, self.version) for chance in chances]


class Broken:
    name, version = "broken", "1"

    def read(self, pairs: Sequence[TextPair]) -> list[PairProbabilities]:
        raise ValueError("no weights")


def test_what_the_rules_report_stays_and_the_reader_is_named() -> None:
    by_rules = find_conflicts(STATEMENTS)
    found = read_conflicts(STATEMENTS, reader=Scripted(0.97))
    assert [one for one in found if (one.first, one.second) == (0, 1)] == by_rules
    added = next(one for one in found if (one.first, one.second) == (2, 3))
    assert added == (2, 3, "inconsistency", 0.97, "read so by scripted 7")


def test_pairs_that_the_rules_report_are_not_read() -> None:
    reader = Scripted(0.0)
    assert read_conflicts(STATEMENTS, reader=reader) == find_conflicts(STATEMENTS)
    assert not [pair for pair in reader.pairs if set(pair) == set(STATEMENTS[:2])]


def test_an_unsure_reader_adds_nothing() -> None:
    assert read_conflicts(STATEMENTS, reader=Scripted(SURE - 0.01)) == find_conflicts(STATEMENTS)


def test_the_reader_must_be_sure_in_both_orders() -> None:
    reader = Scripted(0.99, {"b": 0.3})
    assert judge_unreported(reader, [("a", "b"), ("a", "c")])[0] is None
    assert judge_unreported(reader, [("a", "c")])[0] is not None


def test_the_rules_alone_read_nothing_more() -> None:
    assert read_conflicts(STATEMENTS, reader=RulesReader()) == find_conflicts(STATEMENTS)


def test_a_broken_reader_is_an_error() -> None:
    broken: Reader = Broken()
    with pytest.raises(ReaderError, match="no weights"):
        read_conflicts(STATEMENTS, reader=broken)


def test_the_number_of_pairs_is_bounded() -> None:
    subjects = ["cache", "queue", "index", "proxy", "lock", "table"]
    verbs = ["serves", "keeps", "reads", "holds", "gets", "feeds", "logs", "moves", "names", "finds"]
    statements = [f"The {one} {verb} the {other}." for one in subjects for verb in verbs for other in subjects]
    reader = Scripted(0.0)
    read_conflicts(statements, reader=reader)
    assert 0 < len(reader.pairs) <= 2 * MAX_UNREPORTED


def test_other_languages_and_other_things_are_not_read() -> None:
    reader = Scripted(1.0)
    statements = [
        "Der Server ist heute schnell und stabil.",
        "Der Server ist heute langsam und nicht stabil.",
        "Kafka 2.8 needs ZooKeeper for the cluster.",
        "Kafka 3.5 runs the cluster by itself.",
    ]
    assert not [one for one in read_conflicts(statements, reader=reader) if one.reason.startswith("read so")]


def test_statements_near_in_meaning_are_read_whatever_words_they_share() -> None:
    statements = ["paying twice", "It rains.", "payments idempotent", "paying  twice", ""]
    assert read_conflicts(statements, reader=Scripted(0.95)) == []
    reader = Scripted(0.95)
    (found,) = read_conflicts(statements, reader=reader, embedder=WordEmbedder())
    assert found == (0, 2, "inconsistency", 0.95, "read so by scripted 7")
    assert len(reader.pairs) == 2
    with pytest.raises(ReaderError, match="the reader broken failed"):
        read_conflicts(statements, reader=Broken(), embedder=WordEmbedder())

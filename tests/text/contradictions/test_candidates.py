"""Choosing the pairs of clauses that are worth comparing."""

import random

import pytest

from howsure.text.contradictions.candidates import find_candidates, max_comparisons, share_enough_words
from howsure.text.contradictions.parser import parse_statement
from tests.text.pairs import pairs


def _words(count: int) -> list[list[str]]:
    """Return clauses of eight words, some of them common and some rare."""
    dice = random.Random(5)
    return [[f"w{int(dice.paretovariate(0.6)) % 20_000}" for _ in range(8)] for _ in range(count)]


@pytest.mark.parametrize("count", [100, 1_000, 10_000])
def test_the_number_of_pairs_grows_as_the_number_of_clauses(count: int) -> None:
    found = find_candidates(_words(count))
    assert len(found) <= count * max_comparisons(count) / 2 <= 100 * count
    assert len(set(found)) == len(found)
    assert all(one < other for one, other in found)


def test_ten_thousand_statements_are_compared_ten_times_each_at_most() -> None:
    texts = sorted({text for split in ("seen", "unseen") for pair in pairs(split, 8_000) for text in pair[:2]})[:10_000]
    clauses = [clause.words for text in texts for clause in parse_statement(text)]
    assert len(texts) == 10_000
    assert len(find_candidates(clauses)) <= 11 * len(texts)


@pytest.mark.parametrize("words", [["same"], ["same", "two"], []])
def test_many_equal_clauses_are_paired_with_their_neighbours_alone(words: list[str]) -> None:
    assert len(find_candidates([words] * 10_000)) <= 10 * 10_000


def test_clauses_that_differ_in_one_word_are_found_among_many() -> None:
    clauses = [["port", "of", f"service{number // 2}", f"value{number}"] for number in range(10_000)]
    found = set(find_candidates(clauses))
    assert all((2 * number, 2 * number + 1) in found for number in range(5_000))


def test_most_conflicts_are_found_in_a_crowd_of_others() -> None:
    sample = pairs("unseen")
    texts = sorted({text for pair in sample for text in pair[:2]})
    places = {text: place for place, text in enumerate(texts)}
    owners = [places[text] for text in texts for _ in parse_statement(text)]
    found = {
        frozenset((owners[one], owners[other]))
        for one, other in find_candidates([clause.words for text in texts for clause in parse_statement(text)])
    }
    clashing = [frozenset((places[pair.first], places[pair.second])) for pair in sample if pair.kind != "none"]
    assert sum(pair in found for pair in clashing) > 0.8 * len(clashing)


def test_clauses_without_words_are_like_nothing() -> None:
    assert not share_enough_words(set(), set())
    assert find_candidates([[], ["a"], []]) == []

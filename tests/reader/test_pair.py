"""Readers are called through `read_pairs`, which checks what they return."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.reader import PairProbabilities, ReaderError, RulesReader, TextPair, read_pairs
from howsure.reader.pair import MAX_CHARACTERS


class FixedReader:
    """Returns what it was given, and remembers the pairs."""

    name = "fixed"
    version = "1"

    def __init__(self, *values: tuple[float, float, float]) -> None:
        self.values, self.pairs = values, list[TextPair]()

    def read(self, pairs: Sequence[TextPair]) -> list[PairProbabilities]:
        self.pairs += pairs
        return [PairProbabilities(*value, reader=self.name, version=self.version) for value in self.values]


def test_each_distinct_pair_is_read_once_and_results_keep_their_places() -> None:
    reader = FixedReader((0.9, 0.0, 0.1), (0.1, 0.8, 0.1))
    one, other = TextPair("a", "b"), TextPair("b", "a")
    results = read_pairs(reader, [one, other, one])
    assert [result.contradiction for result in results] == [0.9, 0.1, 0.9]
    assert reader.pairs == [one, other]


def test_long_texts_are_cut() -> None:
    reader = FixedReader((0.0, 0.0, 1.0))
    read_pairs(reader, [TextPair("x" * 100_000, "y")])
    assert len(reader.pairs[0].first) == MAX_CHARACTERS


def test_a_pair_with_an_empty_text_is_neutral_and_says_why() -> None:
    reader = FixedReader()
    result = read_pairs(reader, [TextPair(" ", "The sky is blue")])[0]
    assert (result.neutral, result.reason) == (1.0, "a text is empty")
    assert not reader.pairs


@pytest.mark.parametrize(
    "wrong", [(math.nan, 0.0, 1.0), (0.5, 0.5, 0.5), (-0.1, 0.6, 0.5), (math.inf, 0.0, 0.0), (1.2, -0.2, 0.0)]
)
def test_what_is_not_a_probability_is_an_error(wrong: tuple[float, float, float]) -> None:
    with pytest.raises(ReaderError, match="the reader fixed returned .* not three probabilities"):
        read_pairs(FixedReader(wrong), [TextPair("a", "b")])


def test_a_wrong_number_of_results_is_an_error() -> None:
    with pytest.raises(ReaderError, match="returned 2 results for 1 pairs"):
        read_pairs(FixedReader((0.0, 0.0, 1.0), (0.0, 0.0, 1.0)), [TextPair("a", "b")])


def test_an_error_of_a_reader_names_the_reader() -> None:
    class DyingReader(FixedReader):
        def read(self, pairs: Sequence[TextPair]) -> list[PairProbabilities]:
            raise MemoryError("no more")

    with pytest.raises(ReaderError, match="the reader fixed failed: MemoryError: no more"):
        read_pairs(DyingReader(), [TextPair("a", "b")])


@given(st.lists(st.tuples(st.text(max_size=60), st.text(max_size=60)), max_size=4))
def test_rules_give_probabilities_for_any_text(texts: list[tuple[str, str]]) -> None:
    results = read_pairs(RulesReader(), [TextPair(*pair) for pair in texts])
    assert len(results) == len(texts)


@pytest.mark.parametrize(
    "results",
    [None, 7, [None], ["neutral"], [(0.2, 0.3, 0.5)], [PairProbabilities("1", 0.0, 0.0, "x", "1")]],  # type: ignore[arg-type]
)
def test_results_of_another_form_are_an_error(results: Any) -> None:
    class Wrong:
        name, version = "wrong", "1"

        def read(self, _: Sequence[TextPair]) -> Any:
            return results

    with pytest.raises(ReaderError, match="wrong"):
        read_pairs(Wrong(), [TextPair("a", "b")])


def test_a_reader_that_dies_within_a_batch_is_an_error() -> None:
    class Dying:
        name, version = "dying", "1"

        def read(self, pairs: Sequence[TextPair]) -> Any:
            yield PairProbabilities(0.0, 0.0, 1.0, self.name, self.version)
            raise MemoryError(f"after one of {len(pairs)}")

    with pytest.raises(ReaderError, match="dying failed: MemoryError"):
        read_pairs(Dying(), [TextPair("a", "b"), TextPair("c", "d")])


def test_numbers_of_numpy_are_numbers() -> None:
    reader = FixedReader(tuple(np.array([0.25, 0.25, 0.5], dtype=np.float32)))
    assert read_pairs(reader, [TextPair("a", "b")])[0].neutral == 0.5

"""What two texts share and how they differ, as numbers."""

import pytest

from howsure.text.contradictions.pair_features import compare_pair, find_opposed, is_about_same, read_side


def test_the_same_words_are_covered_in_both_directions() -> None:
    features, clash = compare_pair("Alice owns the parser.", "The parser is owned by Alice.")
    assert (features.covered, features.covered_back, features.same_words, clash) == (1.0, 1.0, 1.0, None)


@pytest.mark.parametrize(
    ("first", "second", "name"),
    [
        ("The cache is on disk.", "The cache is not on disk.", "negated"),
        ("It takes 5 ms.", "It takes 9 ms.", "numbers_clash"),
        ("It takes at most 5 ms.", "It takes at most 9 ms.", "numbers_differ"),
        ("It began in 2019.", "It began in 2021.", "dates_differ"),
        ("The cache is lazy.", "The cache is eager.", "opposite"),
        ("Invoices are immutable.", "Invoices can be edited.", "poles_oppose"),
        ("The proxy is fast.", "The router is fast.", "subject_other"),
        ("It runs in Berlin.", "It runs in Paris.", "exclusive"),
        ("It is built by Ann.", "It is built by Bob.", "span_value"),
        ("It stops.", "It stops if the disk is full.", "condition"),
        ("Node 3 is up.", "Node 4 is up.", "other_identifier"),
    ],
)
def test_each_difference_has_a_feature(first: str, second: str, name: str) -> None:
    assert compare_pair(first, second)[0]._asdict()[name] > 0
    assert compare_pair(first, first)[0]._asdict()[name] == 0 or name == "other_identifier"


def test_opposite_words_about_other_things_are_not_about_the_same() -> None:
    one, other = read_side("The cache of service32 is enabled."), read_side("The cache of service28 is not enabled.")
    assert find_opposed(one, other) is not None
    assert not is_about_same(one, other, compare_pair(one.text, other.text)[0])

"""Consistency of the word lists."""

import pytest

from howsure.text.stems import stem
from howsure.text.words import (
    abbreviations,
    antonyms,
    grammar,
    inflection,
    speech,
    synonyms,
    units,
    values,
)

PLAIN = {
    "abbreviations": abbreviations.STARTERS,
    "commands": speech.COMMANDS,
    "predicates": speech.PREDICATES,
    "prepositions": grammar.PREPOSITIONS,
    "vague": grammar.VAGUE,
    "properties": values.PROPERTIES,
    "events": values.EVENTS,
    "verbs": inflection.VERBS,
}


@pytest.mark.parametrize("name", PLAIN)
def test_words_are_in_lower_case(name: str) -> None:
    assert PLAIN[name] == PLAIN[name].lower()


def test_no_word_is_its_own_opposite() -> None:
    for listed in (antonyms.PAIRS, antonyms.ORDER):
        for entry in listed.replace("\n", " ").split(";"):
            word, colon, rest = entry.partition(":")
            assert colon
            assert rest.split()
            assert word.strip() not in rest.split()


def test_words_that_mean_the_same_are_not_opposites() -> None:
    opposites = {
        frozenset((stem(word.strip()), stem(other)))
        for entry in antonyms.PAIRS.replace("\n", " ").split(";")
        for word, _, rest in [entry.partition(":")]
        for other in rest.split()
    }
    for line in synonyms.GROUPS.strip().splitlines():
        words = [stem(word) for word in line.split()]
        assert not [pair for pair in opposites if pair <= set(words) and len(pair) > 1], line


def test_a_word_stands_in_one_group_of_synonyms() -> None:
    words = [stem(word) for line in synonyms.GROUPS.strip().splitlines() for word in line.split()]
    assert sorted(words) == sorted(set(words))


def test_every_unit_has_a_size() -> None:
    for listed in units.UNITS.values():
        for entry in listed.split(","):
            name, size = entry.split()
            assert name == name.lower()
            assert float(size) > 0


def test_every_irregular_form_has_a_base() -> None:
    for line in inflection.FORMS.strip().splitlines():
        assert len(line.split()) > 1


def test_verbs_that_name_a_value_say_with_which_preposition() -> None:
    assert all(entry.count(":") == 1 for entry in values.RELATIONS.split())

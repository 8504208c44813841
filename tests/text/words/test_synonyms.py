"""The groups of synonyms are consistent with each other and with the opposites."""

from howsure.text.stems import stem
from howsure.text.words import antonyms, synonyms


def test_synonyms_are_not_antonyms() -> None:
    opposites = {
        frozenset((stem(word.strip()), stem(other)))
        for entry in antonyms.PAIRS.replace("\n", " ").split(";")
        for word, _, rest in [entry.partition(":")]
        for other in rest.split()
    }
    for line in synonyms.GROUPS.strip().splitlines():
        words = [stem(word) for word in line.split()]
        assert not [pair for pair in opposites if pair <= set(words) and len(pair) > 1], line


def test_a_word_is_in_one_group_of_synonyms() -> None:
    words = [stem(word) for line in synonyms.GROUPS.strip().splitlines() for word in line.split()]
    assert sorted(words) == sorted(set(words))

"""The list of opposites is consistent."""

from howsure.text.words import antonyms


def test_no_word_is_its_own_opposite() -> None:
    for listed in (antonyms.PAIRS, antonyms.ORDER):
        for entry in listed.replace("\n", " ").split(";"):
            word, colon, rest = entry.partition(":")
            assert colon
            assert rest.split()
            assert word.strip() not in rest.split()

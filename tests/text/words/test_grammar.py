"""Function words."""

from howsure.text.words import grammar


def test_function_words_are_in_lower_case() -> None:
    for words in (grammar.PREPOSITIONS, grammar.VAGUE):
        assert words == words.lower()

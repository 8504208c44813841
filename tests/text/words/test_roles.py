"""Lists of words about roles are in order: no word twice, and prepositions in pairs."""

from howsure.text.words import roles


def test_no_word_is_listed_twice() -> None:
    for words in (roles.MUTUAL.split(), roles.MUTUAL_LINKS.split()):
        assert len(words) == len(set(words))


def test_opposites_are_pairs_and_do_not_hold_both_ways() -> None:
    pairs = [frozenset(pair.split()) for pair in roles.OPPOSITE_LINKS.split(",")]
    assert {len(pair) for pair in pairs} == {2}
    assert len(pairs) == len(set(pairs))
    assert not set(roles.MUTUAL_LINKS.split()) & frozenset().union(*pairs)

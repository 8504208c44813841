"""The list of things that are so or not."""

from howsure.text.words.polarities import POLARITIES


def test_every_entry_has_a_name_and_two_sides_of_phrases() -> None:
    entries = POLARITIES.replace("\n    ", " ").strip().splitlines()
    for entry in entries:
        name, colon, phrases = entry.partition(": ")
        sides = phrases.split(" | ")
        assert name, entry
        assert colon, entry
        assert len(sides) == 2, entry
        assert all(phrase.strip() for side in sides for phrase in side.split(",")), entry
    names = [entry.partition(":")[0] for entry in entries]
    assert len(names) == len(set(names))

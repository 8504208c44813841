"""The lists of words that deny something without a negation."""

from howsure.text.passages import read_passage


def test_a_word_denies_what_its_line_says_and_others_what_follows() -> None:
    def denials(text: str) -> frozenset[str]:
        return read_passage(text, 0, len(text)).denials

    assert "includ" in denials("Tyres are excluded.")
    assert denials("The host is unreachable.") == {"reach"}
    assert denials("Logs are exempt from deletion.") == {"delet"}
    assert denials("It fails to start.") == {"start"}
    assert denials("Failed tasks are retried, and exempt staff is paid.") == frozenset()

"""The rules as a reader."""

from howsure.reader import RulesReader, TextPair, read_pairs


def test_a_contradiction_has_the_words_that_clash_as_its_reason() -> None:
    pair = TextPair("The cache is enabled by default.", "The cache is disabled by default.")
    result = read_pairs(RulesReader(), [pair])[0]
    assert result.contradiction > 0.7
    assert "enabled" in result.reason
    assert (result.reader, result.version) == ("rules", RulesReader.version)


def test_a_text_with_the_same_words_is_entailed_more_than_another_one() -> None:
    first = "The cache is cleared every night by a job."
    same, other = read_pairs(
        RulesReader(), [TextPair(first, "The cache is cleared every night."), TextPair(first, "Users like tea.")]
    )
    assert same.entailment > 0.8
    assert other.entailment < 0.2

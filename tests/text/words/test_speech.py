"""Words of sentences that assert nothing."""

from howsure.text.words import speech


def test_commands_and_predicates_are_in_lower_case() -> None:
    assert speech.COMMANDS.lower() == speech.COMMANDS
    assert speech.PREDICATES.lower() == speech.PREDICATES

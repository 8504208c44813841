"""Names and numbers that stand beside another word than in the context."""

import pytest

from howsure.text.grounding import ground
from howsure.text.passages import read_passage, split_passages
from howsure.text.positions import count_misplaced

CONTEXT = (
    "In 2019 Acme Corp bought Initech for 30 million dollars. The film was directed by David Blair, and written by "
    "Andrew Kirk. The cache holds 40 entries, and the queue holds 90 messages."
)


@pytest.mark.parametrize(
    ("sentence", "misplaced"),
    [
        ("Acme Corp bought Initech.", 0),
        ("Initech bought Acme Corp.", 2),
        ("The film was directed by David Blair.", 0),
        ("The film was directed by Andrew Kirk.", 1),
        ("The queue holds 90 messages.", 0),
        ("The queue holds 40 messages.", 1),
    ],
)
def test_what_has_another_place_is_counted_and_supported_less(sentence: str, misplaced: int) -> None:
    passages = [read_passage(CONTEXT, *span) for span in split_passages(CONTEXT)]
    assert count_misplaced(read_passage(sentence, 0, len(sentence)), passages) == misplaced
    (one,) = ground(sentence, CONTEXT).sentences
    assert one.support is not None
    assert (one.support > 0.95) == (misplaced == 0)


def test_the_passive_exchanges_names_without_another_meaning() -> None:
    context, sentence = "Acme bought Initech in May.", "Initech was bought by Acme in May."
    passages = [read_passage(context, 0, len(context))]
    assert count_misplaced(read_passage(sentence, 0, len(sentence)), passages) == 0

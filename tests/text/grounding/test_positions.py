"""Names and numbers that stand beside another word than in the context."""

import pytest

from howsure.text.grounding.ground import ground
from howsure.text.grounding.positions import count_misplaced_names_and_numbers, find_other_label
from howsure.text.passages import Passage, read_passage, split_passages

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
    assert count_misplaced_names_and_numbers(read_passage(sentence, 0, len(sentence)), passages) == misplaced
    (one,) = ground(sentence, CONTEXT).sentences
    assert one.support is not None
    assert (one.support > 0.95) == (misplaced == 0)


def test_the_passive_exchanges_names_without_another_meaning() -> None:
    context, sentence = "Acme bought Initech in May.", "Initech was bought by Acme in May."
    passages = [read_passage(context, 0, len(context))]
    assert count_misplaced_names_and_numbers(read_passage(sentence, 0, len(sentence)), passages) == 0


OTHER_LABEL = [
    ("Keys are limited to 512 bytes, values to 4 MiB.", "Keys are limited to 4 MiB."),
    ("The default port is 8080 and the maximum port is 9090.", "The default port is 9090."),
    ("Backups are kept for 30 days, logs for 7 days.", "Backups are kept for 7 days."),
    ("Adults take 20 mg, children 5 mg.", "Adults take 5 mg."),
    ("The plan costs $19 in France and $29 in Spain.", "The plan costs $29 in France."),
    ("The pump runs for 20 minutes and rests for 10 minutes.", "The pump runs for 10 minutes."),
]
OWN_LABEL = [
    ("Keys are limited to 512 bytes, values to 4 MiB.", "The limit of values is 4 MiB."),
    ("The basic plan costs $10, the premium plan $20 and includes support.", "With support, the plan costs $20."),
    ("It takes 5 minutes to install and 2 hours to sync.", "Syncing takes 2 hours."),
    ("It takes 5 minutes to install and 2 hours to sync.", "The installation takes 5 minutes."),
    ("The server waits 30 seconds, then retries for 5 minutes.", "The server retries for 5 minutes."),
    ("The server waits 30 seconds, and after that it gives up within 5 minutes.", "The server stops within 5 minutes."),
    ("The team had 40 members in May, while it had 95 in June.", "The team had 95 members in June."),
    ("The default port is 8080 and the maximum is 9090.", "By default, port 8080 is used."),
    ("Trains take 3 hours from Oslo and 5 hours from Bergen.", "From Bergen the train takes 5 hours."),
    ("The fee is 2 percent for members, and 5 percent for all others.", "Others pay a fee of 5 percent."),
    ("The fee is 2 percent for members, and 5 percent for all others.", "Non-members pay 5 percent."),
    ("Backups are kept for 30 days, logs for 7 days.", "Logs are kept for 7 days."),
    ("Backups are kept for 30 days, logs for 7 days.", "Logs are deleted after 7 days and backups after 30 days."),
    ("The upload limit is 5 GB, but with the pro plan it is 50 GB.", "The pro plan has an upload limit of 50 GB."),
    ("The upload limit is 5 GB, but can be raised to 50 GB.", "The upload limit can be raised to 50 GB."),
    ("The limit is 5 GB, and for teams 50 GB.", "Teams have a limit of 50 GB."),
    ("The pump runs for 20 minutes and rests for 10 minutes.", "The pump rests for 10 minutes."),
    ("The pump runs for 20 minutes and rests for 10 minutes.", "The pump has a break of 10 minutes."),
    (
        "The alarm waits 20 seconds before it calls, and 60 seconds if nobody answers.",
        "If nobody answers, the alarm waits 60 seconds.",
    ),
    ("Profit fell to 36 million euros from 41 million a year earlier.", "A year earlier, profit was 41 million euros."),
    (
        "The first run took 90 seconds against 40 seconds with a warm cache.",
        "With a warm cache the run took 40 seconds.",
    ),
    ("The tablet contains 20 mg of the drug and 5 mg of lactose.", "The tablet contains 5 mg of lactose."),
    ("Adults take 20 mg, children 5 mg.", "Children take 5 mg."),
    ("A room costs 90 euros, breakfast 12 euros.", "Breakfast costs 12 euros."),
    ("The model has 20 kg of weight with a range of 110 km, and the large one 25 kg.", "The large model weighs 25 kg."),
]


def read(text: str) -> Passage:
    return read_passage(text, 0, len(text))


@pytest.mark.parametrize(("context", "sentence"), OTHER_LABEL)
def test_an_amount_with_the_words_of_another_one_is_contradicted(context: str, sentence: str) -> None:
    (found,) = ground(sentence, context).sentences
    assert found.finding == "contradicted", found


@pytest.mark.parametrize(("context", "sentence"), OWN_LABEL)
def test_an_amount_keeps_its_words_in_another_wording(context: str, sentence: str) -> None:
    assert not find_other_label(read(sentence), [read(context)])

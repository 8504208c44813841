"""One word that stands where the context has another one."""

import pytest

from howsure.text.grounding.ground import ground


@pytest.mark.parametrize(
    ("context", "text", "reason"),
    [
        ("Writes go to the primary.", "Writes go to the replica.", "'replica' where the context has 'primary'"),
        ("Fees are annual for members.", "Fees are monthly for members.", ""),
        ("The lamp stays red at night.", "The lamp stays blue at night.", ""),
        ("Deploys run in staging at noon.", "Deploys run in production at noon.", ""),
    ],
)
def test_another_word_in_its_place_is_not_supported(context: str, text: str, reason: str) -> None:
    (sentence,) = ground(text, context).sentences
    assert (sentence.support or 1.0) < 0.5
    assert reason in (*sentence.reasons, "")


@pytest.mark.parametrize(
    ("context", "text"),
    [
        ("The job will start at noon.", "The job will begin at noon."),
        ("The limit is 100 requests per minute.", "The limit is 6,000 requests per hour."),
        ("Uploads fail after an error.", "Uploads failed after an error."),
        ("Writes go to the primary first.", "First, writes go to the primary."),
        ("Old rows are removed from the table every night.", "Old rows are removed every night."),
        ("The replica takes reads. Writes go to the primary.", "The replica takes reads."),
    ],
)
def test_synonyms_forms_and_shorter_sentences_are_supported(context: str, text: str) -> None:
    (sentence,) = ground(text, context).sentences
    assert (sentence.support or 0.0) > 0.5
    assert sentence.reasons == ()

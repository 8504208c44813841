"""Finding hedges, what only looks like one, and the number of a text."""

from itertools import count

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.text.hedging import hedges
from howsure.text.hedging.hedges import find_hedges, measure_hedging, read_hedges

HEDGED = {
    "It may fail.": "may",
    "The cache might be stale.": "might",
    "This could be a race.": "could",
    "It is likely a timeout.": "likely",
    "The logs suggest that the disk is full.": "suggest",
    "It appears to work.": "appears",
    "It seems slow.": "seems",
    "It works seemingly.": "seemingly",
    "This is probably fine.": "probably",
    "I think it works.": "i think",
    "I'm not sure that it works.": "not sure",
    "I\u2019m not sure.": "not sure",
    "The cause is unclear.": "unclear",
    "Perhaps it works.": "perhaps",
    "MAYBE it works.": "maybe",
    "It should work.": "should work",
    "As far as I know, it works.": "as far as i know",
    "It is possible that it fails.": "it is possible",
    "It may not work.": "may",
    "You may see an error.": "may",
    "May be slow.": "may",
    "Some people say it works.": "some people",
    "Many believe it works.": "many",
    "It is widely considered stable.": "widely considered",
    "It is kind of slow.": "kind of",
    "Could it be the cache?": "could",
    "Apparently it works.": "apparently",
    "It cannot be ruled out.": "cannot be ruled out",
    "- it may fail": "may",
}
PLAIN = [
    "It works.",
    "The release is due in May.",
    "In May 2024 it was released.",
    "May 5 is the date.",
    "Theresa May spoke.",
    "May I ask you something?",
    "You may use any name.",
    "Could you run the tests?",
    "If you could, run the tests.",
    "It appears in the list.",
    "The name appears twice.",
    "The dialog appears.",
    "I suggest you restart it.",
    "Use the suggested fix.",
    "It is the most effective method.",
    "At most 5 users can log in.",
    "It attracted some 1,500 visitors.",
    "I am certain that it works.",
    "It is a kind of lock.",
    "It showed that unclear career paths are the cause.",
    "The auditor named an uncertain tax claim.",
    "It is possible to set the port.",
    "There is no doubt that it works.",
    "Without doubt it works.",
    "It cannot be slow.",
    "It is a file rather than a folder.",
    "Run `maybe_retry()` or `may` first.",
    'He said "it might work" and left.',
    "See https://example.com/may-might-could for it.",
    "> It may fail.",
    "```\nmaybe = perhaps()\n```",
    "# It may fail",
    "| may | might |",
    "His might was feared.",
    "",
]
NEGATED = {
    "It is not likely.": True,
    "It does not seem slow.": True,
    "It isn't probable.": True,
    "It could not start.": False,
    "There is no uncertainty.": False,
    "It is not speculative.": False,
    "It is never unclear.": False,
}


@pytest.mark.parametrize("text", HEDGED)
def test_hedges_are_found(text: str) -> None:
    (sentence,) = read_hedges(text)
    assert HEDGED[text] in {hedge.phrase for hedge in sentence.hedges}
    assert sentence.uncertain
    assert sentence.hedging > 0


@pytest.mark.parametrize("text", PLAIN)
def test_false_hedges_are_left_out(text: str) -> None:
    assert find_hedges(text) == []


@pytest.mark.parametrize("text", NEGATED)
def test_a_negation_cancels_or_keeps_a_hedge(text: str) -> None:
    (hedge,) = find_hedges(text)
    assert hedge.negated
    assert bool(hedge.weight) is NEGATED[text]


def test_hedges_are_at_their_positions() -> None:
    text = "It works \U0001f600. It  may\nfail, and I\u2019m not  sure why."
    assert [text[hedge.start : hedge.end] for hedge in find_hedges(text)] == ["may", "not  sure"]


def test_a_longer_phrase_counts_once() -> None:
    assert [hedge.phrase for hedge in find_hedges("It is possible that it is widely considered slow.")] == [
        "it is possible",
        "widely considered",
    ]


def test_more_and_stronger_hedges_lower_certainty_more() -> None:
    texts = ["It works.", "It often works.", "It seems to work.", "It may work.", "I don't know if it may work."]
    numbers = [measure_hedging(text) for text in texts]
    assert numbers == sorted(numbers)
    assert len(set(numbers)) == len(numbers)


def test_limits_are_not_doubt() -> None:
    (sentence,) = read_hedges("It usually takes roughly 5 ms.")
    assert sentence.hedging > 0
    assert not sentence.uncertain


def test_a_comparison_is_half_a_hedge() -> None:
    assert measure_hedging("A is more likely than B.") == measure_hedging("A is likely.") / 2


@given(st.text(max_size=400) | st.lists(st.sampled_from([*HEDGED, *PLAIN, *NEGATED])).map(" ".join))
def test_any_text_has_a_number(text: str) -> None:
    assert 0.0 <= measure_hedging(text) < 1.0
    sentences = read_hedges(text)
    found = [hedge for sentence in sentences for hedge in sentence.hedges]
    assert found == find_hedges(text)
    end = 0
    for hedge in found:
        assert end <= hedge.start < hedge.end <= len(text)
        assert 0.0 <= hedge.weight < 1.0
        end = hedge.end


@given(st.lists(st.sampled_from(PLAIN[:5]), min_size=1), st.sampled_from(sorted(HEDGED)))
def test_a_hedged_sentence_lowers_a_plain_text(plain: list[str], hedged: str) -> None:
    text = "\n\n".join(plain)
    assert measure_hedging(text) == 0.0
    assert 0.0 < measure_hedging(f"{text}\n\n{hedged}") <= measure_hedging(hedged)


@pytest.mark.parametrize(
    "piece", ["may ", "could not ", '"', "`", "https://", "it is possible ", "> may\n", "not ", "( "]
)
def test_long_texts_are_read(piece: str) -> None:
    assert 0.0 <= measure_hedging(piece * 20_000) <= 1.0


@given(
    st.lists(
        st.sampled_from(
            [*HEDGED, "It works.", "I \n think\u00a0so", "\u0130 TH\u0130NK", "as  far\nas I know", "don\u2019t know"]
        )
        | st.text(max_size=20),
        max_size=6,
    ).map(" ".join)
)
def test_the_first_text_of_a_process_is_read_like_any_other(text: str) -> None:
    hedges._texts_read = count()
    first = hedges._find_phrases(text)
    assert next(hedges._texts_read) == 1
    assert sorted(first) == sorted(hedges._search().find(text))

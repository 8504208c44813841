"""The wording of a response: hedges lower its certainty, and only deferrals claim nothing."""

import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from howsure.text.hedging.claimless import is_abstention, is_clarifying_question
from howsure.text.hedging.hedges import find_hedges, find_hedges_quickly, measure_hedging
from howsure.text.hedging.response_wording import find_deferral, read_wording
from tests.text.hedging.abstention_examples import ABSTENTIONS
from tests.text.hedging.question_examples import QUESTIONS


def _read(examples: str) -> list[str]:
    return [line.replace("\\n", "\n") for line in examples.strip().splitlines() if line.strip()]


PARTS = [
    "It works.", "It may fail.", "I think so.", "It is not likely.", "Could you run it?", "There is no doubt.",
    "The cache is probably fine, and it could not be read.", 'See `may` in "it might".', "In May, it appears in it.",
    "More likely than not, it suggests a bug.", "Perhaps it seems slow!", "It is never certain.",
]  # fmt: skip


@given(st.lists(st.sampled_from(PARTS), max_size=6).map(" ".join))
def test_the_quick_search_finds_the_same_hedges_in_running_text(text: str) -> None:
    assert find_hedges_quickly(text) == find_hedges(text)
    found = read_wording(text)
    assert 1.0 - (found.certainty if found.certainty is not None else 1.0) == pytest.approx(measure_hedging(text))


WRAPPED = [
    "It works, but it is not", "likely to fail", "and it", "may be slow.", "could", "not be read", "- may fail", "1. A",
    "In", "May", "it seems.", "We are not", "sure", "more", "that it appears", "in it", "Port: 80", "**", "", "so:",
]  # fmt: skip


@given(st.lists(st.sampled_from(WRAPPED), max_size=8).map("\n".join))
@example("It is not\nlikely to fail.")
@example("It could\nnot be read, and in\nMay it appears\nin it.")
@example("We said no\n\nLikely it fails. We are not\n\nsure that it appears\n\nin it")
@example("- It is not\n- likely to fail")
def test_the_quick_search_reads_on_where_a_line_is_wrapped(text: str) -> None:
    assert find_hedges_quickly(text) == find_hedges(text)


@pytest.mark.parametrize(
    "text", ["It works.", "Definitely verified, tested, proven cheese.", "", "  ", "答えは確認済みです。"]
)
def test_without_hedges_there_is_no_certainty(text: str) -> None:
    assert read_wording(text).certainty is None


def test_a_hedge_without_a_full_stop_counts() -> None:
    assert read_wording("It may fail").certainty == pytest.approx(0.55)
    assert read_wording("It works. It may fail").certainty == pytest.approx(0.775)


def test_a_modal_in_a_longer_statement_counts_less() -> None:
    assert read_wording("Connections may be closed after 30 seconds.").certainty == pytest.approx(0.75)
    assert read_wording("The list is sorted. Connections may be closed after 30 seconds.").certainty == pytest.approx(
        0.875
    )
    assert read_wording("I think the cause might be the cache.").certainty == pytest.approx(0.7 * 0.75)
    assert read_wording("It may fail.").certainty == pytest.approx(0.55)


@pytest.mark.parametrize("text", [*_read(ABSTENTIONS), *_read(QUESTIONS)])
def test_every_deferral_has_a_hint(text: str) -> None:
    """What the strict functions accept is not lost by the quick look that comes before them."""
    assert (find_deferral(text) is not None) == (is_abstention(text) or is_clarifying_question(text))


@pytest.mark.parametrize(
    "text",
    ["I don't know, but it is definitely 8080.", "The port is 8080. Does that help?", "It is so.", "x" * 3000 + "?"],
)
def test_claims_are_not_deferrals(text: str) -> None:
    assert find_deferral(text) is None


@pytest.mark.parametrize(
    "text",
    [
        "It is _probably_ fast.",
        "It is __probably__ fast.",
        "It is pro\u200bbably fast.",
        "It is probab\u00adly fast.",
        "It is \uff50\uff52\uff4f\uff42\uff41\uff42\uff4c\uff59 fast.",
        "It is \u2060probably\u2060 fast.",
        "**It is probably fast.**",
        "(It is probably fast.)",
    ],
)
def test_markup_and_invisible_characters_hide_no_hedge(text: str) -> None:
    plain, masked = read_wording("It is probably fast."), read_wording(text)
    assert masked.certainty == plain.certainty
    (hedge,) = masked.hedges
    shown = text[hedge.start : hedge.end]
    assert unicodedata.normalize("NFKC", shown.replace("\u200b", "").replace("\xad", "")) == "probably"


def test_underscores_inside_names_stay() -> None:
    assert read_wording("The option is may_fail_probably_never.").certainty is None

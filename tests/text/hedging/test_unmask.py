"""Undoing what hides words: markup, invisible characters, letters of other alphabets."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.text.hedging.response_wording import read_wording
from howsure.text.hedging.unmask import unmask

HIDDEN = [
    "pro<b>bab</b>ly",
    "pro<!-- x -->bably",
    "pro<wbr>bably",
    "pro**bab**ly",
    "pro&shy;bably",
    "&#112;robably",
    "pr&#x6f;bably",
    "pr\u043eb\u0430bly",
    "prob\u03b1bly",
    "\U0001d429\U0001d42b\U0001d428\U0001d41b\U0001d41a\U0001d41b\U0001d425\U0001d432",
    "p\u0336r\u0336o\u0336bably",
    "pro\u200bbably",
    "_probably_",
    "\uff50\uff52\uff4f\uff42\uff41\uff42\uff4c\uff59",
]


@pytest.mark.parametrize("word", HIDDEN)
def test_a_hidden_hedge_counts_like_a_plain_one(word: str) -> None:
    text = f"It is {word} fast."
    masked = read_wording(text)
    assert masked.certainty == read_wording("It is probably fast.").certainty
    (hedge,) = masked.hedges
    assert "prob" in unmask(text[hedge.start : hedge.end])[0]


@pytest.mark.parametrize("text", ["It<br>may fail", "It<p>may</p>fail", "<li>It may fail</li>"])
def test_tags_that_break_lines_separate_words(text: str) -> None:
    assert [hedge.phrase for hedge in read_wording(text).hedges] == ["may"]


@pytest.mark.parametrize(
    "text", ["a < b and c > d", "2*3*4", "AT&T; R&D", "caf\u00e9 \u2014 isn\u2019t it\u2026", "a_b_c"]
)
def test_other_text_stays(text: str) -> None:
    assert unmask(text) == (text, None)


@given(st.text(alphabet="ab<>/*_& ;#1\u200b\u0430\ufb01\U0001d429\u2026.", max_size=40))
def test_places_say_where_each_character_was(text: str) -> None:
    plain, places = unmask(text)
    if places is None:
        assert len(plain) == len(text)
        return
    assert len(places) == len(plain)
    assert places == sorted(places)
    assert all(0 <= place < len(text) for place in places)
    kept = [place for place, letter in zip(places, plain, strict=True) if letter in "ab" and text[place] in "ab"]
    assert all(text[place] == plain[places.index(place)] for place in kept)

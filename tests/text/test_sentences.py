"""Splitting text into sentences."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.text.sentences import split_sentences, split_span


def _texts(text: str) -> list[str]:
    return [found.text for found in split_sentences(text)]


@pytest.mark.parametrize(
    "text",
    [
        "Use e.g. a map, i.e. a table, cf. the docs.",
        "Dr. Ito met Mrs. Vance and Prof. Lindt at St. Anne's.",
        "It is v1.2 of 3.14, see parse.py and www.example.org/a.b?c=d.",
        "See Fig. 3 and No. 5 on p. 12 of vol. 2.",
        "J. R. Ortega lives in the U.S. Virgin Islands.",
        "It takes approx. 5 min. and so on etc. and more.",
        '"Stop." she said, "now!" and left.',
        "He wrote `a. B` and `x! Y` there.",
        "And so... on it goes.",
        "The version is 1.0.0-rc.1 today",
        "no end",
    ],
)
def test_one_sentence_is_not_split(text: str) -> None:
    assert _texts(text) == [text]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four", ["One.", "Two!", "Three?", "Four"]),
        ('He said "no." She left. "Why?" They asked.', ['He said "no."', "She left.", '"Why?"', "They asked."]),
        ("It took 3 ms. Then 5 ft. More.", ["It took 3 ms.", "Then 5 ft.", "More."]),
        ("We stop at 5 p.m. She goes on.", ["We stop at 5 p.m.", "She goes on."]),
        ("It was made in the U.S. The end.", ["It was made in the U.S.", "The end."]),
        ("I said no. Then I left.", ["I said no.", "Then I left."]),
        ("it works. i checked it.", ["it works.", "i checked it."]),
        ("Really?! Yes... No", ["Really?!", "Yes...", "No"]),
        ("(It works.) It does.", ["(It works.)", "It does."]),
        ("1. Do this. 2. Do that.", ["Do this.", "2. Do that."]),
        (
            "\u4f60\u597d\u3002\u5f88\u597d\uff01\u5417\uff1f",
            ["\u4f60\u597d\u3002", "\u5f88\u597d\uff01", "\u5417\uff1f"],
        ),
        ("\u092f\u0939 \u0939\u0948\u0964 \u0935\u0939", ["\u092f\u0939 \u0939\u0948\u0964", "\u0935\u0939"]),
        (
            "\u0644\u0645\u0627\u0630\u0627\u061f \u0646\u0639\u0645.",
            ["\u0644\u0645\u0627\u0630\u0627\u061f", "\u0646\u0639\u0645."],
        ),
        ("It came with 5.2. Version 5.4 is new.", ["It came with 5.2.", "Version 5.4 is new."]),
        ("One line\nand the next. Two.", ["One line\nand the next.", "Two."]),
        (
            "# Title\nText here.\n- item one\n- item two. More.",
            ["Title", "Text here.", "item one", "item two.", "More."],
        ),
        ("Before.\n```\nx = 1. Y\n```\nAfter.", ["Before.", "After."]),
        ("| a. B | c |\n\nText.", ["Text."]),
    ],
)
def test_several_sentences_are_split(text: str, expected: list[str]) -> None:
    assert _texts(text) == expected


def test_a_part_of_a_text_can_be_split_alone() -> None:
    assert list(split_span("One. Two.", 0, 4)) == [("One.", 0, 4)]
    assert list(split_span("One.", 2, 2)) == []


@settings(deadline=None)
@given(st.text(max_size=200) | st.text(alphabet=st.sampled_from([*".!?\"') \n`*_-#>|1aA\u3002"]), max_size=120))
def test_sentences_are_disjoint_parts_of_the_text(text: str) -> None:
    place = 0
    for found in split_sentences(text):
        assert text[found.start : found.end] == found.text == found.text.strip() != ""
        assert found.start >= place
        place = found.end


@pytest.mark.parametrize(
    "piece", [".", ". ", '."', ".)", "a.", "`", "`a", "1. ", "\n- ", "**", "__a", "> ", "A. ", "?!", "\u3002"]
)
def test_no_text_takes_more_than_linear_time(piece: str) -> None:
    assert len(split_sentences(piece * 30_000)) <= 30_000

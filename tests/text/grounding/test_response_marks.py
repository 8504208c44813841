"""Parts of a response that say nothing about its subject."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from howsure.text.grounding.response_marks import blank_marks, find_gap


@pytest.mark.parametrize(
    ("sentence", "left"),
    [
        ("It is 8443 [1].", "It is 8443 ."),
        ("It is 8443.[^2]", "It is 8443."),
        ("It is 8443 [doc 3] [4, 5].", "It is 8443 ."),
        ("The limit is [9].", "The limit is [9]."),
        ("The range is [5, 100].", "The range is [5, 100]."),
        ("It keeps them for [90] days.", "It keeps them for [90] days."),
        ("It is list[1].", "It is list[1]."),
        ("It is [8443].", "It is [8443]."),
        ("**Answer:** It is 8443.", "It is 8443."),
        ("The answer: it is 8443.", "The answer: it is 8443."),
        ("According to the documentation, it is 8443.", "it is 8443."),
        ("Based on the context provided, it is 8443.", "it is 8443."),
        ("According to Ann, it is 8443.", "According to Ann, it is 8443."),
        ("It is 8443 \u2705\ufe0f.", "It is 8443 ."),
        ("It costs 5 \u20ac, 3 \u00b5s.", "It costs 5 \u20ac, 3 \u00b5s."),
    ],
)
def test_marks_are_blanked(sentence: str, left: str) -> None:
    assert " ".join(blank_marks(sentence).split()) == left


@given(st.text(max_size=200))
def test_blanks_keep_offsets(sentence: str) -> None:
    assert len(blank_marks(sentence)) == len(sentence)


@pytest.mark.parametrize(
    ("sentence", "is_gap"),
    [
        ("I don't know which port it uses.", True),
        ("I\u2019m not sure about the port.", True),
        ("The provided context does not mention the port.", True),
        ("The docs don't say.", True),
        ("The documentation does not mention it, but it is open.", False),
        ("I cannot say: it is open.", False),
        ("The gateway does not mention the port.", False),
        ("TLS is optional, and the documentation does not say otherwise.", False),
        ("Keys are stored in plain text, which the documentation does not mention.", False),
        ("I don't know why, TLS is optional and keys are stored in git.", False),
        ("I am not sure, and keys are stored in git.", False),
        ("The documentation does not mention it because TLS is optional.", False),
        ("The sources don't say why the administrator wiped the vault.", False),
    ],
)
def test_gaps_are_recognized(sentence: str, is_gap: bool) -> None:
    assert (find_gap(sentence) is not None) is is_gap

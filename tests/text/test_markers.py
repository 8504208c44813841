"""Finding phrases that say how certain an author is."""

import pytest

from howsure.errors import UnknownNameError
from howsure.text.marker_lists import LISTS
from howsure.text.markers import Markers, load_markers, marker_lists


def _count(text: str) -> tuple[int, int]:
    found = load_markers("response").find(text)
    return len(found.certain), len(found.uncertain)


@pytest.mark.parametrize(
    ("text", "certain", "uncertain"),
    [
        ("", 0, 0),
        ("I definitely tested this and it's confirmed working", 3, 0),
        ("untested, unverified and undocumented", 0, 0),
        ("It was never tested; nothing here is verified.", 0, 2),
        ("It is not only proven but documented.", 0, 2),
        ("No. It is tested.", 1, 0),
        ("Is it not? Tested!", 1, 0),
        ("not one two three tested", 0, 1),
        ("not one two three four tested", 1, 0),
        ("We haven\u2019t confirmed that.", 0, 1),
        ("We haven\u2018t confirmed that.", 0, 1),
        ("We cannot say it is proven", 0, 1),
        ("notable and tested", 1, 0),
        ("I\u2019m not sure, I  don't\nknow", 0, 2),
        ("not-tested", 0, 1),
        ("not_tested", 0, 0),
        ("v1.not. tested", 1, 0),
        ("TESTED, Tested, tested", 3, 0),
        ("unlikely but likely", 0, 1),
    ],
)
def test_markers_are_counted(text: str, certain: int, uncertain: int) -> None:
    assert _count(text) == (certain, uncertain)


def test_a_negation_far_before_is_still_among_the_four_words_before() -> None:
    assert _count("not " + "x" * 900 + " tested") == (0, 1)
    assert _count("." * 300 + "not " + "-" * 300 + " tested") == (0, 1)
    assert _count("not" + " \n" * 400 + "tested") == (0, 1)


def test_no_text_takes_more_than_linear_time() -> None:
    assert _count("tested'" * 20_000)[0] == 20_000


def test_a_mark_says_where_it_stands() -> None:
    text = "It is\n not  Tested."
    (mark,) = load_markers("response").find(text).uncertain
    assert (text[mark.start : mark.end], mark.negated) == ("Tested", True)


def test_a_phrase_in_both_lists_counts_in_both() -> None:
    found = Markers(["sure"], ["sure", "maybe"]).find("sure, maybe")
    assert ([m.phrase for m in found.certain], [m.phrase for m in found.uncertain]) == (["sure"], ["sure", "maybe"])


def test_lists_are_data() -> None:
    assert list(LISTS) == ["en"]
    assert marker_lists("en")["response"]["negations"][0] == "not"


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(UnknownNameError, match="there is no marker language 'xx' \\(there are: en\\)"):
        load_markers("response", "xx")

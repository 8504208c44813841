"""Finding phrases, compared with one regular expression per phrase."""

import re
import sysconfig
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from howsure.text.markers import marker_lists
from howsure.text.phrases import PhraseMatch, Phrases, fold_case

PHRASES = sorted(
    {
        p
        for kind in ("response", "subresult")
        for side in ("certain", "uncertain")
        for p in marker_lists("en")[kind][side]
    }
)
ASCII = [*PHRASES, "can't", "it", "I", "seems it", "know I don't", "I think it"]
LOOK_FOR = [*ASCII, "\u00e9t\u00e9"]
FINDER = Phrases(LOOK_FOR)
ASCII_FINDER = Phrases(ASCII)  # takes a shorter way
PLAIN = [*PHRASES, "certain", "know I don't", "tested it", "I think it"]
PLAIN_FINDER = Phrases(PLAIN)  # takes the shortest way: all anchors are plain words


def _by_regular_expressions(text: str, phrases: list[str] = LOOK_FOR) -> Counter[PhraseMatch]:
    found: Counter[PhraseMatch] = Counter()
    for phrase in phrases:
        words = (re.escape(word).replace("'", "['\u2018\u2019]") for word in phrase.split())
        pattern = re.compile(r"(?<!\w)(?=(" + r"\s+".join(words) + r")(?!\w))", re.IGNORECASE)
        found.update(PhraseMatch(phrase, match.start(1), match.end(1)) for match in pattern.finditer(text))
    return found


def _real_text(size: int) -> str:
    """Return documentation and code that people wrote: the standard library's own."""
    folder = Path(sysconfig.get_paths()["stdlib"])
    parts: list[str] = []
    for path in sorted(folder.glob("*.py")) + sorted(folder.glob("*/*.py")):
        parts.append(path.read_text(encoding="utf-8", errors="replace"))
        size -= len(parts[-1])
        if size < 0:
            break
    return "\n".join(parts)


def test_real_text_shows_no_difference() -> None:
    text = _real_text(2_000_000)
    right = _by_regular_expressions(text, list({*LOOK_FOR, *PLAIN}))
    for finder, phrases in ((FINDER, LOOK_FOR), (ASCII_FINDER, ASCII), (PLAIN_FINDER, PLAIN)):
        assert Counter(finder.find(text)) == {hit: count for hit, count in right.items() if hit.phrase in phrases}
    assert len({hit.phrase for hit in right}) > 15


PUNCTUATION = ["_", "-", ".", "'", "\u2019", "\u2018", " ", "  ", "\n", "\t", "\u00a0", "\u2003"]
LETTERS = ["x", "9", "un", "ed", "\u00e9", "\u00c9T\u00c9", "\u0130", "\u0131", "\u017f", "\u212a", "\u01c5", "\u1e9e"]
SCRIPTS = ["\u4e2d\u6587", "\u05d0", "\U0001f600", "\ud800"]
WORDS = ["I", "think", "don\u2019t", "know", "could", "be", "it", "seems", "can't"]
pieces = st.sampled_from([*PHRASES, *(p.upper() for p in PHRASES), *PUNCTUATION, *LETTERS, *SCRIPTS, *WORDS])


@settings(deadline=None, max_examples=400)
@given(st.lists(st.tuples(pieces, st.sampled_from(["", " ", "", "\n"])), max_size=25))
def test_made_up_text_shows_no_difference(parts: list[tuple[str, str]]) -> None:
    text = "".join(piece + gap for piece, gap in parts)
    assert Counter(FINDER.find(text)) == _by_regular_expressions(text)
    assert Counter(ASCII_FINDER.find(text)) == _by_regular_expressions(text, ASCII)
    assert Counter(PLAIN_FINDER.find(text)) == _by_regular_expressions(text, PLAIN)


@settings(deadline=None, max_examples=200)
@given(st.text(max_size=60))
def test_any_text_shows_no_difference(text: str) -> None:
    assert len(fold_case(text)) == len(text)
    assert Counter(FINDER.find(text)) == _by_regular_expressions(text)
    assert Counter(ASCII_FINDER.find(text)) == _by_regular_expressions(text, ASCII)
    assert Counter(PLAIN_FINDER.find(text)) == _by_regular_expressions(text, PLAIN)


@pytest.mark.parametrize("letter", ["\u00e9", "\u212a", "\U0001f600", "\ud800"])
def test_phrases_are_found_where_a_long_text_is_cut(letter: str) -> None:
    phrases = ["I think it", "tested it"]
    finder = Phrases(phrases)
    for shift in range(12):
        for text in (f"{letter}{'.' * (16_372 + shift)}I THIN{k} it. TESTED It" for k in "k\u212a"):
            assert Counter(finder.find(text)) == _by_regular_expressions(text, phrases)
            assert len(finder.find(text)) == len(phrases)


def test_an_empty_phrase_is_refused() -> None:
    with pytest.raises(ValueError, match="empty phrase"):
        Phrases(["maybe", " "])


def test_no_phrases_find_nothing() -> None:
    assert Phrases([]).find("anything") == []


def test_a_text_of_anchors_is_read_in_linear_time() -> None:
    text = "could " * 200_000 + " " * 500_000 + "think"
    assert FINDER.find(text) == []

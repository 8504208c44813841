"""Regular expressions take time that grows with the text, not with its square."""

import re
import subprocess
import sys
import time

import pytest

from howsure.bulk.choose import parse_size
from howsure.cli.jsonc import blank_comments
from tests import slow_patterns
from tests.conftest import ROOT
from tests.slow_patterns import Collected, Text, examine, make_texts


@pytest.mark.parametrize(
    ("pattern", "way", "worst"),
    [
        (r"[ \t]*$", "search", Text("", " ", "!")),
        (r"/\*.*?\*/", "finditer", Text("", "/*x", "")),
        (r"([0-9.]+)\s*B?\s*", "fullmatch", Text("0", " ", "\x00")),
        (r"[ab]+\.md", "finditer", Text("", "a", "")),
    ],
)
def test_texts_are_made_that_take_quadratic_time(pattern: str, way: str, worst: Text) -> None:
    made = list(make_texts(re.compile(pattern)))
    assert any((text.start[:1], text.piece) == (worst.start, worst.piece) for text in made), (way, made)


def test_a_quadratic_pattern_is_found_and_a_linear_one_is_not(monkeypatch: pytest.MonkeyPatch) -> None:
    def measure(_: object, way: str, text: str) -> float:
        return (len(text) / 1e5) ** (2 if way == "search" else 1)

    monkeypatch.setattr(slow_patterns, "measure", measure)
    known = Collected(re.compile("a+b"), "here", {"search"})
    assert examine(known) is not None
    known.ways = {"match"}
    assert examine(known) is None


def test_a_match_that_takes_too_long_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(slow_patterns, "PATIENCE", 0.05)
    began = time.process_time()
    assert slow_patterns.measure(re.compile(r"(?:a|a)+$"), "match", "a" * 100 + "!") == 0.05
    assert time.process_time() > began


def test_unfinished_strings_and_comments_are_left_alone() -> None:
    for text in ('{"a": 1} /* b', '{"a": "b // c', '{"a": "b\\', "/*", "/*/", '"\\" // x'):
        assert blank_comments(text) == text
    assert blank_comments('{"a": 1, /* b */ }') == '{"a": 1          }'
    assert parse_size(" 2 GB\n") == 2_000_000_000


@pytest.mark.soak
def test_no_pattern_takes_quadratic_time() -> None:
    done = subprocess.run([sys.executable, "-m", "tests.slow_patterns"], cwd=ROOT, stdout=subprocess.PIPE, check=False)
    assert done.returncode == 0, done.stdout.decode()

"""Readers and embedders of users' own that are slow, die or are wrong stop nothing."""

import math
import subprocess
import sys
import threading
from collections.abc import Sequence
from typing import Any

import pytest

from howsure.reader import (
    CombinationFit,
    CombinedReader,
    PairProbabilities,
    ReaderError,
    RulesReader,
    TextPair,
    embed_texts,
    load_fit,
    read_pairs,
)
from howsure.reader.conflicts import read_conflicts
from howsure.responses.reading import read_grounding
from howsure.text.grounding.ground import ground
from tests.reader.word_embedder import WordEmbedder

PAIR = TextPair("The cache is on.", "The cache is off.")
CONTEXT = "The gateway listens on port 8443. It was written in 2019."
ANSWER = "The gateway listens on port 8443."


class Sleeper:
    """A reader that does not answer before it is told to."""

    name, version, seconds = "sleeper", "7", 0.05

    def __init__(self) -> None:
        self.wake = threading.Event()
        self.calls = 0

    def read(self, pairs: Sequence[TextPair]) -> list[PairProbabilities]:
        self.calls += 1
        self.wake.wait(60)
        return [PairProbabilities(0.0, 1.0, 0.0, self.name, self.version) for _ in pairs]


def test_a_slow_reader_is_left_alone_until_it_has_finished() -> None:
    reader = Sleeper()
    with pytest.raises(ReaderError, match=r"the reader sleeper did not answer within 0\.05 seconds"):
        read_pairs(reader, [PAIR])
    for _ in range(3):
        with pytest.raises(ReaderError, match="the reader sleeper is still busy with a call that took too long"):
            read_pairs(reader, [PAIR])
    assert reader.calls == 1
    (thread,) = [one for one in threading.enumerate() if one.name == "the reader sleeper"]
    reader.wake.set()
    thread.join(60)
    reader.seconds = 60.0
    assert read_pairs(reader, [PAIR])[0].entailment == 1.0


class Dying:
    """A reader whose model runs in a process of its own, which dies."""

    name, version = "dying", "1"

    def read(self, pairs: Sequence[TextPair]) -> Any:
        subprocess.run([sys.executable, "-c", "import os; os.abort()"], check=True, capture_output=True)


class Leaving(Dying):
    name = "leaving"

    def read(self, pairs: Sequence[TextPair]) -> Any:
        sys.exit(3)


class Late(Dying):
    name = "late"

    def read(self, pairs: Sequence[TextPair]) -> Any:
        raise TimeoutError("no route to the model")


class Nameless(Dying):
    @property
    def name(self) -> str:  # type: ignore[override]
        raise OSError("gone")


class Wrong(Dying):
    name = "wrong"

    def __init__(self, contradiction: float, entailment: float, neutral: float, times: int = 1) -> None:
        self.values, self.times = (contradiction, entailment, neutral), times

    def read(self, pairs: Sequence[TextPair]) -> list[PairProbabilities]:
        return [PairProbabilities(*self.values, self.name, self.version) for _ in pairs] * self.times


BAD: dict[str, tuple[Any, str]] = {
    "slow": (Sleeper, "did not answer within 0.05 seconds"),
    "dying": (Dying, "the reader dying failed: CalledProcessError"),
    "leaving": (Leaving, "the reader leaving failed: SystemExit: 3"),
    "late": (Late, "the reader late failed: TimeoutError: no route to the model"),
    "nameless": (Nameless, "the reader Nameless failed"),
    "NaN": (lambda: Wrong(math.nan, 0.0, 1.0), "not three probabilities with a sum of 1"),
    "sum": (lambda: Wrong(0.5, 0.5, 0.5), "not three probabilities with a sum of 1"),
    "count": (lambda: Wrong(0.0, 0.0, 1.0, times=2), "results for"),
}


@pytest.mark.parametrize("kind", BAD)
def test_grounding_goes_on_by_words_and_says_which_reader_failed(kind: str) -> None:
    make, problem = BAD[kind]
    words = ground(ANSWER, CONTEXT)
    if kind == "nameless":
        with pytest.raises(ReaderError, match=problem):
            read_pairs(make(), [PAIR])
        return
    reader: Any = make()
    found = read_grounding(words, CONTEXT, reader)
    assert (found.support, found.sentences) == (words.support, words.sentences)
    assert found.reader.startswith(f"{words.reader} (without {reader.name}: ")
    assert problem in found.reader


@pytest.mark.parametrize("kind", [kind for kind in BAD if kind != "nameless"])
def test_a_combination_goes_on_with_its_first_reader(kind: str) -> None:
    make, problem = BAD[kind]
    reader: Any = make()
    shipped = load_fit()
    fit = CombinationFit(**{**vars(shipped), "readers": ("rules", reader.name)})
    (result,) = read_pairs(CombinedReader([RulesReader(), reader], fit), [PAIR])
    assert result.reader == "rules"
    assert result.contradiction > 0.5
    assert f"without {reader.name}: " in result.reason
    assert problem in result.reason


def test_conflicts_are_an_error_that_names_the_reader() -> None:
    statements = ["The cache is on by default", "The cache keeps 100 entries by default"]
    with pytest.raises(ReaderError, match="the reader sleeper did not answer"):
        read_conflicts(statements, reader=Sleeper())


def test_an_embedder_has_the_same_limit() -> None:
    class Slow(WordEmbedder):
        seconds = 0.05
        wake = threading.Event()

        def embed(self, texts: Sequence[str]) -> Any:
            self.wake.wait(60)

    try:
        with pytest.raises(ReaderError, match=r"the embedder words-for-tests did not answer within 0\.05 seconds"):
            embed_texts(Slow(), ["a"])
    finally:
        Slow.wake.set()

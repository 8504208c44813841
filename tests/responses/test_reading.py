"""Sentences read with their quotes by a reader, together with the comparison by words."""

from collections.abc import Sequence

import pytest

from howsure.reader import PairProbabilities, RulesReader, TextPair
from howsure.responses.reading import ReadSentenceStream, read_grounding
from howsure.settings import Settings
from howsure.sure import open as open_store
from howsure.text.grounding.ground import ground
from tests.conftest import Clock

CONTEXT = "The gateway listens on port 8443. Idle connections are closed after 90 seconds."
RESPONSE = "The gateway listens on port 8443. After a minute and a half, connections without traffic end."


class FixedReader:
    """Says the same of every pair, and remembers the pairs."""

    name, version = "fixed", "3"

    def __init__(self, entailment: float, contradiction: float) -> None:
        self.chances = entailment, contradiction
        self.pairs: list[TextPair] = []

    def read(self, pairs: Sequence[TextPair]) -> list[PairProbabilities]:
        self.pairs += pairs
        entailment, contradiction = self.chances
        neutral = 1.0 - entailment - contradiction
        found = PairProbabilities(contradiction, entailment, neutral, self.name, self.version, "because")
        return [found for _ in pairs]


class BrokenReader(FixedReader):
    def read(self, pairs: Sequence[TextPair]) -> list[PairProbabilities]:
        raise RuntimeError("out of memory")


def test_a_reader_that_is_sure_supports_what_is_said_in_other_words() -> None:
    words = ground(RESPONSE, CONTEXT)
    reader = FixedReader(0.99, 0.0)
    found = read_grounding(words, CONTEXT * 20, reader)
    assert reader.pairs[0] == TextPair("The gateway listens on port 8443.", "The gateway listens on port 8443.")
    assert found.reader == f"{words.reader} + fixed 3"
    for before, after in zip(words.sentences, found.sentences, strict=True):
        assert after.support is not None
        assert before.support is not None
        assert after.support > min(before.support, 0.99) - 0.01
    assert found.support is not None
    assert words.support is not None
    assert found.support > words.support


def test_a_contradiction_that_the_reader_finds_has_its_reason() -> None:
    found = read_grounding(
        ground("The port of the gateway is the usual one.", CONTEXT), CONTEXT, FixedReader(0.0, 0.98)
    )
    assert found.sentences[0].finding == "contradicted"
    assert "because" in found.sentences[0].reasons


def test_the_rules_alone_add_nothing_and_other_languages_are_not_read() -> None:
    words = ground(RESPONSE, CONTEXT)
    assert read_grounding(words, CONTEXT, RulesReader()) is words
    foreign = ground("Der Port ist nicht die 8443.", CONTEXT)
    reader = FixedReader(0.99, 0.0)
    assert read_grounding(foreign, CONTEXT, reader).sentences[0].finding == "cannot judge"
    assert read_grounding(foreign, CONTEXT, reader).support is None
    assert reader.pairs == []


def test_a_short_context_is_read_as_a_whole_and_a_long_response_by_words() -> None:
    reader = FixedReader(0.99, 0.0)
    read_grounding(ground("The gateway listens on port 8443.", CONTEXT), CONTEXT, reader)
    assert reader.pairs[-1] == TextPair(CONTEXT, "The gateway listens on port 8443.")
    long = ground(" ".join(f"The gateway listens on port {number}." for number in range(100)), CONTEXT)
    assert read_grounding(long, CONTEXT, reader) is long


def test_a_stream_is_read_like_the_whole_response() -> None:
    stream = ReadSentenceStream(CONTEXT, FixedReader(0.99, 0.0))
    streamed = [one for part in (RESPONSE[:20], RESPONSE[20:50], RESPONSE[50:]) for one in stream.add(part)]
    assert len(streamed) == 1  # before the response ends
    streamed += stream.finish()
    assert tuple(streamed) == read_grounding(ground(RESPONSE, CONTEXT), CONTEXT, FixedReader(0.99, 0.0)).sentences


def test_a_reader_that_fails_leaves_the_comparison_by_words() -> None:
    words = ground(RESPONSE, CONTEXT)
    found = read_grounding(words, CONTEXT, BrokenReader(0.5, 0.0))
    assert (found.sentences, found.support) == (words.sentences, words.support)
    assert found.reader.startswith("lexical 1 (without fixed: the reader fixed failed: RuntimeError: out of memory")
    assert ReadSentenceStream(CONTEXT, BrokenReader(0.5, 0.0)).add(f"{RESPONSE} It ends.") == list(words.sentences)


def test_a_long_context_is_read_in_windows_that_fit() -> None:
    context = f"{'The lamp is red. ' * 200}The gateway has one port. It is 8443. It uses TLS. {'word ' * 400}."
    reader = FixedReader(0.9, 0.0)
    read_grounding(ground("The port of the gateway is 8443.", context), context, reader)
    windows = [pair.first for pair in reader.pairs]
    assert "The gateway has one port. It is 8443." in windows[0]
    assert "The lamp is red. The gateway has one port. It is 8443." in windows[-1]
    assert max(map(len, windows)) <= 800


@pytest.mark.parametrize("response", ["", "Is it?"])
def test_nothing_to_read_is_no_error(response: str) -> None:
    assert read_grounding(ground(response, CONTEXT), CONTEXT, FixedReader(1.0, 0.0)).sentences == ()


def test_a_stream_reads_the_first_sentences_of_a_long_chunk() -> None:
    text = " ".join(f"The gateway listens on port {number}." for number in range(100))
    reader = FixedReader(0.99, 0.0)
    stream = ReadSentenceStream(CONTEXT, reader)
    assert len([*stream.add(text), *stream.finish()]) == 100
    assert len({pair.second for pair in reader.pairs}) == 64


def test_gate_reads_with_the_installed_reader_if_the_setting_says_so(
    address: str, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = FixedReader(0.99, 0.0)
    monkeypatch.setattr("howsure.responses.reading.default_reader", lambda: reader)
    text = "Connections without traffic end after a minute and a half."
    with open_store(address, clock=clock) as sure:
        words = sure.responses.check(text, agent="a", context=CONTEXT)
    assert not reader.pairs
    settings = Settings({}, (("howsure.toml", {"gate.reader": "installed"}),))
    with open_store(address, clock=clock, settings=settings) as sure:
        read = sure.responses.check(text, agent="a", context=CONTEXT)
        kept = sure.ledger.get(read.id)
    assert reader.pairs
    assert read.composite > words.composite
    why = next(factor.why for factor in read.factors if factor.name == "grounding")
    assert why.endswith("(by lexical 1 + fixed 3)")
    assert kept.score == read.composite


def test_gate_goes_on_by_words_if_the_reader_fails(address: str, clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("howsure.responses.reading.default_reader", lambda: BrokenReader(0.5, 0.0))
    settings = Settings({}, (("howsure.toml", {"gate.reader": "installed"}),))
    with open_store(address, clock=clock, settings=settings) as sure:
        found = sure.responses.check("The gateway listens on port 9443.", agent="a", context=CONTEXT)
    assert found.decision == "block"
    assert "without fixed" in next(factor.why for factor in found.factors if factor.name == "grounding")

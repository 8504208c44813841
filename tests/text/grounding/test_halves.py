"""Causes and comparisons that are turned around have the same words, and are not supported."""

import pytest

from howsure.text.grounding.ground import ground
from howsure.text.grounding.halves import find_exchanged_halves
from howsure.text.passages import Passage, read_passage, split_passages

TURNED = [
    (
        "The sync slows down because the battery is low.",
        "The battery is low because the sync slows down.",
    ),
    (
        "The outage was caused by a leaked certificate.",
        "The outage caused the certificate leak.",
    ),
    (
        "Writes are rejected when the queue is full.",
        "The queue is full because writes are rejected.",
    ),
    (
        "Refunds were paid due to the outage.",
        "The outage was due to the refunds.",
    ),
    (
        "Latency is lower in Oslo than in Rome.",
        "Latency is lower in Rome than in Oslo.",
    ),
    (
        "Rust is faster than Python, while Python is easier than Rust.",
        "Rust is easier than Python.",
    ),
    (
        "Demand fell because prices rose.",
        "Prices rose because demand fell.",
    ),
    (
        "Liability of the premium plan is higher than that of the basic plan.",
        "Liability of the basic plan is higher than that of the premium plan.",
    ),
    (
        "The increase was due to defaults among commercial borrowers.",
        "The increase led to defaults among commercial borrowers.",
    ),
]
SAME = [
    (
        "The sync slows down because the battery is low.",
        "Because the battery is low, the sync slows down.",
    ),
    (
        "The sync slows down because the battery is low.",
        "A low battery leads to slower sync.",
    ),
    (
        "The low battery caused the sync to slow down.",
        "The sync slowed down because of a low battery.",
    ),
    (
        "The outage was caused by a leaked certificate.",
        "A leaked certificate caused the outage.",
    ),
    (
        "A leaked certificate caused the outage.",
        "The outage was caused by a leaked certificate.",
    ),
    (
        "A leaked certificate caused the outage.",
        "The outage happened because a certificate leaked.",
    ),
    (
        "The outage led to refunds.",
        "Refunds were paid due to the outage.",
    ),
    (
        "When the queue is full, writes are rejected.",
        "Writes are rejected because the queue is full.",
    ),
    (
        "Writes are rejected when the queue is full.",
        "Because the queue is full, writes are rejected.",
    ),
    (
        "The queue is full because writes are slow, and writes are slow because the disk is busy.",
        "Writes are slow because the disk is busy.",
    ),
    (
        "Prices rise because costs rise, and costs rise because wages rise.",
        "Costs rise because wages rise.",
    ),
    (
        "Demand fell because prices rose. Prices rose because demand had been high.",
        "Prices rose because demand had been high.",
    ),
    (
        "After the update, the server crashed because memory ran out.",
        "The server crashed after the update because memory ran out.",
    ),
    (
        "The server crashed after memory ran out.",
        "Memory ran out, so the server crashed.",
    ),
    (
        "The company cut costs because sales fell, since demand was weak.",
        "Sales fell because demand was weak.",
    ),
    (
        "Sales fell since 2019.",
        "Since 2019, sales fell.",
    ),
    (
        "The index is rebuilt if a shard fails.",
        "If a shard fails, the index is rebuilt.",
    ),
    (
        "A shard failed after the index was rebuilt. The index was rebuilt because the data set doubled.",
        "The index was rebuilt because the data set doubled.",
    ),
    (
        "Flights were cancelled due to the storm, which was caused by a cold front.",
        "The storm was due to a cold front.",
    ),
    (
        "The pump failed because the valve was stuck.",
        "Due to the stuck valve the pump failed.",
    ),
    (
        "Once the token expires, the session ends.",
        "The session ends because the token expires.",
    ),
    (
        "The cache is flushed because stale entries led to errors.",
        "Stale entries led to errors.",
    ),
    (
        "Errors rose because of stale entries, as the cache was not flushed.",
        "The stale entries were there because the cache was not flushed.",
    ),
    (
        "A is faster than B. B is cheaper than A.",
        "B is cheaper than A.",
    ),
    (
        "A is faster than B and B is faster than C.",
        "A is faster than B.",
    ),
    (
        "Option B costs more than option A, but less than option C.",
        "Option C costs more than option B.",
    ),
    (
        "Latency is lower in Oslo than in Rome.",
        "Latency is higher in Rome than in Oslo.",
    ),
    (
        "Latency is lower in Oslo than in Rome.",
        "In Oslo, latency is lower than in Rome.",
    ),
    (
        "The premium cap is higher than the basic cap.",
        "The cap of the premium plan is higher than that of the basic plan.",
    ),
    (
        "In May sales were higher than in June, and in July they were higher than in May.",
        "In July sales were higher than in May.",
    ),
    (
        "Requests longer than 5 MB take more time than short ones.",
        "Requests longer than 5 MB take more time.",
    ),
    (
        "More patients on Dormivene than on placebo reported drowsiness.",
        "Drowsiness was reported by more patients on Dormivene than on placebo.",
    ),
    (
        "Dormivene works better than placebo.",
        "Compared with placebo, Dormivene works better.",
    ),
    (
        "Rust is faster than Python, while Python is easier than Rust.",
        "Python is easier than Rust.",
    ),
    (
        "Rust is faster than Python, while Python is slower than Go.",
        "Go is faster than Python.",
    ),
]


def read(text: str) -> list[Passage]:
    return [read_passage(text, start, end) for start, end in split_passages(text)]


@pytest.mark.parametrize(("context", "sentence"), TURNED)
def test_turned_causes_and_comparisons_are_not_supported(context: str, sentence: str) -> None:
    (found,) = ground(sentence, context).sentences
    assert found.finding == "contradicted", found
    assert find_exchanged_halves(read(sentence)[0], read(context))


@pytest.mark.parametrize(("context", "sentence"), SAME)
def test_other_wordings_of_a_cause_or_comparison_are_found_equal(context: str, sentence: str) -> None:
    assert not find_exchanged_halves(read(sentence)[0], read(context))


def test_only_short_sentences_are_split() -> None:
    text = f"The pump stopped because {'the valve was stuck and ' * 20}the tank was empty."
    turned = f"The valve was stuck because the pump stopped{' and the pump stopped' * 20}."
    assert not find_exchanged_halves(read(turned)[0], read(text))


@pytest.mark.parametrize("piece", ["because ", "more than ", "a, ", "after a, ", "since the "])
def test_long_texts_are_read(piece: str) -> None:
    text = piece * 20_000
    assert ground(text[:5000], text) is not None

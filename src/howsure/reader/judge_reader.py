"""Read pairs by asking a language model."""

from collections.abc import Iterator, Sequence
from typing import Any

from howsure.judge import Answer, Judge
from howsure.judge.consult import consult, name_of
from howsure.judge.prompts import grouped
from howsure.judge.prompts import pairs as question_about
from howsure.reader.pair import PairProbabilities, TextPair

BATCH = 20
"""Pairs in one question. More of them and models begin to mix up the numbers."""
MAX_CHARACTERS = 4_000
"""Characters of each text that are sent."""
VERSION = "1"
"""Version of the question."""


class JudgeReader:
    """Reads pairs by asking a judge about several at once.

    Wrap the judge in `CachedJudge` to ask about the same pairs once, and call within a `Budget` to limit what is spent.
    Pairs about which there is no answer are neutral, and their reason says what happened.
    """

    seconds: float | None = None
    """No time limit here: the judge has its own, for each question."""

    def __init__(self, judge: Judge, *, batch: int = BATCH) -> None:
        """Set the judge and how many pairs to put into one question."""
        self._judge, self._batch = judge, max(batch, 1)

    @property
    def name(self) -> str:
        """The name of the model that is asked."""
        return f"judge {name_of(self._judge)}"

    @property
    def version(self) -> str:
        """The version of the question."""
        return VERSION

    def read(self, pairs: Sequence[TextPair]) -> list[PairProbabilities]:
        """Return one result for each pair."""
        cut = [TextPair(first[:MAX_CHARACTERS], second[:MAX_CHARACTERS]) for first, second in pairs]
        # A group fits into one question: long texts make groups of fewer pairs.
        groups = grouped([pair._asdict() for pair in cut])
        batches = [
            group[start : start + self._batch] for group in groups for start in range(0, len(group), self._batch)
        ]
        results = {
            place: result
            for batch in batches
            for place, result in zip(batch, self._ask([cut[place] for place in batch]), strict=True)
        }
        unread = PairProbabilities.unknown(self.name, self.version, "the texts are too long for one question")
        return [results.get(place, unread) for place in range(len(pairs))]

    def _ask(self, pairs: Sequence[TextPair]) -> Iterator[PairProbabilities]:
        answer = consult(self._judge, question_about(pairs))
        judged = _by_number(answer.value) if isinstance(answer, Answer) else {}
        problem = "the model left this pair out" if isinstance(answer, Answer) else f"could not ask: {answer}"
        for number in range(1, len(pairs) + 1):
            values = judged.get(number)
            if values is None:
                yield PairProbabilities.unknown(self.name, self.version, problem)
            else:
                contradiction, entailment, reason = values
                neutral = 1 - contradiction - entailment
                yield PairProbabilities(contradiction, entailment, neutral, self.name, self.version, reason)


def _by_number(value: Any) -> dict[int, tuple[float, float, str]]:
    """Return what was answered by the number of the pair; probabilities above a sum of 1 are scaled down."""
    results = {}
    for one in value["pairs"]:
        contradiction, entailment = float(one["contradiction"]), float(one["entailment"])
        total = max(contradiction + entailment, 1.0)
        results[int(one["number"])] = contradiction / total, entailment / total, str(one["reason"])
    return results

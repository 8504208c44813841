"""Combine readers: no one of them is best on every kind of text."""

from collections.abc import Sequence

from howsure.errors import InputError, MissingExtraError
from howsure.reader.combination_fit import CombinationFit, load_fit
from howsure.reader.guarded_call import ReaderError
from howsure.reader.pair import PairProbabilities, Reader, TextPair, read_pairs


class CombinedReader:
    """Combines readers by learned weights.

    The first reader is the one to fall back to: if another one fails, its results are returned, and their reason says
    why. If the first one fails, that is an error. What the first one cannot judge, such as another language, is not
    judged.
    """

    seconds: float | None = None
    """No time limit: each of its readers has one."""

    def __init__(self, readers: Sequence[Reader], fit: CombinationFit | None = None) -> None:
        """Set the readers and the fit that was learned for them; default: the fit that howsure comes with.

        Raises:
            InputError: if the fit was learned for other readers.
        """
        self._readers = list(readers)
        self._fit = fit or load_fit()
        names = [reader.name for reader in self._readers]
        if tuple(names) != self._fit.readers:
            raise InputError(
                f"the weights were learned for {', '.join(self._fit.readers)}, not for {', '.join(names)}",
                field="fit",
                hint="learn them for these readers: learn_combination",
            )

    @property
    def name(self) -> str:
        """The names of all readers."""
        return "+".join(self._fit.readers)

    @property
    def version(self) -> str:
        """The version of the fit."""
        return self._fit.version

    def read(self, pairs: Sequence[TextPair]) -> list[PairProbabilities]:
        """Return one result for each pair."""
        columns = [read_pairs(self._readers[0], pairs)]
        for reader in self._readers[1:]:
            try:
                columns.append(read_pairs(reader, pairs))
            except (ReaderError, MissingExtraError) as error:
                return [_alone(result, f"without {reader.name}: {error}") for result in columns[0]]
        return [self._combine(pair, results) for pair, *results in zip(pairs, *columns, strict=True)]

    def _combine(self, pair: TextPair, results: Sequence[PairProbabilities]) -> PairProbabilities:
        if results[0].reason and results[0].neutral == 1:  # another language, for example
            return results[0]
        contradiction, entailment, neutral = self._fit.combine(pair, results)
        reason = next((result.reason for result in results if result.reason), "")
        return PairProbabilities(contradiction, entailment, neutral, self.name, self.version, reason)


def _alone(result: PairProbabilities, problem: str) -> PairProbabilities:
    reason = f"{result.reason}; {problem}" if result.reason else problem
    return PairProbabilities(
        result.contradiction, result.entailment, result.neutral, result.reader, result.version, reason
    )

"""Read pairs of texts by the rules for English contradictions and by the words that two texts share."""

from collections.abc import Sequence

from howsure.reader.pair import PairProbabilities, TextPair
from howsure.text.contradictions import VERSION, read_pair


class RulesReader:
    """Reads pairs by rules. It needs no weights and gives the words that clash as the reason."""

    name = "rules"
    version = VERSION
    seconds: float | None = None
    """No time limit: the rules read at most 20,000 characters."""

    def read(self, pairs: Sequence[TextPair]) -> list[PairProbabilities]:
        """Return one result for each pair.

        >>> pair = TextPair("The function returns nil on error", "The function never returns nil")
        >>> result = RulesReader().read([pair])[0]
        >>> result.contradiction > 0.8, result.reader
        (True, 'rules')
        """
        return [self._read(pair) for pair in pairs]

    def _read(self, pair: TextPair) -> PairProbabilities:
        found = read_pair(*pair)
        return PairProbabilities(
            contradiction=found.contradiction,
            entailment=found.entailment,
            neutral=found.neutral,
            reader=self.name,
            version=self.version,
            reason=found.reason,
        )

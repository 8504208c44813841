"""Read pairs of texts by the rules for English contradictions and by the words that two texts share."""

from collections.abc import Sequence

from howsure.reader.pair import PairProbabilities, TextPair
from howsure.text.contradictions import find_conflicts
from howsure.text.stems import content_words, search_words

VERSION = "1"


class RulesReader:
    """Reads pairs by rules. It needs no weights and gives the words that clash as the reason."""

    name = "rules"
    version = VERSION

    def read(self, pairs: Sequence[TextPair]) -> list[PairProbabilities]:
        """Return one result for each pair.

        >>> pair = TextPair("The function returns nil on error", "The function never returns nil")
        >>> result = RulesReader().read([pair])[0]
        >>> result.contradiction > 0.8, result.reader
        (True, 'rules')
        """
        return [self._read(pair) for pair in pairs]

    def _read(self, pair: TextPair) -> PairProbabilities:
        worst = max(find_conflicts(pair), key=lambda conflict: conflict.severity, default=None)
        contradiction = worst.severity if worst else 0.0
        entailment = (1 - contradiction) * _share(pair)
        return PairProbabilities(
            contradiction=contradiction,
            entailment=entailment,
            neutral=1 - contradiction - entailment,
            reader=self.name,
            version=self.version,
            reason=worst.reason if worst else "",
        )


def _share(pair: TextPair) -> float:
    """Return the share of the second text's words that the first has too."""
    first, second = (set(content_words(search_words(text))) for text in pair)
    return len(first & second) / len(second) if second else 0.0

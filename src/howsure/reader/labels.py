"""Find out which output of a cross-encoder means entailment, neutral and contradiction."""

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from howsure.reader.guarded_call import ReaderError

_MEANINGS = {
    "contradiction": ("contra", "refut", "conflict"),
    "neutral": ("neutral", "not_enough", "unknown", "irrelevant"),
    "entailment": ("entail", "support", "consistent", "factual", "grounded", "yes"),
}
_NOT = ("not", "un", "in", "non", "no")
"""Beginnings that turn the meaning of a label, as in "not_entailment"."""
_NLI = 3


class LabelOrder(NamedTuple):
    """The places of the outputs; None if a model has no output of that meaning."""

    entailment: int
    neutral: int | None
    contradiction: int | None
    outputs: int

    def probabilities(self, logits: Sequence[float]) -> tuple[float, float, float]:
        """Return the probabilities of entailment, neutral and contradiction.

        A model with one output gives the logit of entailment. What a model cannot tell apart counts as neutral.

        Raises:
            ReaderError: if the number of outputs is not that of the labels, or one of them is not a finite number.
        """
        if len(logits) != self.outputs:
            raise ReaderError(f"the model has {len(logits)} outputs, but its labels say {self.outputs}")
        if not all(math.isfinite(logit) for logit in logits):
            raise ReaderError("the model returned a number that is not finite", hint="its weights may be damaged")
        if self.outputs == 1:
            entailment = 1 / (1 + math.exp(-max(min(logits[0], 700.0), -700.0)))
            return entailment, 1 - entailment, 0.0
        powers = [math.exp(logit - max(logits)) for logit in logits]
        shares = [power / sum(powers) for power in powers]
        contradiction = shares[self.contradiction] if self.contradiction is not None else 0.0
        return shares[self.entailment], max(1 - shares[self.entailment] - contradiction, 0.0), contradiction


def order_of(labels: Sequence[str]) -> LabelOrder:
    """Return the order of a model's labels.

    >>> order_of(["CONTRADICTION", "ENTAILMENT", "NEUTRAL"])
    LabelOrder(entailment=1, neutral=2, contradiction=0, outputs=3)
    >>> order_of(["not_entailment", "entailment"]).entailment
    1

    Raises:
        ReaderError: if the labels do not say what the outputs mean.
    """
    if len(labels) == 1:
        return LabelOrder(0, None, None, 1)
    meanings = [_meaning(label) for label in labels]
    places = {meaning: meanings.index(meaning) for meaning in set(meanings)}
    if len(labels) == 2 and "entailment" not in places:  # noqa: PLR2004
        # MiniCheck and its like do not name their labels: 1 is "supported".
        return LabelOrder(1, None, None, 2)
    if "entailment" not in places or (len(labels) >= _NLI and "contradiction" not in places):
        raise ReaderError(
            f"the labels {', '.join(labels)} do not say which output means entailment and which contradiction",
            hint='pass them in the order of the outputs: labels=["entailment", "neutral", "contradiction"]',
        )
    return LabelOrder(places["entailment"], places.get("neutral"), places.get("contradiction"), len(labels))


def labels_in(config: Mapping[str, object]) -> list[str]:
    """Return the labels that a model's configuration names, in the order of the outputs."""
    named = config.get("id2label")
    if isinstance(named, Mapping) and named:
        return [str(named[key]) for key in sorted(named, key=lambda key: int(str(key)))]
    count = config.get("num_labels")
    return [f"LABEL_{number}" for number in range(count if isinstance(count, int) else 1)]


def _meaning(label: str) -> str:
    text = label.casefold()
    for meaning, beginnings in _MEANINGS.items():
        for beginning in beginnings:
            place = text.find(beginning)
            if place >= 0:
                turned = text[:place].rstrip("-_ ").endswith(_NOT) and meaning == "entailment"
                return "neutral" if turned else meaning
    return ""

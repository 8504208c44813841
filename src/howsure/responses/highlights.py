"""Keep what grounding found about each sentence with a decision, so that it can be shown later."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, get_args

from howsure.text.grounding.result import Finding, GroundedSentence

MOST_SENTENCES = 50
"""Sentences of a decision whose findings are stored."""
_LONGEST_TEXT, _LONGEST_QUOTE, _LONGEST_REASON = 300, 160, 120
_MOST_REASONS = 2
# A line of a private key, of which a quote has too little to be recognized as a secret.
_KEY = re.compile(r"[A-Za-z0-9+/=_-]{40}")
_FINDINGS = get_args(Finding)


@dataclass(frozen=True)
class HighlightedSentence:
    """A sentence of a recorded response, and what its context said about it."""

    finding: Finding
    """supported, contradicted, not found or cannot judge."""
    support: float | None
    """Probability that the context supports it; null if that could not be judged."""
    text: str = ""
    """The sentence, cut at 300 characters; empty if the settings do not keep that part of the response."""
    quote: str = ""
    """The start of the passage that says most about it; empty if there is none or the sentence is not kept."""
    reasons: tuple[str, ...] = ()
    """Differences from the context, in words."""


def pack_sentences(
    sentences: Sequence[GroundedSentence], content: str | None, redact: Callable[[str], str]
) -> list[dict[str, Any]]:
    """Return what to store of the first 50 sentences: short lists of what is known about each.

    Args:
        sentences: The sentences as they were compared.
        content: As much of the response as is kept. Words of a sentence, and what was quoted for it, are stored only if
            it is part of that.
        redact: Removes secrets from a text.
    """
    packed = []
    for one in sentences[:MOST_SENTENCES]:
        stored: dict[str, Any] = {"finding": one.finding}
        if one.support is not None:
            stored["support"] = round(one.support, 4)
        if content is not None and one.text in content:
            stored["text"] = one.text[:_LONGEST_TEXT]
            if one.quote is not None and not _KEY.search(one.quote.text):
                stored["quote"] = " ".join(redact(one.quote.text).split())[:_LONGEST_QUOTE]
            if one.reasons:
                stored["reasons"] = [redact(reason)[:_LONGEST_REASON] for reason in one.reasons[:_MOST_REASONS]]
        packed.append(stored)
    return packed


def read_highlights(answer: Mapping[str, Any]) -> tuple[HighlightedSentence, ...]:
    """Return the sentences that a stored answer holds; what has another shape, as an import may, is left out.

    >>> read_highlights({"sentences": [{"finding": "supported", "support": 0.9, "text": "It is so."}, {"finding": 5}]})
    (HighlightedSentence(finding='supported', support=0.9, text='It is so.', quote='', reasons=()),)
    """
    stored = answer.get("sentences")
    if not isinstance(stored, list):
        return ()
    return tuple(_read(one) for one in stored[:MOST_SENTENCES] if isinstance(one, dict) and _is_finding(one))


def _is_finding(one: Mapping[str, Any]) -> bool:
    support = one.get("support")
    is_number = isinstance(support, int | float) and 0 <= support <= 1
    return one.get("finding") in _FINDINGS and (support is None or is_number)


def _read(one: Mapping[str, Any]) -> HighlightedSentence:
    reasons = one.get("reasons")
    words = [reason for reason in reasons if isinstance(reason, str)] if isinstance(reasons, list) else []
    text, quote = (value if isinstance(value, str) else "" for value in (one.get("text"), one.get("quote")))
    return HighlightedSentence(one["finding"], one.get("support"), text, quote, tuple(words[:_MOST_REASONS]))

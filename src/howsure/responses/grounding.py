"""How much of a response is found in the texts that it should rest on, by its words alone."""

import math
import re
from collections.abc import Sequence

_TOKEN = re.compile(r"\d+(?:[.,:]\d+)*|[^\W\d_]+(?:['\u2019-][^\W\d_]+)*")
_COMMON_WORDS = """
a an the is are was were be been being am do does did has have had can could will would shall should may might must of
to in on at by for with from as into over under about after before between and or but nor so yet if then than that this
these those it its he she they them his her their we you i my our your who which what when where how why not no yes
also there here very more most some any all each both such only own same just
"""
_COMMON = frozenset(_COMMON_WORDS.split())


def measure_grounding(text: str, context: Sequence[str]) -> tuple[float, str] | None:
    """Return how much of a response is found in texts, with words for it; None if it says nothing to look for.

    The share of its numbers, names and content words that occur in the texts; numbers and names count three times. A
    smooth ramp around one half makes a score of it: an answer in other words still shares many of them.
    """
    found = {_stem(word) for one in context for word in _TOKEN.findall(one)}
    if not found:
        return None
    total = missing = 0.0
    absent: list[str] = []
    for place, word in enumerate(_TOKEN.findall(text)):
        if word.lower() in _COMMON:
            continue
        weight = 3.0 if word[0].isdigit() or (place and word[0].isupper()) else 1.0
        total += weight
        if _stem(word) not in found:
            missing += weight
            absent.append(word)
    if not total:
        return None
    share = 1.0 - missing / total
    words = f"{share:.0%} of its numbers, names and words are in the context"
    some = ", ".join(dict.fromkeys(absent))[:80]
    return 1.0 / (1.0 + math.exp((0.5 - share) / 0.1)), f"{words}; missing: {some}" if absent else words


def _stem(word: str) -> str:
    word = word.lower().replace("\u2019", "'").removesuffix("'s")
    for ending in ("ies", "ing", "ed", "es", "s"):
        if word.endswith(ending) and len(word) > len(ending) + 2:
            return word.removesuffix(ending).rstrip("e")
    return word.rstrip("e") if len(word) > 3 else word  # noqa: PLR2004 - "use" and "used" are one, "the" stays

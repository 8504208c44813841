"""Labelled pairs of sentences, generated from templates: half of them clash, half are hard negatives.

There are two splits with templates of their own: `seen` may be used to develop the detector, `unseen` only to evaluate
it. The same seed gives the same pairs.
"""

import random
from collections.abc import Iterator
from functools import cache
from typing import Any, NamedTuple

from tests.text import pairs_seen, pairs_unseen
from tests.text.pairs_seen import Domain, Slots

SPLITS = {"seen": pairs_seen.DOMAINS, "unseen": pairs_unseen.DOMAINS}
MONTHS = ["January", "February", "March", "April", "June", "August", "October", "November"]
ATTEMPTS = 40
"""Attempts to fill a template with a new pair before it is dropped."""


class Pair(NamedTuple):
    """Two sentences and their label."""

    first: str
    second: str
    kind: str
    """The kind of conflict, or "none"."""
    label: str
    """The linguistic phenomenon, like "antonym"."""
    domain: str


class Template(NamedTuple):
    """Two sentences with slots."""

    label: str
    kind: str
    first: str
    second: str


@cache
def pairs(split: str, count: int = 2400, seed: int = 7) -> tuple[Pair, ...]:
    """Return `count` pairs, half of them with a conflict."""
    dice = random.Random(seed)
    clashing = _pairs(split, dice, count // 2, clash=True)
    return (*clashing, *_pairs(split, dice, count - len(clashing), clash=False))


def _pairs(split: str, dice: random.Random, count: int, *, clash: bool) -> list[Pair]:
    """Fill the templates in turn until there are enough pairs."""
    left = [(domain, t) for domain in SPLITS[split] for t in templates(domain) if (t.kind != "none") == clash]
    found: dict[frozenset[str], Pair] = {}
    while left and len(found) < count:
        for domain, template in list(left):
            fresh = next((pair for pair in _attempts(dice, domain, template) if _key(pair) not in found), None)
            if fresh is None:
                left.remove((domain, template))
            elif len(found) < count:
                found[_key(fresh)] = fresh
    return list(found.values())


def templates(domain: Domain) -> Iterator[Template]:
    """Yield the templates of a domain: pairs of sentences under a line with their label and kind."""
    label = kind = ""
    for line in domain.templates.strip().splitlines():
        first, bar, second = line.strip().partition(" | ")
        if bar:
            yield Template(label, kind, first, second)
        else:
            label, kind = first.split(": ")


def _key(pair: Pair) -> frozenset[str]:
    return frozenset((pair.first, pair.second))


def _attempts(dice: random.Random, domain: Domain, template: Template) -> Iterator[Pair]:
    label, kind, first, second = template
    for _ in range(ATTEMPTS):
        values = _draw(dice, domain.slots)
        sentences = [_sentence(text.format(**values)) for text in (first, second)]
        dice.shuffle(sentences)
        yield Pair(sentences[0], sentences[1], kind, label, domain.name)


def _sentence(text: str) -> str:
    return text[0].upper() + text[1:]


def _draw(dice: random.Random, slots: Slots) -> dict[str, Any]:
    """Draw two different values for each slot, and numbers and dates for all templates."""
    values: dict[str, Any] = {}
    for name, choices in slots.items():
        values[name], values["b" if name == "a" else f"{name}2"] = dice.sample(choices, 2)
    return {**values, **_numbers(dice), **_dates(dice)}


def _numbers(dice: random.Random) -> dict[str, Any]:
    n = dice.randint(3, 40)
    tenths, hundredths = dice.randint(30, 99), dice.choice([1, 2, 3, 4, 6, 7, 8, 9])
    return {
        "n": n,
        "m": 2 * n + dice.randint(1, 50),
        "n_plus_2": n + 2,
        "n_times_10": n * 10,
        "n_times_10_plus_1": n * 10 + 1,
        "n_times_60": n * 60,
        "n_times_1000": n * 1000,
        "x": f"{tenths / 10:.1f}{hundredths}",
        "x_rounded": f"{tenths / 10 + (0.1 if hundredths > 5 else 0):.1f}",
    }


def _dates(dice: random.Random) -> dict[str, Any]:
    year = dice.randint(1950, 2010)
    month, month2 = dice.sample(MONTHS, 2)
    day, day2 = dice.sample(range(10, 29), 2)
    earlier, later = year - dice.randint(20, 40), year + dice.randint(1, 14)
    return {
        "year": year,
        "earlier": earlier,
        "later": later,
        "month": month,
        "month2": month2,
        "day": day,
        "day2": day2,
    }

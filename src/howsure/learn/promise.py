"""Promises: "at most 5 % of what passes is wrong, with 95 % confidence", made from outcomes.

A promise is made by fixed-sequence testing (Learn then Test): thresholds are tried from high to low, in an order that
depends on the scores alone. Each is tested by an exact binomial test, and the last one before the first failure is
taken. The first threshold must keep enough outcomes to be able to pass, and at least 30 % of all.

As outcomes arrive afterwards, `Watch` tests the promise again, at any time and as often as one likes.
"""

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

from howsure.errors import InputError
from howsure.shapes import Amount, Count, Within, decode_as
from howsure.shapes.types import json_property

CONFIDENCE = 0.95
"""How sure a promise is by default."""
SPENT = 0.6
"""Share of the allowed failures that the test uses. The rest is for what the test does not know: thresholds that depend
on the scores of the sample, and the finite number of things that the promise will be about. On populations with 4.5 to
7 % wrong, made to be hard, the whole 5 % gave broken promises in up to 6 % of draws, 60 % of it in up to 4 % (9 % with
either on one set with under 200 rows)."""
FIRST_SHARE = 0.3
"""Share of the outcomes that the first threshold keeps."""
RATES = (1.25, 1.5, 2.0, 3.0, 5.0)
"""Rates of wrong outcomes that a watch looks for, in multiples of the promised one."""
MOST_STARTS = 30
"""Moments from which a watch looks for a change: after 0, 1, 3, 7, 15 ... outcomes."""

_LOOKED_AT = 50
"""Thresholds that are looked at to say how many outcomes are missing."""

Share = Annotated[float, Within(1e-6, 0.999999)]
"""A share that is neither nothing nor everything."""


@dataclass(frozen=True)
class ScoreLevel:
    """Outcomes of one score."""

    score: float
    outcomes: Count
    wrong: Count


@dataclass(frozen=True)
class Promise:
    """What can be promised about everything that scores at least a threshold."""

    risk: float
    """At most this share of what passes is wrong."""
    confidence: float
    """How sure that is."""
    threshold: float | None
    """The lowest score that passes; null if nothing can be promised yet."""
    kept: int
    """Outcomes at or above the threshold; without one, at or above the threshold that lacks fewest outcomes."""
    wrong: int
    """How many of them were wrong."""
    outcomes: int
    """All outcomes that it was made from."""
    missing: int
    """How many more outcomes are needed at least, if none of the kept ones among them is wrong; 0 if it holds."""
    highest: float | None = None
    """The highest score that passes: higher ones are unlike those that it was made from. None if all higher ones do."""

    @json_property
    def reason(self) -> str:
        """What is promised, or why nothing can be promised yet."""
        if self.threshold is not None:
            return (
                f"at most {self.risk:.3g} of what scores {self.threshold:.4g} or more is wrong, with "
                f"{self.confidence:.3g} confidence: {self.wrong:,} of {self.kept:,} were"
            )
        return (
            f"nothing can be promised at a risk of {self.risk:.3g}: {self.wrong:,} of the best {self.kept:,} outcomes "
            f"were wrong; at least {self.missing:,} more outcomes are needed"
        )

    def passes(self, score: float) -> bool:
        """Return whether a score reaches the threshold, and is not unlike those that the promise was made from."""
        too_high = self.highest is not None and score > self.highest
        return self.threshold is not None and score >= self.threshold and not too_high


def binomial_tail(wrong: int, count: int, risk: float) -> float:
    """Return the chance of at most `wrong` among `count` if each is wrong with the given chance.

    >>> round(binomial_tail(0, 59, 0.05), 4), binomial_tail(3, 3, 0.5)
    (0.0485, 1.0)
    """
    if wrong >= count:
        return 1.0
    log = math.lgamma(count + 1) - math.lgamma(wrong + 1) - math.lgamma(count - wrong + 1)
    term = math.exp(log + wrong * math.log(risk) + (count - wrong) * math.log1p(-risk))
    odds = (1.0 - risk) / risk
    if wrong > (count + 1) * risk:  # the long tail is below: sum the short one above
        total, term = 0.0, term * (count - wrong) / (wrong + 1) / odds
        place = wrong + 1
        while term > total * 1e-17 and place <= count:
            total += term
            term *= (count - place) / (place + 1) / odds
            place += 1
        return 1.0 - total
    total, place = 0.0, wrong
    while term > total * 1e-17 and place >= 0:
        total += term
        term *= place / (count - place + 1) * odds
        place -= 1
    return min(total, 1.0)


def fewest_outcomes(wrong: int, risk: float, failure: float) -> int:
    """Return how many outcomes are needed for a promise if so many of them are wrong.

    >>> fewest_outcomes(0, 0.05, 0.05), fewest_outcomes(1, 0.05, 0.05)
    (59, 93)
    """
    low, high = wrong, 2 * wrong + 2
    while binomial_tail(wrong, high, risk) > failure:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if binomial_tail(wrong, middle, risk) > failure:
            low = middle
        else:
            high = middle
    return high


def make_promise(levels: Sequence[ScoreLevel], risk: float, confidence: float = CONFIDENCE) -> Promise:
    """Return the promise with the lowest threshold that the outcomes support.

    Args:
        levels: Outcomes by score, in any order.
        risk: At most this share of what passes may be wrong.
        confidence: How sure that has to be.

    Raises:
        InputError: if risk or confidence are not between 0 and 1.

    >>> make_promise([ScoreLevel(0.9, 100, 0), ScoreLevel(0.5, 100, 40)], 0.05).threshold
    0.9
    >>> make_promise([ScoreLevel(0.9, 20, 0)], 0.05).missing
    49
    """
    risk, confidence = decode_as(Share, risk, "promise"), decode_as(Share, confidence, "confidence")
    failure = SPENT * (1.0 - confidence)
    total = sum(level.outcomes for level in levels)
    fewest = max(fewest_outcomes(0, risk, failure), math.ceil(FIRST_SHARE * total))
    kept = wrong = 0
    promised: Promise | None = None
    tried: list[tuple[int, int]] = []
    for level in sorted(levels, key=lambda level: -level.score):
        kept, wrong = kept + level.outcomes, wrong + level.wrong
        if kept >= FIRST_SHARE * total:
            tried.append((kept, wrong))
        if kept < fewest:
            continue
        if binomial_tail(wrong, kept, risk) > failure:
            break
        promised = Promise(risk, confidence, level.score, kept, wrong, total, 0)
    return promised or _no_promise(tried or [(0, 0)], total, risk, confidence)


def _no_promise(tried: Sequence[tuple[int, int]], total: int, risk: float, confidence: float) -> Promise:
    """Return that nothing can be promised, and how many outcomes are missing at the threshold that lacks fewest."""
    failure = SPENT * (1.0 - confidence)
    some = tried[:: max(len(tried) // _LOOKED_AT, 1)]
    missing = []
    for kept, wrong in some:
        lacking = max(fewest_outcomes(wrong, risk, failure) - kept, 1)
        missing.append((math.ceil(lacking * total / kept) if kept else lacking, kept, wrong))
    fewest, kept, wrong = min(missing)
    return Promise(risk, confidence, None, kept, wrong, total, fewest)


@dataclass(frozen=True)
class Watch:
    """A running test of a promise, valid at any time (an e-process).

    The evidence against the promise is a bet that wins nothing on average as long as at most the promised share is
    wrong: the mean of likelihood ratios, over rates of wrong outcomes above the promised one, and over moments from
    which they may have risen. It exceeds 1 / 0.05 with a chance of at most 5 %, however long one looks (Ville's
    inequality).

    >>> watch = Watch(0.05)
    >>> for wrong in [True, False] * 10:
    ...     watch = watch.add(wrong)
    >>> watch.broken
    True
    """

    risk: Share
    """The promised risk."""
    confidence: Share = CONFIDENCE
    outcomes: Count = 0
    """Outcomes that passed and were seen so far."""
    wrong: Count = 0
    bets: tuple[tuple[float, ...], ...] = ()
    """Log of the likelihood ratio of each rate, from each moment that has begun."""
    highest: Amount = 1.0
    """The highest evidence so far."""

    def __post_init__(self) -> None:
        """Raise InputError if risk or confidence are not between 0 and 1."""
        decode_as(Share, self.risk, "promise")
        decode_as(Share, self.confidence, "confidence")

    def add(self, wrong: bool) -> "Watch":
        """Return the watch after one more outcome of something that passed."""
        factors = [self._factor(rate, wrong=wrong) for rate in self._rates]
        bets = self.bets
        if len(bets) < MOST_STARTS and self.outcomes + 1 == 2 ** len(bets):
            bets = (*bets, tuple(0.0 for _ in factors))
        bets = tuple(tuple(min(bet + factor, 500.0) for bet, factor in zip(own, factors, strict=True)) for own in bets)
        highest = min(max(self.highest, _evidence(bets)), 1e12)
        return Watch(self.risk, self.confidence, self.outcomes + 1, self.wrong + int(wrong), bets, highest)

    def add_all(self, wrong: Iterable[Any]) -> "Watch":
        """Return the watch after more outcomes, given as whether each was wrong."""
        watch = self
        for one in wrong:
            watch = watch.add(bool(one))
        return watch

    @property
    def _rates(self) -> list[float]:
        return [min(self.risk * rate, (1.0 + self.risk) / 2.0) for rate in RATES]

    def _factor(self, rate: float, *, wrong: bool) -> float:
        return math.log(rate / self.risk) if wrong else math.log((1.0 - rate) / (1.0 - self.risk))

    @property
    def evidence(self) -> float:
        """Evidence against the promise; 1 without any."""
        return _evidence(self.bets)

    @property
    def broken(self) -> bool:
        """Whether the promise has to be withdrawn."""
        return self.highest >= 1.0 / (1.0 - self.confidence)


def _evidence(bets: Sequence[Sequence[float]]) -> float:
    """Return the mean of the likelihood ratios of all starts and rates; what has not begun counts as 1."""
    total, rest = 0.0, 1.0
    for place, own in enumerate(bets):
        share = 1.0 / ((place + 1) * (place + 2))  # 1/2, 1/6, 1/12 ... sum to 1
        total += share * sum(map(math.exp, own)) / len(own)
        rest -= share
    return total + rest


def count_levels(scores: Sequence[float], outcomes: Sequence[float], most: int = 1000) -> tuple[ScoreLevel, ...]:
    """Return outcomes by score, from the highest on. Beyond `most` distinct scores, neighbours share the lowest one.

    Which scores share a level depends on the scores alone, so that a promise made from levels is valid.
    """
    if len(scores) != len(outcomes):
        raise InputError(f"{len(scores)} scores for {len(outcomes)} outcomes", field="score")
    ordered = sorted(zip(scores, outcomes, strict=True), key=lambda pair: -pair[0])
    smallest = len({score for score, _ in ordered}) > most and len(ordered) // most
    levels: list[ScoreLevel] = []
    count = wrong = 0
    for place, (score, outcome) in enumerate(ordered):
        count, wrong = count + 1, wrong + int(outcome < 1.0)
        last = place + 1 == len(ordered)
        if last or (ordered[place + 1][0] != score and count >= smallest):
            levels.append(ScoreLevel(score, count, wrong))
            count = wrong = 0
    return tuple(levels)

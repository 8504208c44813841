"""Find sources that copy from each other when values are open.

Two sources that agree on what is likely right say little; two that agree on rare wrong values, item after item, have
copied. For each pair of sources and each item that both answer, copying with rate c makes the same value `1 - c + c A
/ B` times as likely, and different values `1 - c` times. With t over the candidates and "none of these", q(t) the
probability without the pair (evidence x .3), and wrong values drawn by their popularity among the others + .5:

    A = sum over t of q(t) (P_j(v|t) + P_k(v|t)) / 2        B = sum over t of q(t) P_j(v|t) P_k(v|t)

A ring that already is believed passes this test, because what its members agree on then looks right. So circles of
sources that agree more than unknown sources would are judged as a whole: are all answers together likelier if the
circle copies one of its members?
"""

from functools import cached_property
from typing import TYPE_CHECKING

from howsure.arrays import np
from howsure.formulas.claim import LEAST_RELIABLE, MOST_RELIABLE, PRIOR_RIGHTS, PRIOR_WRONGS
from howsure.fusion.answers import Answers
from howsure.fusion.blocking import SharedAnswers, share_answers
from howsure.fusion.null_draws import MOST_CHOICES, count_choices, draw_answers
from howsure.fusion.open_values import (
    OpenFit,
    fit_open,
    logit,
    settle,
    softmax_with_none,
)
from howsure.fusion.pairs import RATES, ROUNDS, PairTest, join_groups, share_weights, sum_ratios
from howsure.progress import Progress, silent

if TYPE_CHECKING:
    from howsure.arrays import Bools, Floats, Ints


TEMPER = 0.3
"""Factor of the evidence of the others: they may copy too."""
FALSE_ALARMS = 0.05
"""Pairs of independent sources that may pass by chance, over all pairs: such a ratio exceeds c with chance 1 / c."""
CORRECTIONS, DRAWS, DEVIATIONS = 10, 8, 3.0
"""Draws to correct reliabilities by, draws without copying with which pairs that pass are compared, and by how many
deviations they must exceed these."""
MOST_EVIDENCE = 300.0
"""Tempered log odds beyond which nothing changes, so that no power of e overflows or becomes 0."""
MOST_CIRCLES = 8
"""Circles that are judged in one round; each takes a fit."""
POPULARITY = 0.5
"""Added to how many others give a wrong value."""


def fit_with_copies(
    answers: Answers,
    *,
    known: "Floats | None" = None,
    kinds: "Ints | None" = None,
    progress: Progress = silent,
) -> tuple[OpenFit, "Ints"]:
    """Learn reliabilities, find copies, and learn again with copies discounted, until no new ones are found.

    Returns:
        The fit, and the group of each source: the number of the group's first member; its own if it copies nobody.
    """
    fit = fit_open(answers, known=known, kinds=kinds, progress=progress)
    groups = np.arange(answers.source_count)
    if answers.source_count <= 1 or not len(answers.sources):
        return fit, groups
    shared = share_answers(answers, fit.probability)
    for turn in range(1, ROUNDS + 1):
        progress("looking for copies", turn, ROUNDS)
        if not len(shared.one):
            break
        joined = join_groups(groups, find_copies(answers, fit, shared, groups, known))
        if np.array_equal(joined, groups):
            break
        groups = joined
        shares = share_weights(answers.candidates, answers.sources, groups)
        fit = fit_open(answers, known=known, kinds=kinds, shares=shares, progress=progress)
        if shared.blocked:
            grouped = np.bincount(groups, minlength=answers.source_count)[groups] > 1
            shared = share_answers(answers, fit.probability, always=grouped)
    return fit, groups


def find_copies(
    answers: Answers, fit: OpenFit, shared: SharedAnswers, groups: "Ints", known: "Floats | None" = None
) -> PairTest:
    """Return the pairs of sources with their likelihood ratios, those within a circle that copies with its ratio."""
    test = compare_pairs(answers, fit, shared)
    draws = _Draws(answers, fit, groups)
    if (passing := test.ratio > test.bar).any():
        test = test._replace(ratio=test.ratio - np.where(passing, draws.pair_ratios(test), 0.0))
    ratios = test.ratio.copy()
    for circle in suspect_circles(answers, fit, shared)[:MOST_CIRCLES]:
        inside = np.isin(test.first, circle) & np.isin(test.second, circle)
        # If pairs of the circle pass by themselves, it is not believed, and pairs tell more precisely who copies.
        if len(np.unique(groups[circle])) > 1 and not (test.ratio[inside] > test.bar).any():
            copying, gain = judge_circle(answers, fit, circle, test.bar, known)
            gain -= draws.circle_gain(circle, test.bar) if gain > test.bar else 0.0
            inside = np.isin(test.first, copying) & np.isin(test.second, copying)
            ratios[inside] = np.maximum(ratios[inside], gain)
    return test._replace(ratio=ratios)


class _Draws:
    """Answers drawn as if nobody copied, with what is learned from them."""

    def __init__(self, answers: Answers, fit: OpenFit, groups: "Ints") -> None:
        """Take what to draw like, and the copies that are known already."""
        self._answers, self._fit, self._groups = answers, fit, groups

    @cached_property
    def fits(self) -> list[tuple[Answers, OpenFit]]:
        """The draws, made when they are first needed."""
        # What is learned of good sources is too low, so draws with what was learned would agree too little. Look for
        # the reliabilities, and the number of wrong values, from which the same is learned.
        seen = count_choices(self._answers, self._fit)
        reliability, choices = self._fit.reliability, seen
        for seed in range(CORRECTIONS):
            drawn, again = self._draw(seed, reliability, choices)
            change = (self._fit.reliability - again.reliability) / (2.0 + seed)
            reliability = np.clip(reliability + change, LEAST_RELIABLE, MOST_RELIABLE)
            choices = min(choices * seen / count_choices(drawn, again), MOST_CHOICES)
        return [self._draw(CORRECTIONS + seed, reliability, choices) for seed in range(DRAWS)]

    def _draw(self, seed: int, reliability: "Floats", choices: float) -> tuple[Answers, OpenFit]:
        dice = np.random.default_rng(seed)
        drawn = draw_answers(self._answers, self._fit, reliability, choices, self._groups, dice)
        return drawn, fit_open(drawn, shares=share_weights(drawn.candidates, drawn.sources, self._groups))

    def pair_ratios(self, test: PairTest) -> "Floats":
        """Return how large the ratio of each pair may be without copying."""
        count = self._answers.source_count
        keys = test.first * count + test.second
        passing = test.ratio > test.bar
        suspects = np.zeros(count, dtype=np.bool_)
        suspects[test.first[passing]] = suspects[test.second[passing]] = True
        ratios = np.zeros((DRAWS, len(keys)))
        for row, (drawn, fit) in zip(ratios, self.fits, strict=True):
            other = compare_pairs(drawn, fit, share_answers(drawn, fit.probability, always=suspects))
            _, ours, theirs = np.intersect1d(
                keys, other.first * count + other.second, assume_unique=True, return_indices=True
            )
            row[ours] = other.ratio[theirs]
        return _most_by_chance(ratios)

    def circle_gain(self, circle: "Ints", bar: float) -> float:
        """Return how likely copying within a circle may look without it."""
        gains = [judge_circle(drawn, fit, circle, bar)[1] for drawn, fit in self.fits]
        return float(_most_by_chance(np.maximum(gains, 0.0)[:, None])[0])


def _most_by_chance(draws: "Floats") -> "Floats":
    result: Floats = np.maximum(draws.mean(axis=0) + DEVIATIONS * draws.std(axis=0), 0.0)
    return result


def compare_pairs(answers: Answers, fit: OpenFit, shared: SharedAnswers, *, highest: float = MOST_RELIABLE) -> PairTest:
    """Return the pairs of sources with their likelihood ratios; each pair is judged by all the others.

    Args:
        answers: The answers.
        fit: What is known so far.
        shared: The pairs of answers to compare.
        highest: What reliabilities are capped at.
    """
    one, two = shared.one[shared.same], shared.two[shared.same]
    reliability = np.minimum(fit.reliability, highest)
    p, q = reliability[answers.sources[one]], reliability[answers.sources[two]]
    likelier = np.ones(len(shared.one))
    view = _View(answers, fit.strengths)
    likelier[shared.same] = view.likelier(answers.candidates[one], p, q, fit.strengths[one] + fit.strengths[two])
    first, second = answers.sources[shared.one], answers.sources[shared.two]
    low, high, ratios = sum_ratios(first, second, likelier, shared.same, answers.source_count)
    return PairTest(low, high, ratios, float(np.log(max(len(ratios), 1) / FALSE_ALARMS)))


class _View:
    """What the answers say about each candidate: tempered evidence and popularity."""

    def __init__(self, answers: Answers, strengths: "Floats") -> None:
        """Take what each answer adds to the evidence of its candidate."""
        self.answers = answers
        self.tempered = answers.sum_by_candidate(strengths) * TEMPER
        evidence = np.clip(self.tempered, -MOST_EVIDENCE, MOST_EVIDENCE)
        self.top = np.maximum(np.maximum.reduceat(evidence, answers.item_starts), 0.0)
        self.powers = np.exp(evidence - self.top[answers.candidate_items])
        self.popularity = answers.sum_by_candidate(np.ones(len(strengths))) + POPULARITY
        self.total = answers.sum_by_item(self.popularity)

    def likelier(self, candidates: "Ints", p: "Floats", q: "Floats", own: "Floats") -> "Floats":
        """Return A / B of pairs of sources that agree.

        Args:
            candidates: The candidate that each pair says.
            p: Reliability of the one source.
            q: Reliability of the other source.
            own: Evidence of the pair, which is taken out of that of the others.
        """
        answers, powers = self.answers, self.powers
        items = answers.candidate_items[candidates]
        # How popular the wrong values are together if candidate t is right, without the two sources of the pair. Where
        # that is below 0.5, there is no pair that says another candidate.
        rest = self.total[answers.candidate_items] - self.popularity - 2.0
        usable = rest > POPULARITY - 1e-9
        once = np.where(usable, powers / np.where(usable, rest, 1.0), 0.0)
        twice = np.where(usable, once / np.where(usable, rest, 1.0), 0.0)
        none = np.exp(-self.top)[items]
        popularity, whole = self.popularity[candidates] - 2.0, self.total[items] - 2.0
        left = np.clip(self.tempered[candidates] - TEMPER * own, -MOST_EVIDENCE, MOST_EVIDENCE)
        support = np.exp(left - self.top[items])
        others = np.maximum(answers.sum_by_item(powers)[items] - powers[candidates], 0.0)
        norm = support + others + none
        right = support / norm
        single = np.maximum(answers.sum_by_item(once)[items] - once[candidates], 0.0) + none / whole
        double = np.maximum(answers.sum_by_item(twice)[items] - twice[candidates], 0.0) + none / whole**2
        copied = right * (p + q) / 2.0 + popularity * single / norm * (2.0 - p - q) / 2.0
        independent = right * p * q + popularity**2 * double / norm * (1.0 - p) * (1.0 - q)
        result: Floats = copied / independent
        return result


def suspect_circles(answers: Answers, fit: OpenFit, shared: SharedAnswers) -> list["Ints"]:
    """Return circles of at least 3 sources that agree more than unknown sources would, the largest first."""
    test = compare_pairs(answers, fit, shared, highest=PRIOR_RIGHTS / (PRIOR_RIGHTS + PRIOR_WRONGS))
    groups = join_groups(np.arange(answers.source_count), test, 0.0)
    sizes = np.bincount(groups, minlength=answers.source_count)
    order = np.argsort(-sizes, kind="stable")
    return [np.flatnonzero(groups == group) for group in order[sizes[order] > 2]]  # noqa: PLR2004 - a pair is no circle


def judge_circle(
    answers: Answers, fit: OpenFit, circle: "Ints", bar: float, known: "Floats | None" = None
) -> tuple["Ints", float]:
    """Return who of a circle copies its member with most answers, and how much likelier, in logarithms, that is.

    Members whose own answers are not likelier as copies are left out, and the rest is judged again.
    """
    counts = np.bincount(answers.sources, minlength=answers.source_count)
    leader = int(circle[np.argmax(counts[circle])])
    for _ in range(ROUNDS):
        copies = np.zeros(answers.source_count, dtype=np.bool_)
        copies[circle] = True
        copies[leader] = False
        copied = copies[answers.sources]
        without = fit_open(answers, known=known, shares=np.where(copied, 0.0, 1.0))
        alone, copying = _copy_likelihoods(answers, without, leader, copied, known)
        passing = copies & (copying - alone > bar)
        if np.array_equal(passing, copies) or not passing.any():
            break
        circle = np.flatnonzero(passing | (np.arange(len(copies)) == leader))
    if not passing.any():
        return circle, -np.inf
    now = _likelihood(answers, fit, np.ones(len(copied), np.bool_))
    return circle, _likelihood(answers, without, ~copied) + float(copying[copies].sum()) - now


def _copy_likelihoods(
    answers: Answers, without: OpenFit, leader: int, copied: "Bools", known: "Floats | None"
) -> tuple["Floats", "Floats"]:
    """Return for each source the log-likelihood of its copied answers, if they are its own, and if they are copies."""
    said = np.zeros(len(answers.candidate_items), dtype=np.bool_)
    said[answers.candidates[answers.sources == leader]] = True
    rows = np.flatnonzero(copied)
    places, sources = answers.candidates[rows], answers.sources[rows]
    asked = (answers.sum_by_item(said.astype(np.float64)) > 0)[answers.items[rows]]
    votes = answers.sum_by_candidate(np.where(copied, 0.0, answers.weights))
    evidence = answers.sum_by_candidate(without.strengths)
    chances = softmax_with_none(answers, evidence, votes, settle(answers, known))[places]
    p = without.reliability[sources]
    alone = chances * p + (1.0 - chances) * (1.0 - p) * np.exp(-without.log_choices)
    logs = [
        np.bincount(
            sources,
            np.log(np.where(asked, rate * said[places] + (1.0 - rate) * alone, alone)),
            answers.source_count,
        )
        for rate in RATES
    ]
    copying: Floats = np.logaddexp.reduce(logs, axis=0) - np.log(len(RATES))
    own: Floats = np.bincount(sources, np.log(alone), answers.source_count).astype(np.float64, copy=False)
    return own, copying


def _likelihood(answers: Answers, fit: OpenFit, counted: "Bools") -> float:
    """Return the logarithm of the likelihood of the counted answers, by the model of open values."""
    p = fit.reliability[answers.sources]
    wrong = (np.log1p(-p) - fit.log_choices)[counted].sum()
    evidence = answers.sum_by_candidate(np.where(counted, logit(p) + fit.log_choices, 0.0))
    voiced = np.minimum(answers.sum_by_candidate(np.where(counted, answers.weights, 0.0)), 1.0)
    top = np.maximum(np.maximum.reduceat(evidence, answers.item_starts), 0.0)
    powers = voiced * np.exp(evidence - top[answers.candidate_items])
    return float(wrong + (top + np.log(np.exp(-top) + answers.sum_by_item(powers))).sum())

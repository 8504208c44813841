"""Find sources that copy from each other when values are open.

Two sources that agree on what is likely right say little; two that agree on rare wrong values, item after item, have
copied. For each pair of sources and each item that both answer, copying with rate c makes the same value `1 - c + c A
/ B` times as likely, and different values `1 - c` times. With t over the candidates and "none of these", q(t) the
probability without the pair (evidence x .3), and wrong values drawn by their popularity among the others + .5:

    A = sum over t of q(t) (P_j(v|t) + P_k(v|t)) / 2        B = sum over t of q(t) P_j(v|t) P_k(v|t)

Pairs are found by blocking: only those are tested that share values which are likely wrong.
"""

from typing import TYPE_CHECKING

from howsure.fusion.answers import Answers
from howsure.fusion.open_values import OpenFit, fit_open
from howsure.fusion.pairs import ROUNDS, PairTest, enumerate_pairs, join_groups, share_weights, sum_ratios
from howsure.learn.metrics import np
from howsure.progress import Progress, silent

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]
    Bools = NDArray[np.bool_]

TEMPER = 0.3
"""Factor of the evidence of the others: they may copy too."""
FALSE_ALARMS = 0.05
"""Pairs of independent sources that may pass by chance, over all pairs: such a ratio exceeds c with chance 1 / c."""
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
    for turn in range(1, ROUNDS + 1):
        progress("looking for copies", turn, ROUNDS)
        joined = join_groups(groups, compare_pairs(answers, fit))
        if np.array_equal(joined, groups):
            break
        groups = joined
        shares = share_weights(answers.candidates, answers.sources, groups)
        fit = fit_open(answers, known=known, kinds=kinds, shares=shares, progress=progress)
    return fit, groups


def compare_pairs(answers: Answers, fit: OpenFit) -> PairTest:
    """Return the pairs of sources with their likelihood ratios."""
    starts, size = answers.answer_starts, len(answers.sources)
    one, two = enumerate_pairs(starts, size)
    first, second = answers.sources[one], answers.sources[two]
    other = first != second
    one, two, first, second = one[other], two[other], first[other], second[other]
    same = answers.candidates[one] == answers.candidates[two]
    likelier = np.ones(len(one))
    likelier[same] = _likelier(answers, fit, one[same], two[same])
    low, high, ratios = sum_ratios(first, second, likelier, same, answers.source_count)
    return PairTest(low, high, ratios, float(np.log(max(len(ratios), 1) / FALSE_ALARMS)))


def _likelier(answers: Answers, fit: OpenFit, one: "Ints", two: "Ints") -> "Floats":
    """Return A / B of pairs of answers that give the same value."""
    candidates = answers.candidates[one]
    items = answers.items[one]
    raw = answers.sum_by_candidate(fit.strengths) * TEMPER
    top = np.maximum(np.maximum.reduceat(raw, answers.item_starts), 0.0)
    powers = np.exp(raw - top[answers.candidate_items])
    popularity = answers.sum_by_candidate(np.ones(len(answers.sources))) + POPULARITY
    total = answers.sum_by_item(popularity)
    # How popular the wrong values are together if candidate t is right, without the two sources of the pair. Where
    # that is below their own candidate's, no pair asks for it.
    rest = total[answers.candidate_items] - popularity - 2.0
    usable = rest > POPULARITY - 1e-9
    once = np.where(usable, powers / np.where(usable, rest, 1.0), 0.0)
    twice = np.where(usable, once / np.where(usable, rest, 1.0), 0.0)
    none = np.exp(-top)[items]
    all_but = popularity[candidates] - 2.0
    whole = total[items] - 2.0
    own = powers[candidates] * np.exp(-TEMPER * (fit.strengths[one] + fit.strengths[two]))
    others = answers.sum_by_item(powers)[items] - powers[candidates]
    norm = own + np.maximum(others, 0.0) + none
    right = own / norm
    single = all_but * (np.maximum(answers.sum_by_item(once)[items] - once[candidates], 0.0) + none / whole) / norm
    double = (
        all_but**2 * (np.maximum(answers.sum_by_item(twice)[items] - twice[candidates], 0.0) + none / whole**2) / norm
    )
    p, q = fit.reliability[answers.sources[one]], fit.reliability[answers.sources[two]]
    copied = right * (p + q) / 2.0 + single * (2.0 - p - q) / 2.0
    independent = right * p * q + double * (1.0 - p) * (1.0 - q)
    result: Floats = copied / independent
    return result

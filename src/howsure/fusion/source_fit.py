"""Fit sources on arrays of numbers: the core that `howsure.fuse` and stores of claims share.

    fit = fit_sources(items, sources, values)
    fit.reliability[j], fit.weight[j], fit.variance[j], fit.group[j]      # one number for each source
    fit.items[c], fit.values[c], fit.probability[c]                       # one for each candidate

A source is kept as two counts, `right` and `wrong`: a Beta distribution of its reliability, prior (4, 1) included.
From them follow its `reliability` p = right / (right + wrong), kept within .02 and .98, its `weight` logit p + ln N,
which one answer adds to the log odds of what it says, and the `variance` of that weight, psi'(right) + psi'(wrong).
Sources that copy each other have the same `group`; of one group, s members that agree count as 1 + .1 (s - 1). The
probability of a candidate follows from the weights alone:

    x = b * (sum of share * weight over its sources),  b = 1 / (1 + .1 (n - 1)),
    P = v exp(x) / (1 + sum of v exp(x) over the candidates of the item)

with n the sum of shares over the item, and v the sum of shares of the candidate, at most 1. So whoever keeps counts,
`log_choices` (ln N) and groups can score new claims without a new fit.
"""

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from howsure.arrays import np
from howsure.fusion.answers import Answers, collect_answers
from howsure.fusion.closed_values import ClosedFit
from howsure.fusion.intervals import bound_probabilities, bound_reliability
from howsure.fusion.open_copies import fit_with_copies
from howsure.fusion.open_values import OpenFit, fit_open, logit
from howsure.fusion.special import trigamma
from howsure.progress import Progress, silent

if TYPE_CHECKING:
    from howsure.arrays import Floats, Ints


NEGLIGIBLE = 1e-4
"""Closed values that nobody gave for an item are shown above this probability."""


@dataclass(frozen=True, eq=False)
class SourceFit:
    """Learned numbers of sources and candidates, as arrays."""

    right: "Floats"
    """Right answers of each source, prior included."""
    wrong: "Floats"
    """Wrong answers of each source, prior included."""
    reliability: "Floats"
    """Chance that an answer of each source is right."""
    reliability_lower: "Floats"
    reliability_upper: "Floats"
    weight: "Floats"
    """What one answer of each source adds to the log odds of what it says."""
    variance: "Floats"
    """Variance of that weight."""
    group: "Ints"
    """Group of copies of each source: the number of its first member, which is its own if it copies nobody."""
    log_choices: float
    """`ln N`, the part of the weight that is the same for every source."""
    items: "Ints"
    """Item of each candidate, ascending."""
    values: "Ints"
    """Value of each candidate, ascending within an item; a verified value that nobody gave comes last."""
    probability: "Floats"
    """Probability of each candidate."""
    lower: "Floats"
    upper: "Floats"
    spread: "Floats"
    """Variance of the log odds of each candidate through what is not known about its sources."""
    rounds: int
    """Rounds of the last expectation maximization."""


def fit_sources(
    items: "Ints",
    sources: "Ints",
    values: "Ints",
    weights: "Floats | None" = None,
    *,
    known: "dict[tuple[int, int], bool] | None" = None,
    kinds: "Ints | None" = None,
    copies: bool = True,
    counts: tuple[int, int, int] | None = None,
    progress: Progress = silent,
) -> SourceFit:
    """Learn whom to believe about items with open values.

    Args:
        items: The item of each answer, a number from 0 without gaps.
        sources: The source of each answer, a number from 0.
        values: The value of each answer, a number from 0; items may share numbers or not.
        weights: How much each answer counts; default: 1.
        known: Verified (True) and refuted (False) pairs of item and value.
        kinds: The kind of each item, a number from 0; sources then have a reliability for each kind.
        copies: Whether to look for sources that copy each other.
        counts: How many items, sources and values there are; default: as many as the largest numbers say.
        progress: Called with how far it has come.

    >>> fit = fit_sources(np.array([0]), np.array([0]), np.array([0]))
    >>> fit.probability.round(3).tolist()
    [0.8]
    """
    answers = collect_answers(items, sources, values, weights, counts=counts)
    fixed = None if not known else mark_known(answers, known)
    if copies:
        fit, groups = fit_with_copies(answers, known=fixed, kinds=kinds, progress=progress)
    else:
        fit = fit_open(answers, known=fixed, kinds=kinds, progress=progress)
        groups = np.arange(answers.source_count)
    return describe_open(answers, fit, groups)


def describe_open(answers: Answers, fit: OpenFit, groups: "Ints") -> SourceFit:
    """Return a fit of open values with its intervals."""
    spread = _evidence_variance(answers, fit)
    lower, upper = bound_probabilities(fit.probability, spread, fit.known)
    source_lower, source_upper = bound_reliability(fit.right, fit.wrong, fit.doubt)
    return SourceFit(
        right=fit.right,
        wrong=fit.wrong,
        reliability=fit.reliability,
        reliability_lower=np.minimum(source_lower, fit.reliability),
        reliability_upper=np.maximum(source_upper, fit.reliability),
        weight=fit.weight,
        variance=fit.variance,
        group=groups,
        log_choices=fit.log_choices,
        items=answers.candidate_items,
        values=answers.candidate_values,
        probability=fit.probability,
        lower=lower,
        upper=upper,
        spread=spread,
        rounds=fit.rounds,
    )


def describe_closed(answers: Answers, fit: ClosedFit, groups: "Ints") -> SourceFit:
    """Return a fit of closed values with its intervals: values given for an item, and others that may be right."""
    shown = fit.posterior.T > NEGLIGIBLE
    shown[answers.candidate_items, answers.candidate_values] = True
    items, values = np.nonzero(shown)
    damping = fit.damping[items]
    variance = trigamma(fit.right) + trigamma(fit.wrong)
    of_items = np.bincount(answers.items, variance[answers.sources] * fit.weights**2, answers.item_count)
    probability = fit.posterior[values, items]
    spread = damping**2 * of_items[items]
    lower, upper = bound_probabilities(probability, spread, fit.known[items])
    reliability = fit.right / (fit.right + fit.wrong)
    source_lower, source_upper = bound_reliability(fit.right, fit.wrong, fit.doubt)
    return SourceFit(
        right=fit.right,
        wrong=fit.wrong,
        reliability=reliability,
        reliability_lower=np.minimum(source_lower, reliability),
        reliability_upper=np.maximum(source_upper, reliability),
        weight=logit(reliability),
        variance=variance,
        group=groups,
        log_choices=0.0,
        items=items,
        values=values,
        probability=probability,
        lower=lower,
        upper=upper,
        spread=spread,
        rounds=max(model.rounds for model in fit.models),
    )


def mark_known(answers: Answers, known: "dict[tuple[int, int], bool]") -> "Floats":
    """Return 1 for each verified candidate, 0 for each refuted one, NaN for the others."""
    marks = np.full(len(answers.candidate_items), np.nan)
    keys = answers.candidate_items * max(answers.value_count, 1) + answers.candidate_values
    for (item, value), right in known.items():
        if 0 <= item < answers.item_count and 0 <= value < answers.value_count:
            key = item * answers.value_count + value
            place = int(np.searchsorted(keys, key))
            if place < len(keys) and keys[place] == key:
                marks[place] = float(right)
                continue
        if right:  # the right value was never given, so every candidate of the item is wrong
            marks[answers.candidate_items == item] = 0.0
    return marks


def add_verified(fit: SourceFit, truths: "dict[int, int]") -> SourceFit:
    """Return a fit with candidates for verified values that nobody gave for their item.

    Args:
        fit: The fit.
        truths: The verified value of each item that has one.
    """
    given = set(zip(fit.items.tolist(), fit.values.tolist(), strict=True))
    added = sorted(pair for pair in truths.items() if pair not in given)
    if not added:
        return fit
    items, values = np.array(added, dtype=np.int64).T
    places = np.searchsorted(fit.items, items, side="right")
    return replace(
        fit,
        items=np.insert(fit.items, places, items),
        values=np.insert(fit.values, places, values),
        probability=np.insert(fit.probability, places, 1.0),
        lower=np.insert(fit.lower, places, 1.0),
        upper=np.insert(fit.upper, places, 1.0),
        spread=np.insert(fit.spread, places, 0.0),
    )


def _evidence_variance(answers: Answers, fit: OpenFit) -> "Floats":
    """Return the variance of the log odds of each candidate through what is not known about its sources."""
    shares = fit.strengths / np.where(fit.weight == 0.0, 1.0, fit.weight)[answers.sources]
    of_answers = fit.variance[answers.sources] * shares**2
    damping = fit.damping[answers.candidate_items]
    result: Floats = damping**2 * answers.sum_by_candidate(of_answers)
    return result

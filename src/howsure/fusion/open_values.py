"""Learn whom to believe about items that have their own candidate values (open values), without labels.

Expectation maximization over sources. Start with the probability q of each candidate at 0.9 x its share of the votes,
then repeat:

- reliability of source j: `p_j = clip((4 + r_j) / (5 + n_j), .02, .98)`, where `r_j` adds up q over its answers, and
  `n_j` counts them. The prior (4 right, 1 wrong) stays fixed, because a learned one drifts.
- evidence for candidate c: `x_c` = sum over the sources that say it of `w_j (logit p_j + ln N)`, where `N = max(1, 2
  (1 - m) / m)` is about the number of wrong values to choose from, and `m` the mean reliability.
- `P(c) = exp(x_c) / (1 + sum of exp(x) over the candidates of the item)`; the 1 stands for "none of these". A candidate
  that has less than one vote, because its only source gives several values, counts by that share of a vote.

Only at the end the evidence of an item is damped by `1 / (1 + .1 (n - 1))`, where n is the sum of the item's weights,
since sources of one item are never quite independent. An item with one source says nothing about that source, so it
is left out of the counts.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from howsure.arrays import np
from howsure.formulas.claim import LEAST_RELIABLE, MOST_RELIABLE, PRIOR_RIGHTS, PRIOR_WRONGS
from howsure.fusion.answers import Answers
from howsure.progress import Progress, silent

if TYPE_CHECKING:
    from howsure.arrays import Bools, Floats, Ints


START = 0.9
DEPENDENCE = 0.1
"""How much less each further source of an item counts."""
KIND_PRIOR = 5.0
"""Answers that a source's reliability over all kinds counts for in one kind."""
ROUNDS = 25
CONVERGED = 1e-4


@dataclass(frozen=True, eq=False)
class OpenFit:
    """What was learned about sources and candidates of open values."""

    right: "Floats"
    """Expected number of right answers of each source, prior included: the first count of a Beta distribution."""
    wrong: "Floats"
    """Expected number of wrong answers of each source, prior included: the second count."""
    doubt: "Floats"
    """Sum of q (1 - q) over the counted answers of each source, q being their probability."""
    reliability: "Floats"
    """Chance that an answer of each source is right."""
    log_choices: float
    """`ln N`: what agreeing is worth beyond reliability, because there are many ways to be wrong."""
    strengths: "Floats"
    """What each answer adds to the log odds of its candidate: its weight x (logit p + ln N)."""
    evidence: "Floats"
    """Damped log odds of each candidate against "none of these"."""
    damping: "Floats"
    """Factor by which the evidence of each item was damped."""
    probability: "Floats"
    """Probability of each candidate."""
    known: "Bools"
    """Which candidates are verified or refuted."""
    rounds: int

    @property
    def weight(self) -> "Floats":
        """What one full answer of each source adds to the log odds of its candidate."""
        result: Floats = logit(self.reliability) + self.log_choices
        return result

    @property
    def variance(self) -> "Floats":
        """Variance of the weight of each source: that of the log odds of its Beta distribution."""
        from howsure.fusion.special import trigamma

        return trigamma(self.right) + trigamma(self.wrong)


def fit_open(
    answers: Answers,
    *,
    known: "Floats | None" = None,
    kinds: "Ints | None" = None,
    shares: "Floats | None" = None,
    progress: Progress = silent,
) -> OpenFit:
    """Learn the reliability of sources and the probability of candidates.

    Args:
        answers: The answers.
        known: For each candidate 1 if it is verified, 0 if it is refuted, NaN if unknown.
        kinds: The kind of each item, a number from 0; a source has a reliability for each kind.
        shares: How much of its weight each answer keeps because others copy it; default: all.
        progress: Called with how far it has come.
    """
    weights = answers.weights if shares is None else answers.weights * shares
    of_items = answers.candidate_items
    votes = answers.sum_by_candidate(weights)
    totals = answers.sum_by_item(votes)
    fixed = settle(answers, known)
    start = START * votes / np.maximum(totals, 1e-300)[of_items]
    chances = start if fixed is None else np.where(np.isnan(fixed), start, fixed)
    counted = answers.weights * _informative(answers, fixed)[answers.items]
    numbers = answers.sum_by_source(counted)
    kind_of = None if kinds is None else answers.sources * (int(kinds.max(initial=0)) + 1) + kinds[answers.items]
    reliability = np.full(answers.source_count, PRIOR_RIGHTS / (PRIOR_RIGHTS + PRIOR_WRONGS))
    right, log_choices, strengths, evidence, rounds = numbers, 0.0, weights, votes, 0
    for rounds in range(1, ROUNDS + 1):
        each = counted * chances[answers.candidates]
        right = answers.sum_by_source(each)
        before, reliability = reliability, _reliability(right, numbers)
        mean = (right.sum() + PRIOR_RIGHTS) / (numbers.sum() + PRIOR_RIGHTS + PRIOR_WRONGS)
        log_choices = float(np.log(max(1.0, 2.0 * (1.0 - mean) / max(mean, 1e-9))))
        if kind_of is None:
            of_answers = (logit(reliability) + log_choices)[answers.sources]
        else:
            by_kind = _by_kind(kind_of, each, counted, reliability[answers.sources])
            of_answers = logit(by_kind) + log_choices
        strengths = weights * of_answers
        evidence = answers.sum_by_candidate(strengths)
        chances = softmax_with_none(answers, evidence, votes, fixed)
        progress("learning whom to believe", rounds, ROUNDS)
        if rounds > 1 and np.abs(reliability - before).max(initial=0.0) < CONVERGED:
            break
    damping = 1.0 / (1.0 + DEPENDENCE * np.maximum(totals - 1.0, 0.0))
    evidence = evidence * damping[of_items]
    chances = softmax_with_none(answers, evidence, votes, fixed)
    return OpenFit(
        right=right + PRIOR_RIGHTS,
        wrong=numbers - right + PRIOR_WRONGS,
        doubt=answers.sum_by_source(counted * (chances * (1.0 - chances))[answers.candidates]),
        reliability=reliability,
        log_choices=log_choices,
        strengths=strengths,
        evidence=evidence,
        damping=damping,
        probability=chances,
        known=np.zeros(len(evidence), dtype=np.bool_) if fixed is None else ~np.isnan(fixed),
        rounds=rounds,
    )


def settle(answers: Answers, known: "Floats | None") -> "Floats | None":
    """Return what is fixed of each candidate: if one of an item is verified, the others are wrong; NaN if open."""
    if known is None or np.isnan(known).all():
        return None
    verified = answers.sum_by_item((known == 1.0).astype(np.float64)) > 0
    result: Floats = np.where(np.isnan(known) & verified[answers.candidate_items], 0.0, known)
    return result


def softmax_with_none(answers: Answers, evidence: "Floats", votes: "Floats", fixed: "Floats | None" = None) -> "Floats":
    """Return `v exp(x) / (1 + sum of v exp(x) over the item)` of each candidate; those that are fixed keep their value.

    Without v, the votes of a candidate if they are less than 1, a source that gives a thousand values for an item would
    drown the others.
    """
    if not len(evidence):
        return evidence
    if fixed is not None:
        evidence = np.where(fixed == 0.0, -np.inf, evidence)
    top = np.maximum(np.maximum.reduceat(evidence, answers.item_starts), 0.0)
    powers = np.exp(evidence - top[answers.candidate_items]) * np.minimum(votes, 1.0)
    sums = np.exp(-top) + answers.sum_by_item(powers)
    result: Floats = powers / sums[answers.candidate_items]
    return result if fixed is None else np.where(np.isnan(fixed), result, fixed)


def logit(chances: "Floats") -> "Floats":
    """Return log odds."""
    result: Floats = np.log(chances) - np.log1p(-chances)
    return result


def _informative(answers: Answers, fixed: "Floats | None") -> "Bools":
    """Return which items say something about their sources: those with two sources or more, or with a known truth."""
    if not len(answers.sources):
        return np.zeros(0, dtype=np.bool_)
    first = answers.sources[answers.answer_starts]
    others = answers.sources != np.repeat(first, answers.answers_of_items)
    several: Bools = np.logical_or.reduceat(others, answers.answer_starts)
    if fixed is not None:
        several |= answers.sum_by_item((~np.isnan(fixed)).astype(np.float64)) > 0
    return several


def _reliability(right: "Floats", numbers: "Floats") -> "Floats":
    return np.clip((PRIOR_RIGHTS + right) / (PRIOR_RIGHTS + PRIOR_WRONGS + numbers), LEAST_RELIABLE, MOST_RELIABLE)


def _by_kind(kind_of: "Ints", each: "Floats", counted: "Floats", overall: "Floats") -> "Floats":
    """Return the reliability of the source of each answer for the kind of its item."""
    right, numbers = np.bincount(kind_of, each), np.bincount(kind_of, counted)
    mixed = (right[kind_of] + KIND_PRIOR * overall) / (numbers[kind_of] + KIND_PRIOR)
    return np.clip(mixed, LEAST_RELIABLE, MOST_RELIABLE)

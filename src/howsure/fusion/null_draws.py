"""Draw answers as if no source copied, to see how large the likelihood ratios of pairs are then.

The test of a pair knows little of what is right, on purpose, because the others may copy too. So it takes some of the
agreement of two good sources for copying, and with thousands of items that passes any fixed bar.
"""

from typing import TYPE_CHECKING

from howsure.arrays import np
from howsure.fusion.answers import Answers, collect_answers
from howsure.fusion.open_values import OpenFit, softmax_with_none

if TYPE_CHECKING:
    from numpy.random import Generator

    from howsure.arrays import Floats, Ints

MOST_CHOICES = 1000
"""Wrong values of an item at most; more of them hardly ever agree."""


def draw_answers(
    answers: Answers, fit: OpenFit, reliability: "Floats", choices: float, groups: "Ints", dice: "Generator"
) -> Answers:
    """Return answers of the same sources about the same items, each right with the reliability of its source.

    Which value is right is drawn from the fit, and wrong ones from so many choices. Sources of one group answer alike.
    """
    chances, several = _undamped(answers, fit), max(round(choices), 1)
    # One draw for all answers of a group about an item.
    _, leaders, places = np.unique(
        answers.items * answers.source_count + groups[answers.sources], return_index=True, return_inverse=True
    )
    items, right = answers.items[leaders], dice.random(len(leaders)) < reliability[answers.sources[leaders]]
    truths = _draw_truth(answers, chances, dice)[items]
    unsaid = answers.value_count + items
    wrong = answers.value_count + answers.item_count + items * several + dice.integers(several, size=len(items))
    values = np.where(right, np.where(truths >= 0, answers.candidate_values[truths], unsaid), wrong)
    names, values = np.unique(values, return_inverse=True)
    counts = (answers.item_count, answers.source_count, len(names))
    return collect_answers(answers.items, answers.sources, values[places], counts=counts)


def _undamped(answers: Answers, fit: OpenFit) -> "Floats":
    votes = answers.sum_by_candidate(answers.weights)
    return softmax_with_none(answers, fit.evidence / fit.damping[answers.candidate_items], votes)


def _draw_truth(answers: Answers, chances: "Floats", dice: "Generator") -> "Ints":
    """Return a candidate of each item, or -1 for none of them."""
    upto = np.cumsum(chances)
    before = (upto - chances)[answers.item_starts]
    drawn = (upto - before[answers.candidate_items]) > dice.random(answers.item_count)[answers.candidate_items]
    none = len(chances)
    first = np.minimum.reduceat(np.where(drawn, np.arange(none), none), answers.item_starts)
    return np.where(first < none, first, -1)


def count_choices(answers: Answers, fit: OpenFit) -> float:
    """Return from how many wrong values sources seem to choose: one in so many pairs of wrong answers is the same."""
    chances = _undamped(answers, fit)
    votes = answers.sum_by_candidate(np.ones(len(answers.sources)))
    same = float(((1.0 - chances) * votes * (votes - 1.0)).sum())
    whole = answers.sum_by_item(votes)
    others = whole[answers.candidate_items] - votes
    none = np.maximum(1.0 - answers.sum_by_item(chances), 0.0)
    pairs = float((chances * others * (others - 1.0)).sum() + (none * whole * (whole - 1.0)).sum())
    return float(np.clip(pairs / max(same, 1e-9), 1.0, MOST_CHOICES))

"""Dampen what closed values say, since the sources of one item are never quite independent.

Answers that tell more than there is to know about an item repeat each other, and so do their mistakes. What the answer
of a source tells is its mutual information with the truth, I; there is the entropy H of the truth to know. Items whose
answers together tell less than H are not damped: on sets of weak sources, whose answers rarely settle an item, the
log-odds of the models are right as they are, whereas those of strong sources are up to ten times too large.
"""

from typing import TYPE_CHECKING, NamedTuple

from howsure.arrays import np
from howsure.fusion.special import normalize

if TYPE_CHECKING:
    from collections.abc import Sequence

    from howsure.arrays import Floats, Ints
    from howsure.fusion.closed_values import ClosedModel, Labels

OTHERS = 6
"""Other answers of an item that a left-out one is predicted from."""
LEFT_OUT = 20_000
"""About how many answers are left out, one at a time."""
FACTORS = tuple(step / 20 for step in range(1, 21))
"""Factors of the evidence that are tried."""
SCALES = tuple(2.0 ** (step / 8) for step in range(-24, 25))
"""Factors that verified items may correct the damping by."""
SCALE_PRECISION = 24.0
"""How strongly that factor is drawn to 1, by its logarithm."""


def relative_information(models: "Sequence[ClosedModel]", log_prior: "Floats") -> "Floats":
    """Return how much of the truth the answer of each source tells on average: from 0, it guesses, to 1, it knows."""
    model = next((model for model in models if model.name == "full"), models[0])
    prior = np.exp(log_prior) / np.exp(log_prior).sum()
    joint = prior[None, :, None] * np.exp(model.table)
    logs = model.table - np.log(np.maximum(joint.sum(axis=1, keepdims=True), 1e-300))
    entropy = float(-(prior * np.log(np.maximum(prior, 1e-300))).sum())
    if entropy < 1e-9:  # noqa: PLR2004 - there is nothing to know
        return np.zeros(len(model.table))
    result: Floats = np.clip((joint * logs).sum(axis=(1, 2)) / entropy, 0.0, 1.0)
    return result


def count_redundant(labels: "Labels", information: "Floats") -> "Floats":
    """Return how many times over the answers of each item tell its truth, beyond the first time.

    Answers that together tell more than there is to know repeat each other, so what they share, mistakes included,
    counts too often. Many answers that tell little are another matter.
    """
    told = np.add.reduceat(information[labels.sources] * labels.weights, labels.starts)
    result: Floats = np.maximum(told - 1.0, 0.0)
    return result


def find_scale(posterior: "Floats", labels: "Labels") -> float:
    """Return the factor of log-posteriors that makes verified values most likely, drawn to 1.

    Args:
        posterior: What was learned without the verified values.
        labels: The answers with the verified values.
    """
    logs = np.log(np.maximum(posterior[:, labels.known], 1e-300))
    places = np.arange(logs.shape[1])
    gains = [
        float(np.log(np.maximum(normalize(scale * logs)[labels.truth, places], 1e-12)).sum())
        - 0.5 * SCALE_PRECISION * np.log(scale) ** 2
        for scale in SCALES
    ]
    return float(SCALES[int(np.argmax(gains))])


class LeftOut(NamedTuple):
    """Answers that are predicted from others of their item. A cell is a source with a value, as one number."""

    own: "Ints"
    """Cell of each left-out answer."""
    others: "Ints"
    """Cells of up to 6 other answers (rows) of each."""
    shares: "Floats"
    """How much each of them counts, copies discounted; 0 if there are fewer."""
    own_shares: "Floats"
    """How much each left-out answer counts."""


def leave_out(labels: "Labels") -> LeftOut:
    """Choose answers to leave out, and for each the answers of its item that follow it by source."""
    counts = labels.answers.answers_of_items
    chosen = np.flatnonzero(np.repeat(counts > 1, counts))
    chosen = chosen[:: max(1, len(chosen) // LEFT_OUT)]
    # Only items of chosen answers are sorted by source: of a million answers, all would take a tenth of the fit.
    needed = np.zeros(labels.item_count, dtype=np.bool_)
    needed[labels.items[chosen]] = True
    rows = np.flatnonzero(needed[labels.items])
    order = np.arange(len(labels.items))
    order[rows] = rows[np.lexsort((labels.sources[rows], labels.items[rows]))]
    starts, numbers = np.repeat(labels.starts, counts)[chosen], np.repeat(counts, counts)[chosen]
    steps = np.arange(1, OTHERS + 1)[:, None]
    places = np.minimum(starts + (chosen - starts + steps) % np.maximum(numbers, 1), len(order) - 1)
    own, others = order[chosen], order[places]
    shares = np.where(steps < numbers, labels.shares[others], 0.0)
    return LeftOut(labels.cells[own], labels.cells[others], shares, labels.shares[own])


def find_evidence_factor(left_out: LeftOut, models: "Sequence[ClosedModel]", log_prior: "Floats") -> float:
    """Return the factor of the evidence that makes left-out answers most likely, given at most 6 others of their item.

    It is below 1 if the sources of an item are wrong together.
    """
    if not len(left_out.own):
        return 1.0
    curve = np.zeros(len(FACTORS))
    for model in models:
        if model.name == "sub":
            continue
        by_state = np.ascontiguousarray(model.table.transpose(1, 0, 2)).reshape(len(log_prior), -1)
        own = np.exp(by_state[:, left_out.own])
        others = np.zeros_like(own)
        for cells, shares in zip(left_out.others, left_out.shares, strict=True):
            others += by_state[:, cells] * shares
        for place, factor in enumerate(FACTORS):
            likely = (normalize(factor * others + log_prior[:, None]) * own).sum(axis=0)
            curve[place] += np.log(np.maximum(likely, 1e-300)) @ left_out.own_shares
    return FACTORS[int(np.argmax(curve))]

"""Find sources that copy from each other when all items share a few values.

The test of a pair is that of open values: copying with rate c makes the same value `1 - c + c A / B` times as likely,
and different values `1 - c` times. With t over the values and q(t) the probability without the pair:

    A = sum over t of q(t) (P_j(v|t) + P_k(v|t)) / 2        B = sum over t of q(t) P_j(v|t) P_k(v|t)

Few values make agreement cheap, so the bar is higher than for open values, and a pair must pass it by each of the
models *coin*, *class* and *full*: sources with the same bias or the same weak spots have not copied. A ring props up
what its members say and then looks like experts who agree. So circles of sources that agree more than unknown sources
would are left out whole, and judged by whether all answers together are likelier if the circle copies one member.

A ring that was believed makes honest sources look like copies: they share what seem to be mistakes. So at the end each
group is judged beside all others. It is dissolved if all answers are likelier with its members on their own.
"""

from dataclasses import replace
from typing import TYPE_CHECKING

from howsure.arrays import np
from howsure.formulas.claim import PRIOR_RIGHTS, PRIOR_WRONGS
from howsure.fusion.answers import Answers
from howsure.fusion.blocking import SharedAnswers, share_answers
from howsure.fusion.closed_values import (
    ClosedFit,
    ClosedModel,
    Labels,
    class_prior,
    fit_closed,
    learn_model,
    learn_table,
)
from howsure.fusion.pairs import RATES, ROUNDS, PairTest, join_groups, share_weights, sum_ratios
from howsure.fusion.special import normalize
from howsure.progress import Progress, silent

if TYPE_CHECKING:
    from howsure.arrays import Floats, Ints


EXTRA_BAR = 15.0
"""Added to the bar of open values, the logarithm of the number of pairs."""
MOST_CIRCLES = 8
"""Circles that are judged in one round."""
_CHUNK = 100_000
"""Pairs of answers whose posteriors are held at once."""


def fit_closed_with_copies(
    answers: Answers, *, known: "Ints | None" = None, progress: Progress = silent
) -> tuple[ClosedFit, "Ints"]:
    """Learn the values, find copies, and learn again with copies discounted, until no new ones are found.

    Returns:
        The fit, and the group of each source: the number of the group's first member; its own if it copies nobody.
    """
    fit = fit_closed(answers, known=known, progress=progress)
    groups = np.arange(answers.source_count)
    if answers.source_count <= 1 or not len(answers.sources):
        return fit, groups
    shares: Floats | None = None
    for turn in range(1, ROUNDS + 1):
        progress("looking for copies", turn, ROUNDS)
        grouped = np.bincount(groups, minlength=answers.source_count)[groups] > 1
        chances = fit.posterior[answers.candidate_values, answers.candidate_items]
        shared = share_answers(answers, chances, always=grouped)
        if not len(shared.one):
            break
        joined = join_groups(groups, find_closed_copies(Labels(answers, shares, known), fit, shared, groups))
        if np.array_equal(joined, groups):
            break
        groups = joined
        shares = share_weights(answers.candidates, answers.sources, groups)
        fit = fit_closed(answers, known=known, shares=shares, progress=progress)
    kept = dissolve_groups(Labels(answers, known=known), _model_names(fit), groups)
    if not np.array_equal(kept, groups):
        groups = kept
        shares = share_weights(answers.candidates, answers.sources, groups)
        fit = fit_closed(answers, known=known, shares=shares, progress=progress)
    return fit, groups


def find_closed_copies(labels: Labels, fit: ClosedFit, shared: SharedAnswers, groups: "Ints") -> PairTest:
    """Return the pairs of sources with their likelihood ratios, those within a circle that copies with its ratio."""
    models = [model for model in fit.models if model.name != "sub"]
    test = compare_closed(labels, fit, shared, models)
    capped = compare_closed(labels, fit, shared, [_cap(models[0])])
    # Suspects agree more than unknown sources would; for them the bar of open values will do.
    suspects = join_groups(np.arange(labels.source_count), capped._replace(bar=capped.bar - EXTRA_BAR), 0.0)
    sizes = np.bincount(suspects, minlength=labels.source_count)
    ratios = test.ratio.copy()
    order = np.argsort(-sizes, kind="stable")
    for name in order[sizes[order] > 2][:MOST_CIRCLES]:  # noqa: PLR2004 - a pair is judged without itself already
        circle = np.flatnonzero(suspects == name)
        if len(np.unique(groups[circle])) == 1:
            continue
        copying, gain = judge_closed_circle(labels, fit, circle, capped)
        inside = np.isin(test.first, copying) & np.isin(test.second, copying)
        ratios[inside] = np.maximum(ratios[inside], gain)
    return test._replace(ratio=ratios)


def judge_closed_circle(labels: Labels, fit: ClosedFit, circle: "Ints", test: PairTest) -> tuple["Ints", float]:
    """Return who of a circle copies the member that agrees most with the others, and how much likelier that is.

    All answers are explained twice: by sources that answer by themselves, and by a circle that repeats its leader.
    Experts agree as often as a ring does, but then the answers of everyone else are likelier if the experts are right.
    Members whose own answers are not likelier as copies are left out, and the rest is judged again.
    """
    inside = np.isin(test.first, circle) & np.isin(test.second, circle)
    agreement = np.bincount(test.first[inside], test.ratio[inside], labels.source_count)
    agreement += np.bincount(test.second[inside], test.ratio[inside], labels.source_count)
    leader = int(circle[np.argmax(agreement[circle])])
    gain = -np.inf
    for _ in range(ROUNDS):
        copies = np.zeros(labels.source_count, dtype=np.bool_)
        copies[circle] = True
        copies[leader] = False
        passing, gain = copies.copy(), np.inf
        leaders = np.where(copies, leader, -1)
        for model in fit.models:
            if model.name == "sub":
                continue
            own, copied, others = _explain(labels, model.name, leaders)
            passing &= copied - own > test.bar - EXTRA_BAR
            gain = min(gain, others + float(copied[copies].sum()) - _likelihood(labels, model, labels.weights))
        if np.array_equal(passing, copies):
            return circle, gain
        if not passing.any():
            break
        circle = np.flatnonzero(passing | (np.arange(len(copies)) == leader))
    return circle, -np.inf


def dissolve_groups(labels: Labels, names: list[str], groups: "Ints") -> "Ints":
    """Return the groups without those whose members are likelier to have answered by themselves, by every model.

    Of the largest groups of more than two sources, the one with the clearest gain is dissolved first.
    """
    likely = _explain_groups(labels, names, groups)
    while True:
        sizes = np.bincount(groups, minlength=labels.source_count)
        order = np.argsort(-sizes, kind="stable")
        dissolved = [
            np.where(groups == name, np.arange(labels.source_count), groups)
            for name in order[sizes[order] > 2][:MOST_CIRCLES]  # noqa: PLR2004 - as for circles
        ]
        gains = [_explain_groups(labels, names, one) - likely for one in dissolved]
        best = max(range(len(gains)), key=lambda place: gains[place].min(), default=-1)
        if best < 0 or gains[best].min() <= 0.0:
            return groups
        groups, likely = dissolved[best], likely + gains[best]


def _explain_groups(labels: Labels, names: list[str], groups: "Ints") -> "Floats":
    """Return the logarithm of how likely all answers are if each group copies one member, by each model."""
    leaders = _choose_leaders(labels, groups)
    explained = [_explain(labels, name, leaders) for name in names]
    return np.array([others + float(copied[leaders >= 0].sum()) for _, copied, others in explained])


def _choose_leaders(labels: Labels, groups: "Ints") -> "Ints":
    """Return whom each source copies: the member of its group that agrees most with the others; -1 if nobody."""
    together = groups[labels.sources] * len(labels.answers.candidate_items) + labels.answers.candidates
    _, places, counts = np.unique(together, return_inverse=True, return_counts=True)
    agreement = np.bincount(labels.sources, counts[places] - 1, labels.source_count)
    order = np.lexsort((np.arange(labels.source_count), -agreement, groups))
    _, firsts, places = np.unique(groups[order], return_index=True, return_inverse=True)
    leaders = np.empty(labels.source_count, dtype=np.int64)
    leaders[order] = order[firsts][places]
    leaders[leaders == np.arange(labels.source_count)] = -1
    return leaders


def _explain(labels: Labels, name: str, leaders: "Ints") -> tuple["Floats", "Floats", float]:
    """Return how likely the answers of copies are, as their own and as copies, and how likely all the other answers.

    Logarithms by a model; the first two for each source. `leaders` says whom each source copies; -1: nobody.
    """
    copied = leaders[labels.sources] >= 0
    rest = labels.without(copied)
    learned = learn_model(rest, name, rest.start)
    rows = np.flatnonzero(copied)
    items, sources, values = labels.items[rows], labels.sources[rows], labels.values[rows]
    said = _find_answers(labels, items, leaders[sources])
    # What the copies would do by themselves, judged by what the others say is right.
    table = learn_table(labels, name, learned.posterior)
    by_state = np.ascontiguousarray(table.transpose(1, 0, 2)).reshape(labels.value_count, -1)
    alone = (learned.posterior[:, items] * np.exp(by_state[:, labels.cells[rows]])).sum(axis=0)
    asked, same = said >= 0, said == values
    own = np.bincount(sources, np.log(alone), labels.source_count).astype(np.float64, copy=False)
    logs = [
        np.bincount(sources, np.log(np.where(asked, rate * same + (1.0 - rate) * alone, alone)), labels.source_count)
        for rate in RATES
    ]
    as_copies: Floats = np.logaddexp.reduce(logs, axis=0) - np.log(len(RATES))
    return own, as_copies, _likelihood(labels, learned, rest.weights)


def _find_answers(labels: Labels, items: "Ints", sources: "Ints") -> "Ints":
    """Return the value that each of some sources gave for an item; -1 if it gave none."""
    rows = np.flatnonzero(np.isin(labels.sources, sources))
    if not len(rows):
        return np.full(len(items), -1, dtype=np.int64)
    keys = labels.items[rows] * labels.source_count + labels.sources[rows]
    order = np.argsort(keys, kind="stable")
    wanted = items * labels.source_count + sources
    places = order[np.maximum(np.searchsorted(keys, wanted, side="right", sorter=order) - 1, 0)]
    return np.where(keys[places] == wanted, labels.values[rows][places], -1)


def _model_names(fit: ClosedFit) -> list[str]:
    """Return the models by which copies are judged: *sub* has no chance of a value given the truth alone."""
    return [model.name for model in fit.models if model.name != "sub"]


def _likelihood(labels: Labels, model: ClosedModel, weights: "Floats") -> float:
    """Return the logarithm of the likelihood of the answers that have a weight, by a model."""
    by_state = np.ascontiguousarray(model.table.transpose(1, 0, 2)).reshape(labels.value_count, -1)
    counted = (weights > 0.0).astype(np.float64)
    logs = np.stack([np.add.reduceat(row[labels.cells] * counted, labels.starts) for row in by_state])
    logs += class_prior(model.posterior.mean(axis=1), labels.vote_share)[:, None]
    return float(np.logaddexp.reduce(logs, axis=0).sum())


def _cap(model: ClosedModel) -> ClosedModel:
    """Return the model with no source more reliable than an unknown one."""
    diagonal = np.arange(model.table.shape[2])
    chance = np.exp(model.table[:, diagonal, diagonal])
    capped = np.minimum(chance, PRIOR_RIGHTS / (PRIOR_RIGHTS + PRIOR_WRONGS))
    table = model.table + (np.log1p(-capped) - np.log(np.maximum(1.0 - chance, 1e-12)))[:, :, None]
    table[:, diagonal, diagonal] = np.log(capped)
    return replace(model, table=table)


def compare_closed(labels: Labels, fit: ClosedFit, shared: SharedAnswers, models: list[ClosedModel]) -> PairTest:
    """Return the pairs of sources with their likelihood ratios: the lowest of the models'."""
    first, second = labels.sources[shared.one], labels.sources[shared.two]
    same = np.flatnonzero(shared.same)
    found = []
    for model in models:
        likelier = np.ones(len(shared.one))
        likelier[same] = _likelier(labels, fit, model, shared.one[same], shared.two[same])
        found.append(sum_ratios(first, second, likelier, shared.same, labels.source_count))
    low, high, _ = found[0]
    ratios = np.min(np.stack([ratio for _, _, ratio in found]), axis=0)
    return PairTest(low, high, ratios, float(np.log(max(len(ratios), 1))) + EXTRA_BAR)


def _likelier(labels: Labels, fit: ClosedFit, model: ClosedModel, one: "Ints", two: "Ints") -> "Floats":
    """Return A / B of pairs of answers that agree."""
    by_state = np.ascontiguousarray(model.table.transpose(1, 0, 2)).reshape(labels.value_count, -1)
    evidence = labels.add_up(model.table) + fit.log_prior[:, None]
    # The truth of items that are known is settled, whatever the others say.
    settled = np.zeros_like(evidence)
    settled[:, labels.known] = -1e3
    settled[labels.truth, labels.known] = 0.0
    result = np.empty(len(one))
    for start in range(0, len(one), _CHUNK):
        a, b = one[start : start + _CHUNK], two[start : start + _CHUNK]
        items, here, there = labels.items[a], by_state[:, labels.cells[a]], by_state[:, labels.cells[b]]
        others = evidence[:, items] - here * labels.weights[a] - there * labels.weights[b]
        chances = normalize(others * fit.damping[items] + settled[:, items])
        p, q = np.exp(here), np.exp(there)
        result[start : start + _CHUNK] = (chances * (p + q)).sum(axis=0) / (2.0 * (chances * p * q).sum(axis=0))
    return result

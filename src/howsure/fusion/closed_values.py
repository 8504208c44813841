"""Learn whom to believe when all items share a few values (closed values: labels, votes), without labels.

The posterior is the median of up to four models, each learned by expectation maximization from the shares of votes:

- *coin*: source j is right with chance p_j; which wrong value it gives depends on the truth alone;
- *class*: likewise, with a chance for each truth (only with more than two values);
- *full*: source j has a distribution of values for each truth;
- *sub*: as full, with three subtypes of items for each truth, learned by variational Bayes.

With fewer than 100 items one more model, *alike*, has a say in the median: all sources are right with the same chance,
and all values are equally common. It keeps to the votes where there is too little to learn from, and where a table is
so regular that one vote would tip the other models over.

Priors are 4 right answers and 1 for each wrong value. All but *sub* and *alike* learn them again by Minka's fixed
point. The class prior is half learned and half the share of votes; without that half, one-coin models can collapse to
one value. Since the sources of one item are never quite independent, the logarithm of the posterior is damped at the
end: by `1 / (1 + (I / H - 1) / h)` if the answers of the item tell I, more than the H it takes to settle it, where h is
the factor of the evidence that left-out answers demand (`howsure.fusion.damping`).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from howsure.arrays import np
from howsure.formulas.claim import PRIOR_RIGHTS, PRIOR_WRONGS
from howsure.fusion.answers import Answers
from howsure.fusion.damping import count_redundant, find_evidence_factor, find_scale, leave_out, relative_information
from howsure.fusion.special import digamma, normalize
from howsure.progress import Progress, silent

if TYPE_CHECKING:
    from howsure.arrays import Bools, Floats, Ints


SUBTYPES = 3
CLEARNESS = np.linspace(1.0, 0.4, SUBTYPES)
"""Share of votes for the truth that each subtype starts from."""
ROUNDS = 40
MOST_CELLS = 30_000_000
"""Cells of the largest table of a model: sources x truths x values."""
FEW_ITEMS, MANY_ITEMS = 50, 100
"""The model *alike* has its full say up to the first number of items, and none from the second on."""
CONVERGED = 1e-4
"""Mean change of a posterior at which a model is done."""


class Labels:
    """Answers with closed values, and the sums that every model needs."""

    def __init__(self, answers: Answers, shares: "Floats | None" = None, known: "Ints | None" = None) -> None:
        """Take the answers, how much of its weight each keeps, and the known value of each item (-1 if unknown)."""
        self.answers = answers
        self.shares: Floats = np.ones(len(answers.weights)) if shares is None else shares
        self.weights: Floats = answers.weights * self.shares
        self.items: Ints = answers.items
        self.sources: Ints = answers.sources
        self.values: Ints = answers.values
        self.item_count: int = answers.item_count
        self.source_count: int = answers.source_count
        self.value_count: int = answers.value_count
        self.cells: Ints = self.sources * self.value_count + self.values
        self.starts: Ints = answers.answer_starts
        size = self.item_count * self.value_count
        votes = np.bincount(self.items * self.value_count + self.values, self.weights, size)
        self.votes: Floats = np.ascontiguousarray(votes.reshape(self.item_count, self.value_count).T, dtype=np.float64)
        """Votes for each value (rows) of each item (columns), as all posteriors here."""
        self.numbers: Ints = answers.answers_of_items
        self.totals: Floats = self.votes.sum(axis=0)
        self.known: Ints = np.flatnonzero(known >= 0) if known is not None else np.zeros(0, dtype=np.int64)
        self.truth: Ints = known[self.known] if known is not None else self.known
        self.start: Floats = self.fix(self.votes / np.maximum(self.totals, 1e-300))
        self.vote_share: Floats = self.votes.sum(axis=1) / max(self.votes.sum(), 1e-300)
        self.whole: bool = bool((self.weights == 1.0).all())

    def fix(self, chances: "Floats") -> "Floats":
        """Set the posterior of items whose value is known."""
        if len(self.known):
            chances = chances.copy()
            chances[:, self.known] = 0.0
            chances[self.truth, self.known] = 1.0
        return chances

    def without(self, left_out: "Bools") -> "Labels":
        """Return the same labels with some answers left out; known values stay known."""
        known = np.full(self.item_count, -1, dtype=np.int64)
        known[self.known] = self.truth
        return Labels(self.answers, np.where(left_out, 0.0, 1.0), known if len(self.known) else None)

    def count(self, chances: "Floats") -> "Floats":
        """Return the expected number of answers by source, truth and value."""
        size = self.source_count * self.value_count
        counts = np.empty((len(chances), size))
        for state, of_items in enumerate(chances):
            of_answers = np.repeat(of_items, self.numbers)
            counts[state] = np.bincount(self.cells, of_answers if self.whole else of_answers * self.weights, size)
        return counts.reshape(-1, self.source_count, self.value_count).transpose(1, 0, 2)

    def add_up(self, table: "Floats") -> "Floats":
        """Add up, for each item and truth, a table of numbers by source, truth and value."""
        # State by state: a sum over rows of a few columns takes numpy ten times as long.
        by_state = np.ascontiguousarray(table.transpose(1, 0, 2)).reshape(table.shape[1], -1)
        sums = np.empty((len(by_state), self.item_count))
        for state, of_cells in enumerate(by_state):
            of_answers = of_cells[self.cells]
            sums[state] = np.add.reduceat(of_answers if self.whole else of_answers * self.weights, self.starts)
        return sums


def minka(prior: "Floats", counts: "Floats") -> "Floats":
    """Return the Dirichlet prior after one step of Minka's fixed point, given counts by source (rows)."""
    total, numbers = prior.sum(), counts.sum(axis=1)
    used = numbers > 0
    if not used.any():
        return prior
    above = (digamma(counts[used] + prior) - digamma(prior)).sum(axis=0)
    below = (digamma(numbers[used] + total) - digamma(np.array([total]))).sum()
    result: Floats = np.clip(prior * above / max(below, 1e-12), 0.01, 1e3)
    return result


@dataclass(frozen=True, eq=False)
class ClosedModel:
    """One learned model."""

    name: str
    posterior: "Floats"
    """Probability of each value (rows) of each item (columns)."""
    table: "Floats"
    """Logarithm of the chance of a value (last axis) by source and truth."""
    rounds: int


@dataclass(frozen=True, eq=False)
class ClosedFit:
    """What was learned about sources and items of closed values."""

    posterior: "Floats"
    """Probability of each value (rows) of each item (columns), damped."""
    undamped: "Floats"
    """The same before damping."""
    weights: "Floats"
    """How much each answer counts, copies discounted."""
    models: tuple[ClosedModel, ...]
    damping: "Floats"
    """Factor by which the logarithm of each item's posterior was damped."""
    right: "Floats"
    """Expected number of right answers of each source, prior included."""
    wrong: "Floats"
    """Expected number of wrong answers of each source, prior included."""
    doubt: "Floats"
    """Sum of q (1 - q) over the answers of each source, q being their probability."""
    log_prior: "Floats"
    """Logarithm of the share of each value among the truths."""
    known: "Bools"
    """Which items are verified."""


def fit_closed(
    answers: Answers,
    *,
    known: "Ints | None" = None,
    shares: "Floats | None" = None,
    progress: Progress = silent,
) -> ClosedFit:
    """Learn the reliability of sources and the probability of each value of each item.

    Args:
        answers: The answers.
        known: The value of each item that is verified; -1 if unknown.
        shares: How much of its weight each answer keeps because others copy it; default: all.
        progress: Called with how far it has come.
    """
    labels = Labels(answers, shares, known)
    names = model_names(labels.source_count, labels.value_count)
    models: list[ClosedModel] = []
    share = alike_share(labels.item_count)
    alike = learn_model(labels, "alike", labels.start) if share else None
    for place, name in enumerate(names):
        progress(f"learning whom to believe: {name}", place, len(names))
        start = labels.start if name != "sub" else combine(models, alike, share)
        models.append(_learn_subtypes(labels, start) if name == "sub" else learn_model(labels, name, start))
    undamped = labels.fix(combine(models, alike, share))
    log_prior = class_prior(undamped.mean(axis=1), labels.vote_share)
    factor = find_evidence_factor(leave_out(labels), models, log_prior)
    damping = 1.0 / (1.0 + count_redundant(labels, relative_information(models, log_prior)) / factor)
    if len(labels.known):
        # Verified items also tell how far the damping is off; by predictions that were made without them.
        damping = damping * find_scale(fit_closed(answers, shares=shares, progress=progress).posterior, labels)
    posterior = labels.fix(normalize(np.log(np.maximum(undamped, 1e-300)) * damping))
    shown = posterior[answers.values, answers.items]
    correct = np.bincount(answers.sources, answers.weights * shown, labels.source_count)
    numbers = np.bincount(answers.sources, answers.weights, labels.source_count)
    progress("learning whom to believe", len(names), len(names))
    return ClosedFit(
        posterior=posterior,
        undamped=undamped,
        weights=labels.weights,
        models=tuple(models),
        damping=damping,
        right=np.asarray(correct, dtype=np.float64) + PRIOR_RIGHTS,
        wrong=np.maximum(numbers - correct, 0.0) + PRIOR_WRONGS,
        doubt=answers.sum_by_source(answers.weights * shown * (1.0 - shown)),
        log_prior=log_prior,
        known=np.isin(np.arange(labels.item_count), labels.known),
    )


def model_names(source_count: int, value_count: int) -> list[str]:
    """Return the models to learn: without *full* and *sub* if their tables would be too large."""
    names = ["coin"] if value_count <= 2 else ["coin", "class"]  # noqa: PLR2004 - with two values, full does the same
    if source_count * value_count**2 <= MOST_CELLS:
        names.append("full")
        if SUBTYPES * source_count * value_count**2 <= MOST_CELLS:
            names.append("sub")
    return names


def alike_share(item_count: int) -> float:
    """Return how much the model *alike* has to say: from 1 with 50 items or fewer to 0 with 100 or more.

    >>> [alike_share(items) for items in (3, 60, 108)]
    [1.0, 0.8, 0.0]
    """
    return min(max((MANY_ITEMS - item_count) / (MANY_ITEMS - FEW_ITEMS), 0.0), 1.0)


def combine(models: "list[ClosedModel]", alike: "ClosedModel | None", share: float) -> "Floats":
    """Return the median of the posteriors, normalized; that with *alike* has a share in it."""
    posteriors = [model.posterior for model in models]
    middle = _median(posteriors)
    if alike is not None:
        middle = (1.0 - share) * middle + share * _median([*posteriors, alike.posterior])
    return middle


def _median(posteriors: "list[Floats]") -> "Floats":
    middle = np.median(np.stack(posteriors), axis=0)
    result: Floats = middle / np.maximum(middle.sum(axis=0), 1e-300)
    return result


def truth_prior(name: str, learned: "Floats", vote_share: "Floats") -> "Floats":
    """Return the logarithm of the class prior of a model; *alike* has none."""
    return np.zeros(len(learned)) if name == "alike" else class_prior(learned, vote_share)


def class_prior(learned: "Floats", vote_share: "Floats") -> "Floats":
    """Return the logarithm of the class prior: half learned (the mean posterior), half the share of votes."""
    result: Floats = np.log(np.maximum(0.5 * learned + 0.5 * vote_share, 1e-12))
    return result


def learn_model(labels: Labels, name: str, posterior: "Floats") -> ClosedModel:
    """Learn the model coin, class, full or alike, from a posterior to start with."""
    prior = first_prior(name, labels.value_count)
    table, rounds = np.zeros((labels.source_count, labels.value_count, labels.value_count)), 0
    for _ in range(ROUNDS):
        rounds += 1
        table, prior = learn_chances(name, labels.count(posterior), prior)
        logs = labels.add_up(table) + truth_prior(name, posterior.mean(axis=1), labels.vote_share)[:, None]
        before, posterior = posterior, labels.fix(normalize(logs))
        if np.abs(posterior - before).mean() < CONVERGED:
            break
    return ClosedModel(name, posterior, table, rounds)


def learn_table(labels: Labels, name: str, posterior: "Floats") -> "Floats":
    """Return the log-chances of values by source and truth that a posterior implies."""
    return learn_chances(name, labels.count(posterior), first_prior(name, labels.value_count))[0]


def first_prior(name: str, size: int) -> "Floats":
    """Return the counts before the first answer: right and wrong ones, or for *full* by truth and value."""
    if name != "full":
        return np.array([[PRIOR_RIGHTS, PRIOR_WRONGS * max(size - 1, 1)]] * (size if name == "class" else 1))
    prior = np.full((size, size), PRIOR_WRONGS)
    np.fill_diagonal(prior, PRIOR_RIGHTS)
    return prior


def learn_chances(name: str, counts: "Floats", prior: "Floats") -> tuple["Floats", "Floats"]:
    """Return the log-chances of values by source and truth, and the new prior."""
    if name == "alike":
        return _all_alike(counts), prior
    if name != "full":
        return _right_or_wrong(counts, prior)
    prior = np.stack([minka(prior[truth], counts[:, truth]) for truth in range(len(prior))])
    return np.log((counts + prior) / (counts.sum(axis=2, keepdims=True) + prior.sum(axis=1)[None, :, None])), prior


def _all_alike(counts: "Floats") -> "Floats":
    """Return the log-chances of values if all sources are right with the same chance, and wrong values equally likely.

    No source is less likely to be right than by guessing.
    """
    size = counts.shape[2]
    right, number = float(np.trace(counts.sum(axis=0))), float(counts.sum())
    chance = (right + PRIOR_RIGHTS) / (number + PRIOR_RIGHTS + PRIOR_WRONGS)
    chance = min(max(chance, min(1.0 / size + 0.02, 0.98)), 0.98)
    table = np.full((size, size), np.log((1.0 - chance) / max(size - 1, 1)))
    np.fill_diagonal(table, np.log(chance))
    return np.broadcast_to(table, counts.shape)


def _right_or_wrong(counts: "Floats", prior: "Floats") -> tuple["Floats", "Floats"]:
    """Return the log-chances of values if a source is right or wrong, and the new prior of that.

    Args:
        counts: Expected number of answers by source, truth and value.
        prior: Right and wrong answers of the prior: one row, or one for each truth.
    """
    size = counts.shape[2]
    diagonal = np.arange(size)
    right, numbers = counts[:, diagonal, diagonal], counts.sum(axis=2)
    if len(prior) == 1:
        right, numbers = right.sum(axis=1, keepdims=True), numbers.sum(axis=1, keepdims=True)
    wrong = np.maximum(numbers - right, 0.0)
    columns = range(right.shape[1])
    prior = np.stack([minka(prior[one], np.stack([right[:, one], wrong[:, one]], axis=1)) for one in columns])
    chance = (right + prior[:, 0]) / (numbers + prior.sum(axis=1))
    # Which wrong value is given depends on the truth alone, with one answer for each before the first.
    errors = counts.sum(axis=0) + PRIOR_WRONGS
    errors[diagonal, diagonal] = 0.0
    errors /= np.maximum(errors.sum(axis=1, keepdims=True), 1e-300)
    table = np.log(np.maximum((1.0 - chance)[:, :, None] * errors, 1e-12))
    table = np.broadcast_to(table, counts.shape).copy()
    table[:, diagonal, diagonal] = np.log(chance)
    return table, prior


def subtype_prior(size: int) -> "Floats":
    """Return the counts before the first answer of the model sub, by truth and subtype (rows) and value."""
    prior = np.full((size, size), PRIOR_WRONGS) + np.eye(size) * (PRIOR_RIGHTS - PRIOR_WRONGS)
    return np.repeat(prior, SUBTYPES, axis=0)


def subtype_chances(counts: "Floats", prior: "Floats") -> "Floats":
    """Return the expected log-chances of values by source, and truth and subtype."""
    result: Floats = digamma(counts + prior) - digamma(
        counts.sum(axis=2, keepdims=True) + prior.sum(axis=1)[None, :, None]
    )
    return result


def subtype_logs(items: "Floats", log_prior: "Floats") -> "Floats":
    """Return the expected logarithm of the share of each truth and subtype, given the expected number of its items."""
    weights = items.reshape(-1, SUBTYPES) + 1.0 / SUBTYPES
    logs = digamma(weights) - digamma(weights.sum(axis=1, keepdims=True))
    result: Floats = (logs + log_prior[:, None]).ravel()
    return result


def _learn_subtypes(labels: Labels, start: "Floats") -> ClosedModel:
    """Learn the model sub: items of one truth come in three subtypes, from clear to contested."""
    size = labels.value_count
    prior = subtype_prior(size)
    clear = np.exp(-(((labels.start[:, None, :] - CLEARNESS[None, :, None]) / 0.2) ** 2)) + 1e-3
    clear /= clear.sum(axis=1, keepdims=True)
    posterior = (start[:, None, :] * clear).reshape(-1, labels.item_count)
    whole = start
    table, rounds = np.zeros((labels.source_count, size * SUBTYPES, size)), 0
    for _ in range(ROUNDS):
        rounds += 1
        table = subtype_chances(labels.count(posterior), prior)
        logs = subtype_logs(posterior.sum(axis=1), class_prior(whole.mean(axis=1), labels.vote_share))
        posterior = normalize(labels.add_up(table) + logs[:, None])
        if len(labels.known):
            allowed = np.repeat(np.eye(size)[:, labels.truth], SUBTYPES, axis=0)
            kept = posterior[:, labels.known] * allowed + 1e-300 * allowed
            posterior[:, labels.known] = kept / kept.sum(axis=0)
        before, whole = whole, posterior.reshape(size, SUBTYPES, -1).sum(axis=1)
        if np.abs(whole - before).mean() < CONVERGED:
            break
    return ClosedModel("sub", labels.fix(whole), table, rounds)

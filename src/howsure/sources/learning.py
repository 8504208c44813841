"""Learn from all claims of a store whom to believe, without labels; outcomes on claims help."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from howsure.errors import InputError
from howsure.formulas.learned import LearnedModel
from howsure.learn.fit import Fit, FittedSource
from howsure.progress import Progress, silent
from howsure.sources import counts
from howsure.sources.follow import read_outcomes, share_answers
from howsure.store import source_weights as table
from howsure.store.database import Transaction
from howsure.store.fits import FitKind
from howsure.store.session import Session
from howsure.store.source_weights import Vote, WeightRow

if TYPE_CHECKING:
    from howsure.fusion.source_fit import SourceFit

KIND: FitKind = "source"
FOLDS = 5
"""Parts into which claims with an outcome are divided for cross-validation."""
FEWEST = 2
"""Verdicts from which on a fit is measured."""


@dataclass(frozen=True)
class Ballot:
    """The claims of a store as answers: which claims compete, and who says each."""

    votes: list[Vote]
    """Who says which claim; the votes of one claim stand together."""
    items: dict[int, int]
    """Number of the item of each claim that has a vote, from 0."""
    outcomes: dict[int, bool]
    """Claims that were found right or wrong."""

    @property
    def names(self) -> list[tuple[str, str]]:
        """The sources, in order."""
        return sorted({(vote.source_type, vote.source_id) for vote in self.votes})


def read_ballot(transaction: Transaction) -> Ballot:
    """Read all claims that say something about their sources.

    Claims of one namespace with the same subject and predicate, and claims that contradict each other, are one item.
    """
    candidates = list(table.read_candidates(transaction))
    votes = list(table.read_votes(transaction))
    counted = [vote for vote in votes if not vote.checks]
    said = {vote.claim for vote in counted}
    groups = _Groups()
    by_property: dict[tuple[str, str, str], int] = {}
    for one in candidates:
        if one.claim in said and one.subject is not None and one.predicate is not None:
            first = by_property.setdefault((one.namespace, one.subject, one.predicate), one.claim)
            groups.join(first, one.claim)
    for source, target in table.read_contradictions(transaction):
        if source in said and target in said:
            groups.join(source, target)
    numbers: dict[int, int] = {}
    items = {claim: numbers.setdefault(groups.find(claim), len(numbers)) for claim in sorted(said)}
    outcomes = {claim: right for claim, right in read_outcomes(candidates, votes).items() if claim in said}
    return Ballot(counted, items, outcomes)


class _Groups:
    """Disjoint sets of claims."""

    def __init__(self) -> None:
        self._above: dict[int, int] = {}

    def find(self, claim: int) -> int:
        """Return the claim that stands for the set of a claim."""
        root = claim
        while (above := self._above.get(root, root)) != root:
            root = above
        while claim != root:
            self._above[claim], claim = root, self._above.get(claim, root)
        return root

    def join(self, first: int, second: int) -> None:
        """Join the sets of two claims; the one that was added first stands for both."""
        low, high = sorted((self.find(first), self.find(second)))
        self._above[high] = low


def fit_ballot(ballot: Ballot, outcomes: Mapping[int, bool], progress: Progress = silent) -> "SourceFit":
    """Fit sources on the votes of a store, given some outcomes."""
    from howsure.fusion.source_fit import fit_sources
    from howsure.learn.metrics import np

    claims = {claim: number for number, claim in enumerate(ballot.items)}
    sources = {name: number for number, name in enumerate(ballot.names)}
    count = len(ballot.votes)
    items = np.fromiter((ballot.items[vote.claim] for vote in ballot.votes), np.int64, count)
    who = np.fromiter((sources[vote.source_type, vote.source_id] for vote in ballot.votes), np.int64, count)
    values = np.fromiter((claims[vote.claim] for vote in ballot.votes), np.int64, count)
    known = {(ballot.items[claim], claims[claim]): right for claim, right in outcomes.items()}
    size = (len(set(ballot.items.values())), len(sources), len(claims))
    return fit_sources(items, who, values, known=known, counts=size, progress=progress)


class SourceLearner:
    """Learns fits of the kind `source`: whom to believe."""

    model = "claims"

    def learn(self, session: Session, *, since: float | None, active: Fit | None, progress: Progress) -> Fit:
        """Learn from all claims of the store, and measure the fit on claims with an outcome.

        Raises:
            InputError: if there is no claim with a source, or `since` is given.
            MissingExtraError: if numpy is not installed.
        """
        if since is not None:
            raise InputError("sources are learned from all claims", field="since", hint="leave it out")
        with session.database.read() as transaction:
            ballot = read_ballot(transaction)
        if not ballot.votes:
            raise InputError("there are no claims with a source", field="kind", hint="howsure claim add adds one")
        fitted = fit_ballot(ballot, ballot.outcomes, progress)
        fit = Fit(
            kind="sources",
            score="reliability",
            outcomes=len(ballot.outcomes),
            right=sum(ballot.outcomes.values()),
            parameters=LearnedModel(),
            sources=describe(ballot, fitted),
            log_choices=fitted.log_choices,
            claims=len(ballot.items),
        )
        return self._measured(fit, ballot, active) if len(ballot.outcomes) >= FEWEST else fit

    @staticmethod
    def _measured(fit: Fit, ballot: Ballot, active: Fit | None) -> Fit:
        """Return a fit with its measures on claims with an outcome, each predicted without the outcome on its item."""
        from howsure.learn.learning import measured
        from howsure.learn.metrics import np

        judged = sorted(ballot.outcomes)
        clusters = np.unique([ballot.items[claim] for claim in judged], return_inverse=True)[1].reshape(-1)
        chances = np.empty(len(judged))
        before = np.empty(len(judged))
        old = _chances_by(ballot, {} if active is None else weights_of(active))
        places = {claim: number for number, claim in enumerate(ballot.items)}
        for fold in range(FOLDS):
            held = [number for number in range(len(judged)) if clusters[number] % FOLDS == fold]
            if not held:
                continue
            hidden = {judged[number] for number in held}
            rest = {claim: right for claim, right in ballot.outcomes.items() if claim not in hidden}
            found = fit_ballot(ballot, rest)
            by_value = dict(zip(found.values.tolist(), found.probability.tolist(), strict=True))
            for number in held:
                chances[number] = by_value[places[judged[number]]]
        for number, claim in enumerate(judged):
            before[number] = old[claim]
        right = np.array([float(ballot.outcomes[claim]) for claim in judged])
        return measured(fit, chances, before, right, clusters)


def _chances_by(ballot: Ballot, known: Mapping[tuple[str, str], WeightRow]) -> dict[int, float]:
    """Return the probability of each claim by given weights; unknown sources have the prior."""
    from howsure.sources.follow import believe

    by_item: dict[int, list[Vote]] = {}
    for vote in ballot.votes:
        by_item.setdefault(ballot.items[vote.claim], []).append(vote)
    log_choices = next((row.log_choices for row in known.values()), 0.0)
    chances: dict[int, float] = {}
    for votes in by_item.values():
        chances |= believe(votes, share_answers(votes), known, {}, log_choices)
    return chances


def describe(ballot: Ballot, fitted: "SourceFit") -> tuple[FittedSource, ...]:
    """Return what was learned about each source."""
    names, groups = ballot.names, fitted.group.tolist()
    sizes: dict[int, int] = {}
    for group in groups:
        sizes[group] = sizes.get(group, 0) + 1
    return tuple(
        FittedSource(*name, right, wrong, ":".join(names[group]) if sizes[group] > 1 else "")
        for name, right, wrong, group in zip(names, fitted.right.tolist(), fitted.wrong.tolist(), groups, strict=True)
    )


def weights_of(fit: Fit) -> dict[tuple[str, str], WeightRow]:
    """Return the rows of the table of source weights for a fit, by type and id."""
    return {
        (one.source_type, one.source_id): WeightRow(
            one.source_type,
            one.source_id,
            counts.weight(one.rights, one.wrongs, fit.log_choices),
            counts.variance(one.rights, one.wrongs),
            one.copy_group,
            one.rights,
            one.wrongs,
            fit.log_choices,
        )
        for one in fit.sources
    }


def activate(transaction: Transaction, kind: FitKind, fit: Fit | None) -> None:
    """Make the numbers of a fit of sources those that claims are read with; None: forget what was learned."""
    if kind != KIND:
        return
    table.replace_all(transaction, list(weights_of(fit).values()) if fit else [])
    if fit is not None:
        _count_votes(transaction, fit)


def _count_votes(transaction: Transaction, fit: Fit) -> None:
    """Store what each vote adds to the counts of its source, so that later changes can be followed."""
    ballot = read_ballot(transaction)
    table.set_counted(transaction, _counted(ballot, weights_of(fit), fit.log_choices))


def _counted(
    ballot: Ballot, known: Mapping[tuple[str, str], WeightRow], log_choices: float
) -> Iterator[tuple[float | None, float | None, int, int]]:
    """Yield what each vote adds to the counts of its source: rights, wrongs, claim and position."""
    from howsure.sources.follow import believe

    by_item: dict[int, list[Vote]] = {}
    for vote in ballot.votes:
        by_item.setdefault(ballot.items[vote.claim], []).append(vote)
    for votes in by_item.values():
        outcomes = {vote.claim: ballot.outcomes[vote.claim] for vote in votes if vote.claim in ballot.outcomes}
        if len({(vote.source_type, vote.source_id) for vote in votes}) < 2 and not outcomes:  # noqa: PLR2004
            continue
        answers = share_answers(votes)
        chances = believe(votes, answers, known, outcomes, log_choices)
        for vote in votes:
            share = answers[vote.claim, vote.source_type, vote.source_id]
            yield share * chances[vote.claim], share * (1.0 - chances[vote.claim]), vote.claim, vote.position

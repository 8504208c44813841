"""Estimate the reliability of sources from all claims of a store, without labels; outcomes on claims help."""

from typing import TYPE_CHECKING

from howsure.errors import InputError
from howsure.formulas.learned import LearnedModel
from howsure.learn.fit import Fit, FittedSource
from howsure.progress import Progress
from howsure.sources import counts
from howsure.sources.follow import MANY_CHANGES, follow
from howsure.store.backends.database import Transaction
from howsure.store.claim_tables import source_weights as table
from howsure.store.claim_tables.source_weights import WeightRow
from howsure.store.ledger_tables.fits import FitKind
from howsure.store.session import Session

if TYPE_CHECKING:
    from howsure.fusion.source_fit import SourceFit
    from howsure.sources.ballot import Ballot, CountedVotes

KIND: FitKind = "source"
FOLDS = 5
"""Parts into which claims with an outcome are divided for cross-validation."""
FEWEST = 2
"""Claims with an outcome from which on a fit is measured."""


class SourceLearner:
    """Learns fits of the kind `source`: whom to believe."""

    model = "claims"

    def __init__(self) -> None:
        """Begin with nothing learned."""
        self._prepared: tuple[tuple[FittedSource, ...], CountedVotes] | None = None
        """The sources of the last fit that was learned, and what the votes count by it."""

    def learn(self, session: Session, *, since: float | None, active: Fit | None, progress: Progress) -> Fit:
        """Learn from all claims of the store, and measure the fit on claims with an outcome.

        Raises:
            InputError: if there is no claim with a source, or `since` is given.
            MissingExtraError: if numpy is not installed.
        """
        if since is not None:
            raise InputError("sources are learned from all claims", field="since", hint="leave it out")
        from howsure.sources.ballot import count_votes, read_ballot

        with session.database.read() as transaction:
            ballot = read_ballot(transaction)
        if not len(ballot.sources):
            raise InputError("there are no claims with a source", field="kind", hint="howsure claim add adds one")
        fitted = ballot.fit(ballot.outcomes, progress)
        fit = Fit(
            kind="sources",
            score="reliability",
            outcomes=len(ballot.outcomes),
            right=sum(ballot.outcomes.values()),
            parameters=LearnedModel(),
            sources=describe(ballot, fitted),
            log_choices=fitted.log_choices,
            claims=len(ballot.claims),
        )
        if len(ballot.outcomes) >= FEWEST:
            fit = self._measured(fit, ballot, active)
        self._prepared = fit.sources, count_votes(ballot, weights_of(fit), fit.log_choices)
        return fit

    def activate(self, transaction: Transaction, kind: FitKind, fit: Fit | None) -> None:
        """Make the numbers of a fit of sources those that claims are read with; None: forget what was learned.

        What the votes count was computed when the fit was learned, before this transaction began. Claims that have
        changed since then are followed. An older fit is counted from the votes as they are.

        Raises:
            MissingExtraError: if the fit is an older one, and numpy is not installed.
        """
        if kind != KIND:
            return
        prepared, self._prepared = self._prepared, None
        table.replace_all(transaction, list(weights_of(fit).values()) if fit else [])
        if fit is None:
            return
        if prepared is not None and prepared[0] is fit.sources:
            counted = prepared[1]
            changed = table.changed_since(transaction, counted.last_event)
            if len(changed) <= MANY_CHANGES:
                table.set_counted(transaction, counted.rows())
                follow(transaction, changed)
                return
        from howsure.sources.ballot import count_votes, read_ballot

        ballot = read_ballot(transaction)
        table.set_counted(transaction, count_votes(ballot, weights_of(fit), fit.log_choices).rows())

    @staticmethod
    def _measured(fit: Fit, ballot: "Ballot", active: Fit | None) -> Fit:
        """Return a fit with its measures on claims with an outcome, each predicted without the outcome on its item."""
        from howsure.arrays import np
        from howsure.learn.learning import measure_fit
        from howsure.sources.ballot import believe_all

        judged = sorted(ballot.outcomes)
        clusters = np.unique(ballot.items[judged], return_inverse=True)[1].reshape(-1)
        chances = np.empty(len(judged))
        known = {} if active is None else weights_of(active)
        log_choices = next((row.log_choices for row in known.values()), 0.0)
        before = believe_all(ballot, known, {}, log_choices)[judged]
        for fold in range(FOLDS):
            held = [number for number in range(len(judged)) if clusters[number] % FOLDS == fold]
            if not held:
                continue
            hidden = {judged[number] for number in held}
            found = ballot.fit({place: right for place, right in ballot.outcomes.items() if place not in hidden})
            by_value = dict(zip(found.values.tolist(), found.probability.tolist(), strict=True))
            for number in held:
                chances[number] = by_value[judged[number]]
        right = np.array([float(ballot.outcomes[place]) for place in judged])
        return measure_fit(fit, chances, before, right, clusters)


def describe(ballot: "Ballot", fitted: "SourceFit") -> tuple[FittedSource, ...]:
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

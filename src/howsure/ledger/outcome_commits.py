"""Report outcomes of decisions that commits name: right if the commit stays, wrong if it is reverted."""

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from howsure.ledger.commits import CommitState, Mention, read_commit_states
from howsure.ledger.outcome_reports import OutcomeInput, OutcomeWriter, ReportCounts
from howsure.shapes import DAY
from howsure.store.ledger_tables.decisions import oldest
from howsure.store.session import Session
from howsure.wording import pluralize


@dataclass(frozen=True)
class CommitOutcomes:
    """What the commits of a repository say about decisions."""

    commits: int
    """Commits that name decisions."""
    recorded: int
    """Outcomes that were new."""
    unchanged: int
    """Outcomes that were known already."""
    waiting: int
    """Names in commits that have not been in the main branch for long enough."""
    unmatched: int
    """Names in commits that no decision has."""
    errors: list[str]
    """What was unmatched; at most 100."""


def report_commits(
    session: Session, writer: OutcomeWriter, repository: Path, branch: str | None, wait: float, at: float
) -> CommitOutcomes:
    """Report what the commits of a repository say; see `Ledger.outcomes_from_git`.

    Args:
        session: The store.
        writer: Stores the outcomes.
        repository: A folder of the repository.
        branch: The main branch, or None to look for it.
        wait: Seconds that a commit has to stay in the main branch.
        at: The present moment.
    """
    with session.database.read() as transaction:
        since = oldest(transaction)
    states = read_commit_states(repository, branch, at if since is None else since - DAY)
    named: dict[Mention, list[CommitState]] = {}
    for state in states:
        for mention in state.mentions:
            named.setdefault(mention, []).append(state)
    counts = ReportCounts()
    waiting = 0
    with session.write() as transaction:
        for (field, value), own in named.items():
            last = max(own, key=lambda state: (state.reverted_by is not None, state.since))
            known_at = last.since + (0.0 if last.reverted_by else wait)
            if known_at > at and last.reverted_by is None:
                waiting += 1
                continue
            note = f"commit {last.commit[:12]} " + (
                f"was reverted by {last.reverted_by[:12]}"
                if last.reverted_by
                else f"is in the main branch after {pluralize(round(wait / DAY), 'day')}"
            )
            about: dict[str, Any] = {field: value, "note": note, "by": "git", "at": min(known_at, at)}
            report = OutcomeInput("wrong" if last.reverted_by else "right", **about)
            landed = max(state.landed_at for state in own)
            counts.write(writer, transaction, report, f"commit {last.commit[:12]}", "commit", once=True, until=landed)
    return CommitOutcomes(len(states), counts.recorded, counts.unchanged, waiting, counts.failed, counts.errors)

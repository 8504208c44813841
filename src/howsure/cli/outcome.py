"""The commands `howsure outcome`: report what decisions turned out to be."""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

import typer

from howsure.cli.from_operations import command, group
from howsure.cli.output import GOOD, NO_JUDGEMENT, complain, show
from howsure.cli.parameters import open_input
from howsure.cli.stores import Json, StoreOption
from howsure.errors import InputError
from howsure.ledger.api import Ledger
from howsure.ledger.outcome_commits import CommitOutcomes
from howsure.ledger.outcome_files import ImportedOutcomes
from howsure.ledger.outcome_reports import read_outcome
from howsure.ledger.outcomes import MatchedOutcome, OutcomeSummary
from howsure.store.ledger_tables.decisions import LAST
from howsure.sure import open as open_store
from howsure.wording import pluralize

_SHOWN = 20
"""Errors that are printed."""


def report(
    id_: Annotated[str | None, typer.Argument(metavar="ID", help="Id of the decision; @last: the newest.")] = None,
    result: Annotated[
        str | None, typer.Argument(metavar="OUTCOME", help="right, wrong or corrected; up or down for a thumb.")
    ] = None,
    by: Annotated[str | None, typer.Option(help="Who says so; default: you.")] = None,
    note: Annotated[str, typer.Option(help="Why, or how that is known.")] = "",
    file: Annotated[
        str | None, typer.Option(help="Report many: JSON Lines of id, outcome, by and note; - for stdin.")
    ] = None,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Report whether a response was right, wrong or had to be corrected. The latest report counts.

    Example: howsure outcome @last right --note 'still runs'
    """
    if (file is None and (id_ is None or result is None)) or (file is not None and id_ is not None):
        raise InputError("pass an id with an outcome, or a file of them", hint="howsure outcome ID right")
    if file is not None and (by is not None or note):
        raise InputError("the file says by whom and why", field="note" if note else "by", hint="leave it out")
    named = ""
    with open_store(store) as sure:
        if file is None:
            if id_ == LAST:
                id_ = sure.ledger.get(LAST).id
                named = f": {id_}"
            if result in ("up", "down"):
                sure.ledger.thumbs(id_ or "", "up" if result == "up" else "down", by=by, note=note)
            else:
                sure.ledger.outcome(id_ or "", read_outcome(result or ""), by=by, note=note)
            summary = OutcomeSummary(1, [])
        else:
            with open_input(file) as stream:
                summary = sure.ledger.outcomes(list(stream))
    failed = f", {len(summary.errors):,} failed" if summary.errors else ""
    show(summary, json=json, line=f"{summary.recorded:,} recorded{failed}{named}")
    if code := _complain(summary):
        raise typer.Exit(code)


def _complain(summary: OutcomeSummary | ImportedOutcomes) -> int:
    """Print what was wrong, at most 20 problems; return the exit code."""
    for error in summary.errors[:_SHOWN]:
        complain(error)
    return NO_JUDGEMENT if summary.errors else GOOD


def _imported(summary: ImportedOutcomes, _: Mapping[str, Any]) -> str:
    if summary.ignored:
        complain(f"columns that were not read: {', '.join(summary.ignored)}")
    counts = {"recorded": summary.recorded, "unchanged": summary.unchanged}
    counts |= {"unmatched": summary.unmatched, "invalid": summary.invalid}
    return ", ".join(f"{count:,} {name}" for name, count in counts.items() if count or name == "recorded")


def _matched(result: MatchedOutcome, _: Mapping[str, Any]) -> str:
    known = "" if result.recorded else " (known already)"
    return f"{result.outcome}{known}: {result.note}; {', '.join(result.decisions)}"


def _commits(result: CommitOutcomes, _: Mapping[str, Any]) -> str:
    for error in result.errors[:_SHOWN]:
        complain(error)
    counts = f"{result.recorded:,} recorded, {result.unchanged:,} unchanged, {result.waiting:,} waiting"
    return f"{pluralize(result.commits, 'commit')} with decisions: {counts}, {result.unmatched:,} unmatched"


outcome = group(
    "outcome",
    "Report what decisions turned out to be: howsure outcome ID right. The latest report counts.",
    {
        "report": lambda: report,
        "import": partial(
            command,
            "ledger",
            Ledger.import_outcomes,
            example="outcome import outcomes.csv",
            say=_imported,
            exit_code=_complain,
        ),
        "from-ci": partial(
            command,
            "ledger",
            Ledger.outcomes_from_ci,
            example="outcome from-ci junit.xml --trace session-1",
            names={"decision_id": "--id", "repository": "--repo"},
            say=_matched,
        ),
        "from-git": partial(
            command,
            "ledger",
            Ledger.outcomes_from_git,
            example="outcome from-git --branch main --days 14",
            arguments=(),
            names={"repository": "--repo"},
            say=_commits,
        ),
    },
    default="report",
)

"""howsure outcome: report what a decision turned out to be."""

from typing import Annotated, Any

import typer

from howsure.cli.lines import opened
from howsure.cli.output import NO_JUDGEMENT, complain, write_json
from howsure.cli.stores import Json, StoreOption, opened_store
from howsure.errors import InputError
from howsure.ledger.api import OutcomeSummary


def outcome(
    id_: Annotated[str | None, typer.Argument(metavar="ID", help="Id of the decision.")] = None,
    result: Annotated[str | None, typer.Argument(metavar="OUTCOME", help="right, wrong or corrected.")] = None,
    by: Annotated[str | None, typer.Option(help="Who says so; default: you.")] = None,
    note: Annotated[str, typer.Option(help="Why, or how that is known.")] = "",
    file: Annotated[
        str | None, typer.Option(help="Report many: JSON Lines of id, outcome, by and note; - for stdin.")
    ] = None,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Report whether a response was right, wrong or had to be corrected. The latest report counts."""
    if (file is None) == (id_ is None or result is None):
        raise InputError("pass an id with an outcome, or a file of them", hint="howsure outcome ID right")
    with opened_store(store) as sure:
        if file is None:
            reported: Any = result  # `outcome` checks it
            sure.ledger.outcome(id_ or "", reported, by=by, note=note)
            report = OutcomeSummary(1, [])
        else:
            with opened(file) as stream:
                report = sure.ledger.outcomes(list(stream))
    failed = len(report.errors)
    if json:
        write_json({"recorded": report.recorded, "failed": failed, "errors": report.errors})
    else:
        print(f"{report.recorded:,} recorded" + (f", {failed:,} failed" if failed else ""))
        for error in report.errors[:20]:
            complain(error)
    if failed:
        raise typer.Exit(NO_JUDGEMENT)

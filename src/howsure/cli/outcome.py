"""howsure outcome: what became of an answer."""

from typing import Annotated

import typer

from howsure.cli.lines import opened
from howsure.cli.output import NO_JUDGEMENT, complain, write_json
from howsure.cli.stores import Json, StoreOption, opened_store
from howsure.datafiles import numbered
from howsure.errors import InputError


def outcome(
    id_: Annotated[str | None, typer.Argument(metavar="ID", help="Id of the decision.")] = None,
    result: Annotated[str | None, typer.Argument(metavar="OUTCOME", help="right, wrong or corrected.")] = None,
    by: Annotated[str | None, typer.Option(help="Who says so; default: you.")] = None,
    note: Annotated[str, typer.Option(help="Anything worth keeping with it.")] = "",
    file: Annotated[
        str | None, typer.Option(help="Take many: JSON Lines of id, outcome, by and note; - for stdin.")
    ] = None,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Say whether an answer was right, wrong or had to be corrected. What is said last counts."""
    if (file is None) == (id_ is None or result is None):
        raise InputError("pass an id with an outcome, or a file of them", hint="howsure outcome ID right")
    errors: list[str] = []
    with opened_store(store) as sure:
        if file is None:
            sure.ledger.outcome(id_ or "", result or "", by=by, note=note)
            taken = 1
        else:
            with opened(file) as stream:
                lines = list(numbered(stream))
            taken, errors = sure.ledger.outcomes(lines)
    if json:
        write_json({"taken": taken, "failed": len(errors), "errors": errors})
    else:
        print(f"{taken:,} taken" + (f", {len(errors):,} failed" if errors else ""))
        for error in errors[:20]:
            complain(error)
    if errors:
        raise typer.Exit(NO_JUDGEMENT)

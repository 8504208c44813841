"""howsure synthesize: merge sub-results, with what may be said and how sure."""

from typing import Annotated, Any

import orjson
import typer
from rich.table import Table
from rich.text import Text

from howsure.cli.draw import bar, shade
from howsure.cli.lines import opened, records
from howsure.cli.output import REFUSED, complain, console, visible, write_json
from howsure.cli.progress import show_progress
from howsure.cli.stores import Json, StoreOption, opened_store
from howsure.errors import InputError, shown
from howsure.shapes import decode_as
from howsure.syntheses.synthesis import Synthesis


def synthesize(
    file: Annotated[
        str,
        typer.Argument(help="Sub-results: an object with query and results, or one result per line; - for stdin."),
    ],
    query: Annotated[str, typer.Option(help="The question; default: the one in the file.")] = "",
    minimum: Annotated[float, typer.Option(help="Confidence below which a sub-result is left out.")] = 0.3,
    judge: Annotated[bool, typer.Option("--judge", help="Let the language model that is set do every stage.")] = False,
    keep: Annotated[
        str | None, typer.Option("--keep", metavar="NAMESPACE", help="Keep what was found among the claims.")
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Write Markdown.")] = False,
    trace: Annotated[str, typer.Option(help="The trace or session, for the ledger.")] = "",
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Merge sub-results of different quality. Exits 1 if nothing is sure enough and it abstains."""
    asked, results = _read(file)
    with opened_store(store) as sure:
        by = sure.syntheses.judged() if judge else sure.syntheses
        with show_progress() as show:
            found = by.combine(query or asked, results, rules={"minimum": minimum}, trace_id=trace, progress=show)
        if keep is not None and found.decision == "answer":
            from howsure.syntheses.findings import keep as keep_findings

            kept = keep_findings(sure.claims, found, keep)
            if not json and not markdown:
                print(f"{kept.created} claims created, {kept.corroborated} corroborated, {kept.related} contradictions")
            if kept.warning:
                complain(visible(kept.warning))
    if json:
        write_json(found.as_dict(), pretty=True)
    elif markdown:
        print(visible(found.as_markdown()), end="")
    else:
        _show(found)
    if found.decision != "answer":
        raise typer.Exit(REFUSED)


def _read(file: str) -> tuple[str, list[Any]]:
    with opened(file) as stream:
        content = stream.read()
    try:
        whole = orjson.loads(content)
    except orjson.JSONDecodeError:
        from io import BytesIO

        found = []
        for number, record in records(BytesIO(content)):
            if isinstance(record, InputError):
                record.line = number
                raise record from None
            found.append(record)
        return "", found
    if isinstance(whole, dict) and "results" in whole:
        asked = decode_as(str | None, whole.get("query"), "query")
        if not isinstance(whole["results"], list):
            hint = "a list of sub-results, each an object with id and content"
            raise InputError(f"{shown(whole['results'])} is not a list", field="results", hint=hint)
        return asked or "", whole["results"]
    return "", whole if isinstance(whole, list) else [whole]


def _show(found: Synthesis) -> None:
    out = console()
    out.print(Text(visible(found.content)))
    out.print()
    table = Table(box=None, pad_edge=False, show_header=False)
    for one in found.results:
        drawn = Text(bar(one.confidence, 10), style=shade(one.confidence) if one.kept else "dim")
        used = "" if one.kept else "left out: "
        table.add_row(
            drawn,
            Text(f"{one.confidence:.2f}"),
            Text(visible(one.result.id)),
            Text(used + visible(one.why), style="dim"),
        )
    out.print(table)
    out.print(
        Text(f"\nConfidence {found.overall:.2f} ({found.level}): {found.interpretation}", style=shade(found.overall))
    )
    for warning in found.warnings:
        out.print(Text(f"warning: {visible(warning)}", style="yellow"))

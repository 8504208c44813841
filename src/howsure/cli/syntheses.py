"""The commands `howsure synthesize` and `howsure conflicts`."""

import codecs
from collections.abc import Iterator, Sequence
from io import BytesIO
from typing import Annotated, Any

import orjson
import typer
from rich.table import Table
from rich.text import Text

from howsure.cli.draw import bar, shade
from howsure.cli.output import REFUSED, complain, console, say, write_json
from howsure.cli.pairs import KeepGoing, judge_lines
from howsure.cli.parameters import open_input, read_text
from howsure.cli.progress import show_progress
from howsure.cli.stores import Json, StoreOption
from howsure.datafiles import parse_lines
from howsure.errors import InputError, shown
from howsure.formulas.ops import at_least
from howsure.reader import TextPair, default_reader, read_pairs
from howsure.shapes import Unit, decode_as
from howsure.shapes.encode import encode
from howsure.sure import open as open_store
from howsure.syntheses.stages import ConflictReader, Detection, detect, detect_with_reader
from howsure.syntheses.synthesis import Synthesis
from howsure.wording import pluralize, visible


def synthesize(
    file: Annotated[
        str,
        typer.Argument(help="Sub-results: an object with query and results, or one result per line; - for stdin."),
    ],
    query: Annotated[str, typer.Option(help="The question; default: the one in the file.")] = "",
    minimum: Annotated[float, typer.Option(help="Confidence below which a sub-result is left out.")] = 0.3,
    judge: Annotated[bool, typer.Option("--judge", help="Let the language model do every stage.")] = False,
    reader: Annotated[
        ConflictReader,
        typer.Option(help="Who finds conflicts: rules, or also the reader that is installed, if any."),
    ] = "rules",
    keep: Annotated[
        str | None,
        typer.Option("--keep", metavar="NAMESPACE", help="Store the claims in this namespace."),
    ] = None,
    markdown: Annotated[bool, typer.Option("--markdown", help="Write Markdown.")] = False,
    trace: Annotated[str, typer.Option(help="The trace or session, for the ledger.")] = "",
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Merge sub-results of different quality. Exits 1 if it abstains because none is sure enough.

    Example: howsure synthesize results.json --query 'Is the cache safe?'
    """
    question, results = _read(file)
    with open_store(store) as sure, show_progress() as show:
        synthesis = sure.syntheses.combine(
            query or question,
            results,
            rules={"minimum": minimum},
            judge=judge,
            reader=reader,
            keep=keep,
            trace_id=trace,
            progress=show,
        )
    kept = synthesis.kept
    if kept is not None:
        if not json and not markdown:
            created, related = pluralize(kept.created, "claim"), pluralize(kept.related, "contradiction")
            say(f"{created} created, {kept.corroborated} corroborated, {related}")
        if kept.warning:
            complain(kept.warning)
    if json:
        write_json(encode(synthesis))
    elif markdown:
        say(synthesis.as_markdown(), end="")
    else:
        _show(synthesis)
    if synthesis.decision != "answer":
        raise typer.Exit(REFUSED)


def _read(file: str) -> tuple[str, list[Any]]:
    """Return the question, or "", and the sub-results of a file: one object with both, a list, or JSON Lines."""
    with open_input(file) as stream:
        content = stream.read().removeprefix(codecs.BOM_UTF8)
        try:
            data = orjson.loads(content)
        except orjson.JSONDecodeError:
            return "", list(_results(content))
    if isinstance(data, dict) and "results" in data:
        question = decode_as(str | None, data.get("query"), "query")
        if not isinstance(data["results"], list):
            hint = "a list of sub-results, each an object with id and content"
            raise InputError(f"{shown(data['results'])} is not a list", field="results", hint=hint)
        return question or "", data["results"]
    if isinstance(data, dict) and (not data or "query" in data):  # no sub-result has a query
        hint = "an object with query and results, or a list of sub-results"
        raise InputError("this field is missing", field="results", hint=hint)
    return "", data if isinstance(data, list) else [data]


def _results(content: bytes) -> Iterator[Any]:
    """Yield the sub-results of JSON Lines; raise InputError at the first line that is not JSON."""
    for number, record in parse_lines(BytesIO(content)):
        if isinstance(record, InputError):
            record.line = number
            raise record from None
        yield record


def _show(synthesis: Synthesis) -> None:
    out = console()
    out.print(Text(visible(synthesis.content)))
    out.print()
    table = Table(box=None, pad_edge=False, show_header=False)
    for one in synthesis.results:
        drawn = Text(bar(one.confidence, 10), style=shade(one.confidence) if one.kept else "dim")
        used = "" if one.kept else "left out: "
        table.add_row(
            drawn,
            Text(f"{one.confidence:.2f}"),
            Text(visible(one.id)),
            Text(used + visible(one.why), style="dim"),
        )
    out.print(table)
    out.print(
        Text(
            f"\nConfidence {synthesis.overall:.2f} ({synthesis.level}): {synthesis.interpretation}",
            style=shade(synthesis.overall),
        )
    )
    for warning in synthesis.warnings:
        out.print(Text(f"warning: {visible(warning)}", style="yellow"))


def find_conflicts(
    file: Annotated[
        str | None,
        typer.Argument(help="One statement per line, or a JSON list of them; - for stdin.", show_default=False),
    ] = None,
    pairs: Annotated[
        str | None,
        typer.Option(metavar="FILE", help="JSON Lines with first and second instead: judge each pair; - for stdin."),
    ] = None,
    threshold: Annotated[
        float,
        typer.Option(
            min=0.0, max=1.0, help="Report conflicts from this severity; what the reader alone finds has at least 0.9."
        ),
    ] = 0.5,
    reader: Annotated[
        ConflictReader,
        typer.Option(help="Of a file of statements: rules, or also ask the reader that is installed, if any."),
    ] = "installed",
    keep_going: KeepGoing = False,
    json: Json = False,
) -> None:
    """Find statements that contradict each other. Exits 1 if there are any.

    The number is the severity: the probability by the rules alone, or of what the reader alone finds, by the reader.

    With --pairs each line is written back with the probabilities of contradiction, entailment (of the second from the
    first) and neutral, by rules and reader together, which may differ; exits 0, however they are judged.

    Example: howsure conflicts statements.txt --threshold 0.7
    """
    if (file is None) == (pairs is None):
        hint = "howsure conflicts statements.txt, or howsure conflicts --pairs pairs.jsonl"
        raise InputError("pass either a file of statements or --pairs", field="file", hint=hint)
    if pairs is not None:
        fields = {"first": str, "second": str}
        # A model reads pairs faster together; a program that writes to stdin may wait for each result.
        size = 1 if pairs == "-" else _BATCH
        judge_lines(pairs, fields, _read_pairs, None if json else _show_pair, keep_going=keep_going, batch_size=size)
        return
    _find_among(str(file), threshold, reader, json=json)


_BATCH = 64
"""Pairs of a file that are read together."""


def _read_pairs(pairs: Sequence[tuple[str, str]]) -> list[dict[str, Any]]:
    found = read_pairs(default_reader(), [TextPair(*pair) for pair in pairs])
    return [encode(one) for one in found]


def _show_pair(line: dict[str, Any]) -> None:
    chances = {name: line[name] for name in ("contradiction", "entailment", "neutral")}
    likeliest = max(chances, key=lambda name: chances[name])
    style = {"contradiction": "red", "entailment": "green"}.get(likeliest, "dim")
    out = console()
    reason = f": {visible(line['reason'])}" if line["reason"] else ""
    out.print(Text(f"{chances[likeliest]:.2f} {likeliest}{reason}", style=style))
    for field in ("first", "second"):
        out.print(Text(f"  {visible(line[field])}"))


def _find_among(file: str, threshold: float, reader: ConflictReader, *, json: bool) -> None:
    """Print the conflicts among the statements of a file."""
    least_severity = decode_as(Unit, threshold, "threshold")
    numbered = _read_statements(file)
    numbers, statements = list(numbered), list(numbered.values())
    with show_progress() as show:
        rules = reader == "rules"
        detection = Detection(detect(statements, show)) if rules else detect_with_reader(statements, show)
        conflicts = [conflict for conflict in detection.conflicts if at_least(conflict[3], least_severity)]
    if detection.warning:
        complain(detection.warning)
    out = console()
    for first, second, kind, severity, reason in sorted(conflicts, key=lambda conflict: -conflict[3]):
        if json:
            sides = {"first": statements[first], "second": statements[second]}
            write_json(sides | {"kind": kind, "severity": severity, "reason": reason})
        else:
            style = "red" if kind == "contradiction" else "yellow"
            out.print(Text(f"{severity:.2f} {kind}: {visible(reason)}", style=style))
            for place in (first, second):
                out.print(Text(f"  {numbers[place]}: {visible(statements[place])}"))
    if not conflicts and not json:
        out.print(f"No conflicts among {pluralize(len(statements), 'statement')}.")
    if conflicts:
        raise typer.Exit(REFUSED)


def _read_statements(file: str) -> dict[int, str]:
    """Read a JSON list of statements, by place from 1, or one statement per line, by the number of the line."""
    text = read_text(file)
    if text.lstrip().startswith("["):
        try:
            values = orjson.loads(text)
        except orjson.JSONDecodeError as error:
            raise InputError(f"{file} is not JSON: {error}") from None
        return dict(enumerate(decode_as(tuple[str, ...], values, "statements"), start=1))
    return {number: line.strip() for number, line in enumerate(text.split("\n"), start=1) if line.strip()}

"""howsure document: record events of a document, and show its score and life cycle."""

from datetime import UTC, datetime
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from howsure.cli.draw import bar, shade
from howsure.cli.output import console, visible, write_json
from howsure.cli.parameters import parse_moment
from howsure.cli.stores import Json, StoreOption, opened_store
from howsure.documents.document import Document
from howsure.documents.lifecycle import next_milestone
from howsure.formulas.automaton import STATES, Automaton, Case
from howsure.store.documents import DocumentEvent

document = typer.Typer(no_args_is_help=True, help="Record events of a document, and show its score.")

_HEIGHTS = "\u2581\u2582\u2583\u2584\u2585\u2586\u2587\u2588"
_Now = Annotated[str | None, typer.Option(metavar="TIME", help="Time of the event, or for which ages hold.")]


@document.command()
def event(
    path: Annotated[str, typer.Argument(help="The document.")],
    symbol: Annotated[str, typer.Argument(help="visit, confirm, test, merge or decay_warning.")],
    strength: Annotated[float, typer.Option(min=0.0, max=1.0, help="How strongly it was observed, from 0 to 1.")] = 1.0,
    by: Annotated[str | None, typer.Option(help="Who observed it; by default you.")] = None,
    note: Annotated[str, typer.Option(help="Anything worth recording with it.")] = "",
    now: _Now = None,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Record an event of a document."""
    with opened_store(store) as sure:
        at = None if now is None else parse_moment(now)
        sure.documents.event(path, symbol, strength=strength, by=by, note=note, now=at)
        events = sure.documents.events(path)
    life = Automaton().score(Case(tuple((one.symbol, one.strength) for one in events)))
    if json:
        write_json({"events": [one._asdict() for one in events], "life": life.answer}, pretty=True)
    else:
        console().print(Text(f"{visible(path)}: {life['state']}, {life['milestone']}, +{life['gain']:.3f} so far"))


@document.command()
def show(
    path: Annotated[str, typer.Argument(help="The document.")],
    pack: Annotated[str | None, typer.Option(help="Pattern pack: a name, or a TOML file.")] = None,
    tests: Annotated[str | None, typer.Option(metavar="FILE", help="Test results as JUnit XML.")] = None,
    now: _Now = None,
    store: StoreOption = None,
    json: Json = False,
) -> None:
    """Show a document's score, its parts, and its life cycle as a timeline."""
    with opened_store(store) as sure:
        at = None if now is None else parse_moment(now)
        found = sure.documents.show(path, pack=pack, tests=tests, now=at)
        events = [one for one in sure.documents.events(path) if at is None or one.at <= at]
    if json:
        life = [{"at": one.at, **one._asdict()} for one in events]
        write_json(found.as_dict() | {"events": life}, pretty=True)
        return
    out = console()
    _head(out, found)
    _timeline(out, events)
    _parts(out, found)


def _head(out: Console, found: Document) -> None:
    score = 0.0 if found.score is None else found.score
    told = "unknown" if found.score is None else f"{score:.3f}"
    out.print(Text(bar(score, 20), style=shade(score)).append(f" {told}  {visible(found.path)}", style="bold"))
    out.print(Text(visible(found.reason)))
    for problem in found.problems:
        out.print(Text(f"! {visible(problem)}", style="yellow"))
    due = f", by {found.due.isoformat()}" if found.due and found.action != "none" else ""
    action = {"none": "nothing", "unknown": "unknown, as its age is"}.get(found.action, found.action.replace("_", " "))
    out.print(Text(f"Due: {action}{due}"))
    if found.authors:
        out.print(Text(f"Changed by {visible(', '.join(found.authors))}", style="dim"))


def _timeline(out: Console, events: list[DocumentEvent]) -> None:
    out.print()
    if not events:
        out.print(Text("No events are recorded yet: howsure document event PATH visit", style="dim"))
        return
    table = Table(box=None, pad_edge=False)
    for name in ("when", "event", "by", "state", ""):
        table.add_column(name, no_wrap=name != "by", overflow="fold")
    walked: list[tuple[str, float]] = []
    for one in events:
        walked.append((one.symbol, one.strength))
        life = Automaton().score(Case(tuple(walked)))
        day = datetime.fromtimestamp(one.at, UTC).strftime("%Y-%m-%d")
        strength = "" if one.strength == 1.0 else f" x {one.strength:g}"
        shares = "".join(_share(life["distribution"][state]) for state in STATES)
        note = f" ({visible(one.note)})" if one.note else ""
        table.add_row(
            day,
            Text(f"{one.symbol}{strength}"),
            Text(f"{visible(one.actor)}{note}"),
            Text(f"{life['state']} +{life['gain']:.3f}"),
            Text(shares, style="cyan"),
        )
    out.print(table)
    last = Automaton().score(Case(tuple(walked)))
    out.print(Text(f"Next milestone: {next_milestone(last['state'])}", style="dim"))


def _share(probability: float) -> str:
    """Return a probability as a bar of one character."""
    return _HEIGHTS[min(int(probability * len(_HEIGHTS)), len(_HEIGHTS) - 1)] if probability else "\u00b7"


def _parts(out: Console, found: Document) -> None:
    out.print()
    table = Table(box=None, pad_edge=False, show_header=False)
    names = ("base", "compounded", "validation", "pattern_match", "refactoring", "integration", "new_files", "ageing")
    for name in (*names, "boost", "bonus", "automaton_gain"):
        number = found.steps[name]
        if found.kind != "data" and (number or name in ("base", "compounded")):
            table.add_row(
                name.replace("_", " "), f"{number:+.4f}" if name not in ("base", "compounded") else f"{number:.4f}"
            )
    out.print(table)
    for gain in found.gains:
        out.print(Text(f"+{gain.gain:.3f}  {gain.words}", style="green"))

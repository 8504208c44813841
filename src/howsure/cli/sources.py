"""The commands `howsure sources`: list, learn and apply the reliability of sources."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from rich.table import Table
from rich.text import Text

from howsure.cli.from_operations import command, group
from howsure.cli.output import console, renders, when
from howsure.sources.api import SourceHistory, SourceReliability, Sources, SourcesFit
from howsure.wording import pluralize, visible

_SHOWN = 20


def print_sources(sources: tuple[SourceReliability, ...], _: Mapping[str, Any]) -> None:
    """Print sources as a table."""
    out = console()
    if not sources:
        out.print("No claim has a source yet. [cyan]howsure claim add[/] adds one.")
        return
    table = Table(box=None, pad_edge=False)
    for name in ("source", "right in", "interval", "claims", "copies"):
        table.add_column(name, no_wrap=name in ("right in", "interval"), overflow="fold")
    for one in sources:
        copies = "" if not one.copies else visible(", ".join(one.copies[:3])) + (" ..." if len(one.copies) > 3 else "")  # noqa: PLR2004
        state = " (invalidated)" if one.invalid else "" if one.right + one.wrong > 0 else " (unknown)"
        cells = (f"{one.reliability:.0%}", str(one.interval), f"{one.claims:,}", copies)
        table.add_row(Text(visible(one.name) + state), *map(Text, cells))
    out.print(table)


@renders(SourceHistory)
def print_history(history: SourceHistory) -> None:
    """Print what is known about a source, and what it got wrong."""
    out, one = console(), history.source
    out.print(Text(f"{visible(one.name)}: right in {one.reliability:.0%} {one.interval}, {one.claims:,} claims"))
    if one.copies:
        out.print(Text(f"repeats or is repeated by {visible(', '.join(one.copies))}"))
    out.print(f"{pluralize(len(history.wrong), 'claim')} wrong or less likely than not")
    for claim in history.wrong[:_SHOWN]:
        chance = "refuted" if claim.outcome == "wrong" else f"{claim.probability or 0.0:.0%} likely"
        better = f"; more likely: {visible(claim.instead[0])}" if claim.instead else ""
        out.print(Text(f"{when(claim.at)}  {visible(claim.statement)} ({chance}{better})"), soft_wrap=True)


@renders(SourcesFit)
def print_fit(fit: SourcesFit) -> None:
    """Print what was learned."""
    learned = f"{pluralize(fit.sources, 'source')} from {pluralize(fit.claims, 'claim')}"
    outcomes = f"{fit.fit.outcomes:,} of them verified or refuted"
    console().print(Text(f"learned {learned}, {outcomes}; {pluralize(fit.copying, 'source')} copy from each other"))
    console().print(Text(f"{fit.fit.id} is {fit.fit.status}; howsure fits rollback source undoes it", style="dim"))


sources = group(
    "sources",
    "Whom to believe: how reliable sources are, what they got wrong, and who copies whom.",
    {
        "list": partial(
            command,
            "sources",
            Sources.list,
            example="sources list extraction:almanac user_input:ann",
            arguments=("sources",),
            say=print_sources,
        ),
        "show": partial(command, "sources", Sources.get, example="sources show extraction:almanac"),
        "fit": partial(command, "sources", Sources.fit, example="sources fit"),
    },
    default="list",
)

"""The commands `howsure fits`: list, show, apply and roll back fits."""

from collections.abc import Mapping
from functools import partial
from typing import Any

from rich.table import Table
from rich.text import Text

from howsure.cli.from_operations import command, group
from howsure.cli.measures import BACKWARDS, MEASURES, format_measure, ranks_backwards
from howsure.cli.output import console, renders, when
from howsure.learn.api import FitDetails, Fits, FitSummary
from howsure.learn.fit import FEWEST, FitQuality
from howsure.wording import visible

_COMPARED = ("brier", "before", "better")
_SHOWN_GROUPS = 20


def print_fits(fits: tuple[FitSummary, ...], _: Mapping[str, Any]) -> None:
    """Print fits as a table."""
    out = console()
    if not fits:
        out.print("Nothing was learned yet. [cyan]howsure learn[/] learns from outcomes.")
        return
    table = Table(box=None, pad_edge=False)
    wide = out.width >= 120  # noqa: PLR2004 - in a narrow terminal, when it was learned and how good it is are left out
    for name in ("id", "kind", "status", *(("learned",) if wide else ()), "outcomes", *(_COMPARED if wide else ())):
        table.add_column(name, no_wrap=name != "status", overflow="fold")
    style = {"active": "green", "candidate": "yellow"}
    for fit in fits:
        notes = [fit.status, *(["broken"] if fit.problem else []), *(["promise withdrawn"] if fit.withdrawn else [])]
        shown = Text(", ".join(notes), style="bold red" if len(notes) > 1 else style.get(fit.status, ""))
        better = "yes" if fit.better else "no"
        compared = (_number(fit.quality, "brier"), _number(fit.replaced, "brier"), better)
        learned = (when(fit.created_at),)
        cells = (*(learned if wide else ()), f"{fit.outcomes:,}", *(compared if wide else ()))
        table.add_row(fit.id, fit.kind, shown, *cells)
    out.print(table)
    for fit in fits:
        if fit.problem:
            out.print(Text(visible(fit.problem), style="red"))


def _number(quality: FitQuality | None, name: str) -> str:
    value = None if quality is None else getattr(quality, name)
    return "" if value is None else f"{value:.4f}"


def _measure(quality: FitQuality | None, name: str) -> str:
    return "" if quality is None else format_measure(quality, name, undefined="")


@renders(FitSummary)
def print_fit(fit: FitSummary) -> None:
    """Print what a fit was learned from, how good it is, and whether it is in use."""
    out = console()
    window = "" if fit.since is None or fit.until is None else f", known from {when(fit.since)} to {when(fit.until)}"
    out.print(Text(f"{fit.id}: {fit.status}, {fit.kind}, {fit.outcomes:,} outcomes, {fit.right:,} right{window}"))
    if fit.quality is None:
        out.print("nothing is known about how good it is: no outcome could be held out")
    else:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for header in ("cross-validated", "this fit", fit.replaces or "without a fit"):
            table.add_column(header)
        for name in MEASURES:
            table.add_row(name, *(Text(_measure(one, name)) for one in (fit.quality, fit.replaced)))
        out.print(table)
        if fit.replaced is not None and ranks_backwards(fit.replaced):
            out.print(Text(f"{fit.replaces or 'the score without a fit'} {BACKWARDS}"))
        if fit.outcomes < FEWEST:
            out.print(f"too few outcomes to say whether it is better: at least {FEWEST} are needed")
        else:
            out.print("better beyond noise" if fit.better else "not better beyond noise than what is in use")
    if fit.status == "candidate":
        force = "" if fit.better else " --force"
        out.print(Text(f"howsure fits apply {fit.id}{force} makes it active", style="dim"), soft_wrap=True)
    for promise in fit.promises:
        state = "WITHDRAWN" if promise.broken else "holds"
        said = (
            f"at most {promise.risk:.3g} wrong: {state}, {promise.wrong:,} of {promise.outcomes:,} outcomes were wrong"
        )
        out.print(Text(f"promise of {said}", style="bold red" if promise.broken else ""))


@renders(FitDetails)
def print_details(details: FitDetails) -> None:
    """Print a fit with its weights and the groups that differ most."""
    print_fit(details.summary)
    out = console()
    table = Table(box=None, pad_edge=False, header_style="bold")
    for header in ("weight of", "in log-odds"):
        table.add_column(header, overflow="fold")
    for term in details.terms:
        table.add_row(Text(visible(term.name)), f"{term.weight:+.3f}")
    largest = sorted(details.groups, key=lambda group: -abs(group.offset))[:_SHOWN_GROUPS]
    for group_offset in largest:
        name = " / ".join(part or "(no type)" for part in group_offset.path)
        table.add_row(Text(visible(name)), f"{group_offset.offset:+.3f}")
    out.print(table)
    if details.levels:
        out.print(Text(details.promise(0.05).reason))


def _rolled_back(fit: FitSummary | None, _: Mapping[str, Any]) -> str:
    return "no fit is active now" if fit is None else f"{fit.id} is active again"


fits = group(
    "fits",
    "List, show, apply and roll back what was learned from outcomes.",
    {
        "list": partial(command, "fits", Fits.list, example="fits list --kind response", say=print_fits),
        "show": partial(command, "fits", Fits.get, example="fits show @last"),
        "apply": partial(
            command, "fits", Fits.apply, example="fits apply ID", say=lambda fit, _: f"{fit.id} is active"
        ),
        "rollback": partial(
            command, "fits", Fits.rollback, example="fits rollback", names={"kind": "--kind"}, say=_rolled_back
        ),
    },
    default="list",
)

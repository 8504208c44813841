"""The commands `howsure ledger` and `howsure stats`."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

from howsure.cli.draw import bar, shade, sparkline
from howsure.cli.from_operations import command, group
from howsure.cli.output import GOOD, MORE, NO_JUDGEMENT, STILL_IN_LOG, complain, console, renders, when, writes
from howsure.errors import nearest
from howsure.ledger.api import ImportSummary, Ledger
from howsure.ledger.decision import Decision, DecisionPage
from howsure.ledger.statistics import DecisionGroup, LedgerStatistics
from howsure.responses.reasons import DecisionExplanation
from howsure.shapes import DAY
from howsure.store.ledger_tables.decision_detail import BROKEN
from howsure.wording import format_duration, pluralize, visible

WIDE = 100
"""Columns from which a decision fits on one line: its id and time take 51, and no word should be broken."""
SHORT = 20
"""Letters up to which the name of an agent stands beside the time in a narrower terminal."""


@writes(DecisionPage)
def decision_lines(page: DecisionPage) -> Iterator[Any]:
    """Write a decision per line, and the cursor last."""
    yield from page.decisions
    if page.cursor is not None:
        yield {"cursor": page.cursor}


DECISIONS = (
    *("pass", "block", "review", "proceed", "recover", "stop", "answer", "abstain"),
    *("none", "human_validation", "refresh_or_remove"),
)
"""What the built-in models decide. Models of plug-ins may decide otherwise."""


def print_found(page: DecisionPage, given: Mapping[str, Any]) -> None:
    """Print a page of decisions; if there is none, whether that is because of the filters."""
    filters = given.keys() - {"limit", "cursor"}
    if page.decisions or not filters:
        print_decisions(page)
        return
    wanted = given.get("decision")
    hint = "" if wanted is None or wanted in DECISIONS else f" --decision {wanted}: {nearest(wanted, DECISIONS)}"
    console().print(Text(f"No decision fits.{visible(hint)}"))


@renders(DecisionPage)
def print_decisions(page: DecisionPage) -> None:
    """Print decisions as a table."""
    out = console()
    if not page.decisions:
        out.print("No decisions yet. [cyan]howsure gate --agent NAME FILE[/] checks a response.")
        return
    table = Table(box=None, pad_edge=False)
    wide = out.width >= WIDE  # in a narrower terminal time and agent stand below the id
    for name in ("id", "when", "agent", "score", "decision", "outcome"):
        if wide or name not in ("when", "agent"):
            table.add_column(name, no_wrap=name in ("id", "when", "score"), overflow="fold")
    for one in page.decisions:
        style = {"block": "red", "review": "yellow", "pass": "green"}.get(one.decision, "")
        about = (one.id, when(one.at), one.agent)
        space = "  " if len(one.agent) <= SHORT else "\n"
        below = f"{one.id}\n{when(one.at)}{space}{one.agent}".rstrip()
        cells = (*(about if wide else [below]), f"{one.score:.2f}", one.decision, one.outcome or "")
        if BROKEN in one.detail:
            cells = (*cells[:-1], f"broken: {one.detail[BROKEN]}")
        table.add_row(*(Text(visible(cell), style=style if cell == one.decision else "") for cell in cells))
    out.print(table)
    if page.cursor is not None:
        out.print(Text(f"\n{MORE}", style="dim"), soft_wrap=True)


@renders(Decision)
def print_decision(decision: Decision) -> None:
    """Print one decision with what led to it."""
    rows = {
        "id": decision.id,
        "when": when(decision.at),
        "model": f"{decision.model} {decision.spec.get('version')}",
        "agent": decision.agent,
        "type": decision.agent_type,
        "project": decision.project,
        "task": decision.task_id,
        "decision": decision.decision,
        "score": f"{decision.score:.4f}",
        "reason": str(decision.answer.get("reason", "")),
        "text": decision.content or "(not kept)",
        "outcome": _outcome(decision),
    }
    _print_rows(rows.items())


def _outcome(decision: Decision) -> str:
    if decision.outcome is None or decision.outcome_at is None:
        return decision.outcome or "unknown"
    later = format_duration(decision.outcome_at - decision.at)
    return f"{decision.outcome}, known {later} later ({decision.outcome_source})"


@renders(DecisionExplanation)
def print_explanation(explanation: DecisionExplanation) -> None:
    """Print a decision, its factors, what would have changed it, and its outcomes."""
    print_decision(explanation.decision)
    rows = {
        factor.name.replace("_", " "): "not looked at" if factor.score is None else f"{factor.score:.2f}"
        for factor in explanation.factors
    }
    rows |= {f"lift {number}": lift.words for number, lift in enumerate(explanation.lifts, start=1)}
    reported = [
        (when(one.at), f"{one.outcome} by {one.by} ({one.source}) {one.note}".rstrip()) for one in explanation.outcomes
    ]
    _print_rows([*rows.items(), *reported])
    for number, one in enumerate(explanation.sentences, start=1):
        support = "    " if one.support is None else f"{one.support:.2f}"
        text = visible(one.text) or f"sentence {number} (its words were not kept)"
        console().print(Text(f"{support} {one.finding}: {text}"))
        if one.finding != "supported":
            for line in (*one.reasons, *([f"context: {one.quote}"] if one.quote else ())):
                console().print(Text(f"     {visible(line)}", style="dim"))


def _print_rows(rows: Iterable[tuple[str, str]]) -> None:
    table = Table(box=None, pad_edge=False, show_header=False)
    table.add_column(no_wrap=True, style="dim")
    table.add_column(overflow="fold")
    for name, value in rows:
        table.add_row(name, Text(visible(value)))
    console().print(table)


def _question(ledger: Ledger, given: Mapping[str, Any]) -> str:
    if given.get("dry_run"):
        return ""
    count = ledger.purge(**{**given, "dry_run": True}).purged
    return f"Delete {pluralize(count, 'decision')} for good?"


def report_errors(summary: ImportSummary) -> int:
    """Print what could not be read to stderr, at most 20 problems; return the exit code."""
    for error in summary.errors[:20]:
        complain(error)
    return NO_JUDGEMENT if summary.errors else GOOD


ledger = group(
    "ledger",
    "List, show, explain, export, import and purge decisions.",
    {
        "list": partial(
            command,
            "ledger",
            Ledger.find,
            example="ledger list --agent patcher-1 --limit 5",
            defaults={"limit": 20},
            say=print_found,
        ),
        "show": partial(command, "ledger", Ledger.get, example="ledger show @last"),
        "explain": partial(command, "ledger", Ledger.explain, example="ledger explain @last"),
        "export": partial(
            command,
            "ledger",
            Ledger.export,
            example="ledger export history/",
            say=lambda count, _: f"{count:,} written",
        ),
        "import": partial(
            command,
            "ledger",
            Ledger.import_,
            example="ledger import history/",
            say=lambda summary, _: f"{summary.imported:,} imported",
            exit_code=report_errors,
        ),
        "purge": partial(
            command,
            "ledger",
            Ledger.purge,
            example="ledger purge --agent patcher-1 --before 2027-01-01",
            names={"decision_id": "--id"},
            confirm=_question,
            say=lambda summary, given: (
                f"{summary.purged:,} {'would be ' if given.get('dry_run') else ''}purged"
                + ("" if summary.erased else STILL_IN_LOG)
            ),
        ),
    },
)


def print_statistics(statistics: LedgerStatistics, given: Mapping[str, Any]) -> None:
    """Print how agents did: totals, trend, a table of groups, and the calibration."""
    out = console()
    days = (given["until"] - given["since"]) / DAY
    past = f"{days:g}d" if days >= 1 else f"{days * 24:g}h"
    if not statistics.all.total:
        model = given.get("model", "response")
        what, other = f"decisions of the model {model}", " [cyan]--by model[/] shows all models."
        if model is None:
            what, other = "decisions", ""
        out.print(f"No {what} in the last {past}.{other} [cyan]howsure gate --agent NAME FILE[/] checks a response.")
        return
    total = statistics.all
    out.print(
        Text(
            f"{pluralize(total.total, 'decision')} in {past}: {total.total - total.blocked - total.reviewed:,} "
            f"{_others(given)}, {total.blocked:,} blocked, {total.reviewed:,} to review; {total.met:,} met their "
            f"threshold ({_share(total.success_rate)}), mean confidence {total.mean_confidence:.2f}"
        )
    )
    confidences = [day.mean_confidence for day in statistics.days]
    if len(confidences) > 1:
        span = f"{statistics.days[0].day} to {statistics.days[-1].day}"
        out.print(Text(f"Mean confidence {span}: {sparkline(confidences)}"))
        most = max(day.total for day in statistics.days)
        out.print(Text(f"Decisions a day, up to {most:,}: {sparkline([day.total / most for day in statistics.days])}"))
    if statistics.groups:
        out.print()
        out.print(_table(statistics.groups, given["by"], out.width))
    out.print()
    _print_calibration(out, statistics)


def _others(given: Mapping[str, Any]) -> str:
    """Return what became of decisions that neither block nor ask for a review."""
    return "passed" if given.get("model", "response") == "response" else "passed or decided something else"


def _table(groups: tuple[DecisionGroup, ...], by: str, width: int) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(by.replace("_", " "), overflow="fold")
    names = ["total", "met", "blocked", "review", "confidence", "needed", "right"]
    wide = width >= 90  # noqa: PLR2004
    for name in names if wide else names[:3]:
        table.add_column(name, justify="right", no_wrap=True)
    table.add_column("passed", no_wrap=True)
    for one in groups[:50]:
        rate = one.success_rate or 0.0
        cells = [f"{one.total:,}", f"{one.met:,}", f"{one.blocked:,}", f"{one.reviewed:,}"]
        cells += [f"{one.mean_confidence:.2f}", "" if one.threshold is None else f"{one.threshold:.2f}"]
        cells += [f"{one.right:,}/{one.outcomes:,}" if one.outcomes else "unknown"]
        drawn = Text(bar(rate, 10), style=shade(rate)).append(f" {rate:.0%}", style="")
        table.add_row(Text(visible(one.name) or "(none)"), *(cells if wide else cells[:3]), drawn)
    return table


def _print_shadow(out: Console, statistics: LedgerStatistics) -> None:
    """Print what shadow mode has let through."""
    shadow = statistics.shadow
    if shadow.total:
        judged = f" Of {shadow.outcomes:,} with a known outcome, {shadow.rightly:,} rightly." if shadow.outcomes else ""
        unknown = "" if shadow.outcomes or not shadow.stopped else " No outcome of these is known yet."
        said = f"Shadow mode: {shadow.stopped:,} of {shadow.total:,} would have been blocked or held for review."
        out.print(Text(said + judged + unknown))


def _print_fit(out: Console, statistics: LedgerStatistics) -> None:
    """Print which fit is in use, and whether its promise was withdrawn."""
    fit = statistics.fit
    if fit is None:
        return
    out.print(Text(f"Probabilities come from the fit {fit.id} (howsure fits)."))
    if fit.withdrawn is not None:
        said = f"The promise of at most {fit.withdrawn:.3g} wrong was WITHDRAWN: too many that passed were wrong."
        out.print(Text(f"{said} Learn again: howsure learn --apply", style="bold red"))


def _print_calibration(out: Console, statistics: LedgerStatistics) -> None:
    if statistics.deferrals:
        which = pluralize(statistics.deferrals, "response")
        out.print(Text(f"{which} passed by asking back or saying that the answer is not known."))
    _print_shadow(out, statistics)
    _print_fit(out, statistics)
    known = statistics.calibration
    if not known.outcomes:
        out.print(
            "No outcome is known yet. [cyan]howsure outcome ID right[/] reports one; confidence is unproven until then."
        )
        return
    were = "was" if known.right == 1 else "were"
    out.print(
        Text(f"{known.right:,} of {pluralize(known.outcomes, 'response')} with a known outcome {were} right. ").append(
            f"Brier score {known.brier:.3f} (0 is perfect), expected calibration error {known.expected_error:.3f}."
        )
    )
    if statistics.median_delay is not None:
        sources = ", ".join(f"{one.source} {one.outcomes:,}" for one in statistics.outcome_sources)
        out.print(Text(f"Outcomes came {format_duration(statistics.median_delay)} later (median): {sources}."))


def _share(rate: float | None) -> str:
    return "none" if rate is None else f"{rate:.0%}"


def _stats_defaults(given: Mapping[str, Any]) -> Mapping[str, Any]:
    by = given.get("by", "agent")
    return {"by": by, "model": None} if by == "model" else {"by": by}  # all models, to compare them


stats = partial(
    command,
    "ledger",
    Ledger.stats,
    example="stats --by project --last 30d",
    window="7d",
    defaults=_stats_defaults,
    say=print_statistics,
)
"""Builds the command `howsure stats`."""

"""howsure plot: pictures of what is known, as SVG, PNG or Vega-Lite."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from howsure.charts.chart import WIDTH, Chart, place_for
from howsure.cli.claim import AsOf, ClaimId, Formula, Moment, given, moment
from howsure.cli.janitor import duration
from howsure.cli.output import visible, write_json
from howsure.cli.stores import StoreOption, opened_store
from howsure.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable

    from howsure.agents.traces import Trace
    from howsure.sure import Sure

plot = typer.Typer(no_args_is_help=True, invoke_without_command=True, help="Draw what is known, as a file or as data.")

Out = Annotated[str | None, typer.Option("--out", "-o", metavar="FILE", help="Where to: a .svg, .png or .json file.")]
Dark = Annotated[bool, typer.Option("--dark", help="For dark pages.")]
Width = Annotated[int | None, typer.Option(metavar="N", help=f"How wide, in pixels; default: {WIDTH}.")]
Agent = Annotated[str | None, typer.Option(help="Only this agent.")]
AgentType = Annotated[str | None, typer.Option(help="Only agents of this type.")]
Project = Annotated[str | None, typer.Option(help="Only this project.")]
Model = Annotated[str, typer.Option(help="Assessments of this model.")]
Last = Annotated[str, typer.Option(metavar="DURATION", help="How far back: 24h, 30d.")]
Until = Annotated[str | None, typer.Option("--now", metavar="TIME", help="The moment to look back from.")]


def _kinds(wanted: bool) -> None:
    if wanted:
        for command in plot.registered_commands:
            callback = command.callback
            print(
                f"{command.name or getattr(callback, '__name__', ''):<14} {(callback.__doc__ or '').partition('.')[0]}"
            )
        raise typer.Exit


@plot.callback()
def common(
    list_: Annotated[
        bool, typer.Option("--list", callback=_kinds, is_eager=True, help="List the charts there are, and exit.")
    ] = False,
) -> None:
    """Draw what is known, as a file or as data."""


def draw(make: "Callable[[Sure], Chart]", out: str | None, dark: bool, width: int | None, store: str | None) -> None:
    """Make a chart and write it: to a file, or as JSON to whatever reads our output."""
    if out is not None:
        place_for(out)  # a name that nothing can be written to should be known before all the work
    elif sys.stdout is not None and sys.stdout.isatty():
        raise InputError("a picture needs a file", field="out", hint="--out chart.svg, .png or .json")
    with opened_store(store) as sure:
        chart = make(sure)
    if out is None:
        write_json(chart.standalone(dark=dark, width=width), pretty=True)
        return
    place = chart.save(out, dark=dark, width=width)
    print(f"{place}: {visible(chart.about)}", file=sys.stderr)


@plot.command()
def claims(
    text: Annotated[str | None, typer.Argument(metavar="[TEXT]", help="Words that the statement contains.")] = None,
    min_lower: Annotated[float | None, typer.Option(help="Lower bound at least.")] = None,
    max_lower: Annotated[float | None, typer.Option(help="Lower bound at most.")] = None,
    wide: Annotated[bool, typer.Option("--wide", help="Only wide intervals.")] = False,
    unverified: Annotated[bool, typer.Option("--unverified", help="High upper, low lower bound.")] = False,
    namespace: Annotated[str | None, typer.Option(help="a/b, a/b/* or a/b/*/1.")] = None,
    subject: Annotated[str | None, typer.Option(help="Subject, exactly.")] = None,
    tier: Annotated[list[str] | None, typer.Option(help="Tier; repeatable.")] = None,
    status: Annotated[list[str] | None, typer.Option(help="Status; repeatable. Default: active, challenged.")] = None,
    order: Annotated[str | None, typer.Option(help="lower (default), upper, width, midpoint, created_at, ...")] = None,
    ascending: Annotated[bool, typer.Option("--ascending", help="The smallest first.")] = False,
    formula: Formula = None,
    now: Moment = None,
    as_of: AsOf = None,
    limit: Annotated[int, typer.Option(help="How many at the most.")] = 20,
    out: Out = None,
    dark: Dark = False,
    width: Width = None,
    store: StoreOption = None,
) -> None:
    """Intervals of claims, one below the other."""
    wanted = given(min_lower=min_lower, max_lower=max_lower, namespace=namespace, subject=subject, order=order)
    wanted |= given(tiers=tier, statuses=status, now=moment(now), as_of=moment(as_of), formula=formula)
    wanted |= {"wide": wide, "unverified": unverified, "ascending": ascending, "limit": limit}
    draw(lambda sure: sure.charts.claims(text, **wanted), out, dark, width, store)


@plot.command()
def waterfall(
    id_: ClaimId,
    formula: Formula = None,
    now: Moment = None,
    as_of: AsOf = None,
    out: Out = None,
    dark: Dark = False,
    width: Width = None,
    store: StoreOption = None,
) -> None:
    """How one claim's interval comes about, step by step."""
    at = {"now": moment(now), "as_of": moment(as_of)}
    draw(lambda sure: sure.charts.waterfall(id_, formula, **at), out, dark, width, store)


@plot.command()
def formulas(
    id_: ClaimId,
    now: Moment = None,
    as_of: AsOf = None,
    out: Out = None,
    dark: Dark = False,
    width: Width = None,
    store: StoreOption = None,
) -> None:
    """One claim's interval under every formula."""
    at = {"now": moment(now), "as_of": moment(as_of)}
    draw(lambda sure: sure.charts.formulas(id_, **at), out, dark, width, store)


@plot.command()
def relations(
    id_: ClaimId,
    depth: Annotated[int, typer.Option(help="How many steps away.")] = 1,
    most: Annotated[int, typer.Option(help="How many claims at the most.")] = 30,
    formula: Formula = None,
    now: Moment = None,
    as_of: AsOf = None,
    out: Out = None,
    dark: Dark = False,
    width: Width = None,
    store: StoreOption = None,
) -> None:
    """What supports, contradicts and otherwise relates to a claim."""
    wanted: dict[str, Any] = {"now": moment(now), "as_of": moment(as_of), "formula": formula}
    draw(lambda sure: sure.charts.relations(id_, depth, most=most, **wanted), out, dark, width, store)


@plot.command()
def life(
    id_: ClaimId,
    past: Annotated[str | None, typer.Option(metavar="DURATION", help="How far back; default: all of it.")] = None,
    future: Annotated[str | None, typer.Option(metavar="DURATION", help="How far ahead: 12h, 30d.")] = None,
    formula: Formula = None,
    now: Moment = None,
    out: Out = None,
    dark: Dark = False,
    width: Width = None,
    store: StoreOption = None,
) -> None:
    """One claim's interval over time, as it was known and as it will age."""
    wanted: dict[str, Any] = {"now": moment(now), "formula": formula}
    wanted["past"] = None if past is None else duration(past, "past")
    wanted["future"] = None if future is None else duration(future, "future")
    draw(lambda sure: sure.charts.life(id_, **wanted), out, dark, width, store)


def _window(last: str, now: str | None, **wanted: Any) -> "Callable[[Sure], dict[str, Any]]":
    """Return what finds out which decisions are asked for."""
    length, until = duration(last, "last"), moment(now)

    def found(sure: "Sure") -> dict[str, Any]:
        end = sure.session.at(until)
        return {"since": end - length, "until": end} | given(**wanted)

    return found


@plot.command()
def decisions(
    agent: Agent = None,
    agent_type: AgentType = None,
    project: Project = None,
    model: Model = "response",
    last: Last = "30d",
    now: Until = None,
    out: Out = None,
    dark: Dark = False,
    width: Width = None,
    store: StoreOption = None,
) -> None:
    """What was decided on each day, and how sure agents were."""
    wanted = _window(last, now, agent=agent, agent_type=agent_type, project=project, model=model)
    draw(lambda sure: sure.charts.decisions(**wanted(sure)), out, dark, width, store)


@plot.command()
def reliability(
    agent: Agent = None,
    agent_type: AgentType = None,
    project: Project = None,
    model: Model = "response",
    last: Last = "90d",
    now: Until = None,
    out: Out = None,
    dark: Dark = False,
    width: Width = None,
    store: StoreOption = None,
) -> None:
    """How often answers of about the same confidence turned out right."""
    wanted = _window(last, now, agent=agent, agent_type=agent_type, project=project, model=model)
    draw(lambda sure: sure.charts.reliability(**wanted(sure)), out, dark, width, store)


@plot.command()
def scores(
    agent: Agent = None,
    agent_type: AgentType = None,
    project: Project = None,
    model: Model = "response",
    by: Annotated[str, typer.Option(help="Told apart by agent, agent_type, project, day, week, month, ...")] = "agent",
    last: Last = "30d",
    now: Until = None,
    out: Out = None,
    dark: Dark = False,
    width: Width = None,
    store: StoreOption = None,
) -> None:
    """How scores are spread, told apart by agent or time."""
    wanted = _window(last, now, agent=agent, agent_type=agent_type, project=project, model=model, by=by)
    draw(lambda sure: sure.charts.scores(**wanted(sure)), out, dark, width, store)


@plot.command()
def investigation(
    which: Annotated[str | None, typer.Argument(metavar="[TRACE]", help="A trace, or an id of the ledger.")] = None,
    file: Annotated[str | None, typer.Option(metavar="FILE", help="Or a file of runs, as for investigate.")] = None,
    out: Out = None,
    dark: Dark = False,
    width: Width = None,
    store: StoreOption = None,
) -> None:
    """How sure an investigation was after each step."""
    if which is None and file is None:
        raise InputError("nothing says which investigation", field="trace", hint="a trace, an id, or --file FILE")
    chosen = which if file is None else _run(Path(file), which)
    draw(lambda sure: sure.charts.investigation(chosen or ""), out, dark, width, store)


def _run(file: Path, name: str | None) -> "Trace":
    """Return one run of a file: the one of that name, or the first."""
    from howsure.agents.traces import read_traces

    for trace in read_traces(file):
        if name in (None, trace.id):
            return trace
    raise InputError(
        f"there is no run {name!r} in {file}", field="trace", hint="howsure investigate --brief lists them"
    )


@plot.command()
def synthesis(
    id_: Annotated[str, typer.Argument(metavar="ID", help="Id of a synthesis in the ledger.")],
    out: Out = None,
    dark: Dark = False,
    width: Width = None,
    store: StoreOption = None,
) -> None:
    """Sub-results of a synthesis: how sure, how much they weigh, and where they are at odds."""
    draw(lambda sure: sure.charts.synthesis(id_), out, dark, width, store)


@plot.command()
def documents(
    paths: Annotated[list[str] | None, typer.Argument(help="Folders and files; default: where you are.")] = None,
    pack: Annotated[str | None, typer.Option(help="Pattern pack: a name, or a TOML file.")] = None,
    exclude: Annotated[list[str] | None, typer.Option(metavar="GLOB", help="Leave these out; repeatable.")] = None,
    now: Annotated[str | None, typer.Option(metavar="TIME", help="The moment for which ages hold.")] = None,
    out: Out = None,
    dark: Dark = False,
    width: Width = None,
    store: StoreOption = None,
) -> None:
    """Documents of a repository as a map by score."""
    wanted = given(pack=pack, exclude=exclude, now=moment(now))
    draw(lambda sure: sure.charts.documents(*paths or (), **wanted), out, dark, width, store)

"""The command `howsure learn`: learn from a file of outcomes, or from those in the store."""

from typing import TYPE_CHECKING, Annotated

import typer

from howsure.cli.data_columns import read_columns
from howsure.cli.measures import BACKWARDS, MEASURES, format_measure, ranks_backwards
from howsure.cli.output import complain, console, write_json
from howsure.cli.parameters import parse_moment
from howsure.cli.progress import show_progress
from howsure.cli.stores import StoreOption
from howsure.errors import InputError
from howsure.shapes import decode_as
from howsure.store.ledger_tables.fits import FitKind
from howsure.sure import open as open_store
from howsure.wording import pluralize, visible

if TYPE_CHECKING:
    from howsure.learn.fit import Fit


def learn(
    file: Annotated[
        str | None, typer.Argument(metavar="FILE", help="JSON Lines, CSV or Parquet; default: the store.")
    ] = None,
    outcome: Annotated[
        str | None, typer.Option("--outcome", metavar="COLUMN", help="Column of outcomes: 1 or true, 0 or false.")
    ] = None,
    score: Annotated[str | None, typer.Option("--score", metavar="COLUMN", help="Column of scores.")] = None,
    factor: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=WEIGHT", help="Learn weights instead: a factor with its prior; repeatable."),
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Who it comes from; repeatable, from broad to narrow."),
    ] = None,
    cluster: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="What must not be split in cross-validation.")
    ] = None,
    replaces: Annotated[str | None, typer.Option(metavar="FIT", help="The fit in use, to compare with.")] = None,
    out: Annotated[str | None, typer.Option("--out", "-o", metavar="FIT", help="Write the fit to this file.")] = None,
    kind: Annotated[
        str | None, typer.Option(metavar="KIND", help="From the store: response (the default) or investigation.")
    ] = None,
    since: Annotated[
        str | None, typer.Option(metavar="TIME", help="From the store: only decisions from this time on.")
    ] = None,
    apply: Annotated[
        bool, typer.Option("--apply", help="From the store: use it if it is better beyond noise.")
    ] = False,
    store: StoreOption = None,
    as_json: Annotated[bool, typer.Option("--json", help="Write the fit as JSON.")] = False,
) -> None:
    """Learn from outcomes which probability a score stands for, or weights of factors.

    Without FILE, learn from the decisions and outcomes in the store, and store a candidate (howsure fits lists them);
    with --apply use it if it is better.

    Example: howsure learn answers.csv --score confidence --outcome correct --out fit.json
    """
    of_file = {"--score": score, "--factor": factor, "--group": group, "--cluster": cluster, "--replaces": replaces}
    of_file |= {"--outcome": outcome, "--out": out}
    of_store = {"--kind": kind, "--since": since, "--apply": apply or None, "--store": store}
    given, why = (of_file, "is about a FILE") if file is None else (of_store, "is about the store, not about a FILE")
    for name, value in given.items():
        if value is not None:
            raise InputError(f"{name} {why}", field=name, hint="howsure learn --help")
    if file is None:
        learn_from_store(kind or "response", since, store, apply=apply, as_json=as_json)
        return
    if outcome is None:
        raise InputError("the column of outcomes is missing", field="outcome", hint="--outcome COLUMN")
    _learn_from_file(file, outcome, score, factor, group, cluster, replaces, out, as_json=as_json)


def learn_from_store(kind: str, since: str | None, store: str | None, *, apply: bool, as_json: bool) -> None:
    """Learn from the store, print the candidate, and apply it if that is wanted and it is better."""
    from howsure.cli.fits import print_fit
    from howsure.cli.output import show as show_result

    with open_store(store) as sure, show_progress() as progress:
        moment = None if since is None else parse_moment(since, "since")
        fit = sure.fits.learn(decode_as(FitKind, kind, "kind"), since=moment, apply=apply, progress=progress)
    if as_json:
        show_result(fit, json=True)
    else:
        print_fit(fit)


def _learn_from_file(
    file: str,
    outcome: str,
    score: str | None,
    factor: list[str] | None,
    group: list[str] | None,
    cluster: str | None,
    replaces: str | None,
    out: str | None,
    *,
    as_json: bool,
) -> None:
    from howsure.learn.fit import FEWEST, fit_to_json, read_fit
    from howsure.learn.learning import learn_factors, learn_scores

    if score is None and not factor:
        raise InputError("what to learn?", field="score", hint="--score COLUMN, or --factor COLUMN=WEIGHT")
    factors = dict(_factor(text) for text in factor or ())
    older = None if replaces is None else read_fit(replaces)
    groups = tuple(group or ())
    names = [*factors, outcome, *groups, *(name for name in (score, cluster) if name)]
    with show_progress() as progress:
        columns = read_columns(file, list(dict.fromkeys(names)), progress)
        with columns.lines_in_errors():
            if factors:
                fit = learn_factors(
                    columns,
                    factors=factors,
                    outcome=outcome,
                    groups=groups,
                    cluster=cluster,
                    in_use=score,
                    replaces=older,
                    progress=progress,
                )
            else:
                fit = learn_scores(
                    columns,
                    score=score or "",
                    outcome=outcome,
                    groups=groups,
                    cluster=cluster,
                    replaces=older,
                    progress=progress,
                )
    if fit.outcomes < FEWEST:
        complain(f"too few outcomes to say how good the fit is: {fit.outcomes:,} instead of at least {FEWEST}")
    if fit.replaced is not None and ranks_backwards(fit.replaced):
        complain(f"{visible(fit.score) if older is None and score else 'what is in use'} {BACKWARDS}")
    if out is not None:
        fit.write(out)
    if as_json:
        write_json(fit_to_json(fit))
    else:
        show(fit, out)


def _factor(text: str) -> tuple[str, float]:
    name, equals, weight = text.rpartition("=")
    try:
        return (name, float(weight)) if equals else (text, 0.0)
    except ValueError:
        raise InputError(f"{weight!r} is not a number", field="factor", hint="--factor COLUMN=WEIGHT") from None


def show(fit: "Fit", out: str | None) -> None:
    """Print what was learned, how good it is, and what it can promise."""
    from rich.table import Table

    from howsure.learn.fit import FEWEST

    page = console()
    page.print(f"{pluralize(fit.outcomes, 'outcome')}, {fit.right:,} right; fit {fit.fingerprint}", markup=False)
    if fit.kind == "calibration" and fit.scale.kind == "standard":
        by = f"standardized by {fit.scale.centre:g} and {fit.scale.spread:g}"
        page.print(f"{visible(fit.score)} is not between 0 and 1: {by}", markup=False)
    if fit.quality is None:
        page.print("nothing is known about how good it is: no outcome could be held out")
    else:
        table = Table(box=None, pad_edge=False, header_style="bold")
        for header in ("cross-validated", "this fit", *(("in use",) if fit.replaced else ())):
            table.add_column(header)
        for name in MEASURES:
            columns = [fit.quality] if fit.replaced is None else [fit.quality, fit.replaced]
            table.add_row(name, *(format_measure(one, name) for one in columns))
        page.print(table)
    if fit.replaced is not None and fit.outcomes >= FEWEST:
        page.print("better beyond noise" if fit.better else "not better beyond noise than what is in use")
    page.print(fit.promise(0.05).reason, markup=False)
    if out is not None:
        page.print(f"written to {visible(out)}", markup=False)

"""howsure eval: measure how well scores match outcomes."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from howsure.cli.data_columns import DataFile, OutcomeColumn, ScoreColumn, read_columns
from howsure.cli.draw import bar
from howsure.cli.measures import BACKWARDS, format_measure, ranks_backwards
from howsure.cli.output import console, write_json
from howsure.cli.progress import show_progress
from howsure.errors import InputError
from howsure.wording import pluralize, visible

if TYPE_CHECKING:
    from rich.console import Console

    from howsure.learn.evaluation import Evaluation

NAMES = {
    "brier": "Brier score",
    "ece": "calibration error",
    "ece_equal_mass": "same, equal-mass bins",
    "log_loss": "log loss",
    "auroc": "AUROC",
    "aurc": "area under risk-coverage",
    "coverage": "coverage",
}
_STEPS = 10
_TOO_FEW = "too few for intervals, which need at least 20 outcomes, and two groups if there are groups"


def evaluate(
    file: DataFile,
    score: ScoreColumn,
    outcome: OutcomeColumn,
    group: Annotated[
        str | None, typer.Option(metavar="COLUMN", help="Column of groups that the bootstrap draws whole.")
    ] = None,
    compare: Annotated[
        str | None, typer.Option(metavar="A,B", help="Other columns of scores, to compare with the first.")
    ] = None,
    risk: Annotated[float, typer.Option(help="Risk at which coverage is reported.")] = 0.05,
    draws: Annotated[int | None, typer.Option(min=2, max=100_000, help="Bootstrap draws; default: 1000.")] = None,
    seed: Annotated[int, typer.Option(min=0, help="Start of the random numbers.")] = 0,
    out: Annotated[
        str | None,
        typer.Option("--out", "-o", metavar="FILE", help="Write a .html page, or one chart as .svg, .png or .json."),
    ] = None,
    chart: Annotated[str, typer.Option(help="Chart to write: reliability or risk-coverage.")] = "reliability",
    as_json: Annotated[bool, typer.Option("--json", help="Write the evaluation as JSON.")] = False,
) -> None:
    """Measure how well scores match outcomes, with bootstrap intervals.

    Example: howsure eval answers.csv --score confidence --outcome correct --compare logprob
    """
    from howsure.learn.evaluation import evaluate as measure

    write = None if out is None else _writer(out, chart)
    others = [name.strip() for name in (compare or "").split(",") if name.strip()]
    names = list(dict.fromkeys([score, *others, outcome, *([group] if group else [])]))
    with show_progress() as progress:
        columns = read_columns(file, names, progress)
        with columns.lines_in_errors():
            found = measure(
                columns,
                score=score,
                outcome=outcome,
                group=group,
                compare=others,
                risk=risk,
                draws=draws,
                seed=seed,
                progress=progress,
            )
    if write is not None:
        write(found)
    if as_json:
        from howsure.shapes.encode import encode

        write_json(encode(found))
    else:
        show(found, console())


def _writer(out: str, kind: str) -> Any:
    """Return what writes the page or chart; raise InputError before the work if the file cannot be written."""
    from howsure.charts.chart import check_path
    from howsure.charts.evaluation import KINDS, evaluation_chart, evaluation_page
    from howsure.datafiles import write_output
    from howsure.errors import nearest

    if kind not in KINDS:
        raise InputError(f"unknown chart {kind!r}", field="chart", hint=nearest(kind, KINDS))
    path = Path(out)
    if path.suffix.lower() != ".html":
        check_path(path)
        return lambda found: evaluation_chart(found, kind).save(path)
    if not path.parent.is_dir():
        raise InputError(f"the folder {path.parent} does not exist", field="out", hint="create it first")

    return lambda found: write_output(path, evaluation_page(found).encode())


def show(found: "Evaluation", out: "Console") -> None:
    """Print an evaluation for people: measures, the reliability diagram, the risk-coverage curve."""
    from rich.table import Table

    drawn = "" if found.groups is None else f", in {found.groups:,} groups"
    intervals = "95 % intervals by bootstrap" if found.intervals else _TOO_FEW
    out.print(f"{pluralize(found.n, 'outcome')}, {found.right:,} right{drawn}; {intervals}\n")
    columns = (found, *found.others)
    _name_odd(columns, out)
    table = Table(box=None, pad_edge=False, header_style="bold")
    for header in ("", *(visible(one.score) for one in columns)):
        table.add_column(header, justify="left")
    for name, words in NAMES.items():
        label = f"coverage at a risk of {found.risk:g}" if name == "coverage" else words
        table.add_row(label, *(format_measure(one, name) for one in columns))
    out.print(table)
    if found.differences:
        differences = Table(box=None, pad_edge=False, header_style="bold")
        for header in (f"minus {visible(found.score)}", "measure", "difference", ""):
            differences.add_column(header, no_wrap=True)
        for one in found.differences:
            sure = "sure" if one.lower > 0 or one.upper < 0 else ""
            bounds = f"{one.difference:+.4f} [{one.lower:+.4f}, {one.upper:+.4f}]"
            differences.add_row(visible(one.score), NAMES[one.measure], bounds, sure)
        out.print()
        out.print(differences)
    if found.bins:
        out.print("\nscore        outcomes  share right", style="bold")
        for one_bin in found.bins:
            share = f"{bar(one_bin.share_right)} {one_bin.share_right:.2f}"
            out.print(f"{one_bin.mean_score:.2f}  {one_bin.outcomes:>14,}  {share}", markup=False)
    out.print("\nkept         threshold  share wrong", style="bold")
    for point in _some(found):
        text = f"{point.coverage:>4.0%}  {point.threshold:>16.4g}  {bar(point.risk)} {point.risk:.3f}"
        out.print(text, markup=False)


def _name_odd(columns: "tuple[Evaluation, ...]", out: "Console") -> None:
    """Say which columns are not probabilities, so that some measures are not defined, and which rank backwards."""
    why = "it is not a probability, and only its order is measured; howsure learn makes it one"
    for one in columns:
        if one.brier is None:
            out.print(f"{visible(one.score)} is not between 0 and 1: {why}\n", markup=False)
        if ranks_backwards(one):
            out.print(f"{visible(one.score)} {BACKWARDS}\n", markup=False)


def _some(found: "Evaluation") -> list[Any]:
    """Return the first point of the curve at or beyond each tenth of coverage."""
    points: list[Any] = []
    for step in range(1, _STEPS + 1):
        point = next(point for point in found.curve if point.coverage >= step / _STEPS - 1e-9)
        if not points or points[-1] != point:
            points.append(point)
    return points

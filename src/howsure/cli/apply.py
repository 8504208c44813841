"""howsure apply: give each line of a file its learned probability."""

import warnings
from collections.abc import Iterator
from typing import Annotated, Any

import typer

from howsure.chunks import in_chunks
from howsure.cli.data_columns import DataFile, read_lines
from howsure.cli.output import complain, say, write_json_batch
from howsure.cli.progress import show_progress
from howsure.errors import InputError
from howsure.learn.fit import CHUNK, Estimate, Fit, read_fit
from howsure.learn.frames import read_score
from howsure.learn.promise import Promise
from howsure.wording import visible

Lines = list[tuple[int, dict[str, Any]]]


def apply(
    fit: Annotated[str, typer.Argument(metavar="FIT", help="A file written by howsure learn.")],
    file: DataFile,
    score: Annotated[
        str | None, typer.Option("--score", metavar="COLUMN", help="Column of scores; default: the fit's own.")
    ] = None,
    group: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN", help="Columns of the group; default: those of the fit that the file has."),
    ] = None,
    promise: Annotated[
        float | None, typer.Option(metavar="RISK", help="Add `passes`: at most this share of what passes is wrong.")
    ] = None,
    confidence: Annotated[float, typer.Option(help="How sure the promise has to be.")] = 0.95,
    as_json: Annotated[bool, typer.Option("--json", help="Write each line back as JSON.")] = False,
) -> None:
    """Write each line back with its probability, lower and upper bound; with --promise also whether it passes.

    Example: howsure apply fit.json new.jsonl --score confidence --promise 0.05 --json
    """
    learned = read_fit(fit)
    made = None if promise is None else learned.promise(promise, confidence)
    if made is not None:
        complain(made.reason)
    groups = tuple(group) if group else learned.group_columns
    lines = outside = 0
    with show_progress() as progress:
        for chunk in in_chunks(read_lines(file, progress), CHUNK):
            estimated = list(_estimated(learned, chunk, score, groups))
            lines += len(estimated)
            outside += sum(learned.is_outside(value) for *_, value in estimated)
            found = [
                (place, one._asdict() | ({} if made is None else {"passes": _passes(learned, made, value, one)}))
                for place, one, value in estimated
            ]
            if as_json:
                write_json_batch({**row, **added} for (_, row), added in found)
            else:
                say("\n".join(_readable(line, added) for (line, _), added in found))
    if outside:
        complain(learned.outside_note(outside, lines))


def _estimated(
    fit: Fit, chunk: Lines, score: str | None, groups: tuple[str, ...]
) -> Iterator[tuple[tuple[int, dict[str, Any]], Estimate, float]]:
    """Yield each line with its estimate and its score; that of a weighted sum is its probability."""
    from howsure.learn.fit import to_path

    paths = [to_path([row.get(name) for name in groups]) for _, row in chunk]
    if fit.kind == "weights":
        cases = [_factors(fit, row, line) for line, row in chunk]
        for place, one in zip(chunk, fit.estimates(cases, paths), strict=True):
            yield place, one, one.probability
        return
    name = score or fit.score
    scores = []
    for line, row in chunk:
        if name not in row:
            raise InputError("missing", field=name, hint="--score names the column of scores", line=line)
        scores.append(read_score(row[name], name, line))
        row[name] = scores[-1] if isinstance(row[name], str) else row[name]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scores unlike those of the fit are counted over all chunks
        found = fit.estimates(scores, paths)
    yield from zip(chunk, found, scores, strict=True)


def _factors(fit: Fit, row: dict[str, Any], line: int) -> dict[str, float]:
    known = {name: row[name] for name in fit.factor_names if row.get(name) not in (None, "")}
    return {name: read_score(cell, name, line) for name, cell in known.items()}


def _passes(fit: Fit, promise: Promise, score: float, one: Estimate) -> bool:
    return not fit.is_outside(score) and promise.passes(score if fit.promise_on == "score" else one.probability)


def _readable(line: int, added: dict[str, Any]) -> str:
    passes = {True: "  passes", False: "  does not pass", None: ""}[added.get("passes")]
    text = f"line {line}: {added['probability']:.3f} [{added['lower']:.3f}, {added['upper']:.3f}]{passes}"
    return visible(text)

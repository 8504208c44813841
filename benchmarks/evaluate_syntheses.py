"""Evaluate scores of sub-results and syntheses on labelled data: `python -m benchmarks.evaluate_syntheses FOLDER`.

It measures whether the scores correlate with human ratings, and whether a synthesis holds a larger share of true claims
than its inputs. FOLDER holds the data sets, which are not part of this project: hedge_science_certainty,
halu_factcheck_bench and fc_climate_fever. The output is Markdown.

A claim is *kept* if all its assertions are in the combined text and marked neither uncertain nor disputed. Plain
concatenation keeps every claim, so its share of true claims is that of the data.
"""

import re
import sys
from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.measures import bootstrap, pearson, print_heads, show, spearman
from benchmarks.syntheses_data import TASKS, TEXTS, RatedText, Task
from howsure.formulas.subresult import Subresult
from howsure.learn.metrics import Interval
from howsure.syntheses import stages
from howsure.syntheses.api import Syntheses
from howsure.syntheses.synthesis import SubResult, Synthesis, SynthesisRules
from howsure.text.hedging.hedges import measure_hedging
from howsure.text.markers import load_markers

Indexes = NDArray[np.intp]

ROUNDS = 1000
"""Number of bootstrap samples."""
REASONS = ("filter", "no assertion", "disputed", "uncertain", "beyond the limit")
"""Why a claim is not kept: the first of these that applies."""
KEPT = ""
_LINE = re.compile(r"- (?:\((uncertain|disputed|uncertain, disputed)\) )?(.*) \[[^\]]*\]")
"""A line of an extract: its marks and its text."""


class LabelledClaim(NamedTuple):
    """Whether a labelled claim is true, and whether a synthesis kept it."""

    group: str
    true: bool
    reason: str
    """Why it is not kept; empty if it is."""


def interval(statistic: Callable[[Indexes], float], groups: Sequence[Hashable]) -> Interval:
    """Return a statistic of all cases with its 95 % interval from bootstrap samples of whole groups.

    The statistic takes the indexes of the sampled cases; `groups` names the group of each case.
    """
    every = np.arange(len(groups))
    return bootstrap(lambda weights: statistic(np.repeat(every, weights.astype(np.intp))), groups, ROUNDS)


def numbers(text: str) -> dict[str, float]:
    """Return the numbers that are compared with human ratings.

    The score and its wording part, by the source document's list of markers; the certainty that the gate and the
    grounding pages read from the wide list of hedges; and the number of words as a baseline.
    """
    model = Subresult()
    score = model.score({"content": text})
    hedging, certainty = (score["factors"][name] for name in ("hedging", "certainty"))
    values = {
        "score": score["score"],
        "its wording part": _wording(model, hedging, certainty),
        "certainty by the wide list": 1.0 - measure_hedging(text),
        "words": float(len(text.split())),
    }
    return {name: round(number, 12) for name, number in values.items()}  # so that ties are ties


def _wording(model: Subresult, hedging: float, certainty: float) -> float:
    """Return the score that the factors of wording alone would give."""
    total = model.weight_hedging + model.weight_certainty
    return (model.weight_hedging * hedging + model.weight_certainty * certainty) / total


def correlations(texts: Sequence[RatedText]) -> dict[str, tuple[Interval, Interval]]:
    """Return Pearson's and Spearman's correlation of each number with the rating."""
    ratings = np.array([text.rating for text in texts])
    groups = [text.group for text in texts]
    rows = [numbers(text.text) for text in texts]
    correlation = {}
    for name in numbers(""):
        own = np.array([row[name] for row in rows], dtype=float)
        correlation[name] = (
            interval(lambda at, own=own: pearson(own[at], ratings[at]), groups),  # type: ignore[misc]
            interval(lambda at, own=own: spearman(own[at], ratings[at]), groups),  # type: ignore[misc]
        )
    return correlation


def unmarked(texts: Sequence[RatedText]) -> float:
    """Return the share of texts without any marker, which wording cannot tell apart."""
    markers = [load_markers("subresult").find(text.text) for text in texts]
    return sum(not one.certain and not one.uncertain for one in markers) / len(markers)


def _score_equal(_result: SubResult, _query: str, _context: str) -> stages.Opinion:
    return stages.Opinion(1.0, "all equal")


def _extract_equal(result: SubResult, _confidence: float) -> list[tuple[str, float, str]]:
    return [(text, 1.0, evidence) for text, _, evidence in stages.extract(result, 1.0)]


def _detect_nothing(_statements: Sequence[str]) -> list[tuple[int, int, str, float, str]]:
    return []


WITHOUT = {
    "filter": Syntheses(rules=SynthesisRules(minimum=0.0)),
    "weighting": Syntheses(scorer=_score_equal, extractor=_extract_equal),
    "conflict detection": Syntheses(detector=_detect_nothing),
}
"""The same synthesis without one stage. Without weighting, sub-results stay in their original order."""


def run_tasks(tasks: Iterable[Task], syntheses: Syntheses) -> list[LabelledClaim]:
    """Make each synthesis and return its labelled claims."""
    claims: list[LabelledClaim] = []
    for task in tasks:
        synthesis = syntheses.combine(task.query, task.results)
        marks = _extract_marks(synthesis.content)
        claims += [
            LabelledClaim(task.group, task.truth[result.id], _reason(result, synthesis, marks))
            for result in task.results
            if result.id in task.truth
        ]
    return claims


def _extract_marks(content: str) -> dict[str, str]:
    """Return the marks of each statement in an extract, without the list of disagreements after it."""
    lines = content.partition("\n\nWhere the sources disagree:")[0].split("\n")
    return {_normalize(match[2]): match[1] or "" for line in lines if (match := _LINE.fullmatch(line))}


def _normalize(text: str) -> str:
    return " ".join(text.casefold().split())


def _reason(result: SubResult, synthesis: Synthesis, marks: dict[str, str]) -> str:
    """Return why a claim is not kept, or `KEPT` if it is."""
    asserted = [_normalize(text) for text, *_ in stages.extract(result, 1.0)]
    if all(marks.get(text) == "" for text in asserted or [_normalize(result.content)]):
        return KEPT
    own_marks = " ".join(marks.get(text, "") for text in asserted)
    sides = {side.source for conflict in synthesis.conflicts for side in (conflict.first, conflict.second)}
    applies = {
        "filter": not any(one.kept for one in synthesis.results if one.id == result.id),
        "no assertion": not asserted,
        "disputed": result.id in sides or "disputed" in own_marks,
        "uncertain": "uncertain" in own_marks,
    }
    return next((reason for reason, holds in applies.items() if holds), REASONS[-1])


def _arrays(claims: Sequence[LabelledClaim]) -> tuple[NDArray[np.bool_], NDArray[np.bool_], list[str]]:
    kept = np.array([one.reason == KEPT for one in claims])
    return kept, np.array([one.true for one in claims]), [one.group for one in claims]


def share(which: NDArray[np.bool_], among: NDArray[np.bool_]) -> float:
    """Return the share of `which` among the cases in `among`; NaN if there are none."""
    return float(which[among].mean()) if among.any() else float("nan")


def gain(claims: Sequence[LabelledClaim], other: Sequence[LabelledClaim] | None = None) -> Interval:
    """Return how much higher the share of true claims among those kept is than with another synthesis.

    Both are about the same claims. Without `other`, compare with plain concatenation, which keeps all.
    """
    kept, true, groups = _arrays(claims)
    other_kept = np.ones_like(kept) if other is None else _arrays(other)[0]
    return interval(lambda at: share(true[at], kept[at]) - share(true[at], other_kept[at]), groups)


def recall(claims: Sequence[LabelledClaim]) -> Interval:
    """Return the share of true claims that are kept."""
    kept, true, groups = _arrays(claims)
    return interval(lambda at: share(kept[at], true[at]), groups)


def true_share(claims: Sequence[LabelledClaim]) -> float:
    """Return the share of true claims among those kept."""
    kept, true, _ = _arrays(claims)
    return share(true, kept)


def main(folder: str) -> None:
    """Print all tables."""
    path = Path(folder)
    texts = {name: read(path) for name, read in TEXTS.items()}
    tasks = {name: list(read(path)) for name, read in TASKS.items()}
    empty = next((name for name, some in {**texts, **tasks}.items() if not some), None)
    if empty is not None:
        sys.exit(f"no data for {empty!r} in {folder}")
    print()
    print_heads("texts and rating", "n", "unmarked", "number", "Pearson", "Spearman")
    for name, rated in texts.items():
        for number, (linear, ranked) in correlations(rated).items():
            cells = [f"{len(rated):,}", f"{unmarked(rated):.0%}", number, show(linear, "z.2f"), show(ranked, "z.2f")]
            print(f"| {name} | {' | '.join(cells)} |")
    results = {name: run_tasks(own, Syntheses()) for name, own in tasks.items()}
    print()
    print_heads(
        "task", "syntheses", "claims", "true: plain", "kept", "true: weighted", "difference", "true claims kept"
    )
    for name, own in results.items():
        plain = sum(one.true for one in own) / len(own)
        kept = sum(one.reason == KEPT for one in own)
        print(
            f"| {name} | {len(tasks[name]):,} | {len(own):,} | {plain:.3f} | {kept:,} | {true_share(own):.3f} "
            f"| {show(gain(own), '+z.3f')} | {show(recall(own), '.3f')} |"
        )
    print()
    print_heads("task", "without", "kept", "true", "difference from plain", "effect of the stage")
    for name, own in results.items():
        for stage, syntheses in WITHOUT.items():
            other = run_tasks(tasks[name], syntheses)
            kept = sum(one.reason == KEPT for one in other)
            print(
                f"| {name} | {stage} | {kept:,} | {true_share(other):.3f} | {show(gain(other), '+z.3f')} "
                f"| {show(gain(own, other), '+z.3f')} |"
            )
    print()
    print_heads("task", "false, of all", *(f"{reason}: false" for reason in REASONS))
    for name, own in results.items():
        lost = [[one for one in own if one.reason == reason] for reason in REASONS]
        cells = [f"{sum(not one.true for one in some)} of {len(some)}" for some in (own, *lost)]
        print("| " + " | ".join([name, *cells]) + " |")


if __name__ == "__main__":
    main(*sys.argv[1:] or ["."])

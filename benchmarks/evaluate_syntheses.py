"""Do scores of sub-results follow people's judgement, and is a synthesis truer than all that was said?

`python -m benchmarks.evaluate_syntheses FOLDER`. FOLDER holds the data sets, which are not part of this project:
hedge_science_certainty, halu_factcheck_bench and fc_climate_fever. Prints Markdown.

A claim is *kept* where all that it asserts stands in the combined text, marked neither uncertain nor disputed. Plain
concatenation keeps every claim, so its share of true claims is that of the data.
"""

import re
import sys
from collections.abc import Callable, Hashable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.syntheses_data import TASKS, TEXTS, Judged, Task
from howsure.formulas.subresult import Subresult
from howsure.syntheses import stages
from howsure.syntheses.api import Syntheses
from howsure.syntheses.synthesis import Rules, SubResult, Synthesis
from howsure.text.markers import Markers, load_markers

Numbers = NDArray[np.float64]
Places = NDArray[np.intp]

ROUNDS, SEED = 1000, 5
"""How often groups are drawn again, and where the dice start."""
REASONS = ("filter", "no assertion", "disputed", "uncertain", "beyond the limit")
"""Why a claim is not kept: the first of these that applies."""
KEPT = ""
_MORE = Markers([], ["may", "could", "likely", "suggest", "suggests", "appear", "appears", "seem", "seems"])
"""Common hedges that the lists lack; chosen by hand, fitted to nothing, and not used by howsure."""
_LINE = re.compile(r"- (?:\((uncertain|disputed|uncertain, disputed)\) )?(.*) \[[^\]]*\]")
"""A line of an extract: its marks, and what it says."""


class Interval(NamedTuple):
    """A number with its 95 % interval; not a number where it is not defined."""

    value: float
    low: float
    high: float

    def __format__(self, form: str) -> str:
        """Return it as tables show it; the form is that of each of the three numbers."""
        return "-" if np.isnan(self.value) else f"{self.value:{form}} [{self.low:{form}}, {self.high:{form}}]"


class Outcome(NamedTuple):
    """What became of a labelled claim."""

    group: str
    true: bool
    reason: str
    """Why it is not kept; empty where it is."""


def pearson(one: Numbers, other: Numbers) -> float:
    """Return the linear correlation; not a number where one side is constant."""
    if not len(one) or np.ptp(one) == 0 or np.ptp(other) == 0:
        return float("nan")
    mine, theirs = one - one.mean(), other - other.mean()
    return float(mine @ theirs / np.sqrt((mine @ mine) * (theirs @ theirs)))


def ranks(values: Numbers) -> Numbers:
    """Return the ranks from 1 on; equal values share the mean of theirs."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    shared: Numbers = (np.cumsum(counts) - (counts - 1) / 2)[place]
    return shared


def spearman(one: Numbers, other: Numbers) -> float:
    """Return the correlation of the ranks."""
    return pearson(ranks(one), ranks(other))


def interval(statistic: Callable[[Places], float], groups: Sequence[Hashable]) -> Interval:
    """Return a statistic of all cases, with the middle 95 % of its values when whole groups are drawn again.

    The statistic takes the places of the cases that it is about; `groups` names the group of each case.
    """
    members: dict[Hashable, list[int]] = {}
    for place, group in enumerate(groups):
        members.setdefault(group, []).append(place)
    together = [np.array(places, dtype=np.intp) for places in members.values()]
    dice = np.random.default_rng(SEED)
    found = []
    for _ in range(ROUNDS if together else 0):
        drawn = dice.integers(len(together), size=len(together))
        value = statistic(np.concatenate([together[group] for group in drawn]))
        if not np.isnan(value):  # not where a sample has nothing to compare
            found.append(value)
    low, high = np.percentile(found, [2.5, 97.5]) if found else (np.nan, np.nan)
    return Interval(statistic(np.arange(len(groups))), float(low), float(high))


def numbers(text: str) -> dict[str, float]:
    """Return what may follow people's judgement: the score, its part that is about wording, and, to compare, others."""
    model = Subresult()
    score = model.score({"content": text})
    hedging, certainty = (score["factors"][name] for name in ("hedging", "certainty"))
    hedges = score.row.hedges + len(_MORE.find(text).uncertain)
    wider = 1.0 - min(model.hedge_cost * hedges, model.hedge_most)
    found = {
        "score": score["score"],
        "its wording part": _wording(model, hedging, certainty),
        "wording, nine more hedges": _wording(model, wider, certainty),
        "words": float(len(text.split())),
    }
    return {name: round(number, 12) for name, number in found.items()}  # equal, however they came about


def _wording(model: Subresult, hedging: float, certainty: float) -> float:
    whole = model.weight_hedging + model.weight_certainty
    return (model.weight_hedging * hedging + model.weight_certainty * certainty) / whole


def correlations(texts: Sequence[Judged]) -> dict[str, tuple[Interval, Interval]]:
    """Return Pearson's and Spearman's correlation of each number with the judgement."""
    judged = np.array([text.judgement for text in texts])
    groups = [text.group for text in texts]
    rows = [numbers(text.text) for text in texts]
    found = {}
    for name in numbers(""):
        own = np.array([row[name] for row in rows], dtype=float)
        found[name] = (
            interval(lambda at, own=own: pearson(own[at], judged[at]), groups),  # type: ignore[misc]
            interval(lambda at, own=own: spearman(own[at], judged[at]), groups),  # type: ignore[misc]
        )
    return found


def unmarked(texts: Sequence[Judged]) -> float:
    """Return the share of texts without any marker: wording does not tell them apart."""
    found = [load_markers("subresult").find(text.text) for text in texts]
    return sum(not one.certain and not one.uncertain for one in found) / len(found)


def _equal(_result: SubResult, _query: str, _context: str) -> stages.Opinion:
    return stages.Opinion(1.0, "all alike")


def _equally(result: SubResult, _confidence: float) -> list[tuple[str, float, str]]:
    return [(text, 1.0, evidence) for text, _, evidence in stages.extract(result, 1.0)]


def _nothing(_statements: Sequence[str]) -> list[tuple[int, int, str, float, str]]:
    return []


WITHOUT = {
    "filter": Syntheses(rules=Rules(minimum=0.0)),
    "weighting": Syntheses(scorer=_equal, extractor=_equally),
    "conflict detection": Syntheses(detector=_nothing),
}
"""The same synthesis with one stage taken out. Without weighting, sub-results stay in the order they came in."""


def outcomes(tasks: Iterable[Task], how: Syntheses) -> list[Outcome]:
    """Make each synthesis, and say what became of its labelled claims."""
    found: list[Outcome] = []
    for task in tasks:
        synthesis = how.combine(task.query, task.results)
        said = _said(synthesis.content)
        found += [
            Outcome(task.group, task.truth[result.id], _reason(result, synthesis, said))
            for result in task.results
            if result.id in task.truth
        ]
    return found


def _said(content: str) -> dict[str, str]:
    """Return what an extract says, with its marks; the list of disagreements after it is left out."""
    lines = content.partition("\n\nWhere the sources disagree:")[0].split("\n")
    return {_plain(match[2]): match[1] or "" for line in lines if (match := _LINE.fullmatch(line))}


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())


def _reason(result: SubResult, synthesis: Synthesis, said: dict[str, str]) -> str:
    asserted = [_plain(text) for text, *_ in stages.extract(result, 1.0)]
    if all(said.get(text) == "" for text in asserted or [_plain(result.content)]):
        return KEPT
    marks = " ".join(said.get(text, "") for text in asserted)
    sides = {side.source for clash in synthesis.clashes for side in (clash.first, clash.second)}
    applies = {
        "filter": not any(one.kept for one in synthesis.results if one.result.id == result.id),
        "no assertion": not asserted,
        "disputed": result.id in sides or "disputed" in marks,
        "uncertain": "uncertain" in marks,
    }
    return next((reason for reason, holds in applies.items() if holds), REASONS[-1])


def _arrays(found: Sequence[Outcome]) -> tuple[NDArray[np.bool_], NDArray[np.bool_], list[str]]:
    kept = np.array([one.reason == KEPT for one in found])
    return kept, np.array([one.true for one in found]), [one.group for one in found]


def share(which: NDArray[np.bool_], among: NDArray[np.bool_]) -> float:
    """Return the share of some cases among others; not a number where there are none."""
    return float(which[among].mean()) if among.any() else float("nan")


def gain(found: Sequence[Outcome], other: Sequence[Outcome] | None = None) -> Interval:
    """Return by how much the share of true claims among those kept is higher than otherwise, over the same claims.

    Otherwise is another way to merge them; without one, plain concatenation, which keeps all.
    """
    kept, true, groups = _arrays(found)
    theirs = np.ones_like(kept) if other is None else _arrays(other)[0]
    return interval(lambda at: share(true[at], kept[at]) - share(true[at], theirs[at]), groups)


def recall(found: Sequence[Outcome]) -> Interval:
    """Return the share of all true claims that is kept."""
    kept, true, groups = _arrays(found)
    return interval(lambda at: share(kept[at], true[at]), groups)


def true_share(found: Sequence[Outcome]) -> float:
    """Return the share of true claims among those kept."""
    kept, true, _ = _arrays(found)
    return share(true, kept)


def _table(*heads: str) -> None:
    print("\n| " + " | ".join(heads) + " |\n|" + "---|" * len(heads))


def main(folder: str) -> None:
    """Measure and print."""
    place = Path(folder)
    texts = {name: read(place) for name, read in TEXTS.items()}
    tasks = {name: list(read(place)) for name, read in TASKS.items()}
    empty = next((name for name, some in {**texts, **tasks}.items() if not some), None)
    if empty is not None:
        sys.exit(f"there is nothing to measure in {folder}: {empty}")
    _table("texts and judgement", "n", "unmarked", "number", "Pearson", "Spearman")
    for name, judged in texts.items():
        for number, (linear, ranked) in correlations(judged).items():
            print(f"| {name} | {len(judged):,} | {unmarked(judged):.0%} | {number} | {linear:z.2f} | {ranked:z.2f} |")
    found = {name: outcomes(own, Syntheses()) for name, own in tasks.items()}
    _table("task", "syntheses", "claims", "true: plain", "kept", "true: weighted", "difference", "true claims kept")
    for name, own in found.items():
        plain = sum(one.true for one in own) / len(own)
        kept = sum(one.reason == KEPT for one in own)
        print(
            f"| {name} | {len(tasks[name]):,} | {len(own):,} | {plain:.3f} | {kept:,} | {true_share(own):.3f} "
            f"| {gain(own):+z.3f} | {recall(own):.3f} |"
        )
    _table("task", "without", "kept", "true", "difference from plain", "what the stage changes")
    for name, own in found.items():
        for stage, how in WITHOUT.items():
            other = outcomes(tasks[name], how)
            kept = sum(one.reason == KEPT for one in other)
            print(
                f"| {name} | {stage} | {kept:,} | {true_share(other):.3f} | {gain(other):+z.3f} "
                f"| {gain(own, other):+z.3f} |"
            )
    _table("task", "false, of all", *(f"{reason}: false" for reason in REASONS))
    for name, own in found.items():
        lost = [[one for one in own if one.reason == reason] for reason in REASONS]
        cells = [f"{sum(not one.true for one in some)} of {len(some)}" for some in (own, *lost)]
        print("| " + " | ".join([name, *cells]) + " |")


if __name__ == "__main__":
    main(*sys.argv[1:] or ["."])

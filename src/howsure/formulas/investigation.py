"""Score an investigation by what its tool calls have found so far (the model `investigation`)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, Generic, NamedTuple

from howsure.errors import InputError, nearest
from howsure.formulas.level import Level, level_of, with_starts
from howsure.formulas.model import Model
from howsure.formulas.ops import FLOATS, N, Ops, at_least
from howsure.formulas.tool_calls import CATEGORIES, Row, Tally, ToolCall
from howsure.shapes import Amount, Count, Unit

BANDS = (
    Level("strong", 0.75, "strong evidence, not yet cross-checked"),
    Level("adequate", 0.55, "real evidence, not yet cross-checked"),
    Level("weak", 0.25, "partial evidence from few tools"),
    Level("failed", 0.0, "next to no evidence"),
)
"""What an investigation's score means if no two categories agree on a target."""

AGREED = {"strong": "independent evidence agrees", "adequate": "real evidence, partly cross-checked"}
"""What the score of a band means if some do."""

TOOLS = {
    "find": "search",
    "grep": "search",
    "references": "search",
    "read": "read",
    "discovery": "discovery",
    "cmake": "verification.build",
    "ctest": "verification.test",
    "git": "git",
    "gh": "ci",
}
"""Category of each tool; after a dot its kind, where that is not the tool's own name."""


@dataclass(frozen=True)
class Case:
    """The tool calls of one investigation, in order."""

    steps: tuple[ToolCall, ...]
    """The tool calls."""


class Steps(NamedTuple, Generic[N]):
    """Every step from the row to the score. A category that takes no part has no weight."""

    search: N
    """Score of searching."""
    read: N
    """Score of reading."""
    verification: N
    """Score of building and testing."""
    discovery: N
    """Score of understanding the project."""
    git: N
    """Score of the history."""
    ci: N
    """Score of the CI data."""
    weight: N
    """Weights of the categories that take part, summed."""
    mean: N
    """Weighted mean of the categories that take part."""
    convergence: N
    """Share of the remaining doubt that agreement on one target closes."""
    score: N
    """How sure the investigation is."""


@dataclass(frozen=True)
class Investigation(Model[Case]):
    """Tool calls are evidence in six categories; agreement between categories closes part of the remaining doubt.

    >>> calls = [{"tool": tool, "target": "Parser", "results": 1} for tool in ("find", "grep", "read")]
    >>> score = Investigation().score({"steps": calls})
    >>> round(score["score"], 4), score["band"], score["decision"]
    (0.83, 'strong', 'proceed')
    """

    name = "investigation"
    version = 1
    case = Case
    directions: ClassVar[Mapping[tuple[str, str], int]] = {
        ("search_kinds", "search"): +1,
        ("paths_read", "score"): +1,
        ("build_failed", "score"): -1,
        ("converging", "score"): +1,
        ("search_and_read", "score"): +1,
    }

    search_scores: tuple[Unit, Unit, Unit] = (0.65, 0.80, 0.92)
    """Search, by kinds of search tool with results for one target."""
    read_scores: tuple[Unit, Unit, Unit] = (0.55, 0.80, 0.88)
    """Read: without search results, with them, with them and enough paths."""
    enough_paths: Count = 3
    """How many different paths make a broad reading."""
    discovery_scores: tuple[Unit, Unit, Unit, Unit] = (0.20, 0.50, 0.70, 0.85)
    """Discovery, by factors understood: at most one, two, three, four."""
    verification_scores: tuple[Unit, Unit, Unit, Unit] = (0.15, 0.30, 0.80, 0.93)
    """Verification: build failed, tests failed, passed, build and tests passed."""
    git_score: Unit = 0.75
    """Git, where it gave results."""
    ci_score: Unit = 0.80
    """CI, where its data was complete."""
    weight_search: Amount = 2.5
    """Weight of searching."""
    weight_read: Amount = 3.0
    """Weight of reading."""
    weight_verification: Amount = 1.5
    """Weight of building and testing."""
    weight_discovery: Amount = 1.0
    """Weight of understanding the project."""
    weight_git: Amount = 1.0
    """Weight of the history."""
    weight_ci: Amount = 1.0
    """Weight of the CI data."""
    two_agree: Unit = 0.10
    """Share of doubt closed where two categories confirm one target."""
    three_agree: Unit = 0.20
    """Share of doubt closed where three or more do."""
    search_read_agree: Unit = 0.05
    """Further share closed where search and read are among them."""
    context_only: Unit = 0.54
    """Highest score with nothing but discovery."""
    band_starts: tuple[Unit, Unit, Unit] = (0.75, 0.55, 0.25)
    """Scores from which an investigation is strong, adequate, weak; below, it has failed."""
    proceed_from: Unit = 0.50
    """Score from which the investigation may proceed; below, it should recover."""
    stop_below: Unit = 0.20
    """Score below which it should stop."""
    tools: dict[str, str] = field(default_factory=lambda: dict(TOOLS))
    """Category of each tool; after a dot its kind, where that is not the tool's own name."""

    def __post_init__(self) -> None:
        """Raise InputError if a tool has an unknown category, or the thresholds are in the wrong order."""
        super().__post_init__()
        if self.stop_below > self.proceed_from:
            raise InputError(f"{self.stop_below} is above proceed_from, {self.proceed_from}", field="stop_below")
        for tool, where in self.tools.items():
            category, _, kind = where.partition(".")
            if category not in CATEGORIES:
                hint = nearest(category, CATEGORIES)
                raise InputError(f"{tool} has the unknown category {category}", field="tools", hint=hint)
            if category == "verification" and kind not in ("build", "test"):
                hint = "verification.build or verification.test"
                raise InputError(f"{tool} must either build or test", field="tools", hint=hint)

    def tally(self, calls: Iterable[ToolCall] = ()) -> Tally:
        """Return a tally of tool calls."""
        tally = Tally(self.tools, self._bonus)
        for call in calls:
            tally.add(call)
        return tally

    def features(self, case: Case) -> Row[float]:
        """Return the row of the primary calls, or of all calls if recovery did not make the score worse."""
        first = self.tally(call for call in case.steps if not call.recovery)
        both = self.tally(case.steps)
        failed = any(
            call.recovery and call.passed is False and both.place(call)[0] == "verification" for call in case.steps
        )
        return self.choose(first, both, failed=failed)

    def choose(self, first: Tally, both: Tally, *, failed: bool) -> Row[float]:
        """Return the row of the better pass; the one with recovery if a build or test of the recovery failed."""
        return self.better(first.row(), both.row(), failed=failed)

    def better(self, before: Row[float], after: Row[float], *, failed: bool) -> Row[float]:
        """Return the row with recovery, unless it is worse and no recovery failed."""
        better = at_least(self.formula(after, FLOATS).score, self.formula(before, FLOATS).score)
        return after if failed or better else before

    def _bonus(self, categories: int, search_and_read: bool) -> float:
        agree = self.three_agree if categories >= 3 else self.two_agree if categories == 2 else 0.0
        return agree + self.search_read_agree * search_and_read

    def formula(self, row: Row[N], ops: Ops[N]) -> Steps[N]:
        """Return the score and every step on the way."""
        one, two, three = self.search_scores
        several = ops.where(row.search_kinds >= 3.0, three, two)
        search = ops.where(row.search_kinds >= 2.0, several, ops.minimum(row.search_kinds, 1.0) * one)

        alone, confirmed, broad = self.read_scores
        with_search = ops.where(row.paths_read >= float(self.enough_paths), broad, confirmed)
        read = row.read_found * ops.where(row.search_kinds >= 1.0, with_search, alone)

        build_broken, tests_broken, some, whole = self.verification_scores
        any_passed = some * ops.maximum(row.build_passed, row.tests_passed)
        passed = ops.where(row.build_passed * row.tests_passed > 0.0, whole, any_passed)
        tested = ops.where(row.tests_failed > 0.0, tests_broken, passed)
        verification = ops.where(row.build_failed > 0.0, build_broken, tested)

        few, half, most, full = self.discovery_scores
        partly = ops.where(row.discovery_factors >= 2.0, half, few)
        mostly = ops.where(row.discovery_factors >= 4.0, full, most)
        discovery = row.discovery_found * ops.where(row.discovery_factors >= 3.0, mostly, partly)

        git = self.git_score * row.git_found
        ci = self.ci_score * row.ci_complete

        search_weight = self.weight_search * row.search_counts
        read_weight = self.weight_read * row.read_counts
        verification_weight = self.weight_verification * row.verification_counts
        discovery_weight = self.weight_discovery * row.discovery_counts
        git_weight = self.weight_git * row.git_counts
        ci_weight = self.weight_ci * row.ci_counts
        evidence = search_weight + read_weight + verification_weight + git_weight + ci_weight
        weight = evidence + discovery_weight
        total = search_weight * search + read_weight * read + verification_weight * verification
        total = total + discovery_weight * discovery + git_weight * git + ci_weight * ci
        mean = total / ops.maximum(weight, 1e-100)

        agree = ops.where(row.converging >= 2.0, self.two_agree, 0.0)
        agree = ops.where(row.converging >= 3.0, self.three_agree, agree)
        convergence = ops.minimum(agree + self.search_read_agree * row.search_and_read, 1.0)
        closed = mean + convergence * (1.0 - mean)
        score = ops.where(evidence > 0.0, closed, ops.minimum(closed, self.context_only))
        return Steps(search, read, verification, discovery, git, ci, weight, mean, convergence, score)

    def conclude(self, case: Case, row: Row[float], steps: Steps[float]) -> dict[str, Any]:
        """Return score, band, categories, decision, warnings and what recovery changed."""
        everything = self.tally(case.steps)
        primary = self.tally(call for call in case.steps if not call.recovery)
        return self.standing(primary, everything, row, steps)

    def decide(self, score: float) -> tuple[Level, str]:
        """Return the band of a score, and what to do: proceed, recover or stop."""
        stop, recover = (not at_least(score, limit) for limit in (self.stop_below, self.proceed_from))
        band = level_of(score, with_starts(BANDS, self.band_starts))
        return band, "stop" if stop else "recover" if recover else "proceed"

    def standing(self, primary: Tally, everything: Tally, row: Row[float], steps: Steps[float]) -> dict[str, Any]:
        """Return the result from tallies of the primary calls and of all calls."""
        counted = everything if everything.row() == row else primary
        before = self.formula(primary.row(), FLOATS).score
        categories = {name: getattr(steps, name) for name in CATEGORIES if getattr(row, f"{name}_counts")}
        band, decision = self.decide(steps.score)
        agreed = counted.best_target if row.converging > 1 else None
        warnings = list(dict.fromkeys([*everything.warnings(), *counted.warnings()]))
        listed = ", ".join(f"{name} {score:.2f}" for name, score in categories.items()) or "nothing found"
        meaning = AGREED.get(band.name, band.meaning) if agreed else band.meaning
        converge = f"; {row.converging:.0f} categories agree on {agreed}" if agreed else ""
        return {
            "score": steps.score,
            "band": band.name,
            "categories": categories,
            "decision": decision,
            "recover": decision != "proceed",
            "stop": decision == "stop",
            "converging_target": agreed,
            "converging_targets": list(counted.agreed),
            "recovery_change": steps.score - before,
            "warnings": warnings,
            "reason": f"{listed}{converge}: {steps.score:.2f}, {meaning}",
        }

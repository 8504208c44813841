"""Names of the document "Phase 2: Confidence Model Design": score tool calls one by one and combine them."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from howsure.agents.listings import count_factors
from howsure.agents.tool_calls import build_model, find_tool_name
from howsure.errors import InputError, nearest, shown
from howsure.formulas.investigation import Case, Investigation
from howsure.formulas.ops import FLOATS
from howsure.formulas.tool_calls import ToolCall
from howsure.shapes import Count, decode, decode_as


@dataclass(frozen=True)
class ConfidenceResult:
    """The score of one tool call, or of several together."""

    score: float
    """From 0 to 1."""
    reason: str = ""
    """Why, in words."""
    band: str = ""
    """strong, adequate, weak or failed; only for several calls together."""
    calls: tuple[ToolCall, ...] = ()
    """The tool calls that were scored."""


class ConfidenceService:
    """Scores tool calls and combines them by category, weight and convergence.

    >>> service = ConfidenceService()
    >>> found, read = (
    ...     service.after_search(3, target="MemoryManager"),
    ...     service.after_read(1, True, target="MemoryManager.h"),
    ... )
    >>> found.score, read.score, round(service.combine([found, read]).score, 4)
    (0.65, 0.55, 0.772)
    """

    def __init__(self, model: Investigation | None = None) -> None:
        """Take the model; default: the standard one."""
        self.model: Investigation = model or build_model()

    def after_search(self, results: int, tool: str = "find", *, target: str = "") -> ConfidenceResult:
        """Score a search by find, grep, references, or another search tool."""
        name = find_tool_name(self.model.tools, decode_as(str, tool, "tool"))
        if name is None or self.model.tools[name].partition(".")[0] != "search":
            searching = [name for name, where in self.model.tools.items() if where.partition(".")[0] == "search"]
            raise InputError(f"unknown search tool {shown(tool)}", field="tool", hint=nearest(tool, searching))
        return self._one("search", {"tool": name, "target": target, "results": results})

    def after_read(self, files: int, success: bool = True, *, target: str = "") -> ConfidenceResult:
        """Score reading files; as in the document, `after_read(1, True)` alone scores 0.55."""
        count = min(decode_as(Count, files, "files"), max(self.model.enough_paths, 1))
        results = int(decode_as(bool, success, "success"))
        # The first keeps the name, so that it still agrees with a search for it; the others only count as more files.
        others = [f"{target}#{number}" for number in range(1, count)]
        names = [target if target or not others else "#0", *others] if count else []
        return self._one("read", *({"tool": "read", "target": name, "results": results} for name in names))

    def after_build(self, passed: bool) -> ConfidenceResult:
        """Score a build."""
        return self._one("verification", {"tool": "cmake", "passed": decode_as(bool, passed, "passed")})

    def after_tests(self, passed: bool) -> ConfidenceResult:
        """Score a test run."""
        return self._one("verification", {"tool": "ctest", "passed": decode_as(bool, passed, "passed")})

    def after_git(self, results: int, *, target: str = "") -> ConfidenceResult:
        """Score a look at the git history."""
        return self._one("git", {"tool": "git", "target": target, "results": results})

    def after_ci(self, complete: float = 1.0, *, target: str = "") -> ConfidenceResult:
        """Score CI data by the share of it that was available."""
        return self._one("ci", {"tool": "gh", "target": target, "results": int(complete != 0), "complete": complete})

    def after_discovery(self, factors: int) -> ConfidenceResult:
        """Score an overview of a project by the factors understood: build system, layout, tests, documentation."""
        return self._one("discovery", {"tool": "discovery", "factors": count_factors(factors)})

    def _one(self, category: str, *fields: dict[str, Any]) -> ConfidenceResult:
        calls = tuple(decode(ToolCall, one) for one in fields)
        steps = self.model.formula(self.model.tally(calls).row(), FLOATS)
        score = float(getattr(steps, category))
        return ConfidenceResult(score, f"{category} {score:.2f}", calls=calls)

    def combine(self, results: Iterable[ConfidenceResult]) -> ConfidenceResult:
        """Return the score of all calls together; 0 if there are none."""
        calls = tuple(call for result in results for call in result.calls)
        score = self.model.score(Case(calls))
        return ConfidenceResult(score["score"], score["reason"], score["band"], calls)

    def should_proceed(self, result: ConfidenceResult) -> bool:
        """Say whether the evidence is good enough to proceed without recovery."""
        return result.score >= self.model.proceed_from - 5e-10

    def should_stop(self, result: ConfidenceResult) -> bool:
        """Say whether there is so little evidence that one should stop."""
        return result.score < self.model.stop_below - 5e-10

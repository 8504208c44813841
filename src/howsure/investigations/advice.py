"""Advise which evidence to collect next, by computing how much each kind of evidence would raise the score."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from howsure.formulas.investigation import Investigation
from howsure.formulas.ops import FLOATS
from howsure.formulas.tool_calls import Row, Tally, ToolCall

_LEAST_GAIN = 1e-9
"""Gains below this are rounding errors."""
_LOOKUPS: dict[str, tuple[str, dict[str, Any]]] = {
    "search": ("search for {target} in another way", {"results": 1}),
    "read": ("read what was found for {target}", {"results": 1}),
    "git": ("look at the history of {target}", {"results": 1}),
    "ci": ("look at what CI says about {target}", {"results": 1}),
    "discovery": ("get an overview: build system, source layout, tests, documentation", {"factors": 4}),
}
"""For each category that looks something up: what to do, and the fields of a call that succeeds."""
_CHECKS = {"test": "run the tests", "build": "build it"}
_REPAIRS = {"test": "fix the failed tests: {tools}", "build": "fix the failed build: {tools}"}


class InvestigationAdvice(NamedTuple):
    """Evidence that could be collected next."""

    what: str
    """What to do, in words."""
    score: float
    """The score if that succeeds."""
    gain: float
    """How much higher that is than now."""


class Adviser:
    """Computes how each possible next step would change the score."""

    def __init__(self, model: Investigation) -> None:
        """Use the tools and the formula of a model."""
        self.model = model
        self._tools = _one_of_each(model.tools)

    def advise(self, primary: Tally, everything: Tally, target: str, *, failed: bool) -> list[InvestigationAdvice]:
        """Return what would help, the most helpful first. The cost does not grow with the number of calls."""
        now = self._score(primary.row(), everything.row(), failed=failed)
        best: dict[str, float] = {}
        for what, calls in self._options(everything, target):
            tallies = [tally.around(target) for tally in (primary, everything)]
            for call in calls:
                for tally in tallies:
                    tally.add(call)
            best[what] = max(best.get(what, 0.0), self._score(*(tally.row() for tally in tallies), failed=failed))
        advice = [
            InvestigationAdvice(what, score, score - now) for what, score in best.items() if score > now + _LEAST_GAIN
        ]
        return sorted(advice, key=lambda one: -one.gain)

    def _score(self, before: Row[float], after: Row[float], *, failed: bool) -> float:
        row = self.model.better(before, after, failed=failed)
        return float(self.model.formula(row, FLOATS).score)

    def _options(self, everything: Tally, target: str) -> Iterator[tuple[str, list[ToolCall]]]:
        """Yield each possible next step in words, with the tool calls that it adds if it succeeds."""
        for (category, kind), tool in self._tools.items():
            if category in _LOOKUPS:
                what, fields = _LOOKUPS[category]
                yield what.format(target=target or "it"), [ToolCall(tool, target or "it", **fields)]
                continue
            runs = everything.builds if kind == "build" else everything.tests
            failed = [name for name, passed in runs.items() if not passed]
            what = _REPAIRS[kind].format(tools=", ".join(failed)) if failed else _CHECKS[kind]
            yield what, [ToolCall(name, passed=True) for name in failed or [tool]]


def _one_of_each(tools: Mapping[str, str]) -> dict[tuple[str, str], str]:
    """Return one tool of each category and kind; one of the category if its kinds do not matter."""
    chosen: dict[tuple[str, str], str] = {}
    for tool, where in tools.items():
        category, _, kind = where.partition(".")
        kind = kind or tool if category in ("search", "verification") else category
        chosen.setdefault((category, kind), tool)
    return chosen

"""Advice: what evidence would help an investigation most next, by trying what each kind of it would change."""

from collections.abc import Iterator, Mapping
from typing import Any, NamedTuple

from howsure.formulas.investigation import Investigation
from howsure.formulas.ops import FLOATS
from howsure.formulas.tool_calls import Row, Tally, ToolCall

_SURE_GAIN = 1e-9
_LOOK: dict[str, tuple[str, dict[str, Any]]] = {
    "search": ("search for {target} in another way", {"results": 1}),
    "read": ("read what was found for {target}", {"results": 1}),
    "git": ("look at the history of {target}", {"results": 1}),
    "ci": ("look at what CI says about {target}", {"results": 1}),
    "discovery": ("get an overview: build system, source layout, tests, documentation", {"factors": 4}),
}
_RUN = {"test": "run the tests", "build": "build it"}
_MEND = {"test": "make the tests pass that failed: {tools}", "build": "make the build pass that failed: {tools}"}


class Advice(NamedTuple):
    """Evidence that could be got next."""

    what: str
    """What to do, in words."""
    score: float
    """The score, if that succeeds."""
    gain: float
    """How much more that is than now."""


class Adviser:
    """Tries what could be done next with the tools that a model knows."""

    def __init__(self, model: Investigation) -> None:
        """Take the model, whose tools there are."""
        self.model = model
        self._tools = _one_of_each(model.tools)

    def advice(self, primary: Tally, everything: Tally, target: str, *, failed: bool) -> list[Advice]:
        """Return what would help most, the most helpful first. It costs the same however many calls came before."""
        now = self._score(primary.row(), everything.row(), failed=failed)
        best: dict[str, float] = {}
        for what, calls in self._options(everything, target):
            tallies = [tally.around(target) for tally in (primary, everything)]
            for call in calls:
                for tally in tallies:
                    tally.add(call)
            best[what] = max(best.get(what, 0.0), self._score(*(tally.row() for tally in tallies), failed=failed))
        found = [Advice(what, score, score - now) for what, score in best.items() if score > now + _SURE_GAIN]
        return sorted(found, key=lambda advice: -advice.gain)

    def _score(self, before: Row[float], after: Row[float], *, failed: bool) -> float:
        row = self.model.better(before, after, failed=failed)
        return float(self.model.formula(row, FLOATS).score)

    def _options(self, everything: Tally, target: str) -> Iterator[tuple[str, list[ToolCall]]]:
        """Give what could be done, in words, and the calls that it would be."""
        for (category, kind), tool in self._tools.items():
            if category in _LOOK:
                what, given = _LOOK[category]
                yield what.format(target=target or "it"), [ToolCall(tool, target or "it", **given)]
                continue
            runs = everything.builds if kind == "build" else everything.tests
            broken = [name for name, passed in runs.items() if not passed]
            what = _MEND[kind].format(tools=", ".join(broken)) if broken else _RUN[kind]
            yield what, [ToolCall(name, passed=True) for name in broken or [tool]]


def _one_of_each(tools: Mapping[str, str]) -> dict[tuple[str, str], str]:
    """Return one tool of each category and kind; where kinds do not matter, one of the category."""
    found: dict[tuple[str, str], str] = {}
    for tool, where in tools.items():
        category, _, kind = where.partition(".")
        kind = kind or tool if category in ("search", "verification") else category
        found.setdefault((category, kind), tool)
    return found

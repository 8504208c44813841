"""Investigations: how sure are we while an agent searches, reads, builds and tests?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, NamedTuple, Self

from howsure.core.ops import FLOATS, at_least
from howsure.core.score import Score
from howsure.engine.calls import calls as calls_of
from howsure.engine.calls import model as usual_model
from howsure.engine.ledger import About, Ledger
from howsure.engine.metrics import RECOVERIES
from howsure.errors import InputError, shown
from howsure.models.investigation import Investigation
from howsure.models.tally import Call, same_target

_NEXT: dict[str, tuple[str, tuple[str, ...], dict[str, Any]]] = {
    "search": ("search for {target} in another way", ("find", "grep", "references"), {"results": 1}),
    "read": ("read what was found for {target}", ("read",), {"results": 1}),
    "tests": ("run the tests", ("ctest",), {"passed": True}),
    "build": ("build it", ("cmake",), {"passed": True}),
    "git": ("look at the history of {target}", ("git",), {"results": 1}),
    "discovery": ("get an overview: build system, source layout, tests, documentation", ("discovery",), {"factors": 4}),
}


Tool = Callable[["Inquiry"], Any]
"""Does something, and records what came of it."""


class Advice(NamedTuple):
    """Evidence that could be got next."""

    what: str
    """What to do, in words."""
    score: float
    """The score, if that succeeds."""
    gain: float
    """How much more that is than now."""


class Inquiry:
    """One investigation under way. Record what the tools return, and ask at any time how sure it is."""

    def __init__(self, question: str, about: About, ledger: Ledger, model: Investigation | None = None) -> None:
        """Begin with nothing."""
        if not isinstance(question, str):
            raise InputError(f"{shown(question)} is not a question", field="question")
        self.question = question
        self.about = about
        self.model = model or usual_model()
        self.calls: list[Call] = []
        """The calls that count as evidence, in order."""
        self.recoveries = 0
        """How many calls were made to recover from weak evidence."""
        self.id: str | None = None
        """By this the ledger knows it, once it is recorded."""
        self._ledger = ledger
        self._primary = self.model.tally()
        self._all = self.model.tally()
        self.failures: list[str] = []
        """What went wrong with tools that were to recover."""
        self._recovering = False
        self._recovery_failed = False
        self._through: dict[str, list[int]] = {}

    def record(
        self,
        tool: str,
        arguments: Any = None,
        results: Any = None,
        *,
        error: str | None = None,
        recovery: bool = False,
        **given: Any,
    ) -> Score:
        """Take one tool call, and return how sure the investigation is now.

        `results` is a number, or what the tool put out; an empty list, "no matches" or an error text are no evidence.
        """
        for call in calls_of(self.model.tools, tool, arguments, results, error=error, recovery=recovery, **given):
            self.add(call)
        return self.score

    def add(self, call: Call) -> None:
        """Take one call that was put into the model's form already. It costs the same however many came before."""
        if self._recovering and not call.recovery:
            call = replace(call, recovery=True)
        self.calls.append(call)
        if call.recovery:
            self.recoveries += 1
            outcome = "error" if call.error is not None else "found" if call.results or call.passed else "nothing"
            self._ledger.metrics.add(RECOVERIES, outcome=outcome)
        self._all.add(call)
        if not call.recovery:
            self._primary.add(call)
        elif call.passed is False and self._all.place(call)[0] == "verification":
            self._recovery_failed = True
        target = same_target(call.target)
        if target and call.results and call.error is None:
            self._through.setdefault(target, []).append(len(self.calls))

    @property
    def score(self) -> Score:
        """How sure it is now: score, band, categories, decision, warnings, and what recovery changed."""
        row = self.model.choose(self._primary, self._all, failed=self._recovery_failed)
        steps = self.model.formula(row, FLOATS)
        answer = self.model.standing(self._primary, self._all, row, steps)
        through = self._through.get(answer["converging_target"] or "", [])
        return Score(self.model.spec, row, steps, answer | {"through": through, "recoveries": self.recoveries})

    def investigate_until(
        self, sure_enough: float | Callable[[Score], bool], tools: Sequence[Tool], max_recoveries: int = 3
    ) -> Score:
        """Use the first tool, then recover by the others, one at a time, until the investigation is sure enough.

        A tool is called with the investigation and records what it finds; while recovering, that counts as recovery.
        One that fails changes nothing, and the next is tried. `sure_enough` is a score, or decides by one.
        """
        if not tools:
            raise InputError("there is no tool to use", field="tools")
        for number, tool in enumerate(tools[: max_recoveries + 1]):
            self._recovering = number > 0
            try:
                tool(self)
            except Exception as error:  # noqa: BLE001 - the tool is the caller's; that it failed is no evidence
                self.failures.append(f"{getattr(tool, '__name__', 'a tool')}: {error}")
            finally:
                self._recovering = False
            score = self.score
            if sure_enough(score) if callable(sure_enough) else at_least(score["score"], sure_enough):
                break
        return self.score

    def advice(self) -> list[Advice]:
        """Return what evidence would help most next, the most helpful first."""
        now = self.score["score"]
        target = self._all.best_target or next(reversed(self._through), "") or "it"
        found = []
        for what, tools, given in _NEXT.values():
            tried = [self._if(tool, target, given) for tool in tools]
            best = max(tried)
            if best > now + 1e-9:
                found.append(Advice(what.format(target=target), best, best - now))
        return sorted(found, key=lambda advice: -advice.gain)

    def _if(self, tool: str, target: str, given: Mapping[str, Any]) -> float:
        """Return the score, if a call succeeded."""
        steps = (*self.calls, Call(tool=tool, target=target, **given))
        primary = self.model.tally(call for call in steps if not call.recovery)
        row = self.model.choose(primary, self.model.tally(steps), failed=self._recovery_failed)
        return float(self.model.formula(row, FLOATS).score)

    def as_dict(self) -> dict[str, Any]:
        """Return how it stands as JSON-ready data."""
        advice = [one._asdict() for one in self.advice()[:3]]
        return self.score.as_dict() | {"question": self.question, "calls": len(self.calls), "advice": advice}

    def close(self, now: float | None = None) -> Score:
        """Write down how it ended, once; return the score."""
        score = self.score
        if self.id is None:
            self.id = self._ledger.record(score, self.about, self.question, now)
        return score

    def __enter__(self) -> Self:
        """Give the investigation."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Write down how it ended, if it came to an end."""
        if kind is None:
            self.close()


class Investigations:
    """How sure agents are while they work."""

    def __init__(self, ledger: Ledger, tools: Mapping[str, str] | None = None) -> None:
        """Take the ledger to write in, and the categories of tools besides those that are known."""
        self._ledger = ledger
        self.model = usual_model(tools)

    def start(self, question: str, *, model: Investigation | None = None, **about: Any) -> Inquiry:
        """Begin an investigation; `agent`, `project`, `task_id` and `trace_id` say whose and which."""
        return Inquiry(question, self._ledger.about(**about), self._ledger, model or self.model)

"""Investigations: how sure are we while an agent searches, reads, builds and tests?"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from types import TracebackType
from typing import Any, NamedTuple, Self

from howsure.agents.tool_calls import build_model, read_tool_calls
from howsure.errors import InputError, shown
from howsure.formulas.investigation import Investigation
from howsure.formulas.ops import FLOATS, at_least
from howsure.formulas.score import Score
from howsure.formulas.tool_calls import ToolCall, same_target
from howsure.investigations.advice import Advice, Adviser
from howsure.ledger.api import About, Ledger
from howsure.ledger.metrics import RECOVERIES
from howsure.shapes import Count, Unit, decode, decode_as

Tool = Callable[["Inquiry"], Any]
"""Does something, and records what came of it."""


class Agreement(NamedTuple):
    """A target on which independent evidence agrees."""

    target: str
    """What it is, as targets are compared."""
    categories: tuple[str, ...]
    """The categories that confirm it."""
    calls: tuple[int, ...]
    """The calls through which they do, counted from 1."""


class Inquiry:
    """One investigation under way. Record what the tools return, and ask at any time how sure it is."""

    def __init__(
        self,
        question: str,
        about: About | None = None,
        ledger: Ledger | None = None,
        model: Investigation | None = None,
    ) -> None:
        """Begin with nothing. Without a ledger, nothing is written down."""
        if not isinstance(question, str):
            raise InputError(f"{shown(question)} is not a question", field="question")
        self.question = question
        self.about = about or About()
        self.model = model or build_model()
        self.calls: list[ToolCall] = []
        """The calls that count as evidence, in order."""
        self.unknown = 0
        """How many calls were of tools that nobody knows, and so count for nothing."""
        self.recoveries = 0
        """How many calls were made to recover from weak evidence."""
        self.id: str | None = None
        """By this the ledger knows it, once it is recorded."""
        self.failures: list[str] = []
        """What went wrong with tools that were to recover."""
        self._ledger = ledger
        self._adviser: Adviser | None = None
        self._primary = self.model.tally()
        self._all = self.model.tally()
        self._recovering = False
        self._recovery_failed = False
        self._through: dict[str, list[int]] = {}
        self._asked = ""

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
        for call in read_tool_calls(
            self.model.tools, tool, arguments, results, error=error, recovery=recovery, **given
        ):
            self._add(call)
        return self.score

    def add(self, call: ToolCall) -> None:
        """Take one call that was put into the model's form already. It costs the same however many came before."""
        self._add(decode(ToolCall, call))

    def _add(self, call: ToolCall) -> None:
        if self._recovering and not call.recovery:
            call = replace(call, recovery=True)
        self._all.add(call)
        category, _ = self._all.place(call)
        if not category:  # a warning tells it
            self.unknown += 1
            return
        self.calls.append(call)
        if not call.recovery:
            self._primary.add(call)
        else:
            self._recovered(call)
            self._recovery_failed |= call.passed is False and category == "verification"
        target = same_target(call.target)
        self._asked = target or self._asked
        if target and call.results and call.error is None:
            self._through.setdefault(target, []).append(len(self.calls))

    def _recovered(self, call: ToolCall) -> None:
        """Count a call that was made to recover, by what came of it."""
        self.recoveries += 1
        found = call.results or call.factors or call.passed is not None
        outcome = "error" if call.error is not None else "found" if found else "nothing"
        if self._ledger is not None:
            self._ledger.metrics.add(RECOVERIES, outcome=outcome)

    @property
    def score(self) -> Score:
        """How sure it is now: score, band, categories, decision, warnings, and what recovery changed."""
        row = self.model.choose(self._primary, self._all, failed=self._recovery_failed)
        steps = self.model.formula(row, FLOATS)
        answer = self.model.standing(self._primary, self._all, row, steps)
        through = list(self._through.get(answer["converging_target"] or "", []))
        return Score(self.model.spec, row, steps, answer | {"through": through, "recoveries": self.recoveries})

    def investigate_until(
        self, sure_enough: float | Callable[[Score], bool], tools: Sequence[Tool], max_recoveries: int = 3
    ) -> Score:
        """Use the first tool, then recover by the others, one at a time, until the investigation is sure enough.

        A tool is called with the investigation and records what it finds; while recovering, that counts as recovery.
        One that fails changes nothing, and the next is tried. `sure_enough` is a score, or decides by one.
        """
        enough = sure_enough if callable(sure_enough) else _at_least(decode_as(Unit, sure_enough, "sure_enough"))
        most: int = decode_as(Count, max_recoveries, "max_recoveries")
        if not tools:
            raise InputError("there is no tool to use", field="tools")
        for number, tool in enumerate(tools):
            if not callable(tool):
                raise InputError(f"{shown(tool)} cannot be called", field=f"tools[{number}]", hint="a function")
        for number, tool in enumerate(tools[: most + 1]):
            self._recovering = number > 0
            try:
                tool(self)
            except Exception as error:  # noqa: BLE001 - the tool is the caller's; that it failed is no evidence
                self.failures.append(f"{getattr(tool, '__name__', 'a tool')}: {error}")
            finally:
                self._recovering = False
            if enough(self.score):
                break
        return self.score

    def advice(self) -> list[Advice]:
        """Return what evidence would help most next, the most helpful first."""
        if self._adviser is None:
            self._adviser = Adviser(self.model)
        target = self._all.best_target or next(reversed(self._through), "") or self._asked
        return self._adviser.advice(self._primary, self._all, target, failed=self._recovery_failed)

    def agreements(self) -> list[Agreement]:
        """Return every target on which categories agree, the one that closes the most doubt first."""
        found = sorted(self._all.agreed, key=self._all.worth, reverse=True)
        return [
            Agreement(target, tuple(sorted(self._all.confirmed[target])), tuple(self._through[target]))
            for target in found
        ]

    def as_dict(self) -> dict[str, Any]:
        """Return how it stands as JSON-ready data."""
        advice = [one._asdict() for one in self.advice()[:3]]
        agreements = [one._asdict() for one in self.agreements()]
        found = {"question": self.question, "calls": len(self.calls), "advice": advice, "agreements": agreements}
        return self.score.as_dict() | found

    def close(self, now: float | None = None) -> Score:
        """Write down how it ended, once; return the score."""
        score = self.score
        if self.id is None and self._ledger is not None:
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


def _at_least(wanted: float) -> Callable[[Score], bool]:
    return lambda score: at_least(score["score"], wanted)


class Investigations:
    """How sure agents are while they work."""

    def __init__(self, ledger: Ledger, tools: Mapping[str, str] | None = None) -> None:
        """Take the ledger to write in, and the categories of tools besides those that are known."""
        self._ledger = ledger
        self.model = build_model(tools)

    def start(self, question: str, *, model: Investigation | None = None, **about: Any) -> Inquiry:
        """Begin an investigation; `agent`, `project`, `task_id` and `trace_id` say whose and which."""
        return Inquiry(question, self._ledger.about(**about), self._ledger, model or self.model)

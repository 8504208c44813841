"""One investigation: record what an agent's tools return, and ask at any time how sure it is."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from numbers import Real
from types import TracebackType
from typing import Any, NamedTuple, Self

from howsure.agents.evidence import load_tool_calls
from howsure.agents.outputs.tool_output import read_output
from howsure.agents.tool_calls import build_model, read_tool_calls
from howsure.errors import InputError, shown
from howsure.formulas.chance import Chance
from howsure.formulas.investigation import Investigation
from howsure.formulas.ops import FLOATS, at_least
from howsure.formulas.score import Score
from howsure.formulas.tool_calls import Row, Tally, ToolCall, same_target
from howsure.investigations.advice import Adviser, InvestigationAdvice
from howsure.investigations.features import Course, CourseStep, read_step
from howsure.ledger.metrics import RECOVERIES
from howsure.ledger.recorder import Recorder, Subject
from howsure.shapes import Count, Unit, decode, decode_as
from howsure.store.backends.deadline import yield_with_breaks
from howsure.store.session import Session

Tool = Callable[["Inquiry"], Any]
"""A function that does something and records its result in the inquiry."""
ADVICE = 3
"""Pieces of advice in an investigation's state."""
_KINDS = {"verification.build": "build", "verification.test": "test"}


class EvidenceAgreement(NamedTuple):
    """A target on which independent evidence agrees."""

    target: str
    """The target as targets are compared: without folder, suffix, case and punctuation."""
    categories: tuple[str, ...]
    """The categories that confirm it."""
    calls: tuple[int, ...]
    """The calls that found it, counted from 1."""


class Standing(NamedTuple):
    """How sure an investigation is, without reasons."""

    score: float
    band: str
    decision: str
    """proceed, recover or stop."""


class ChanceReason(NamedTuple):
    """What one feature of the run's course adds to the chance of success."""

    feature: str
    """Name of the feature, as in the model `chance`."""
    adds: float
    """What it adds to the log odds."""
    words: str
    """What was seen, in words."""


@dataclass(frozen=True)
class InvestigationState:
    """How sure an investigation is."""

    id: str | None
    """Id of the decision in the ledger, or null while it is open."""
    trace_id: str
    question: str
    calls: int
    """How many calls count as evidence."""
    score: float
    band: str
    decision: str
    """proceed, recover or stop."""
    reason: str
    categories: dict[str, float]
    """The score of each category of evidence."""
    recover: bool
    stop: bool
    converging_target: str | None
    """What several categories of evidence agree on."""
    recovery_change: float
    """How much recovery changed the score."""
    recoveries: int
    """How many calls were made to recover from weak evidence."""
    through: tuple[int, ...]
    """The calls that found the converging target, counted from 1."""
    chance: float
    """The chance that the run succeeds, by its course so far; a probability once it is learned from outcomes."""
    chance_basis: str
    """What the chance is based on: "uncalibrated prior", or how many outcomes it was learned from."""
    chance_reasons: tuple[ChanceReason, ...]
    """What moves the chance, the strongest first."""
    warnings: tuple[str, ...]
    advice: tuple[InvestigationAdvice, ...]
    """What evidence would help most next, the most helpful first."""
    fit: str | None = None
    """Id of the fit that the chance was learned as; null for prior weights."""


STEP = "step"
"""Field of a stored call with its step of the run; null if it belongs to the same step as the call before."""


class Inquiry:
    """An investigation under way. Use it as a context manager to record its result in the ledger at the end."""

    def __init__(
        self,
        question: str,
        about: Subject | None = None,
        ledger: Recorder | None = None,
        model: Investigation | None = None,
        chance: Chance | None = None,
        fit: str | None = None,
    ) -> None:
        """Start without evidence. Without a ledger, nothing is recorded.

        Args:
            question: What is investigated.
            about: Whom the decision is about.
            ledger: Where the result is recorded.
            model: Scores the evidence; default: with the tools of common agents.
            chance: Computes the chance of success; default: with prior weights.
            fit: Id of the fit that the chance was learned as.

        Raises:
            InputError: if the question is not a text.
        """
        if not isinstance(question, str):
            raise InputError(f"{shown(question)} is not a text", field="question")
        self.question = question
        self.about: Subject = about or Subject()
        self.model: Investigation = model or build_model()
        self.calls: list[ToolCall] = []
        """The calls that count as evidence, in order."""
        self.unknown: int = 0
        """How many calls were of unknown tools, which do not count."""
        self.recoveries: int = 0
        """How many calls were made to recover from weak evidence."""
        self.id: str | None = None
        """Id of the decision in the ledger, once it is recorded."""
        self.failures: list[str] = []
        """Errors of the tools of `investigate_until`."""
        self.course: Course = Course()
        """The course of the run, including calls that are no evidence."""
        self._chance = chance or Chance()
        self._fit = fit
        self._ledger = ledger
        self._adviser: Adviser | None = None
        self._primary = self.model.tally()
        self._all = self.model.tally()
        self._recovering = False
        self._recovery_failed = False
        self._calls_by_target: dict[str, list[int]] = {}
        self._last_target = ""
        self._standings: dict[tuple[Row[float], Row[float], bool], Standing] = {}

    def record(
        self,
        tool: str,
        arguments: Any = None,
        results: Any = None,
        *,
        target: str | None = None,
        passed: bool | None = None,
        factors: int | Sequence[str] | None = None,
        complete: Unit | None = None,
        error: str | None = None,
        recovery: bool = False,
    ) -> Score:
        """Add one tool call, and return how sure the investigation is now.

        Args:
            tool: Name of the tool.
            arguments: What it was called with.
            results: The number of results, or what the tool returned; an empty list, "no matches" or an error are no
                evidence.
            target: What it searched for or read, if the arguments do not say.
            passed: Whether a build or test run passed, if the output does not say.
            factors: How much of the project a discovery understood: a number from 0 to 4, or names of factors.
            complete: Share of the CI data that was there.
            error: What went wrong, if it failed.
            recovery: Whether the call was made to recover from weak evidence.

        Raises:
            InputError: if a value is out of range or of the wrong type.
        """
        calls, step = read_call(
            self.model.tools,
            tool,
            arguments,
            results,
            target=target,
            passed=passed,
            factors=factors,
            complete=complete,
            error=error,
            recovery=recovery,
        )
        for call in calls:
            self._add(call)
        self.course.add(step)
        return self.score

    def add(self, call: ToolCall) -> None:
        """Add one call that is already in the model's form. The cost does not grow with the number of calls."""
        self.add_checked(decode(ToolCall, call))

    def add_checked(self, call: ToolCall) -> None:
        """Add one call whose values are known to be valid."""
        self._add(call)
        self.course.add_known(call)

    def add_stored(self, call: ToolCall | None, content: Mapping[str, Any]) -> None:
        """Add one call from the store, where several may belong to one step of the run; None if it is no evidence."""
        if call is not None:
            self._add(call)
        if STEP not in content:  # stored by a hook, or by an earlier version
            if call is not None:
                self.course.add_known(call)
        elif content[STEP] is not None:
            self.course.add(decode(CourseStep, content[STEP]))

    def _add(self, call: ToolCall) -> None:
        if self._recovering and not call.recovery:
            call = replace(call, recovery=True)
        self._all.add(call)
        category, _ = self._all.place(call)
        if not category:  # the model warns about it
            self.unknown += 1
            return
        self.calls.append(call)
        if not call.recovery:
            self._primary.add(call)
        else:
            self._count_recovery(call)
            self._recovery_failed |= call.passed is False and category == "verification"
        target = same_target(call.target)
        self._last_target = target or self._last_target
        if target and call.results and call.error is None:
            self._calls_by_target.setdefault(target, []).append(len(self.calls))

    def _count_recovery(self, call: ToolCall) -> None:
        self.recoveries += 1
        has_evidence = call.results or call.factors or call.passed is not None
        outcome = "error" if call.error is not None else "found" if has_evidence else "nothing"
        if self._ledger is not None:
            self._ledger.metrics.add(RECOVERIES, outcome=outcome)

    @property
    def score(self) -> Score:
        """How sure it is now: score, band, categories, decision, warnings, and what recovery changed."""
        row = self.model.choose(self._primary, self._all, failed=self._recovery_failed)
        steps = self.model.formula(row, FLOATS)
        answer = self.model.standing(self._primary, self._all, row, steps)
        through = list(self._calls_by_target.get(answer["converging_target"] or "", []))
        more = {"through": through, "recoveries": self.recoveries} | self._judge_chance()
        return Score(answer | more, row, steps, self.model.spec)

    @property
    def standing(self) -> Standing:
        """How sure it is now, without reasons. Most calls of a long run do not change it, so it is computed once."""
        after = self._row_of(self._all)
        before = self._row_of(self._primary) if self.recoveries else after
        key = (before, after, self._recovery_failed)
        known = self._standings.get(key)
        if known is None:
            row = self.model.better(before, after, failed=self._recovery_failed)
            score = self.model.formula(row, FLOATS).score
            band, decision = self.model.decide(score)
            known = self._standings[key] = Standing(score, band.name, decision)
        return known

    def _row_of(self, tally: Tally) -> Row[float]:
        """Return the numbers of a tally, without paths beyond those that count, so that few rows differ."""
        row = tally.row()
        enough = float(self.model.enough_paths)
        return row._replace(paths_read=enough) if row.paths_read > enough else row

    def _judge_chance(self) -> dict[str, Any]:
        """Return the chance of success, its reasons, and the features to learn from once the outcome is known."""
        features = self.course.features
        answer = self._chance.judge(features).answer
        return {
            "chance": answer["chance"],
            "chance_basis": answer["basis"],
            "chance_reasons": answer["reasons"],
            "fit": self._fit,
            "course": {name: value for name, value in vars(features).items() if value is not None},
        }

    @property
    def state(self) -> InvestigationState:
        """How sure it is now, and what would help most next, as JSON shows it."""
        answer = self.score.answer
        return InvestigationState(
            id=self.id,
            trace_id=self.about.trace_id,
            question=self.question,
            calls=len(self.calls),
            score=answer["score"],
            band=answer["band"],
            decision=answer["decision"],
            reason=answer["reason"],
            categories=answer["categories"],
            recover=answer["recover"],
            stop=answer["stop"],
            converging_target=answer["converging_target"],
            recovery_change=answer["recovery_change"],
            recoveries=answer["recoveries"],
            through=tuple(answer["through"]),
            chance=answer["chance"],
            chance_basis=answer["chance_basis"],
            chance_reasons=tuple(ChanceReason(**reason) for reason in answer["chance_reasons"]),
            warnings=tuple(answer["warnings"]),
            advice=tuple(self.advice()[:ADVICE]),
            fit=answer["fit"],
        )

    def investigate_until(
        self, sure_enough: float | Callable[[Score], bool], tools: Sequence[Tool], max_recoveries: int = 3
    ) -> Score:
        """Use the first tool, then recover with the others, one at a time, until the investigation is sure enough.

        A tool that raises an exception changes nothing; the error is added to `failures` and the next tool is tried.

        Args:
            sure_enough: The score to reach, or a function that decides by the score.
            tools: Functions that are called with this inquiry and record what they find.
            max_recoveries: How many tools are tried after the first.

        Raises:
            InputError: if there is no tool, a tool cannot be called, or a number is out of range.
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
            except Exception as error:  # noqa: BLE001 - the tool is the caller's; its failure is no evidence
                self.failures.append(f"{getattr(tool, '__name__', 'a tool')}: {error}")
            finally:
                self._recovering = False
            if enough(self.score):
                break
        return self.score

    def advice(self) -> list[InvestigationAdvice]:
        """Return what evidence would help most next, the most helpful first."""
        if self._adviser is None:
            self._adviser = Adviser(self.model)
        target = self._all.best_target or next(reversed(self._calls_by_target), "") or self._last_target
        return self._adviser.advise(self._primary, self._all, target, failed=self._recovery_failed)

    def agreements(self) -> list[EvidenceAgreement]:
        """Return every target on which categories agree, the one that closes the most doubt first."""
        targets = sorted(self._all.agreed, key=self._all.worth, reverse=True)
        return [
            EvidenceAgreement(target, tuple(sorted(self._all.confirmed[target])), tuple(self._calls_by_target[target]))
            for target in targets
        ]

    def close(self, now: float | None = None) -> Score:
        """Record the result in the ledger, once; return the score."""
        score = self.score
        if self.id is None and self._ledger is not None:
            self.id = self._ledger.record(score, self.about, self.question, now)
        return score

    def __enter__(self) -> Self:
        """Return the inquiry."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Record the result in the ledger unless an exception was raised."""
        if kind is None:
            self.close()


def _at_least(wanted: float) -> Callable[[Score], bool]:
    return lambda score: at_least(score["score"], wanted)


def load_inquiry(
    session: Session,
    model: Investigation,
    trace: str,
    question: str = "",
    *,
    about: Subject | None = None,
    ledger: Recorder | None = None,
    chance: Chance | None = None,
    fit: str | None = None,
    standings: list[Standing] | None = None,
) -> Inquiry:
    """Return the investigation that the stored tool calls of a trace make up, including those that hooks recorded.

    Without a ledger it can only be looked at: its recoveries are not counted in the metrics again. How sure it was
    after each call is appended to `standings`.
    """
    inquiry = Inquiry(question, about or Subject(trace_id=trace), ledger, model, chance, fit)
    for content in yield_with_breaks(load_tool_calls(session, trace)):
        call = read_stored_call(content, model.tools)
        if call is not None:
            inquiry.add_stored(call, content)
            if standings is not None:
                standings.append(inquiry.standing)
        elif STEP in content:
            inquiry.add_stored(None, content)
        elif content.get("category") == "edit":
            edit = ToolCall("edit", str(content.get("path") or ""), error=None if content.get("ok") else "failed")
            inquiry.course.add_known(edit, changes=True)
    return inquiry


def read_stored_call(content: Mapping[str, Any], tools: Mapping[str, str]) -> ToolCall | None:
    """Return a call from its stored content, or None if the model does not count such calls, as edits."""
    if "call" in content:
        call = decode(ToolCall, content["call"])
        return call if call.tool in tools else None
    # Hooks store no whole call, only the fields of `howsure.agents.evidence.FIELDS`.
    category = str(content.get("category", ""))
    if category == "verification":
        tool = content["tool"]
        return decode(ToolCall, ToolCall(tool, passed=bool(content.get("ok")))) if tool in tools else None
    tool = {"search": str(content.get("kind", "")), "ci": "gh"}.get(category, category)
    if tool not in tools:
        return None
    target = content.get("path") or content.get("target", "")
    error = None if content.get("ok") else "failed"
    return decode(ToolCall, ToolCall(tool, target=target, results=content.get("results", 0), error=error))


def read_call(
    tools: Mapping[str, str],
    tool: str,
    arguments: Any,
    results: Any,
    *,
    target: str | None = None,
    error: str | None = None,
    **known: Any,
) -> tuple[list[ToolCall], CourseStep]:
    """Return the calls to count for one tool call, and the step of the run that it is; `known` as `read_tool_calls`."""
    is_count = isinstance(results, Real) and not isinstance(results, bool)
    output = results if is_count else read_output(results, failed=error is not None)
    calls = read_tool_calls(tools, tool, arguments, output, target=target, error=error, **known)
    return calls, read_step(tool, arguments, output, calls, tools, target=target, error=error)


def make_stored_calls(
    calls: Sequence[ToolCall], step: CourseStep, tools: Mapping[str, str], *, always: bool = False
) -> list[dict[str, Any]]:
    """Return the contents to store of what is read in one tool call: that which is evidence, and the step of the run.

    Of a call that is no evidence, only the step is stored, and that only if asked for by `always`.
    """
    contents = [make_stored_call(call, tools) for call in calls if call.tool in tools] or [{}] * always
    return [content | {STEP: asdict(step) if number == 0 else None} for number, content in enumerate(contents)]


def make_stored_call(call: ToolCall, tools: Mapping[str, str]) -> dict[str, Any]:
    """Return the content to store of a call: the fields that hooks store too, and the whole call."""
    where = tools.get(call.tool, "")
    category = where.partition(".")[0]
    kind = _KINDS.get(where) or (call.tool if category == "search" else category)
    ok = call.error is None if call.passed is None else call.passed
    fields = {"tool": call.tool, "category": category, "kind": kind, "target": call.target, "ok": ok}
    return fields | {"results": call.results, "call": asdict(call)}

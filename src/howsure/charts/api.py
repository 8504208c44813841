"""Charts of what the other facades return."""

import inspect
from collections.abc import Callable, Sequence
from functools import update_wrapper
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Concatenate, ParamSpec

from howsure.charts.chart import Chart
from howsure.charts.vega import label
from howsure.claims.find import ClaimPage
from howsure.claims.queries import ClaimQueries
from howsure.errors import InputError, NotFoundError, shown
from howsure.formulas.decay import Seconds
from howsure.formulas.interval import Interval
from howsure.shapes import DAY, Doc, Moment, Wire, Within, decode_as
from howsure.store.session import Session

if TYPE_CHECKING:  # drawing one chart should not load what the others need
    from howsure.agents.traces import Trace
    from howsure.claims.api import Claims
    from howsure.documents.api import Documents
    from howsure.documents.document import Report
    from howsure.investigations.api import Investigations
    from howsure.ledger.api import Ledger
    from howsure.responses.api import Responses
    from howsure.sources.api import Sources
    from howsure.syntheses.synthesis import Synthesis

from howsure.formulas.claim import ClaimFormula
from howsure.ledger.distribution import By

Depth = Annotated[int, Within(1, 4)]
"""How many relations away from a claim others are drawn."""
ClaimLimit = Annotated[int, Within(1, 200)]
"""How many claims one graph of relations may hold."""

SourceLimit = Annotated[int, Within(1, 200)]
"""How many sources one chart may hold."""

Formula = Annotated[
    str | ClaimFormula | None, Wire(str | None), Doc("Formula to compute intervals by; default: the store's.")
]
ReadAt = Annotated[Moment | None, Doc("Age the sources to this moment.")]
AsOf = Annotated[Moment | None, Doc("Only count what was recorded by then.")]
Agent = Annotated[str | None, Doc("Only this agent.")]
AgentType = Annotated[str | None, Doc("Only agents of this type.")]
Project = Annotated[str | None, Doc("Only this project.")]
TaskId = Annotated[str | None, Doc("Only this task.")]
TraceId = Annotated[str | None, Doc("Only this trace.")]
DecisionName = Annotated[str | None, Doc("Only these decisions: pass, block, review, proceed, ...")]
Model = Annotated[str, Doc("Decisions by this model.")]
Since = Annotated[Moment | None, Doc("Start of the time window.")]
Until = Annotated[Moment | None, Doc("End of the time window; default: now.")]

P = ParamSpec("P")


def _draws(
    find: Callable[Concatenate[ClaimQueries, P], ClaimPage],
) -> Callable[[Callable[["Charts", ClaimPage], Chart]], Callable[Concatenate["Charts", P], Chart]]:
    """Turn a method that draws a page of claims into one that finds it first, with the parameters of `find`."""

    def decorate(draw: Callable[["Charts", ClaimPage], Chart]) -> Callable[Concatenate["Charts", P], Chart]:
        def drawn(self: "Charts", /, *args: P.args, **kwargs: P.kwargs) -> Chart:
            return draw(self, find(self._claims, *args, **kwargs))

        update_wrapper(drawn, find)  # its signature
        drawn.__name__, drawn.__qualname__ = draw.__name__, draw.__qualname__
        parameters = (inspect.getdoc(find) or "").partition("Args:")[2]
        drawn.__doc__ = f"{inspect.getdoc(draw)}\n\nArgs:{parameters}"
        return drawn

    return decorate


class Charts:
    """Charts of claims, decisions, investigations, syntheses and documents, as Vega-Lite data.

    If there is nothing to draw, a chart says in words how to get something.
    """

    def __init__(
        self,
        session: Session,
        *,
        claims: "Claims",
        ledger: "Ledger",
        responses: "Responses",
        investigations: "Investigations",
        documents: "Documents",
        sources: "Sources",
    ) -> None:
        """Take the session and the facades whose results are drawn."""
        self._session = session
        self._claims = claims
        self._ledger = ledger
        self._responses = responses
        self._investigations = investigations
        self._documents = documents
        self._sources = sources

    @_draws(ClaimQueries.find)
    def claims(self, page: ClaimPage) -> Chart:
        """Draw the intervals of claims, one below the other.

        The parameters are those of `Claims.find`.
        """
        from howsure.charts.claims import claims_chart

        return claims_chart(page)

    def sources(self, *, limit: SourceLimit = 40, worst: bool = False) -> Chart:
        """Draw how reliable sources are, one below the other.

        Args:
            limit: How many sources.
            worst: The least reliable first.
        """
        from howsure.charts.sources import sources_chart

        return sources_chart(self._sources.list(limit=limit, worst=worst))

    def copies(self) -> Chart:
        """Draw who copies whom: sources that repeat each other are joined by lines."""
        from howsure.charts.sources import copies_chart
        from howsure.sources.api import list_copying

        return copies_chart(list_copying(self._session))

    def waterfall(self, claim: str, formula: Formula = None, *, now: ReadAt = None, as_of: AsOf = None) -> Chart:
        """Draw how a claim's interval comes about, step by step.

        First its sources one by one, then age, supporting and contradicting claims.

        Args:
            claim: Id of a claim.
        """
        from howsure.charts.waterfall import waterfall_chart

        explanation = self._claims.explain(claim, now=now, as_of=as_of, formula=formula)
        return waterfall_chart(explanation, self._session.chosen(formula))

    def formulas(self, claim: str, *, now: ReadAt = None, as_of: AsOf = None) -> Chart:
        """Draw one claim's interval under every formula.

        Args:
            claim: Id of a claim.
        """
        from howsure.charts.claims import formulas_chart
        from howsure.formulas import catalog

        # All formulas are computed for the same moment, even if the clock goes on meanwhile.
        at = self._session.at(now) if as_of is None or now is not None else None
        claims = {name: self._claims.get(claim, now=at, as_of=as_of, formula=name) for name in catalog.formulas()}
        statement = next(iter(claims.values())).statement
        intervals = {name: one.interval for name, one in claims.items()}
        return formulas_chart(statement, intervals, self._session.formula.name)

    def relations(
        self,
        claim: str,
        depth: Depth = 1,
        *,
        limit: ClaimLimit = 30,
        formula: Formula = None,
        now: ReadAt = None,
        as_of: AsOf = None,
    ) -> Chart:
        """Draw the claims that support, contradict or otherwise relate to a claim.

        Args:
            claim: Id of a claim.
            depth: How many relations away.
            limit: How many claims at most.
        """
        from howsure.charts.relations import relations_chart
        from howsure.claims.neighbourhood import neighbourhood

        steps, most = decode_as(Depth, depth, "depth"), decode_as(ClaimLimit, limit, "limit")
        options = self._session.read_options(now, as_of, formula)
        return relations_chart(neighbourhood(self._session, claim, options, steps, most))

    def life(
        self,
        claim: str,
        *,
        past: Seconds | None = None,
        future: Seconds | None = None,
        formula: Formula = None,
        now: Annotated[Moment | None, Doc("The moment between past and future.")] = None,
    ) -> Chart:
        """Draw one claim's interval over time, as it was known and as it will age.

        Args:
            claim: Id of a claim.
            past: How far back; default: all of it.
            future: How far ahead; default: until it has lost half of its confidence.
        """
        from howsure.charts.life import life_chart, span_of
        from howsure.store.claim_tables.claims import key_of
        from howsure.store.claim_tables.selection import intervals_over_time

        at = self._session.at(now)
        current = self._claims.get(claim, now=at, formula=formula)
        if current.created_at > at:
            raise InputError(f"the claim {claim} did not exist yet", field="now")
        chosen = self._session.chosen(formula)

        def read(before: Sequence[float], ahead: Sequence[float]) -> tuple[list[Interval], list[Interval]]:
            with self._session.database.read() as transaction:
                key = key_of(transaction, current.id)
                return intervals_over_time(transaction, chosen, key, before, ahead)

        half_life = chosen.half_life.of(current.tier)
        span = span_of(current, at, _seconds(past, "past"), _seconds(future, "future"), half_life)
        return life_chart(current, self._claims.history(claim), span, read)

    def decisions(
        self,
        agent: Agent = None,
        *,
        agent_type: AgentType = None,
        project: Project = None,
        task_id: TaskId = None,
        trace_id: TraceId = None,
        decision: DecisionName = None,
        model: Model = "response",
        since: Since = None,
        until: Until = None,
    ) -> Chart:
        """Draw what was decided on each day, and how confident agents were.

        By default of the last 30 days.
        """
        from howsure.charts.decisions import decisions_chart

        start, end = self._window(since, until)
        stats = self._ledger.stats(
            since=start,
            until=end,
            model=model,
            agent=agent,
            agent_type=agent_type,
            project=project,
            task_id=task_id,
            trace_id=trace_id,
            decision=decision,
        )
        return decisions_chart(stats, model, _agent_label(agent))

    def reliability(
        self,
        agent: Agent = None,
        *,
        agent_type: AgentType = None,
        project: Project = None,
        task_id: TaskId = None,
        trace_id: TraceId = None,
        decision: DecisionName = None,
        model: Model = "response",
        since: Since = None,
        until: Until = None,
    ) -> Chart:
        """Draw how often responses of about the same confidence turned out right.

        By default of the last 90 days. Only decisions with an outcome count.
        """
        from howsure.charts.reliability import reliability_chart

        start, end = self._window(since, until, 90 * DAY)
        stats = self._ledger.stats(
            since=start,
            until=end,
            model=model,
            agent=agent,
            agent_type=agent_type,
            project=project,
            task_id=task_id,
            trace_id=trace_id,
            decision=decision,
        )
        return reliability_chart(stats.calibration, _agent_label(agent))

    def scores(
        self,
        agent: Agent = None,
        *,
        agent_type: AgentType = None,
        project: Project = None,
        task_id: TaskId = None,
        trace_id: TraceId = None,
        decision: DecisionName = None,
        model: Model = "response",
        by: By | None = "agent",
        since: Since = None,
        until: Until = None,
    ) -> Chart:
        """Draw how scores are distributed, by agent or by time.

        By default of the last 30 days.

        Args:
            by: One histogram for each agent, day, week, ...
        """
        from howsure.charts.scores import scores_chart
        from howsure.ledger.distribution import distribution

        start, end = self._window(since, until)
        spread = distribution(
            self._ledger,
            since=start,
            until=end,
            by=by,
            model=model,
            agent=agent,
            agent_type=agent_type,
            project=project,
            task_id=task_id,
            trace_id=trace_id,
            decision=decision,
        )
        return scores_chart(spread, by, _agent_label(agent))

    def investigation(self, run: "str | Trace") -> Chart:
        """Draw how confident an investigation was after each step.

        Args:
            run: Id of a trace or of a recorded investigation, or the trace itself.
        """
        from howsure.charts.investigation import draw_recorded, draw_trace

        if isinstance(run, str):
            return draw_recorded(self._ledger, self._investigations.model, run)
        return draw_trace(self._investigations.model, run)

    def synthesis(self, synthesis: "str | Synthesis") -> Chart:
        """Draw the confidence, weight and conflicts of a synthesis's sub-results.

        Args:
            synthesis: Id of a recorded synthesis, or the synthesis itself.
        """
        from howsure.charts.synthesis import SynthesisNumbers, synthesis_chart

        if not isinstance(synthesis, str):
            return synthesis_chart(SynthesisNumbers.of(synthesis))
        decision = self._ledger.get(synthesis)
        if decision.model != "overall":
            problem = f"{shown(synthesis)} is a decision of the model {decision.model}, not a synthesis"
            raise InputError(problem, field="id", hint="howsure ledger list --model overall lists syntheses")
        try:
            return synthesis_chart(SynthesisNumbers.recorded(decision.detail["answer"]))
        except (KeyError, TypeError, ValueError, AttributeError):
            raise NotFoundError(
                f"the synthesis {shown(synthesis)} is broken", field="id", hint="howsure store check"
            ) from None

    def documents(
        self,
        *paths: str | Path,
        report: "Report | None" = None,
        pack: str | None = None,
        exclude: Sequence[str] = (),
        changed: str | None = None,
        cache: bool = True,
        now: Annotated[Moment | None, Doc("Compute ages at this moment.")] = None,
    ) -> Chart:
        """Draw the documents of a repository as a tree map by score.

        Args:
            paths: Folders and files; default: the current directory.
            report: The result of a scan to draw instead of scanning.
            pack: Pattern pack: a name or a TOML file.
            exclude: Globs of files to leave out.
            changed: Only files that changed since this commit.
            cache: Reuse what the last scan read.
        """
        from howsure.charts.documents import documents_chart

        if report is None:
            scan = self._documents.scan(*paths, pack=pack, exclude=exclude, changed=changed, cache=cache, now=now)
            report = scan.report()
        return documents_chart(report)

    def _window(self, since: float | None, until: float | None, length: float = 30 * DAY) -> tuple[float, float]:
        end = self._session.at(until)
        return end - length if since is None else self._session.at(since), end


def _agent_label(agent: str | None) -> str:
    return "" if agent is None else label(agent, 60)


def _seconds(value: float | None, field: str) -> float | None:
    return None if value is None else float(decode_as(Seconds, value, field))

"""Charts, as the library offers them: pictures of what the other facades answer."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from howsure.charts.chart import Chart
from howsure.charts.vega import label
from howsure.errors import InputError, shown
from howsure.formulas.decay import DAY, Seconds
from howsure.formulas.interval import Interval
from howsure.shapes import Within, decode_as

if TYPE_CHECKING:
    from howsure.agents.traces import Trace
    from howsure.claims.api import Formula
    from howsure.documents.document import Report
    from howsure.ledger.distribution import By
    from howsure.sure import Sure
    from howsure.syntheses.synthesis import Synthesis

Depth = Annotated[int, Within(1, 4)]
"""Steps from a claim for which relations are drawn."""
Many = Annotated[int, Within(1, 200)]
"""Claims in one picture of relations."""


class Charts:
    """Pictures of what is known, each as data. Where there is nothing to draw, a chart says what to do."""

    def __init__(self, sure: "Sure") -> None:
        """Take the open store."""
        self._sure = sure

    def claims(
        self,
        text: str | None = None,
        *,
        now: float | None = None,
        as_of: float | None = None,
        formula: "Formula" = None,
        trust: float = 1.0,
        limit: int | None = 20,
        cursor: str | None = None,
        **wanted: Any,
    ) -> Chart:
        """Draw the intervals of claims that fit, by the same words as `sure.claims.find`."""
        from howsure.charts.claims import claims_chart

        for name in {"deliberate", "federated"} & set(wanted):
            raise InputError(
                "a chart shows what this store says by itself", field=name, hint="sure.claims.find does that"
            )
        given: dict[str, Any] = {"now": now, "as_of": as_of, "formula": formula, "trust": trust}
        return claims_chart(self._sure.claims.find(text, limit=limit, cursor=cursor, **given, **wanted))

    def waterfall(
        self, claim: str, formula: "Formula" = None, *, now: float | None = None, as_of: float | None = None
    ) -> Chart:
        """Draw how a claim's interval comes about: its sources one by one, then age, support and contradiction."""
        from howsure.charts.waterfall import waterfall_chart

        explained = self._sure.claims.explain(claim, now=now, as_of=as_of, formula=formula)
        return waterfall_chart(explained, self._sure.session.chosen(formula))

    def formulas(self, claim: str, *, now: float | None = None, as_of: float | None = None) -> Chart:
        """Draw a claim's interval under every formula, side by side."""
        from howsure.charts.waterfall import formulas_chart
        from howsure.formulas import catalog

        at = self._sure.session.at(now) if as_of is None or now is not None else None
        found = {name: self._sure.claims.get(claim, now=at, as_of=as_of, formula=name) for name in catalog.formulas()}
        own = self._sure.session.formula.name
        statement = next(iter(found.values())).statement
        return formulas_chart(statement, {name: one.interval for name, one in found.items()}, own)

    def relations(
        self,
        claim: str,
        depth: int = 1,
        *,
        most: int = 30,
        now: float | None = None,
        as_of: float | None = None,
        formula: "Formula" = None,
    ) -> Chart:
        """Draw what supports, contradicts and otherwise relates to a claim, up to some steps away."""
        from howsure.charts.relations import relations_chart
        from howsure.claims.neighbourhood import neighbourhood

        deep, many = decode_as(Depth, depth, "depth"), decode_as(Many, most, "most")
        reading = self._sure.session.read_options(now, as_of, formula)
        return relations_chart(neighbourhood(self._sure.session, claim, reading, deep, many))

    def life(
        self,
        claim: str,
        *,
        past: float | None = None,
        future: float | None = None,
        now: float | None = None,
        formula: "Formula" = None,
    ) -> Chart:
        """Draw a claim's interval over time: as it was known in the past, and as it will age in the future."""
        from howsure.charts.life import life_chart, span_of

        at = self._sure.session.at(now)
        found = self._sure.claims.get(claim, now=at, formula=formula)
        if found.created_at > at:
            raise InputError(f"the claim {claim} was not there yet", field="now")
        lives = self._sure.session.chosen(formula).half_life

        def read(moment: float, known_then: bool) -> Interval:
            as_of = moment if known_then else None
            return self._sure.claims.get(claim, now=moment, as_of=as_of, formula=formula).interval

        span = span_of(found, at, _seconds(past, "past"), _seconds(future, "future"), lives.of(found.tier))
        return life_chart(found, self._sure.claims.history(claim), span, read)

    def decisions(
        self,
        agent: str | None = None,
        *,
        since: float | None = None,
        until: float | None = None,
        model: str = "response",
        **wanted: Any,
    ) -> Chart:
        """Draw what was decided on each day, and how sure agents were, the last 30 days unless others are named."""
        from howsure.charts.decisions import decisions_chart

        start, end = self._window(since, until)
        found = self._sure.stats(since=start, until=end, model=model, agent=agent, **wanted)
        return decisions_chart(found, model, _who(agent))

    def reliability(
        self,
        agent: str | None = None,
        *,
        since: float | None = None,
        until: float | None = None,
        model: str = "response",
        **wanted: Any,
    ) -> Chart:
        """Draw how often answers of about the same confidence turned out right, as far as outcomes are known."""
        from howsure.charts.reliability import reliability_chart

        start, end = self._window(since, until, 90 * DAY)
        found = self._sure.stats(since=start, until=end, model=model, agent=agent, **wanted)
        return reliability_chart(found.calibration, _who(agent))

    def investigation(self, which: "str | Trace") -> Chart:
        """Draw how sure an investigation was after each step: by its trace, its id in the ledger, or a run itself."""
        from howsure.charts.investigation import made_steps

        return made_steps(self._sure, which)

    def synthesis(self, which: "str | Synthesis") -> Chart:
        """Draw how sure the sub-results of a synthesis are, what each weighs, and where they are at odds."""
        from howsure.charts.synthesis import Weighing, synthesis_chart

        if not isinstance(which, str):
            return synthesis_chart(Weighing.made(which))
        record = self._sure.ledger.get(which)
        if record.model != "overall":
            hint = "howsure ledger list --model overall shows them"
            raise InputError(f"{shown(which)} is a record of {record.model}, no synthesis", field="id", hint=hint)
        return synthesis_chart(Weighing.of(record.detail["answer"]))

    def documents(self, *paths: str | Path, report: "Report | None" = None, **given: Any) -> Chart:
        """Draw the documents of some folders as a map by score; scan them, unless a report is given."""
        from howsure.charts.documents import documents_chart

        return documents_chart(self._sure.documents.scan(*paths, **given).report() if report is None else report)

    def scores(
        self,
        agent: str | None = None,
        *,
        by: "By | None" = "agent",
        since: float | None = None,
        until: float | None = None,
        model: str = "response",
        **wanted: Any,
    ) -> Chart:
        """Draw how scores are spread, told apart by agent, or by day, week or month."""
        from howsure.charts.scores import scores_chart
        from howsure.ledger.distribution import distribution

        start, end = self._window(since, until)
        found = distribution(self._sure.ledger, since=start, until=end, by=by, model=model, agent=agent, **wanted)
        return scores_chart(found, by, _who(agent))

    def _window(self, since: float | None, until: float | None, usual: float = 30 * DAY) -> tuple[float, float]:
        end = self._sure.session.at(until)
        return end - usual if since is None else self._sure.session.at(since), end


def _who(agent: str | None) -> str:
    return "" if agent is None else label(agent, 60)


def _seconds(value: float | None, field: str) -> float | None:
    return None if value is None else float(decode_as(Seconds, value, field))

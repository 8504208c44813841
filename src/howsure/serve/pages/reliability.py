"""The reliability page: how well confidence matches outcomes, what was learned from them, and what can be promised."""

from itertools import islice
from typing import TYPE_CHECKING, Any, NamedTuple

from starlette.responses import Response

from howsure.charts.fits import levels_reliability, levels_risk_coverage
from howsure.learn.promise import CONFIDENCE, Promise, ScoreLevel, count_levels, make_promise
from howsure.responses.learning import KnownResponses
from howsure.responses.policy import MODEL
from howsure.serve.pages.action import Action
from howsure.serve.pages.agents import NO_STATISTICS
from howsure.serve.pages.page import Page
from howsure.serve.pages.query import PageQuery
from howsure.serve.pages.request import PageRequest
from howsure.settings import PROMISE
from howsure.store.ledger_tables.decisions import DecisionFilter
from howsure.store.ledger_tables.outcomes import count_known, stream_known

if TYPE_CHECKING:
    from howsure.charts import Chart
    from howsure.learn.api import FitDetails, FitSummary
    from howsure.sure import Sure

PATH = "/reliability"
FIELDS = ("agent", "agent_type", "project", "since")
MAX_AGENTS = 200
"""Agents in the list."""
MAX_FITS = 50
"""Fits in the list."""
MAX_COMPARED = 20_000
"""Outcomes whose score without a fit is read for the comparison, the oldest first; so many take 0.8 s to read."""
DAYS = 90
"""Days that the page shows by default; more than others, since outcomes come late."""
RISKS = (0.01, 0.02, 0.05, 0.1, 0.2)
"""Risks for which the page says what can be promised."""
MEASURES = (("brier", "Brier"), ("ece", "Calibration error"), ("log_loss", "Log loss"), ("auroc", "AUROC"))
"""Measures of fits that are listed; all but the last are better when lower."""
COMMANDS = ("howsure ledger list --decision block", "howsure outcome ID right --note 'still runs'")


async def reliability(request: PageRequest) -> Response:
    """Show how often responses of about the same confidence were right, and what was learned from it."""
    query = PageQuery(request, "ledger.stats", FIELDS, DAYS)
    if query.has_empty_fields:
        return request.redirect(query.url(PATH))
    export = request.export("agents", "bins")
    filters = query.only("agent", "agent_type", "project") | query.since()
    statistics = await query.run_or("ledger.stats", filters | {"by": "agent"}, NO_STATISTICS)
    if export and not query.errors:
        return export.respond(statistics["groups"] if export.name == "agents" else statistics["calibration"]["bins"])
    outcomes = statistics["calibration"]["outcomes"]
    fits = [fit for fit in (await request.run("fits.list"))["result"] if fit["kind"] != "source"]
    shown = _choose_fit(fits, request.http.query_params.get("shown", ""))
    return request.render(
        "reliability.html",
        query.status,
        query=query,
        statistics=statistics,
        chart=await request.read(lambda sure: sure.charts.reliability(**filters)) if outcomes else None,
        commands=COMMANDS,
        max_agents=MAX_AGENTS,
        filtered=bool(query.fields),
        fits=fits,
        max_fits=MAX_FITS,
        measures=MEASURES,
        comparison=await request.read(lambda sure: compare(sure, shown)) if shown else None,
        promises=await request.read(read_promises),
        has_active_fit=any(
            fit["kind"] == "response" and fit["status"] == "active" and not fit["problem"] for fit in fits
        ),
        known=await request.read(_count_known),
        confidence=CONFIDENCE,
    )


def _count_known(sure: "Sure") -> int:
    """Count the responses with a known outcome, from which a fit would be learned."""
    with sure.session.database.read() as transaction:
        return count_known(transaction, MODEL)


def _choose_fit(fits: list[dict[str, Any]], wanted: str) -> str:
    """Return the id of the fit to show: the one that is asked for, the newest candidate or the active one."""
    fits = [fit for fit in fits if not fit["problem"]]
    responses = [fit for fit in fits if fit["kind"] == "response"]
    ids: list[str] = [fit["id"] for fit in fits if fit["id"] == wanted]
    ids += [fit["id"] for fit in responses[:1] if fit["status"] == "candidate"]
    ids += [fit["id"] for fit in responses if fit["status"] == "active"]
    ids += [fit["id"] for fit in fits]
    return ids[0] if ids else ""


class Comparison(NamedTuple):
    """What a fit changes."""

    details: "FitDetails"
    before: "Chart | None"
    """Reliability of the score without a fit; None for fits of investigations."""
    after: "Chart"
    """Reliability of the probabilities of the fit, cross-validated."""
    curve: "Chart"
    """Risk against coverage, before and after."""


def compare(sure: "Sure", id_: str) -> Comparison:
    """Return the charts of a fit and of the score without it, on the outcomes that it was learned from."""
    details = sure.fits.get(id_)
    before = _levels_without(sure, details.summary) if details.summary.kind == "response" else ()
    curves = {"without a fit": before} if before else {}
    return Comparison(
        details,
        levels_reliability(before, "Without a fit") if before else None,
        levels_reliability(details.levels, "With this fit"),
        levels_risk_coverage(curves | {"with this fit": details.levels}),
    )


def _levels_without(sure: "Sure", fit: "FitSummary") -> tuple[ScoreLevel, ...]:
    """Return the outcomes that a fit was learned from by their score without a fit."""
    known = KnownResponses()
    with sure.session.database.read() as transaction:
        rows = stream_known(transaction, DecisionFilter(model=MODEL, until=fit.created_at))
        for decision in islice((row for row in rows if row.outcome_at <= fit.created_at), MAX_COMPARED):
            known.add(decision)
    return count_levels([case["composite"] for case in known.cases], known.outcomes)


class PromiseRow(NamedTuple):
    """What can be promised at one risk, and whether it is."""

    promise: Promise
    wanted: bool
    """Whether it is the setting `gate.promise`."""
    state: str
    """`kept`, `withdrawn` or `missing`."""
    outcomes: int
    """Outcomes of responses that passed by it."""
    wrong: int


def read_promises(sure: "Sure") -> list[PromiseRow]:
    """Return what the active fit can promise at some risks, among them the one of the settings."""
    wanted = sure.settings.value(PROMISE)
    active = next((fit for fit in sure.fits.list(kind="response") if fit.status == "active" and not fit.problem), None)
    levels = sure.fits.get(active.id).levels if active else ()
    watched = {one.risk: one for one in active.promises} if active else {}
    withdrawn = max((one.risk for one in watched.values() if one.broken), default=0.0)
    rows = []
    for risk in sorted({*RISKS, *([wanted] if wanted else []), *watched}):
        promise, seen = make_promise(levels, risk), watched.get(risk)
        state = "withdrawn" if risk <= withdrawn else "missing" if promise.threshold is None else "kept"
        counts = (seen.outcomes, seen.wrong) if seen else (0, 0)
        rows.append(PromiseRow(promise, risk == wanted, state, *counts))
    return rows


ACTIONS = (
    Action(f"{PATH}/learn", "fits.learn", PATH, reliability, "fit-learned"),
    Action(f"{PATH}/fits/{{fit}}/apply", "fits.apply", PATH, reliability, "fit-applied", confirm=True),
    Action(f"{PATH}/rollback", "fits.rollback", PATH, reliability, "fit-rolled-back", confirm=True),
)
"""The forms of the page."""

PAGES = (Page(PATH, reliability, nav="Reliability"), *(action.page() for action in ACTIONS))

"""The open store: where every use case starts."""

import time
from collections.abc import Callable, Mapping
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from howsure.settings import (
    ACTOR,
    FORMULA,
    JUDGE_KEY,
    JUDGE_MODEL,
    JUDGE_TIME,
    JUDGE_URL,
    REDACT,
    STORE,
    TOOLS,
    Settings,
    current,
)
from howsure.store.schema import migrate
from howsure.store.session import Session

if TYPE_CHECKING:  # each is loaded when it is used, since a gate has to start quickly
    from howsure.bulk.api import Bulk
    from howsure.charts.api import Charts
    from howsure.claims.api import Claims
    from howsure.claims.federation.peers import Peers
    from howsure.claims.janitor import Action
    from howsure.claims.tiers import Gatekeeper
    from howsure.documents.api import Documents
    from howsure.formulas.claim import ClaimFormula
    from howsure.formulas.score import Score
    from howsure.investigations.api import Investigations
    from howsure.judge.question import Judge
    from howsure.ledger.api import Ledger
    from howsure.ledger.statistics import Statistics
    from howsure.responses.api import Responses
    from howsure.syntheses.api import Syntheses


class Sure:
    """An open store. Safe to share between threads; close it when done, or use it as a context manager."""

    def __init__(
        self,
        session: Session,
        settings: Settings,
        gatekeeper: "Gatekeeper | None" = None,
        judge: "Judge | None" = None,
    ) -> None:
        """Take the session that everything is written in, the settings, who decides about promotions, and a judge."""
        self._judge = judge
        self.session = session
        self.settings = settings
        self._gatekeeper = gatekeeper

    @cached_property
    def claims(self) -> "Claims":
        """What is believed."""
        from howsure.claims.api import Claims
        from howsure.claims.tiers import by_bounds

        return Claims(self.session, self._gatekeeper or by_bounds, self.judge, lambda: self.peers)

    @cached_property
    def peers(self) -> "Peers":
        """Other stores, which may be asked what they believe."""
        from howsure.claims.federation.peers import Peers

        return Peers(self.session, self.settings.environment)

    @cached_property
    def judge(self) -> "Judge | None":
        """The language model to ask, as it is set; nothing, where none is."""
        if self._judge is not None:
            return self.ledger.metrics.measured(self._judge)
        url, name = self.settings.value(JUDGE_URL), self.settings.value(JUDGE_MODEL)
        if not url or not name:
            return None
        from howsure.judge import CachedJudge, ChatJudge

        key = self.settings.value(JUDGE_KEY) or None
        asked = ChatJudge(url, name, key, time_limit=self.settings.value(JUDGE_TIME))
        return self.ledger.metrics.measured(CachedJudge(asked))

    @cached_property
    def syntheses(self) -> "Syntheses":
        """What may be said when sub-results are merged; by the judge, where there is one to ask and it is wanted."""
        from howsure.syntheses.api import Syntheses

        return Syntheses(self.ledger, judge=self.judge, claims=lambda: self.claims)

    @cached_property
    def ledger(self) -> "Ledger":
        """What was decided, and what became of it."""
        from howsure.ledger.api import Ledger

        return Ledger(self.session, self.settings)

    @cached_property
    def responses(self) -> "Responses":
        """The gate for answers."""
        from howsure.responses.api import Responses

        return Responses(self.ledger, self.settings)

    @cached_property
    def investigations(self) -> "Investigations":
        """How sure agents are while they work."""
        from howsure.investigations.api import Investigations

        return Investigations(self.ledger, self.settings.value(TOOLS), self.settings.value(REDACT))

    @cached_property
    def documents(self) -> "Documents":
        """The files of repositories, and how far each can be trusted."""
        from howsure.documents.api import Documents

        return Documents(self.session, self.settings)

    @cached_property
    def bulk(self) -> "Bulk":
        """Whole tables of claims, or of texts, at once."""
        from howsure.bulk.api import Bulk

        return Bulk(self.session.formula, self.session.clock)

    @cached_property
    def charts(self) -> "Charts":
        """Pictures of what the others answer, as data."""
        from howsure.charts.api import Charts

        return Charts(
            self.session,
            claims=self.claims,
            ledger=self.ledger,
            responses=self.responses,
            investigations=self.investigations,
            documents=self.documents,
        )

    def assess(
        self, model: str, data: Mapping[str, Any], *, now: float | None = None, **about: Any
    ) -> "tuple[str, Score]":
        """Score a case by any model and write that down; return the id of the record, and the score."""
        from howsure.documents.recorded_scans import check_task
        from howsure.formulas.scoring import score

        check_task(model, about.get("task_id"))
        found = score(model, data)
        return self.ledger.record(found, self.ledger.about(**about), now=now), found

    def stats(self, **wanted: Any) -> "Statistics":
        """Return how agents have done: totals, success, calibration, trend."""
        from howsure.ledger.statistics import statistics

        return statistics(self.ledger, self.responses, **wanted)

    def clean(self, *, dry_run: bool = False, now: float | None = None) -> "list[Action]":
        """Let the janitor do what is due, or only tell what it would do."""
        from howsure.claims import janitor

        return janitor.clean(self.session, self.settings, dry_run=dry_run, now=now)

    def close(self) -> None:
        """Let go of the store."""
        self.session.close()

    def __enter__(self) -> Self:
        """Give the open store."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()


def open(  # noqa: A001 - howsure.open() is what one expects to write
    store: str | None = None,
    *,
    formula: "str | ClaimFormula | None" = None,
    actor: str | None = None,
    gatekeeper: "Gatekeeper | None" = None,
    clock: Callable[[], float] = time.time,
    settings: Settings | None = None,
    judge: "Judge | None" = None,
) -> Sure:
    """Open a store: a file (made if it is not there) or a postgresql:// address; by default the user's own.

    `formula` is how claims are read unless a query names another; `actor` is who the history says has written.
    """
    settings = settings or current()
    chosen = settings.value(FORMULA) if formula is None else formula
    from howsure.store.address import connect

    database = connect(str(store) if store is not None else settings.value(STORE))
    try:
        migrate(database)
        session = Session(database, chosen, actor or settings.value(ACTOR), clock)
        if chosen != FORMULA.default({}):  # whether there is such a formula should be known at once
            _ = session.formula
        sure = Sure(session, settings, gatekeeper, judge)
        _trim_daily(sure)
    except BaseException:
        database.close()
        raise
    return sure


def _trim_daily(sure: Sure) -> None:
    """Once a day, whoever opens a store takes out of the ledger what is too old."""
    from howsure.ledger.retention import trim_if_due

    trim_if_due(sure.session, sure.settings)

"""Open a store; its facades offer everything that howsure can do."""

import time
from collections.abc import Callable
from functools import cached_property
from types import TracebackType
from typing import TYPE_CHECKING, Annotated, Self

from howsure.operation import operation
from howsure.settings import (
    ACTOR,
    AUTO,
    FORMULA,
    JUDGE_KEY,
    JUDGE_MODEL,
    JUDGE_TIME,
    JUDGE_URL,
    MEANING,
    REDACT,
    STORE,
    TOOLS,
    Settings,
    current,
)
from howsure.shapes import Local
from howsure.store.backends.schema import migrate
from howsure.store.session import Session

if TYPE_CHECKING:  # loaded when they are used, so that the gate starts fast
    from howsure.bulk.api import Bulk
    from howsure.charts.api import Charts
    from howsure.claims.api import Claims
    from howsure.claims.federation.peers import Peers
    from howsure.claims.janitor import JanitorAction
    from howsure.claims.meaning import Meaning
    from howsure.claims.tiers import Gatekeeper
    from howsure.documents.api import Documents
    from howsure.formulas.claim import ClaimFormula
    from howsure.investigations.api import Investigations
    from howsure.judge.question import Judge
    from howsure.learn.api import Fits, Learner
    from howsure.learn.auto import AutoLearner
    from howsure.ledger.api import Ledger
    from howsure.ledger.models import Models
    from howsure.ledger.recorder import Recorder
    from howsure.reader.embedder import Embedder
    from howsure.responses.api import Responses
    from howsure.sources.api import Sources
    from howsure.store.backends.database import Transaction
    from howsure.store.ledger_tables.fits import FitKind
    from howsure.syntheses.api import Syntheses


class Sure:
    """An open store. Threads may share it. Close it when done, or use it as a context manager."""

    def __init__(
        self,
        session: Session,
        settings: Settings,
        gatekeeper: "Gatekeeper | None" = None,
        judge: "Judge | None" = None,
        embedder: "Embedder | None" = None,
    ) -> None:
        """Use an open session; `howsure.open` makes one.

        Args:
            session: The database, with actor, clock and formula.
            settings: The settings.
            gatekeeper: Decides about promotions of claims.
            judge: The language model to ask; by default the one of the settings.
            embedder: Compares claims by meaning; by default the one that is installed, if the settings say so.
        """
        self._judge = judge
        self._embedder = embedder
        self.session = session
        self.settings = settings
        self._gatekeeper = gatekeeper
        self._trimmed = False
        session.follow = _follow

    @cached_property
    def claims(self) -> "Claims":
        """Claims with their sources, relations and intervals."""
        from howsure.claims.api import Claims

        return Claims(self.session, self._gatekeeper, self.judge, lambda: self.peers, self._meaning())

    def _meaning(self) -> "Meaning | None":
        """Return what compares claims by meaning, or None if that is not switched on."""
        if self._embedder is None and not self.settings.value(MEANING):
            return None
        from howsure.claims.meaning import Meaning

        return Meaning(self.session, self._embedder)

    @cached_property
    def peers(self) -> "Peers":
        """Other stores that federated queries ask."""
        from howsure.claims.federation.peers import Peers

        return Peers(self.session, self.settings.environment)

    @cached_property
    def judge(self) -> "Judge | None":
        """The language model to ask, or None if none is configured."""
        if self._judge is not None:
            return self.recorder.metrics.measured(self._judge)
        url, name = self.settings.value(JUDGE_URL), self.settings.value(JUDGE_MODEL)
        if not url or not name:
            return None
        from howsure.judge import CachedJudge, ChatJudge

        key = self.settings.value(JUDGE_KEY) or None
        asked = ChatJudge(url, name, key, time_limit=self.settings.value(JUDGE_TIME))
        return self.recorder.metrics.measured(CachedJudge(asked))

    @cached_property
    def syntheses(self) -> "Syntheses":
        """Syntheses of several results, by rules or by the judge."""
        from howsure.syntheses.api import Syntheses

        return Syntheses(self.ledger, judge=self.judge, claims=lambda: self.claims)

    @cached_property
    def ledger(self) -> "Ledger":
        """Decisions and their outcomes."""
        from howsure.ledger.api import Ledger

        self._trim_ledger()
        learning = self.learning  # read now, so that an invalid setting fails before an outcome is stored
        return Ledger(self.session, self.settings, learning.check if learning else None)

    @cached_property
    def fits(self) -> "Fits":
        """What was learned from outcomes."""
        from howsure.investigations.learning import ChanceLearner
        from howsure.learn.api import Fits
        from howsure.responses.learning import ResponseLearner
        from howsure.sources.learning import SourceLearner

        sources = SourceLearner()
        learners: dict[FitKind, Learner] = {
            "response": ResponseLearner(),
            "investigation": ChanceLearner(),
            "source": sources,
        }
        return Fits(self.session, learners, sources.activate)

    @cached_property
    def sources(self) -> "Sources":
        """Sources of claims: how reliable they are, and who copies whom."""
        from howsure.sources.api import Sources

        return Sources(self.session, lambda: self.fits)

    @cached_property
    def learning(self) -> "AutoLearner | None":
        """Learns when enough new outcomes were reported; None unless the setting `learn.auto` is true."""
        if not self.settings.value(AUTO):
            return None
        from howsure.learn.auto import AutoLearner

        models: dict[FitKind, str] = {"response": "response", "investigation": "investigation"}
        return AutoLearner(self.session, lambda: self.fits, models)

    @cached_property
    def responses(self) -> "Responses":
        """The gate that decides whether a response may be sent."""
        from howsure.responses.api import Responses

        return Responses(self.recorder, self.settings, judge=lambda: self.judge)

    @cached_property
    def recorder(self) -> "Recorder":
        """Writes decisions to the ledger; the part of it that a gate needs."""
        from howsure.ledger.recorder import Recorder

        self._trim_ledger()
        return Recorder(self.session, self.settings)

    def _trim_ledger(self) -> None:
        """Delete old decisions when the ledger is first used, at most once a day."""
        from howsure.ledger.retention import trim_if_due

        if not self._trimmed:
            trim_if_due(self.session, self.settings)
            self._trimmed = True

    @cached_property
    def models(self) -> "Models":
        """The models that scores are computed by."""
        from howsure.ledger.models import Models

        return Models(self.recorder)

    @cached_property
    def investigations(self) -> "Investigations":
        """Confidence of agents while they investigate."""
        from howsure.investigations.api import Investigations

        return Investigations(self.ledger, self.settings.value(TOOLS), self.settings.value(REDACT))

    @cached_property
    def documents(self) -> "Documents":
        """Documents of repositories and their confidence."""
        from howsure.documents.api import Documents

        return Documents(self.session, self.settings)

    @cached_property
    def bulk(self) -> "Bulk":
        """Score whole tables of claims or texts."""
        from howsure.bulk.api import Bulk

        return Bulk(self.session.formula, self.session.clock, self.settings)

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
            sources=self.sources,
        )

    @operation("POST /v1/janitor", scope="admin", example={"dry_run": True}, slow=True)
    def clean(self, *, dry_run: bool = False, now: Annotated[float | None, Local()] = None) -> "list[JanitorAction]":
        """Expire, demote and delete claims, and delete old decisions; return what was done.

        If claims are compared by meaning, pairs that look like one claim are listed for review, and left alone.

        Args:
            dry_run: Only return what would be done.
        """
        from howsure.claims.janitor import clean

        return clean(self.session, self.settings, dry_run=dry_run, now=now, meaning=self.claims.meaning_if_on)

    def close(self) -> None:
        """Close the store."""
        if (learning := self.__dict__.get("learning")) is not None:
            learning.close()
        self.session.close()

    def __enter__(self) -> Self:
        """Return the open store."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the store."""
        self.close()


def _follow(transaction: "Transaction", changed: list[int]) -> None:
    """Bring the counts of sources up to date; loaded only once weights of sources were learned."""
    from howsure.sources.follow import follow

    follow(transaction, changed)


def open(  # noqa: A001 - howsure.open() is what one expects to write
    store: str | None = None,
    *,
    formula: "str | ClaimFormula | None" = None,
    actor: str | None = None,
    gatekeeper: "Gatekeeper | None" = None,
    clock: Callable[[], float] = time.time,
    settings: Settings | None = None,
    judge: "Judge | None" = None,
    embedder: "Embedder | None" = None,
    read_only: bool = False,
    create: bool = False,
) -> Sure:
    """Open a store; create it if it does not exist.

    A file that cannot be written to is opened read-only. A new file can be read by its owner only.

    Args:
        store: A file, sqlite:///FILE or a postgresql:// address; by default that of the settings.
        formula: The formula of claims, unless a query names another.
        actor: The name that changes are recorded under.
        gatekeeper: Decides about promotions of claims; by default by the bounds of the interval.
        clock: Returns the time in seconds since 1970.
        settings: The settings; by default those of the environment and the configuration file.
        judge: The language model to ask; by default the one of the settings.
        embedder: Keeps a vector of each claim and compares claims by meaning; by default the one that is installed, if
            the setting `claims.meaning` is true.
        read_only: Change nothing, not even which claims were read last. The store must exist.
        create: Also create the folder of the file. The folder of the default store is always created.

    Raises:
        InputError: if the address is of an unknown kind.
        StoreError: if the store cannot be reached, or its folder does not exist.

    >>> import tempfile
    >>> with open(tempfile.mkdtemp() + "/claims.db", actor="ann") as sure:
    ...     sure.claims.count().total, sure.session.actor
    (0, 'ann')
    """
    settings = settings or current()
    if settings.sets_parameters:
        from howsure.parameters import check_parameters

        check_parameters(settings)
    chosen = settings.value(FORMULA) if formula is None else formula
    from howsure.store.backends.database import connect, log_info

    address, origin = settings.find(STORE) if store is None else (str(store), "")
    database = connect(address, read_only=read_only, create=create or origin == "default")
    try:
        before, after = migrate(database)
        changed = f"schema {before} -> {after}" if before != after else f"schema {after}"
        more = f"{changed}, formula {chosen if isinstance(chosen, str) else chosen.name}"
        log_info("opened %s, %s%s", database.address, more, ", read-only" * database.read_only)
        session = Session(database, chosen, actor or settings.value(ACTOR), clock, settings)
        if chosen != FORMULA.default({}):  # fail now if there is no such formula
            _ = session.formula
        return Sure(session, settings, gatekeeper, judge, embedder)
    except BaseException:
        database.close()
        raise

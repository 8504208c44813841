"""Fits in the store: learn them from outcomes, compare, apply and roll them back."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Annotated, NamedTuple, Protocol

import orjson

from howsure.asynchronous import asynchronous
from howsure.errors import InputError, NotFoundError, StoreError, shown
from howsure.files import new_id
from howsure.formulas.learned import CalibrationKnot, GroupOffset, LearnedTerm
from howsure.learn.fit import FEWEST, Fit, FitQuality, FittedSource, MeasureDifference, fit_from_json, fit_to_json
from howsure.learn.promise import CONFIDENCE, Promise, ScoreLevel, make_promise
from howsure.learn.promise_watch import load_watches
from howsure.operation import Tool, operation
from howsure.progress import Progress, silent
from howsure.shapes import Doc, Local, Moment, decode_as
from howsure.store.backends.database import Transaction
from howsure.store.ledger_tables import fits as table
from howsure.store.ledger_tables.fits import FitKind, FitRow, FitStatus
from howsure.store.ledger_tables.outcomes import count_known
from howsure.store.session import Session
from howsure.store.text_rules import check_name

FitId = Annotated[str, Doc("Id of a fit, or @last for the newest.", example="f01a3185c50009f3a2b4c5d6e7f80")]
FitKindOption = Annotated[FitKind, Doc("What the fit judges.", example="response")]
_ID = "f01a3185c50009f3a2b4c5d6e7f80"


class Learner(Protocol):
    """Learns fits of one kind from the decisions of a store."""

    @property
    def model(self) -> str:
        """The model whose decisions it reads."""
        ...

    def learn(self, session: Session, *, since: float | None, active: Fit | None, progress: Progress) -> Fit:
        """Learn a fit, and compare it with the one in use."""
        ...


class WatchedPromise(NamedTuple):
    """A promise that was made with a fit, and what came of it so far."""

    risk: float
    """At most this share of what passes should be wrong."""
    outcomes: int
    """Outcomes of responses that passed by it."""
    wrong: int
    """How many of them were wrong."""
    broken: bool
    """Whether it was withdrawn, because too many were wrong: of these, or of one with a higher risk."""


@dataclass(frozen=True)
class FitSummary:
    """A fit: what it was learned from, how good it is, and whether it is in use."""

    id: str
    kind: FitKind
    status: FitStatus
    """candidate, active or retired."""
    created_at: float
    activated_at: float | None
    """When it was last made active."""
    retired_at: float | None
    """When another one took its place, or it was rolled back."""
    by: str
    """Who learned it."""
    replaces: str | None
    """The fit that it replaced, or was compared with; null for the score without a fit."""
    outcomes: int
    """How many outcomes it was learned from."""
    right: int
    since: float | None
    """When the first of them became known, in seconds since 1970."""
    until: float | None
    """When the last of them became known."""
    quality: FitQuality | None
    """Cross-validated measures; null with fewer than two outcomes."""
    replaced: FitQuality | None
    """The same measures of what it would replace."""
    differences: tuple[MeasureDifference, ...]
    """Paired differences from what it would replace; below 0 is better for all but auroc and coverage."""
    better: bool
    """Whether it is better beyond noise than what it would replace."""
    promises: tuple[WatchedPromise, ...] = ()
    """Promises that were made with it, since the first outcome of a response that passed by them."""
    withdrawn: bool = False
    """Whether a promise that was made with it was broken."""
    problem: str = ""
    """Why it cannot be read, and so has no numbers; empty if it can."""


@dataclass(frozen=True)
class FitDetails:
    """A fit with its parameters."""

    summary: FitSummary
    intercept: float
    """The weighted sum of a case whose values are all at their centre."""
    terms: tuple[LearnedTerm, ...]
    """Factors and signals with their weights."""
    knots: tuple[CalibrationKnot, ...]
    """The calibration map: from the logistic function of the weighted sum to a probability."""
    groups: tuple[GroupOffset, ...]
    """What each agent and type of agents adds to the log-odds."""
    levels: tuple[ScoreLevel, ...]
    """Outcomes by cross-validated probability, which promises are made from."""
    fingerprint: str
    """Sixteen hex digits, different for every set of parameters."""
    sources: tuple[FittedSource, ...] = ()
    """Sources with what was learned about them, of a fit of the kind source."""
    claims: int = 0
    """How many claims it was learned from, of a fit of the kind source."""

    def promise(self, risk: float, confidence: float = CONFIDENCE) -> Promise:
        """Return what its outcomes can promise: at most `risk` of what passes is wrong."""
        return make_promise(self.levels, risk, confidence)


class Fits:
    """What was learned from outcomes. At most one fit of each kind is active; candidates and retired ones are kept."""

    def __init__(
        self,
        session: Session,
        learners: Mapping[FitKind, Learner],
        activated: Callable[[Transaction, FitKind, Fit | None], None] | None = None,
    ) -> None:
        """Learn in a session, with the learner of each kind.

        `activated` is called within the transaction that makes a fit active, or returns to none.
        """
        self._session = session
        self._learners = learners
        self._activated = activated or (lambda *_: None)

    @operation("POST /v1/fits/learn", scope="admin", example={"kind": "response"}, slow=True)
    def learn(
        self,
        kind: FitKindOption = "response",
        *,
        since: Moment | None = None,
        apply: bool = False,
        now: Annotated[float | None, Local()] = None,
        progress: Annotated[Progress, Local()] = silent,
    ) -> FitSummary:
        """Learn from the outcomes in the store, and store a candidate.

        A right outcome counts as 1, a wrong or corrected one as 0. Responses are learned from decisions of the policy
        evidence that the threshold decided about. Decisions go on meanwhile: nothing is locked.

        Args:
            since: Only decisions made at this moment or later, in seconds since 1970.
            apply: Make it active if it is better beyond noise than what is in use; otherwise it stays a candidate. Fits
                of sources need no outcomes, and are always made active.

        Raises:
            InputError: if there is no outcome to learn from.
            MissingExtraError: if numpy is not installed.
        """
        learner = self._learners[decode_as(FitKind, kind, "kind")]
        with self._session.database.read() as transaction:
            active = table.get_active(transaction, kind)
            known = count_known(transaction, learner.model)
        try:
            fit = learner.learn(
                self._session,
                since=None if since is None else decode_as(Moment, since, "since"),
                active=None if active is None else read_content(active),
                progress=progress,
            )
        except InputError as error:
            raise self._name_other_kinds(error, kind) from None
        if fit.outcomes < FEWEST:
            fit = replace(fit, better=False)
        at = self._session.at(now)
        row = FitRow(
            id=new_id("f", at),
            kind=kind,
            status="candidate",
            created_at=at,
            activated_at=None,
            retired_at=None,
            actor=self._session.actor,
            content=orjson.dumps(fit_to_json(fit)).decode(),
            replaces="" if active is None else active.id,
            known=known,
        )
        with self._session.write() as transaction:
            table.insert(transaction, row)
            # Another process may have activated a fit meanwhile, with which this one was not compared.
            better = fit.better or kind == "source"  # whom to believe is learned without outcomes
            if apply and better and (table.active_id(transaction, kind) or "") == row.replaces:
                table.activate(transaction, row, at)
                self._activated(transaction, kind, fit)
                row = table.get(transaction, row.id) or row
        return summarize(row, fit)

    def _name_other_kinds(self, error: InputError, kind: str) -> InputError:
        """Return an error about a lack of outcomes with the kinds of fits for which there are some."""
        if error.field != "kind":
            return error
        with self._session.database.read() as transaction:
            others = [
                other
                for other, learner in self._learners.items()
                if other not in (kind, "source") and learner.model and count_known(transaction, learner.model)
            ]
        hint = f"there are some of another kind: howsure learn --kind {others[0]}" if others else error.hint
        return InputError(error.problem, field="kind", hint=hint)

    @operation(
        "GET /v1/fits",
        scope="read",
        example={"kind": "response"},
        tool=Tool(
            "list_fits",
            "List fits",
            "See what was learned from outcomes: which fit is active, how good it is, and which promises hold. Look "
            "before you pass a `promise` to check_response.",
        ),
    )
    def list(self, *, kind: FitKindOption | None = None) -> tuple[FitSummary, ...]:
        """Return all fits, the newest first. One that cannot be read says so in `problem`."""
        if kind is not None:
            decode_as(FitKind, kind, "kind")
        with self._session.database.read() as transaction:
            rows = table.list_all(transaction, kind)
        return tuple(_summarize_any(row) for row in rows)

    @operation("GET /v1/fits/{fit}", scope="read", example={"fit": _ID})
    def get(self, fit: FitId) -> FitDetails:
        """Return one fit with its parameters.

        Raises:
            NotFoundError: if there is none with this id.
            StoreError: if it cannot be read.
        """
        row = self._load(fit)
        content = read_content(row)
        model = content.parameters
        return FitDetails(
            summarize(row, content),
            model.intercept,
            model.terms,
            model.knots,
            model.groups,
            content.levels,
            content.fingerprint,
            content.sources,
            content.claims,
        )

    @operation("POST /v1/fits/{fit}/apply", scope="admin", example={"fit": _ID})
    def apply(self, fit: FitId, *, force: bool = False, now: Annotated[float | None, Local()] = None) -> FitSummary:
        """Make a fit the active one: decisions use it from now on, and the one before is retired.

        Args:
            force: Apply it even if it is not better beyond noise than what is in use.

        Raises:
            NotFoundError: if there is none with this id.
            InputError: if it is not better beyond noise than what is in use, unless `force` is true.
        """
        row = self._load(fit)
        content = read_content(row)
        at = self._session.at(now)
        with self._session.write() as transaction:
            active = table.active_id(transaction, row.kind) or ""
            if active != row.id:
                if not force and row.kind != "source":
                    _check_better(row, content, active)
                table.activate(transaction, row, at)
                self._activated(transaction, row.kind, content)
            applied = table.get(transaction, row.id) or row
        return summarize(applied, content)

    @operation("POST /v1/fits/rollback", scope="admin", example={"kind": "response"})
    def rollback(
        self, kind: FitKindOption = "response", *, now: Annotated[float | None, Local()] = None
    ) -> FitSummary | None:
        """Retire the active fit and return to the one that was in use before it, or to none.

        Returns:
            The fit that is active now, or None: scores are then used as they are.

        Raises:
            InputError: if no fit is active.
        """
        at = self._session.at(now)
        decode_as(FitKind, kind, "kind")
        with self._session.write() as transaction:
            active = table.get_active(transaction, kind)
            if active is None:
                hint = "howsure fits lists them"
                raise InputError(f"no fit of the kind {kind} is active", field="kind", hint=hint)
            before = table.get(transaction, active.replaces) if active.replaces else None
            if before is None:
                table.retire(transaction, kind, at)
                self._activated(transaction, kind, None)
                return None
            table.activate(transaction, before, at, before.replaces)
            row = table.get(transaction, before.id) or before
            content = read_content(row)
            self._activated(transaction, kind, content)
            return summarize(row, content)

    def check(self) -> tuple[str, ...]:
        """Return what is wrong with the stored fits; empty if all can be read."""
        try:
            with self._session.database.read() as transaction:
                rows = table.list_all(transaction)
        except StoreError as error:
            return (str(error),)
        problems = []
        for row in rows:
            try:
                summarize(row, read_content(row))
            except StoreError as error:
                problems.append(str(error))
        return tuple(problems)

    def _load(self, fit: str) -> FitRow:
        with self._session.database.read() as transaction:
            row = table.get(transaction, check_name(fit, "fit"))
        if row is None:
            raise NotFoundError(f"there is no fit {shown(fit)}", field="fit", hint="howsure fits lists them")
        return row

    alearn = asynchronous(learn)
    alist = asynchronous(list)  # noqa: A003 - the method above
    aget = asynchronous(get)
    aapply = asynchronous(apply)
    arollback = asynchronous(rollback)


def read_content(row: FitRow) -> Fit:
    """Return the fit of a row.

    Raises:
        StoreError: if it cannot be read: it was changed, or written by a newer version.
    """
    try:
        return fit_from_json(orjson.loads(row.content))
    except (orjson.JSONDecodeError, InputError) as error:
        raise StoreError(f"the fit {row.id} cannot be read: {error}") from None


def summarize(row: FitRow, fit: Fit) -> FitSummary:
    """Return what a row and its fit say.

    Raises:
        StoreError: if the state of its promises cannot be read.
    """
    lost = 0.0 if row.withdrawn is None else row.withdrawn
    promises = (WatchedPromise(one.risk, one.outcomes, one.wrong, one.risk <= lost) for one in load_watches(row))
    return FitSummary(
        id=row.id,
        kind=row.kind,
        status=row.status,
        created_at=row.created_at,
        activated_at=row.activated_at,
        retired_at=row.retired_at,
        by=row.actor,
        replaces=row.replaces or None,
        outcomes=fit.outcomes,
        right=fit.right,
        since=fit.since,
        until=fit.until,
        quality=fit.quality,
        replaced=fit.replaced,
        differences=fit.differences,
        better=fit.better,
        promises=tuple(promises),
        withdrawn=row.withdrawn is not None,
    )


def _summarize_any(row: FitRow) -> FitSummary:
    """Return what a row and its fit say, or what is wrong with them."""
    try:
        return summarize(row, read_content(row))
    except StoreError as error:
        return FitSummary(
            *row[:6],
            by=row.actor,
            replaces=row.replaces or None,
            outcomes=0,
            right=0,
            since=None,
            until=None,
            quality=None,
            replaced=None,
            differences=(),
            better=False,
            withdrawn=row.withdrawn is not None,
            problem=str(error),
        )


def _check_better(row: FitRow, fit: Fit, active: str) -> None:
    if row.status == "candidate" and row.replaces != active:
        now = f"{active} is active now" if active else "no fit is active now"
        against = row.replaces or "the score without a fit"
        raise InputError(f"it was compared with {against}, and {now}", field="fit", hint="learn again, or force it")
    if fit.outcomes < FEWEST:
        problem = f"{fit.outcomes:,} outcomes are too few to say whether it is better"
        raise InputError(problem, field="fit", hint=f"at least {FEWEST}, or force it")
    if not fit.better:
        problem = "it is not better beyond noise than what is in use"
        for gap in fit.differences:
            if gap.measure == "brier":
                problem += f": its Brier score differs by {gap.difference:+.4f} ({gap.lower:+.4f} to {gap.upper:+.4f})"
        raise InputError(problem, field="fit", hint="report more outcomes and learn again, or force it")

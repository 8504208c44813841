"""The public methods on sources: list their reliability, show what they got wrong, and learn it from all claims."""

from bisect import bisect_left
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated

from howsure.asynchronous import asynchronous
from howsure.errors import NotFoundError, shown
from howsure.formulas.claim import PRIOR_RIGHTS, PRIOR_WRONGS, UNKNOWN_WEIGHT
from howsure.formulas.interval import Interval
from howsure.operation import Tool, operation
from howsure.progress import Progress, silent
from howsure.shapes import Doc, Inline, Local, Within, decode_as
from howsure.sources import counts
from howsure.store.backends.database import Transaction
from howsure.store.claim_tables import source_weights as table
from howsure.store.claim_tables.source_weights import RIGHT, Candidate, CountedClaim, CountedSource
from howsure.store.session import Session
from howsure.store.text_rules import check_text

if TYPE_CHECKING:
    from howsure.learn.api import Fits, FitSummary

SourceName = Annotated[str, Doc("A source, as TYPE:ID.", example="extraction:almanac")]
Limit = Annotated[int, Within(1, 100_000), Doc("How many sources.")]
LONGEST_HISTORY = 1000
"""Claims of one source that are looked at, the last ones first."""
_FEW = 2000
"""Up to this many sources are looked up one by one; for more, the sources of all claims are read."""
_Ranked = tuple[float, str, tuple[str, str]]
"""A sort key, the source as TYPE:ID, and its type and id."""


@dataclass(frozen=True)
class SourceReliability:
    """What is known about a source."""

    source_type: str
    source_id: str
    reliability: float
    """The chance that a claim of it is right; 0.8 for an unknown source."""
    interval: Annotated[Interval, Inline()]
    """Meant to hold, in nine of ten cases, how often the source is right."""
    weight: float
    """The log-odds that it adds to a claim."""
    right: float
    """Expected number of its claims that are right, of those that others or an outcome say something about."""
    wrong: float
    """Expected number of them that are wrong."""
    claims: int
    """How many claims it is a source of."""
    copies: tuple[str, ...] = ()
    """Sources that it copies from or that copy from it, as TYPE:ID."""
    invalid: bool = False
    """Whether it is invalidated, so that it counts nowhere."""

    @property
    def name(self) -> str:
        """The source as TYPE:ID."""
        return f"{self.source_type}:{self.source_id}"


@dataclass(frozen=True)
class SourceClaim:
    """A claim of a source, and what is known about it."""

    id: str
    statement: str
    status: str
    at: float
    """When the source said so, in seconds since 1970."""
    probability: float | None
    """How likely it is right, by all sources of the claims that it competes with; None if nothing is known."""
    outcome: str | None
    """`right` or `wrong` if somebody found that out, else None."""
    instead: tuple[str, ...] = ()
    """What the claims say that are more likely than it."""


@dataclass(frozen=True)
class SourceHistory:
    """A source with its claims."""

    source: SourceReliability
    wrong: list[SourceClaim]
    """Claims that it got wrong: found wrong, or less likely than not. The last one first."""
    claims: list[SourceClaim]
    """All of its claims, the last one first; at most 1,000."""


@dataclass(frozen=True)
class SourcesFit:
    """The result of learning whom to believe."""

    fit: "FitSummary"
    sources: int
    """How many sources it is about."""
    claims: int
    """How many claims it was learned from."""
    copying: int
    """How many sources copy from each other."""


class Sources:
    """Sources of claims: how reliable each is, what it got wrong, and who copies whom.

    Every method has an async version whose name starts with an a: `alist`, `aget`, ...
    """

    def __init__(self, session: Session, fits: "Callable[[], Fits]") -> None:
        """Use an open store and its fits."""
        self._session = session
        self._fits = fits

    @operation(
        "GET /v1/sources",
        scope="read",
        example={"sources": ["extraction:almanac"]},
        tool=Tool(
            "who_to_trust",
            "Who to trust",
            "How reliable are sources? Ask when claims contradict each other or have few. An unknown source has 0.8.",
            parameters=("sources",),
            idempotent=True,
        ),
    )
    def list(
        self, sources: Sequence[str] = (), *, limit: Limit = 100, worst: bool = False
    ) -> tuple[SourceReliability, ...]:
        """Return sources with their reliability, those whose lower bound is highest first.

        Args:
            sources: Only these sources, as TYPE:ID.
            worst: The least reliable first.

        Raises:
            InputError: if `sources` is not a list, a name is not TYPE:ID, or the limit is not from 1 to 100,000.
        """
        limit = decode_as(Limit, limit, "limit")
        names = [_split(name) for name in decode_as(tuple[str, ...], sources, "sources")]
        with self._session.database.read() as transaction:
            if names:
                rows = table.list_named(transaction, names)
            elif limit > _FEW:
                rows = table.list_sources(transaction)
            else:
                rows = _list_first(transaction, limit, worst=worst)
            groups = _groups(transaction)
        known = {(row.source_type, row.source_id) for row in rows}
        rows += [CountedSource(*name, 0, False, None) for name in dict.fromkeys(names) if name not in known]
        return _sort([_describe(row, groups) for row in rows], worst=worst)[:limit]

    @operation("GET /v1/sources/history", scope="read", example={"source": "extraction:almanac"})
    def get(self, source: SourceName) -> SourceHistory:
        """Return one source with its claims, and those it got wrong.

        Raises:
            InputError: if the name is not TYPE:ID.
            NotFoundError: if no claim has such a source.
        """
        name = _split(source)
        with self._session.database.read() as transaction:
            rows = table.list_named(transaction, [name])
            if not rows:
                hint = "howsure sources lists them"
                raise NotFoundError(f"no claim has the source {shown(source)}", field="source", hint=hint)
            summary = _describe(rows[0], _groups(transaction))
            counted = table.claims_of(transaction, *name, LONGEST_HISTORY)
            claims = [_claim(row) for row in counted]
            wrong = [
                _with_better(transaction, one, row.key)
                for one, row in zip(claims, counted, strict=True)
                if is_wrong(one)
            ]
        return SourceHistory(summary, wrong, claims)

    @operation("POST /v1/sources/fit", scope="admin", slow=True)
    def fit(
        self,
        *,
        now: Annotated[float | None, Local()] = None,
        progress: Annotated[Progress, Local()] = silent,
    ) -> SourcesFit:
        """Learn from all claims how reliable their sources are and who copies whom, and use it from now on.

        No labels are needed: sources are believed as far as they agree with others that are believed. Claims that were
        verified or refuted help. The formula `reliability` reads the result; the fit is listed by `fits.list`, and
        `fits.rollback` returns to the one before.

        Raises:
            InputError: if no claim has a source.
            MissingExtraError: if numpy is not installed.

        >>> import howsure, tempfile
        >>> sure = howsure.open(tempfile.mkdtemp() + "/claims.db")
        >>> sky = sure.claims.add("The sky is blue", source="user_input:ann")
        >>> sure.sources.fit().sources, sure.sources.list()[0].reliability
        (1, 0.8)
        """
        summary = self._fits().learn("source", apply=True, now=now, progress=progress)
        fit = self._fits().get(summary.id)
        return SourcesFit(summary, len(fit.sources), fit.claims, sum(bool(one.copy_group) for one in fit.sources))

    alist = asynchronous(list)  # noqa: A003 - the method above
    aget = asynchronous(get)
    afit = asynchronous(fit)


def list_copying(session: Session) -> tuple[SourceReliability, ...]:
    """Return the sources that copy from others, in the order of `Sources.list`."""
    with session.database.read() as transaction:
        names = [(row.source_type, row.source_id) for row in table.list_copies(transaction)]
        rows = table.list_named(transaction, names)
        groups = _groups(transaction) if names else {}
    return _sort([_describe(row, groups) for row in rows])


def _sort(sources: list[SourceReliability], *, worst: bool = False) -> tuple[SourceReliability, ...]:
    return tuple(sorted(sources, key=lambda one: (one.interval.lower if worst else -one.interval.lower, one.name)))


def _list_first(transaction: Transaction, limit: int, *, worst: bool) -> list[CountedSource]:
    """Return the first sources in the order of `Sources.list`; claims are counted of these only.

    All sources about which nothing was learned have the same lower bound, so only the first of them by name are read.
    """
    sign = 1.0 if worst else -1.0
    unknown = sign * counts.interval(PRIOR_RIGHTS, PRIOR_WRONGS).lower
    ranked = sorted(
        (sign * counts.interval(row.rights, row.wrongs).lower, f"{row.source_type}:{row.source_id}", row[:2])
        for row in table.list_all(transaction)
    )
    ahead = bisect_left(ranked, (unknown, "", ("", "")))
    rows = _take(transaction, ranked[:ahead], limit)
    if len(rows) < limit:
        left = limit - len(rows)
        others = [(unknown, ":".join(name), name) for name in table.list_unlearned(transaction, left)]
        rows += _take(transaction, sorted(ranked[ahead:] + others), left)
    return rows


def _take(transaction: Transaction, ranked: Sequence[_Ranked], most: int) -> list[CountedSource]:
    """Return the first of some sources that contribute to a claim."""
    rows: list[CountedSource] = []
    place = 0
    while len(rows) < most and place < len(ranked):
        some = ranked[place : place + most - len(rows)]
        rows += table.list_named(transaction, [name for _, _, name in some])
        place += len(some)
    return rows


def _split(source: str) -> tuple[str, str]:
    from howsure.claims.add import split_source

    source_type, source_id = split_source(source)
    check_text("source_type", source_type, "source")
    check_text("source_id", source_id, "source")
    return source_type, source_id


def _groups(transaction: Transaction) -> dict[str, list[str]]:
    """Return the members of each copy group."""
    groups: dict[str, list[str]] = {}
    for row in table.list_copies(transaction):
        groups.setdefault(row.copy_group, []).append(f"{row.source_type}:{row.source_id}")
    return groups


def _describe(row: CountedSource, groups: dict[str, list[str]]) -> SourceReliability:
    learned = row.learned
    rights, wrongs = (learned.rights, learned.wrongs) if learned else (PRIOR_RIGHTS, PRIOR_WRONGS)
    name = f"{row.source_type}:{row.source_id}"
    members = groups.get(learned.copy_group, []) if learned and learned.copy_group else []
    return SourceReliability(
        row.source_type,
        row.source_id,
        counts.reliability(rights, wrongs),
        counts.interval(rights, wrongs),
        learned.weight if learned else UNKNOWN_WEIGHT,
        rights - PRIOR_RIGHTS,
        wrongs - PRIOR_WRONGS,
        row.claims,
        tuple(member for member in members if member != name),
        row.invalid,
    )


def is_wrong(claim: SourceClaim) -> bool:
    """Return whether a claim was found wrong, or is less likely than not."""
    if claim.outcome is not None:
        return claim.outcome == "wrong"
    return claim.probability is not None and claim.probability < 0.5  # noqa: PLR2004


def _claim(row: CountedClaim) -> SourceClaim:
    outcome = None if row.action is None else "right" if row.action in RIGHT else "wrong"
    total = (row.rights or 0.0) + (row.wrongs or 0.0)
    chance = (row.rights or 0.0) / total if total > 0.0 else None
    return SourceClaim(row.id, row.statement, row.status, row.at, chance, outcome)


def _with_better(transaction: Transaction, claim: SourceClaim, key: int) -> SourceClaim:
    """Return a claim with the statements of the claims that are more likely than it."""
    about = next(iter(table.read_candidates(transaction, [key])), Candidate(key, "", None, None, None))
    rivals = sorted(table.find_rivals(transaction, [about]))
    better = table.better_claims(transaction, rivals, claim.probability or 0.0)
    return replace(claim, instead=tuple(better))
